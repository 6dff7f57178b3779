// Source positions of the declarations in a type. They distinguish types with equal texts, such as
// `{ /** @minimum 1 */ n: int }` and `{ /** @minimum 2 */ n: int }`.

import { ts } from "ts-morph";
import { limitsOrigin } from "./carried-limits.js";
import type { ReadContext } from "./read-context.js";

/** Only the first parts of larger types count. */
const MAX_PARTS = 1000;

/** Returns `file:offset` of each declaration in the project, sorted and joined. */
export function declarationKey(context: ReadContext, type: ts.Type): string {
  const locations = new Set<string>();
  const seen = new Set<ts.Type>();
  const visit = (part: ts.Type): void => {
    if (seen.has(part) || seen.size >= MAX_PARTS) return;
    seen.add(part);
    for (const location of listLocations(context, part)) locations.add(location);
    for (const inner of listParts(context, part)) visit(inner);
  };
  visit(type);
  return [...locations].sort().join();
}

function listLocations(context: ReadContext, type: ts.Type): string[] {
  const symbols = [type.aliasSymbol, type.getSymbol()];
  const declarations = symbols.flatMap((symbol) => symbol?.declarations?.slice(0, 1) ?? []);
  const origins = isAnonymous(type)
    ? type.getProperties().flatMap((property) => limitsOrigin(property) ?? [])
    : [];
  return [...declarations, ...origins].flatMap((node) => {
    const sourceFile = node.getSourceFile();
    if (sourceFile === undefined) return [];
    const isForeign = context.program.isSourceFileDefaultLibrary(sourceFile);
    return isForeign ? [] : [`${context.path(sourceFile)}:${node.pos}`];
  });
}

function listParts({ checker }: ReadContext, type: ts.Type): readonly ts.Type[] {
  if (type.isUnionOrIntersection()) return type.types;
  const { objectFlags = 0 } = type as Partial<ts.ObjectType>;
  const isReference = (objectFlags & ts.ObjectFlags.Reference) !== 0;
  const args = isReference ? checker.getTypeArguments(type as ts.TypeReference) : [];
  const properties = isAnonymous(type) ? type.getProperties() : [];
  return [
    ...(type.aliasTypeArguments ?? []),
    ...args,
    ...properties.map((property) => checker.getTypeOfSymbol(property)),
    ...(isAnonymous(type) ? checker.getIndexInfosOfType(type) : []).flatMap((info) => [
      info.keyType,
      info.type,
    ]),
  ];
}

function isAnonymous(type: ts.Type): boolean {
  const { objectFlags = 0 } = type as Partial<ts.ObjectType>;
  return (objectFlags & (ts.ObjectFlags.Anonymous | ts.ObjectFlags.Mapped)) !== 0;
}
