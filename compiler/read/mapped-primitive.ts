// Mapped types over branded scalars. A type such as `DeepPartial`, `T extends object ? { [K in
// keyof T]?: … } : T`, matches `int`, since its brand is an object type. The result has all methods
// of a number and is read as the number.

import { ts } from "ts-morph";
import type { TypeShape } from "../record/type-shape.js";
import { type LimitTag, readLimitTags } from "./limit-tags.js";
import { aliasBehind, LIMITS_PROPERTY } from "./limited-aliases.js";
import { isLibrary } from "./named-type.js";
import { brandKind, isBrandKey, isPackageSymbol } from "./package-symbols.js";
import type { ReadContext } from "./read-context.js";

export interface MappedPrimitive {
  readonly shape: TypeShape;
  /** Of the alias that the scalar was named by. */
  readonly tags: readonly LimitTag[];
}

/** Null for any other type. */
export function readMappedPrimitive(context: ReadContext, type: ts.Type): MappedPrimitive | null {
  const { objectFlags } = type as ts.ObjectType;
  if (!(type.flags & ts.TypeFlags.Object) || !(objectFlags & ts.ObjectFlags.Mapped)) return null;
  const isNumber = hasMethod(context, type, "toFixed", "Number");
  if (!isNumber && !hasMethod(context, type, "charCodeAt", "String")) return null;
  const properties = context.checker.getPropertiesOfType(type);
  const brand = properties.find((key) => isBrandKey(key) && isPackageSymbol(key));
  const kind = brand ? brandKind(context.checker, brand) : "float";
  const limits = properties.find(({ name }) => name === LIMITS_PROPERTY);
  const alias = limits && aliasBehind(limits);
  return {
    shape: { kind: isNumber ? kind : "str" },
    tags: alias ? readLimitTags(context, alias) : [],
  };
}

/** True for the method of that name that the library declares for a scalar's wrapper. */
function hasMethod(context: ReadContext, type: ts.Type, name: string, owner: string): boolean {
  const [declaration] = type.getProperty(name)?.declarations ?? [];
  if (!declaration || !isLibrary(context, declaration as ts.Declaration)) return false;
  return ts.isInterfaceDeclaration(declaration.parent) && declaration.parent.name.text === owner;
}
