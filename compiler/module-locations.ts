// Locations of modules and of the files beside them. All modules of a project become one file in
// the build folder, so `import.meta.url` would not lead to the files beside a module. Each use is
// replaced by a call of the same length, so that all positions in the text stay the same.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PartialMessage } from "esbuild";
import { BUILD_FOLDER } from "../runtime/base/build-folder.js";

/** Functions, each as long as the member of `import.meta` that it replaces. */
export const LOCATION_FUNCTIONS = {
  url: "svc$moduleUrl",
  dirname: "svc$moduleDirname",
  filename: "svc$moduleFilename",
} as const;

type Member = keyof typeof LOCATION_FUNCTIONS;

const MENTIONED = /\bimport\s*\.\s*meta\b|\bimport\s*\(\s*`/;

export interface LocatedModule {
  readonly text: string;
  /** Referenced files that do not exist, and sources that a pattern does not match. */
  readonly warnings: readonly PartialMessage[];
}

/**
 * Returns the text of a module with its locations, or null if it has none.
 * @param path absolute path
 */
export async function locateModule(
  projectDir: string,
  path: string,
  text: string,
): Promise<LocatedModule | null> {
  if (!MENTIONED.test(text)) return null;
  const { ModuleText } = await import("./read/module-text.js");
  const module = new ModuleText(path, text);
  const members = new Set<Member>();
  for (const { start, end, member } of module.metaMembers()) {
    const name = LOCATION_FUNCTIONS[member];
    if (end - start !== name.length + 2) continue;
    members.add(member);
    module.replace(start, `${name}()`);
  }
  const warnings: PartialMessage[] = [];
  const warn = (warning: string, start: number, length: number): void => {
    const position = module.position(start);
    warnings.push({
      text: warning,
      location: { file: relative(projectDir, path), length, ...position },
    });
  };
  for (const { start, folder } of module.scriptImports()) {
    const { hasScripts, sources } = listModules(join(dirname(path), folder));
    if (sources.length === 0) continue;
    if (!hasScripts) module.replace(start, ".ts");
    else warn(`not imported, because the folder has .js files: ${sources.join(", ")}`, start, 3);
  }
  for (const { name, start } of module.assets()) {
    if (!isFileBeside(path, name)) warn(`file not found: ${name}`, start, name.length + 2);
  }
  return { text: module.text + functions(projectDir, path, members), warnings };
}

/** Resolves the name like `new URL` at run time, which throws for some escapes. */
function isFileBeside(module: string, name: string): boolean {
  try {
    return existsSync(fileURLToPath(new URL(name, pathToFileURL(module))));
  } catch {
    return false;
  }
}

/**
 * Returns the modules of a folder. Sources import each other as `.js`, which esbuild does not
 * resolve in patterns.
 * @returns `sources`: files that only exist as `.ts`
 */
function listModules(folder: string): { hasScripts: boolean; sources: readonly string[] } {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const isSource = (name: string): boolean => name.endsWith(".ts") && !name.endsWith(".d.ts");
  const hasNoScript = (name: string): boolean => !names.includes(name.replace(/ts$/, "js"));
  return {
    hasScripts: names.some((name) => name.endsWith(".js")),
    sources: names.filter((name) => isSource(name) && hasNoScript(name)).sort(),
  };
}

function functions(projectDir: string, path: string, members: ReadonlySet<Member>): string {
  const file = relative(projectDir, path).split(sep).map(encodeURIComponent).join("/");
  const url = `new URL(${JSON.stringify(posix.relative(BUILD_FOLDER, file))}, import.meta.url)`;
  const filename = `process.getBuiltinModule("node:url").fileURLToPath(${url})`;
  const bodies: Readonly<Record<Member, string>> = {
    url: `${url}.href`,
    dirname: `process.getBuiltinModule("node:path").dirname(${filename})`,
    filename,
  };
  return [...members]
    .map((member) => `\nfunction ${LOCATION_FUNCTIONS[member]}() { return ${bodies[member]}; }`)
    .join("");
}
