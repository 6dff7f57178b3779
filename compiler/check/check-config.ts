// The temporary tsconfig of a type check: the project's options, but only the plugin files. The
// project's own list of files would miss some of them, and report what is wrong in its tests.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, parse, resolve } from "node:path";
import { removeLeftovers } from "../leftovers.js";

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
  skipLibCheck: true,
};

/**
 * Nothing is emitted here, so options of emitting must not hinder: each would demand others, or
 * refuse plugin files outside of `rootDir`. And installed packages are not the user's to mend.
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

export function writeCheckConfig(projectDir: string, files: readonly string[]): CheckConfig {
  const tsconfig = resolve(projectDir, "tsconfig.json");
  const hasConfig = existsSync(tsconfig);
  const config = {
    ...(hasConfig ? { extends: tsconfig } : {}),
    compilerOptions: {
      ...(hasConfig ? {} : DEFAULT_OPTIONS),
      ...CHECK_OPTIONS,
      rootDir: parse(resolve(projectDir)).root,
    },
    files: files.map((file) => resolve(projectDir, file)),
    include: [],
    references: [],
  };
  const folder = join(packagesFolder(projectDir) ?? tmpdir(), ".cache", "svc-server");
  const path = join(folder, `check-${process.pid}-${++count}.json`);
  mkdirSync(folder, { recursive: true });
  removeLeftovers(folder, LEFTOVERS);
  writeFileSync(path, JSON.stringify(config));
  return { path, remove: () => rmSync(path, { force: true }) };
}

/** The nearest `node_modules`: from inside it TypeScript finds the types that the project finds. */
function packagesFolder(folder: string): string | null {
  const packages = join(folder, "node_modules");
  if (existsSync(packages)) return packages;
  const parent = dirname(folder);
  return parent === folder ? null : packagesFolder(parent);
}
