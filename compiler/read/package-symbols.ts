// Recognizes declarations of this package (`PluginRequest`, the branded numbers, `plugin`) by their
// location, never by name alone: users may rename imports or declare such names.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ts } from "ts-morph";

export const PACKAGE_NAME = "svc-server";

const ownFolders = new Map<string, boolean>();

/** Returns true if the symbol is declared in this package's sources or declarations. */
export function isPackageSymbol(symbol: ts.Symbol | undefined, name?: string): boolean {
  if (!symbol || (name !== undefined && symbol.name !== name)) return false;
  const file = symbol.declarations?.[0]?.getSourceFile().fileName;
  return file !== undefined && isPackageFolder(dirname(file));
}

/** Returns true for `Graph`, and for `Graph<Schema>`, an interface that extends the class. */
export function isGraph(type: ts.Type): boolean {
  const symbol = type.getSymbol();
  return isPackageSymbol(symbol, "Graph") || isPackageSymbol(symbol, "TypedGraph");
}

/** Returns true if the nearest package.json is that of this package. */
export function isPackageFolder(folder: string): boolean {
  let known = ownFolders.get(folder);
  if (known === undefined) {
    known = isNearestPackageOurs(folder);
    ownFolders.set(folder, known);
  }
  return known;
}

function isNearestPackageOurs(folder: string): boolean {
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) {
    const content: unknown = JSON.parse(readFileSync(manifest, "utf8"));
    return (content as { name?: unknown } | null)?.name === PACKAGE_NAME;
  }
  const parent = dirname(folder);
  return parent !== folder && isPackageFolder(parent);
}

/** Returns `int` or `float` if the type carries the brand of that number, otherwise null. */
export function readBrand(checker: ts.TypeChecker, type: ts.Type): "int" | "float" | null {
  if (!type.isIntersection()) return null;
  for (const part of type.types) {
    if (!(part.flags & ts.TypeFlags.Object)) continue;
    const brand = checker.getPropertiesOfType(part)[0];
    if (!brand || !isBrandKey(brand) || !isPackageSymbol(brand)) continue;
    return brandKind(checker, brand);
  }
  return null;
}

function brandKind(checker: ts.TypeChecker, brand: ts.Symbol): "int" | "float" {
  const tags = checker.getTypeOfSymbol(brand);
  const words = tags.isUnion() ? tags.types : [tags];
  return words.some((word) => word.isStringLiteral() && word.value === "float") ? "float" : "int";
}

/** The symbol `brand` of `contract/types.ts`; limits of types use another one. */
function isBrandKey(property: ts.Symbol): boolean {
  return String(property.escapedName).startsWith("__@brand@");
}

/** Returns true for a property whose key is a `unique symbol`. */
export function isUniqueSymbolKey(property: ts.Symbol): boolean {
  return String(property.escapedName).startsWith("__@");
}
