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
  /** Referenced files that do not exist. */
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
  for (const { start, folder } of module.scriptImports()) {
    if (hasOnlySources(join(dirname(path), folder))) module.replace(start, ".ts");
  }
  const missing = module.assets().filter(({ name }) => !isFileBeside(path, name));
  const warnings = missing.map(({ name, start }) => ({
    text: `file not found: ${name}`,
    location: {
      file: relative(projectDir, path),
      length: name.length + 2,
      ...module.position(start),
    },
  }));
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

/** Sources import each other as `.js`, which esbuild does not resolve in patterns. */
function hasOnlySources(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const names = readdirSync(folder);
  return names.some((name) => name.endsWith(".ts")) && !names.some((name) => name.endsWith(".js"));
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
