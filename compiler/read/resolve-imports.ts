// Resolves imports of this package to a small part of its declarations, if that part exports all
// names that a file imports: those for plugins without graphs. The whole package re-exports the
// same declarations, so types from both are identical.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ts } from "ts-morph";
import { isPackageFolder } from "./package-symbols.js";

type Resolution = ts.ResolvedModuleWithFailedLookupLocations;
type ResolveImports = NonNullable<ts.CompilerHost["resolveModuleNameLiterals"]>;

/** Properties of a file that its type does not declare. */
interface Specifiers {
  readonly imports?: readonly ts.StringLiteralLike[];
  readonly moduleAugmentations?: readonly ts.Node[];
}

const WHOLE = /\/dist\/types\/runtime\/index\.d\.ts$/;
const PART = "plugins.d.ts";

/** Resolves imports like TypeScript, but those of this package to its part where possible. */
export function resolveImports(
  host: ts.CompilerHost,
  options: ts.CompilerOptions,
): Pick<ts.CompilerHost, "resolveModuleNameLiterals" | "getModuleResolutionCache"> {
  const canonical = (path: string) => host.getCanonicalFileName(path);
  const folder = host.getCurrentDirectory();
  const cache = ts.createModuleResolutionCache(folder, canonical, options);
  /** Names that a part exports, by its path. */
  const parts = new Map<string, ReadonlySet<string>>();
  const readNames = (part: string): ReadonlySet<string> => {
    const names = parts.get(part) ?? new Set(exportedNames(part));
    parts.set(part, names);
    return names;
  };
  const resolve: ResolveImports = (specifiers, file, redirected, used, source) =>
    specifiers.map((specifier) => {
      const mode = ts.getModeForUsageLocation(source, specifier, used);
      const { text } = specifier;
      const found = ts.resolveModuleName(text, file, used, host, cache, redirected, mode);
      return narrowToPart(found, source, text, readNames);
    });
  return { resolveModuleNameLiterals: resolve, getModuleResolutionCache: () => cache };
}

function narrowToPart(
  found: Resolution,
  source: ts.SourceFile,
  specifier: string,
  readNames: (part: string) => ReadonlySet<string>,
): Resolution {
  const { resolvedModule } = found;
  const path = resolvedModule?.resolvedFileName ?? "";
  if (!WHOLE.test(path) || !isPackageFolder(dirname(path))) return found;
  const part = join(dirname(path), PART).replaceAll("\\", "/");
  if (!importsOnly(source, specifier, readNames(part))) return found;
  // Files of the same package id would count as copies of each other.
  const { packageId: _, ...rest } = resolvedModule!;
  return { ...found, resolvedModule: { ...rest, resolvedFileName: part } };
}

/** Returns whether a file imports only these names by a specifier. */
function importsOnly(
  source: ts.SourceFile,
  specifier: string,
  names: ReadonlySet<string>,
): boolean {
  const { imports = [], moduleAugmentations = [] } = source as Specifiers;
  const isSpecifier = (node: ts.Node) => ts.isStringLiteralLike(node) && node.text === specifier;
  return [...imports, ...moduleAugmentations]
    .filter(isSpecifier)
    .every(({ parent }) => importedNames(parent)?.every((name) => names.has(name)) ?? false);
}

/** Returns null if the statement may import everything. */
function importedNames(statement: ts.Node): readonly string[] | null {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause } = statement;
    return exportClause && ts.isNamedExports(exportClause) ? sourceNames(exportClause) : null;
  }
  if (!ts.isImportDeclaration(statement)) return null;
  const { name, namedBindings } = statement.importClause ?? {};
  const isList = name === undefined && namedBindings && ts.isNamedImports(namedBindings);
  return isList ? sourceNames(namedBindings) : null;
}

function sourceNames({ elements }: ts.NamedImports | ts.NamedExports): string[] {
  return elements.map(({ propertyName, name }) => (propertyName ?? name).text);
}

/** Returns the names that a part exports; none if the package has no part. */
function exportedNames(part: string): string[] {
  try {
    const lists = readFileSync(part, "utf8").matchAll(/^export (?:type )?\{([^}]*)\}/gm);
    return [...lists].flatMap(([, list]) => list!.match(/[\w$]+(?=\s*(?:,|$))/g) ?? []);
  } catch {
    return [];
  }
}
