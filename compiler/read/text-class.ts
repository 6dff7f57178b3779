// Classes whose values are text or bytes in requests and responses: Date, URL and others with a
// JSON representation, cursors of pages, and files of forms.

import { ts } from "ts-morph";
import type { TextValueClass } from "../../argspec/typed/value-classes.js";
import type { TypeShape } from "../record/type-shape.js";
import { isPackageSymbol } from "./package-symbols.js";

type LimitedShape = Extract<TypeShape, { kind: "limited" }>;

/** Classes of this package that can be the type of a parameter. */
export type TextClass = "Cursor" | "UploadedFile";

/** Maximum digits of a bigint: longer numbers take too long to convert. */
const MAX_DIGITS = 1000;

const LIMITS: Readonly<Record<TextValueClass, LimitedShape["limits"]>> = {
  Date: { format: "date-time" },
  URL: { format: "uri" },
  Uint8Array: {},
  bigint: { pattern: "^-?\\d+$", maxLength: MAX_DIGITS },
};

/** A member of each class, to distinguish it from other types of the same name. */
const MEMBERS: Readonly<Record<string, readonly [TextValueClass, string]>> = {
  Date: ["Date", "toISOString"],
  URL: ["URL", "searchParams"],
  Uint8Array: ["Uint8Array", "BYTES_PER_ELEMENT"],
  // A subclass in Node.js.
  Buffer: ["Uint8Array", "BYTES_PER_ELEMENT"],
};

/** Returns the shape of a class whose values are text in JSON; null for other types. */
export function readTextValue(type: ts.Type): TypeShape | null {
  if (type.flags & ts.TypeFlags.BigIntLiteral) return literalShape(type as ts.BigIntLiteralType);
  if (type.flags & ts.TypeFlags.BigInt) return textValueShape("bigint");
  const name = type.getSymbol()?.name ?? "";
  if (!Object.hasOwn(MEMBERS, name)) return null;
  const [valueClass, member] = MEMBERS[name]!;
  if (type.getProperty(member) === undefined) return null;
  const shape = textValueShape(valueClass);
  return name === "Buffer" ? { ...shape, isBuffer: true } : shape;
}

/** Returns whether a type is `Buffer`, possibly with null. */
export function isBuffer(type: ts.Type): boolean {
  const members = type.isUnion() ? type.types : [type];
  return members.some((member) => {
    const shape = readTextValue(member);
    return shape?.kind === "limited" && shape.isBuffer === true;
  });
}

function textValueShape(valueClass: TextValueClass, limits = LIMITS[valueClass]): LimitedShape {
  return { kind: "limited", base: { kind: "str" }, limits, valueClass };
}

function literalShape({ value: { negative, base10Value } }: ts.BigIntLiteralType): TypeShape {
  return textValueShape("bigint", { pattern: `^${negative ? "-" : ""}${base10Value}$` });
}

/** Returns the shape for values outside JSON, such as a body: their bytes are not encoded. */
export function withRawBytes(shape: TypeShape): TypeShape {
  if (shape.kind === "union") return { ...shape, members: shape.members.map(withRawBytes) };
  const isBytes = shape.kind === "limited" && shape.valueClass === "Uint8Array";
  return isBytes ? { kind: "bytes" } : shape;
}

/** Returns the class of this package that a type is, or null. */
export function readTextClass(type: ts.Type): TextClass | null {
  const symbol = type.getSymbol();
  return (
    (["Cursor", "UploadedFile"] as const).find((name) => isPackageSymbol(symbol, name)) ?? null
  );
}

/** Variant of `readTextClass` for the type of a parameter, which can be null or undefined. */
export function readTextParameter(type: ts.Type): TextClass | null {
  const members = type.isUnion() ? type.types : [type];
  const { Null, Undefined } = ts.TypeFlags;
  const [only, ...others] = members.filter(({ flags }) => !(flags & (Null | Undefined)));
  return only === undefined || others.length > 0 ? null : readTextClass(only);
}

export function textShape(name: TextClass): TypeShape {
  return { kind: name === "UploadedFile" ? "bytes" : "str" };
}
