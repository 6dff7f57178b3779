// Reads from tsconfig.json, before TypeScript is loaded: its source files, and the declarations
// that it adds to a program without an import, such as the types of a package that has none.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, posix, relative, resolve, sep } from "node:path";
import { glob } from "tinyglobby";

interface TsConfig {
  /** In package.json: the file that others extend by the name of the package. */
  readonly tsconfig?: string;
  readonly extends?: string | readonly string[];
  readonly files?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly compilerOptions?: {
    readonly outDir?: string;
    readonly declarationDir?: string;
    readonly [name: string]: unknown;
  };
}

/** Default name of a project's tsconfig.json. */
export const TSCONFIG_FILE = "tsconfig.json";

/** The project's tsconfig.json and the files that it extends, relative to the project. */
export function tsconfigFiles(projectDir: string, tsconfig = TSCONFIG_FILE): string[] {
  return [...readChain(projectDir, tsconfig).keys()];
}

/** Returns an option from the nearest file that sets it, with that file; null if none does. */
export function inheritedOption(
  projectDir: string,
  tsconfig: string,
  name: string,
): { readonly value: unknown; readonly file: string } | null {
  for (const [file, { compilerOptions }] of readChain(projectDir, tsconfig)) {
    const value = compilerOptions?.[name];
    if (value !== undefined) return { value, file };
  }
  return null;
}

/** Declaration files that tsconfig.json includes, relative to the project, sorted. */
export async function declarationFiles(
  projectDir: string,
  tsconfig = TSCONFIG_FILE,
): Promise<string[]> {
  const chain = readChain(projectDir, tsconfig);
  if (chain.size === 0) {
    return [];
  }
  const files = inherited(chain, "files");
  const include = inherited(chain, "include") ?? (files === undefined ? ["**/*"] : []);
  const outputs = [...chain].flatMap(([file, { compilerOptions = {} }]) =>
    [compilerOptions.outDir, compilerOptions.declarationDir]
      .filter((folder) => folder !== undefined)
      .map((folder) => inProject(file, folder)),
  );
  const exclude = inherited(chain, "exclude") ?? outputs;
  const patterns = [...(files ?? []), ...include].flatMap(declarationsOf);
  const found = await glob(patterns, {
    cwd: projectDir,
    ignore: ["**/node_modules/**", ...exclude, ...exclude.map((path) => `${path}/**`)],
    expandDirectories: false,
  });
  return found.sort();
}

type Chain = ReadonlyMap<string, TsConfig>;

/** Reads tsconfig.json and the files it extends by relative path, nearest first. */
function readChain(projectDir: string, tsconfig: string): Chain {
  const chain = new Map<string, TsConfig>();
  const queue = [tsconfig];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const config = chain.has(file) ? null : readConfig(join(projectDir, file));
    if (config === null) {
      continue;
    }
    chain.set(file, config);
    for (const path of [config.extends ?? []].flat().reverse()) {
      const target = inProject(file, path);
      if (path.startsWith(".")) {
        queue.push(target.endsWith(".json") ? target : `${target}.json`);
      } else {
        queue.push(...installed(projectDir, file, path));
      }
    }
  }
  return chain;
}

/** A configuration out of a package, such as `@tsconfig/node20`; none when it is not installed. */
function installed(projectDir: string, file: string, path: string): string[] {
  const { resolve: find } = createRequire(resolve(projectDir, file));
  for (const folder of find.paths(path) ?? []) {
    const manifest = readConfig(join(folder, path, "package.json"));
    if (manifest === null) continue;
    if (typeof manifest.tsconfig !== "string") break;
    return [inFolder(projectDir, join(folder, path, manifest.tsconfig))];
  }
  for (const name of [path, `${path}.json`, `${path}/tsconfig.json`]) {
    try {
      const found = find(name);
      if (found.endsWith(".json")) return [inFolder(projectDir, found)];
    } catch {
      // By another of its names, or TypeScript reports it.
    }
  }
  return [];
}

function inFolder(projectDir: string, path: string): string {
  return relative(projectDir, path).replaceAll(sep, "/");
}

/** Returns null without a file; TypeScript reports invalid ones. */
function readConfig(path: string): TsConfig | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return null;
  }
  try {
    return JSON.parse(toJson(text)) as TsConfig;
  } catch {
    return {};
  }
}

/** Without the comments and trailing commas that these files may have; `"**\/*"` is no comment. */
function toJson(text: string): string {
  const code = text.replace(/"(?:[^"\\]|\\.)*"|\/\/.*|\/\*[\s\S]*?\*\//g, keepString);
  return code.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, keepString);
}

function keepString(match: string): string {
  return match.startsWith('"') ? match : "";
}

/** A list of the nearest file that has it, seen from the project; undefined when none has. */
function inherited(chain: Chain, key: "files" | "include" | "exclude"): string[] | undefined {
  for (const [file, config] of chain) {
    const list = config[key];
    if (list !== undefined) {
      return list.map((path) => inProject(file, path));
    }
  }
  return undefined;
}

function inProject(file: string, path: string): string {
  const relativePath = path.replace(/^\$\{configDir\}\//, "");
  return relativePath === path ? posix.join(posix.dirname(file), path) : relativePath;
}

/** Patterns of the declarations among what an entry of `files` or `include` means. */
function declarationsOf(entry: string): string[] {
  const name = posix.basename(entry);
  if (name === "*" || name === "*.ts") {
    return [posix.join(posix.dirname(entry), "*.d.{ts,mts,cts}")];
  }
  if (/\.d\.[cm]?ts$/.test(name)) {
    return [entry];
  }
  const isFolder = name === "**" || !name.includes(".") || name === "." || name === "..";
  return isFolder ? [posix.join(entry, name === "**" ? "" : "**", "*.d.{ts,mts,cts}")] : [];
}
