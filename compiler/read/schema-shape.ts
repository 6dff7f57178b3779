// The shape of a type that is inferred from a schema: clients send the schema's input.

import type { ts } from "ts-morph";
import type { TypeReader, TypeReading } from "./reading.js";
import { elementNode } from "./schema-locations.js";
import { schemaType } from "./schema-type.js";

/** Returns null if neither the type nor its element is inferred from a schema. */
export function readSchema(reader: TypeReader, node: ts.TypeNode | undefined): TypeReading | null {
  if (node === undefined || reader.direction === "output") return null;
  const found = schemaType(reader.context, node);
  if (found !== null) return reader.readPresent(found.input);
  const element = elementNode(node);
  const items = element && readSchema(reader, element);
  return items && { ...items, shape: { kind: "array", items: items.shape } };
}
