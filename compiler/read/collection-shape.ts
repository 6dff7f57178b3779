// Shapes of Map and Set. A Set is an array in JSON. A Map is an object if its keys are strings or
// numbers, otherwise an array of pairs.

import { ts } from "ts-morph";
import { readMap } from "./index-shape.js";
import { problemsAtPath, type TypeReader, type TypeReading, unsupported } from "./reading.js";

/** Returns null for other types. */
export function readCollection(reader: TypeReader, type: ts.Type): TypeReading | null {
  const [first, second] = reader.context.checker.getTypeArguments(type as ts.TypeReference);
  const name = type.getSymbol()?.name.replace("Readonly", "");
  if (name === "Set" && first) return readSet(reader, first);
  return name === "Map" && first && second ? readPairs(reader, first, second) : null;
}

function readSet(reader: TypeReader, element: ts.Type): TypeReading {
  const { shape, problems } = reader.readPresent(element);
  const array = { kind: "array", items: shape, valueClass: "Set" } as const;
  return { shape: array, problems: problemsAtPath("[]", { shape, problems }) };
}

function readPairs(reader: TypeReader, key: ts.Type, value: ts.Type): TypeReading {
  const { checker } = reader.context;
  const types = key.isUnion() ? key.types : [checker.getBaseConstraintOfType(key) ?? key];
  const isNumber = types.every((keyType) => hasFlags(keyType, ts.TypeFlags.NumberLike));
  const isText = types.every((keyType) => hasFlags(keyType, ts.TypeFlags.StringLike));
  const isMixed = types.every((keyType) => hasFlags(keyType, MIXED));
  if (isMixed && !isText && !isNumber && reader.direction === "input") {
    return unsupported("a Map with text and numbers as keys", "either text or numbers as keys");
  }
  if (isMixed) {
    const { shape, problems } = readMap(reader, key, value);
    const numbers = isNumber && { hasNumberKeys: true as const };
    const map = {
      kind: "object",
      properties: [],
      ...shape,
      valueClass: "Map",
      ...numbers,
    } as const;
    return { shape: map, problems };
  }
  const [keys, values] = [reader.readPresent(key), reader.readPresent(value)];
  const items = [keys.shape, values.shape];
  const pair = { kind: "tuple", items, required: items.length, rest: null } as const;
  return {
    shape: { kind: "array", items: pair, valueClass: "Map" },
    problems: [...problemsAtPath("[][0]", keys), ...problemsAtPath("[][1]", values)],
  };
}

const MIXED = ts.TypeFlags.StringLike | ts.TypeFlags.NumberLike;

function hasFlags(type: ts.Type, mask: ts.TypeFlags): boolean {
  const parts = type.isIntersection() ? type.types : [type];
  return parts.some(({ flags }) => (flags & mask) !== 0);
}
