// Compiler options that the native TypeScript has removed. It rejects them, although the project's
// own TypeScript and the bundler accept them, so they are replaced by their current equivalents.

import { dirname, isAbsolute, posix, resolve } from "node:path";
import { inheritedOption } from "../tsconfig.js";

type Options = Readonly<Record<string, unknown>>;

/** Replacements of removed values; null: removed without replacement. */
const REPLACEMENTS: Readonly<Record<string, readonly [gone: RegExp, successor: unknown]>> = {
  target: [/^es[35]$/, "es2015"],
  module: [/^(?:amd|umd|system)$/, "esnext"],
  moduleResolution: [/^(?:node|node10|classic)$/, "bundler"],
  // Node.js loads modules regardless of these options.
  esModuleInterop: [/^false$/, true],
  allowSyntheticDefaultImports: [/^false$/, true],
  alwaysStrict: [/^false$/, true],
  downlevelIteration: [/./, null],
  outFile: [/./, null],
};

/**
 * Returns options that override those of a project.
 *
 * @param tsconfig path of its tsconfig.json, relative to the project
 */
export function replacementOptions(projectDir: string, tsconfig: string): Options {
  const options: Record<string, unknown> = {};
  for (const [name, [removed, replacement]] of Object.entries(REPLACEMENTS)) {
    const value = inheritedOption(projectDir, tsconfig, name)?.value ?? null;
    if (value !== null && removed.test(String(value).toLowerCase())) options[name] = replacement;
  }
  return { ...options, ...convertBaseUrl(projectDir, tsconfig) };
}

/** Replaces `baseUrl` by the path pattern `*`, because it resolves all names in a folder. */
function convertBaseUrl(projectDir: string, tsconfig: string): Options {
  const baseUrl = inheritedOption(projectDir, tsconfig, "baseUrl");
  if (typeof baseUrl?.value !== "string") return {};
  const base = resolve(projectDir, dirname(baseUrl.file), baseUrl.value).replaceAll("\\", "/");
  const below = (path: string) => (isAbsolute(path) ? path : posix.join(base, path));
  const inherited = (inheritedOption(projectDir, tsconfig, "paths")?.value ?? {}) as Options;
  const paths = Object.entries(inherited).map(([pattern, targets]) => {
    return [pattern, Array.isArray(targets) ? targets.map((path) => below(String(path))) : targets];
  });
  return { baseUrl: null, paths: { "*": [below("*")], ...Object.fromEntries(paths) } };
}
