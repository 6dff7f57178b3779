// Warns about files that seem to contain plugins, but whose ending the default pattern excludes:
// their author would look for the error elsewhere.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ResolvedConfig } from "../runtime/settings/config-rule.js";
import { findPluginFiles } from "../runtime/settings/plugin-files.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";

const TAG = "@plugin";
/** End of the default pattern; another pattern is a deliberate choice. */
const TAKEN = /\.\{ts,mts\}$/;
const NOT_TAKEN = ".{cts,tsx,js,mjs,cjs}";
/** Output of a compiler beside its source. */
const EMITTED = /\.([mc]?)js$/;

/**
 * @param config where the files are searched for
 * @param matched the files that are read, relative to the project
 */
export async function unmatchedFiles(
  projectDir: string,
  config: ResolvedConfig,
  matched: readonly string[],
): Promise<Diagnostic[]> {
  const usual = config.plugins.filter((pattern) => TAKEN.test(pattern));
  if (usual.length === 0) return [];
  const plugins = usual.map((pattern) => pattern.replace(TAKEN, NOT_TAKEN));
  const files = await findPluginFiles(projectDir, { ...config, plugins, declared: [] });
  return files
    .filter((file) => !matched.includes(file) && !matched.includes(file.replace(EMITTED, ".$1ts")))
    .flatMap((file) => finding(file, textOf(join(projectDir, file))) ?? []);
}

/** Null where the file has no plugin. */
function finding(file: string, text: string): Diagnostic | null {
  const tag = /\/\*\*(?:(?!\*\/)[\s\S])*?(?<=[\s*])@plugin\b/.exec(text);
  if (tag === null) return null;
  const before = text.slice(0, tag.index + tag[0].length - TAG.length).split("\n");
  const ending = file.slice(file.lastIndexOf("."));
  return {
    code: "SVC1250",
    severity: "warning",
    position: { file, line: before.length, column: before.at(-1)!.length + 1 },
    length: TAG.length,
    message: `\`${ending}\` files are not scanned for plugins: \`${TAG}\` has no effect here`,
    help: "use `.ts` or `.mts`",
  };
}

/** Empty where the file has just gone, or may not be read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
