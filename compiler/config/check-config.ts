// Writes a temporary tsconfig.json for a type check: the options of the project, but only the
// plugin files. The file list of the project could omit some of them, and would include its tests.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, parse, resolve } from "node:path";
import { replacementOptions } from "../read/renamed-options.js";
import { removeStaleOutput } from "../stale-output.js";
import { inheritedOption } from "../tsconfig.js";

export interface CheckConfig {
  readonly path: string;
  readonly remove: () => void;
}

/**
 * Options of a project without tsconfig.json: the same as when reading, with the types of installed
 * packages.
 */
const DEFAULT_OPTIONS = {
  target: "es2023",
  lib: ["es2023"],
  module: "nodenext",
  moduleResolution: "nodenext",
  // `console` and `setTimeout` must be declared if the user has installed their types.
  types: ["*"],
  strict: true,
};

/**
 * Nothing is emitted, so options for emitting are reset: they could require other options, or
 * reject plugin files outside `rootDir`. Errors inside installed packages are not the user's.
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

/** Defaults of TypeScript before version 6, which the project may use. */
const OLD_DEFAULTS = { strict: false, types: ["*"], noUncheckedSideEffectImports: false };

/**
 * @param tsconfig path of the project's tsconfig.json, relative to its folder
 * @param isFormer whether the project's TypeScript has former defaults
 */
export function writeCheckConfig(
  projectDir: string,
  files: readonly string[],
  { tsconfig, isFormer }: { readonly tsconfig: string; readonly isFormer: boolean },
): CheckConfig {
  const path = resolve(projectDir, tsconfig);
  const hasConfig = existsSync(path);
  const defaults = Object.entries(isFormer ? OLD_DEFAULTS : {}).filter(
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
    writeTemporary(config({ typeRoots: packages.map((folder) => join(folder, "@types")) }))
  );
}

/** Inside `node_modules`, TypeScript finds the same types as the project. */
function writeBeside(packages: string, config: object): CheckConfig | null {
  const folder = join(packages, ".cache", "svc-server");
  const path = join(folder, `check-${process.pid}-${++count}.json`);
  try {
    mkdirSync(folder, { recursive: true });
    removeStaleOutput(folder, LEFTOVERS);
    writeFileSync(path, JSON.stringify(config));
  } catch {
    // Packages may be installed by another user and be read-only.
    return null;
  }
  return { path, remove: () => rmSync(path, { force: true }) };
}

function writeTemporary(config: object): CheckConfig {
  const folder = mkdtempSync(join(tmpdir(), "svc-check-"));
  const path = join(folder, "tsconfig.json");
  writeFileSync(path, JSON.stringify(config));
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Returns all `node_modules` folders above a folder, nearest first. */
function packageFolders(folder: string): string[] {
  const packages = join(folder, "node_modules");
  const parent = dirname(folder);
  const further = parent === folder ? [] : packageFolders(parent);
  return existsSync(packages) ? [packages, ...further] : further;
}
