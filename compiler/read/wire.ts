// Determines the conversion of query text to a shape. Null members are ignored, because a key
// without `=` is null for every type.

import type { Wire } from "../../argspec/wire.js";
import type { TypeShape } from "../record/type-shape.js";
import type { NamedShape } from "./named-type.js";

type Named = ReadonlyMap<string, NamedShape>;

export function toWireType(shape: TypeShape, named: Named): Wire {
  const [first, ...others] = new Set(memberWires(shape, named));
  if (first === undefined) return "json";
  if (others.length === 0) return first;
  const isNumeric = [first, ...others].every((wire) => wire === "int" || wire === "float");
  return isNumeric ? "float" : "json";
}

/** Returns the wire types of a type's members, including those of a named union. */
export function memberWires(shape: TypeShape, named: Named): Wire[] {
  switch (shape.kind) {
    case "int":
    case "float":
    case "str":
    case "bytes":
      return [shape.kind];
    case "null":
      return [];
    case "pattern":
      return ["str"];
    case "literal":
      return [literalWire(shape.value)];
    case "union":
      return shape.members.flatMap((member) => memberWires(member, named));
    case "limited":
      return memberWires(shape.base, named);
    case "ref": {
      // Terminates: only named unions have scalar members, and the checker flattens unions.
      const type = named.get(shape.name)?.shape;
      return type?.kind === "union" ? memberWires(type, named) : ["json"];
    }
    default:
      return ["json"];
  }
}

function literalWire(value: string | number | boolean): Wire {
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "json";
  return Number.isSafeInteger(value) ? "int" : "float";
}
