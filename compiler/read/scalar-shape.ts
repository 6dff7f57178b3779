// Reads types without parts: scalars, literals, brands, template literals, and rejected types.

import { ts } from "ts-morph";
import type { TypeShape } from "../record/type-shape.js";
import { isPackageSymbol, readBrand } from "./package-symbols.js";
import type { ReadContext } from "./read-context.js";
import { type Direction, plain, type TypeReading, unsupported } from "./reading.js";
import { patternSource } from "./template-pattern.js";
import { readTemporal } from "./temporal-class.js";
import { readTextClass, readTextValue, textShape } from "./text-class.js";
import { readTypeLimits } from "./type-limits.js";

/** Reads types without parts; null for other types. */
export function readScalar(
  context: ReadContext,
  type: ts.Type,
  direction: Direction,
): TypeReading | null {
  const { checker } = context;
  const { flags } = type;
  if (flags & ts.TypeFlags.Any) context.metAny = true;
  if (type.aliasSymbol?.name === "json" && isPackageSymbol(type.aliasSymbol)) {
    return plain({ kind: "json" });
  }
  // Such an enum has no object at run time, so accessing a member would throw.
  if (direction === "input" && isAmbientEnum(type)) {
    return unsupported("an enum that is only declared", "an enum without `declare`");
  }
  if (type.isStringLiteral() || type.isNumberLiteral()) {
    return plain({ kind: "literal", value: type.value });
  }
  if (flags & ts.TypeFlags.BooleanLiteral) {
    return plain({ kind: "literal", value: checker.typeToString(type) === "true" });
  }
  if (flags & ts.TypeFlags.TemplateLiteral) {
    const template = type as ts.TemplateLiteralType;
    if (template.types.some((part) => readTypeLimits(context, part) !== null)) {
      return unsupported("a template with a limited type", "`str` with `@pattern`");
    }
    if (direction === "input" && template.types.some(hasRequiredCase)) return REQUIRED_CASE;
    return plain({ kind: "pattern", source: patternSource(checker, template) });
  }
  const value = readTextValue(type) ?? readTemporal(type);
  if (value !== null) return plain(value);
  const text = direction === "output" ? readTextClass(type) : null;
  if (text !== null) return plain(textShape(text));
  const brand = readBrand(checker, type);
  if (brand) return plain({ kind: brand });
  // A user-defined brand does not change the wire form.
  const branded = type.isIntersection() && type.types.find(isPrimitive);
  if (branded) return readScalar(context, branded, direction);
  // The checker does not know the values of the members, so every number would be accepted.
  if (flags & ts.TypeFlags.Enum && direction === "input") {
    return unsupported("an enum with a computed member", "literal values");
  }
  if (direction === "input" && hasRequiredCase(type)) return REQUIRED_CASE;
  if (direction === "input" && flags & ts.TypeFlags.NonPrimitive) return plain(ANY_OBJECT);
  if (isImpossible(checker, type)) return plain({ kind: "null" });
  for (const [mask, kind] of SCALARS) {
    if (flags & mask) return plain({ kind });
  }
  for (const [mask, reason, help] of REFUSED) {
    if (flags & mask) return unsupported(reason, help);
  }
  return null;
}

/** The checker does not reduce `{ kind: "a" } & { kind: "b" }` to `never` by itself. */
export function isImpossible(checker: ts.TypeChecker, type: ts.Type): boolean {
  return type.isIntersection() && checker.isTypeAssignableTo(type, checker.getNeverType());
}

/** Returns whether a type is `Uppercase<string>` or the like. */
function hasRequiredCase({ flags }: ts.Type): boolean {
  return (flags & ts.TypeFlags.StringMapping) !== 0;
}

const REQUIRED_CASE = unsupported("a text in upper or lower case", "`str` with `@pattern`");

/** The values of the type `object`. */
const ANY_OBJECT: TypeShape = {
  kind: "union",
  members: [
    { kind: "object", properties: [], additional: { kind: "json" } },
    { kind: "array", items: { kind: "json" } },
  ],
};

function isPrimitive(type: ts.Type): boolean {
  const { StringLike, NumberLike, BooleanLike, BigIntLike } = ts.TypeFlags;
  return (type.flags & (StringLike | NumberLike | BooleanLike | BigIntLike)) !== 0;
}

/**
 * A `declare enum` in a source file has no object at run time. In a declaration file, the enum may
 * have one.
 */
function isAmbientEnum(type: ts.Type): boolean {
  if ((type.flags & ts.TypeFlags.EnumLike) === 0) return false;
  const declarations = type.getSymbol()?.declarations ?? [];
  return declarations.length > 0 && declarations.every(isAmbient);
}

function isAmbient(declaration: ts.Node): boolean {
  if (declaration.getSourceFile().isDeclarationFile) return false;
  for (let node = declaration; node !== undefined; node = node.parent) {
    const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
    if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword)) return true;
  }
  return false;
}

const { TypeFlags } = ts;

type ScalarKind = "json" | "str" | "float" | "bool" | "null";

const SCALARS: readonly (readonly [ts.TypeFlags, ScalarKind])[] = [
  [TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive, "json"],
  [TypeFlags.String | TypeFlags.StringMapping, "str"],
  [TypeFlags.Number | TypeFlags.Enum, "float"],
  [TypeFlags.Boolean, "bool"],
  [TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Void | TypeFlags.Never, "null"],
];

const REFUSED: readonly (readonly [ts.TypeFlags, string, string])[] = [
  [TypeFlags.ESSymbolLike, "a symbol", "`str`"],
];
