// The temporary tsconfig of a type check: the project's options, but only the plugin files. The
// project's own list of files would miss some of them, and report what is wrong in its tests.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, parse, resolve } from "node:path";
import { removeStaleOutput } from "../stale-output.js";
import { inheritedOption } from "../tsconfig.js";
import { replacementOptions } from "./renamed-options.js";

export interface CheckConfig {
  readonly path: string;
  readonly remove: () => void;
}

/** Where there is no tsconfig.json: what the reader has, and the types of installed packages. */
const DEFAULT_OPTIONS = {
  target: "es2023",
  lib: ["es2023"],
  module: "nodenext",
  moduleResolution: "nodenext",
  // `console` and `setTimeout` must be known where the user has installed their types.
  types: ["*"],
  strict: true,
};

/**
 * Nothing is emitted, so emit options must not interfere: they would demand others or reject plugin
 * files outside `rootDir`. Errors inside installed packages are not the user's.
 */
const CHECK_OPTIONS = {
  noEmit: true,
  skipLibCheck: true,
  composite: false,
  incremental: false,
  tsBuildInfoFile: null,
  declaration: false,
  declarationMap: false,
  declarationDir: null,
  emitDeclarationOnly: false,
  isolatedDeclarations: false,
};

const LEFTOVERS = /^check-(\d+)-\d+\.json$/;
let count = 0;

/** Had by default before version 6, which the project may have as its own TypeScript. */
const FORMER_DEFAULTS = { strict: false, types: ["*"], noUncheckedSideEffectImports: false };

/**
 * @param tsconfig the project's, relative to its folder
 * @param isFormer whether the project's own TypeScript has other defaults than the one that checks
 */
export function writeCheckConfig(
  projectDir: string,
  files: readonly string[],
  { tsconfig, isFormer }: { readonly tsconfig: string; readonly isFormer: boolean },
): CheckConfig {
  const path = resolve(projectDir, tsconfig);
  const hasConfig = existsSync(path);
  const defaults = Object.entries(isFormer ? FORMER_DEFAULTS : {}).filter(
    ([name]) => inheritedOption(projectDir, tsconfig, name) === null,
  );
  const packages = packageFolders(projectDir);
  const config = (more: object) => ({
    ...(hasConfig ? { extends: path } : {}),
    compilerOptions: {
      ...(hasConfig ? Object.fromEntries(defaults) : DEFAULT_OPTIONS),
      ...replacementOptions(projectDir, tsconfig),
      ...CHECK_OPTIONS,
      rootDir: parse(resolve(projectDir)).root,
      ...more,
    },
    files: files.map((file) => resolve(projectDir, file)),
    include: [],
    references: [],
  });
  const [nearest] = packages;
  return (
    (nearest === undefined ? null : writeBeside(nearest, config({}))) ??
    writeApart(config({ typeRoots: packages.map((folder) => join(folder, "@types")) }))
  );
}

/** From inside of `node_modules` TypeScript finds the types that the project finds. */
function writeBeside(packages: string, config: object): CheckConfig | null {
  const folder = join(packages, ".cache", "svc-server");
  const path = join(folder, `check-${process.pid}-${++count}.json`);
  try {
    mkdirSync(folder, { recursive: true });
    removeStaleOutput(folder, LEFTOVERS);
    writeFileSync(path, JSON.stringify(config));
  } catch {
    // Packages may be installed by another user and read-only.
    return null;
  }
  return { path, remove: () => rmSync(path, { force: true }) };
}

function writeApart(config: object): CheckConfig {
  const folder = mkdtempSync(join(tmpdir(), "svc-check-"));
  const path = join(folder, "tsconfig.json");
  writeFileSync(path, JSON.stringify(config));
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Every `node_modules` that a folder sees, the nearest first. */
function packageFolders(folder: string): string[] {
  const packages = join(folder, "node_modules");
  const parent = dirname(folder);
  const further = parent === folder ? [] : packageFolders(parent);
  return existsSync(packages) ? [packages, ...further] : further;
}
