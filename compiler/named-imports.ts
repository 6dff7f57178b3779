// Reports imported names that CommonJS packages do not export. Node.js detects such exports in the
// source text: `import { chunk } from "lodash"` type-checks and fails at start. The build analyzes
// the text in the same way.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, isAbsolute, relative, sep } from "node:path";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import { nearestManifest } from "./nearest-manifest.js";

type Lexer = typeof import("cjs-module-lexer");

/** Location of a package, and the sources that import it, by specifier. */
export type PackageImports = ReadonlyMap<
  string,
  { readonly file: string; readonly importers: ReadonlySet<string> }
>;

/** Pattern of one import statement in a bundle, as esbuild writes it. */
const IMPORT = /^(?:export|import(?: [\w$]+,)?) \{\s([^}]*)\s\} from "([^"]+)";$/gm;
/** Exports of every CommonJS module; some depend on the version of Node.js. */
const ALWAYS = new Set(["default", "module.exports"]);

/**
 * @param bundle text of the bundle, from which unused and type-only imports are gone
 * @param packages imports that are not bundled
 */
export async function findMissingNames(
  projectDir: string,
  bundle: string,
  packages: PackageImports,
): Promise<Diagnostic[]> {
  const imports = importedNames(bundle, packages);
  const diagnostics: Diagnostic[] = [];
  let lexer: Lexer | null = null;
  for (const [specifier, list] of imports) {
    const { file, importers } = packages.get(specifier)!;
    lexer ??= await loadLexer();
    const names = exportsOf(lexer, file);
    if (names === null) continue;
    for (const name of list) {
      if (!names.has(name)) diagnostics.push(...missing(projectDir, specifier, name, importers));
    }
  }
  return diagnostics;
}

/** Imported names by CommonJS package. */
function importedNames(bundle: string, packages: PackageImports): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const [, list = "", specifier = ""] of bundle.matchAll(IMPORT)) {
    const from = packages.get(specifier);
    if (from === undefined || !isCommonJs(from.file)) continue;
    const names = imports.get(specifier) ?? new Set();
    imports.set(specifier, names);
    for (const item of list.trim().split(/,\s+/)) {
      const name = item.replace(/ as .*$/, "");
      if (!ALWAYS.has(name)) names.add(name);
    }
  }
  return imports;
}

async function loadLexer(): Promise<Lexer> {
  const lexer = await import("cjs-module-lexer");
  await lexer.init();
  return lexer;
}

function isCommonJs(file: string): boolean {
  const extension = extname(file);
  if (extension !== ".js") return extension === ".cjs";
  return nearestManifest(dirname(file))?.type !== "module";
}

/** Returns null if unknown: Node.js loads a file with module syntax as a module. */
function exportsOf(lexer: Lexer, file: string, seen = new Set<string>()): Set<string> | null {
  seen.add(file);
  let parsed: ReturnType<Lexer["parse"]>;
  try {
    parsed = lexer.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
  const names = new Set(parsed.exports);
  for (const reexport of parsed.reexports) {
    const target = resolveFrom(file, reexport);
    if (target === null || seen.has(target)) continue;
    for (const name of exportsOf(lexer, target, seen) ?? []) names.add(name);
  }
  return names;
}

/** Null for built-in modules and for packages that are not installed. */
function resolveFrom(file: string, specifier: string): string | null {
  try {
    const target = createRequire(file).resolve(specifier);
    return isAbsolute(target) ? target : null;
  } catch {
    return null;
  }
}

function missing(
  projectDir: string,
  specifier: string,
  name: string,
  importers: ReadonlySet<string>,
): Diagnostic[] {
  const word = specifier.replace(/^.*\//, "").replace(/\W+(\w?)/g, (_, next) => next.toUpperCase());
  return [...importers].flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const offset = findImport(text, specifier, name);
    if (offset === null) return [];
    const before = text.slice(0, offset).split("\n");
    return {
      code: "SVC1121",
      severity: "error",
      position: {
        file: relative(projectDir, file).replaceAll(sep, "/"),
        line: before.length,
        column: before.at(-1)!.length + 1,
      },
      length: name.length,
      message: `CommonJS package \`${specifier}\` has no export \`${name}\` that Node.js detects`,
      help: `\`import ${word} from "${specifier}"\`, and \`${word}.${name}\``,
    } satisfies Diagnostic;
  });
}

/** Returns the position where a source imports the name; null if it imports something else. */
function findImport(text: string, specifier: string, name: string): number | null {
  const quoted = specifier.replace(/[^\w/@-]/g, "\\$&");
  const statement = new RegExp(`\\b(?:im|ex)port\\b([^;'"]*?)\\bfrom\\s*["']${quoted}["']`, "g");
  const word = new RegExp(`(?<![\\w$])${name.replace(/\W/g, "\\$&")}(?![\\w$])`);
  for (const { 0: whole, 1: clause = "", index } of text.matchAll(statement)) {
    const at = word.exec(clause);
    if (at !== null) return index + whole.indexOf(clause) + at.index;
  }
  return null;
}
