// Opens the ts-morph project of a folder: its tsconfig.json, or defaults that suit a plugin project.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Project, ts } from "ts-morph";

/** What a project without a tsconfig.json gets. */
const DEFAULT_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  skipLibCheck: true,
};

/** Without it the order of a union's members depends on files that have nothing to do with it. */
const STABLE_ORDER: ts.CompilerOptions = { stableTypeOrdering: true };

export function openProject(projectDir: string): Project {
  const tsConfigFilePath = join(projectDir, "tsconfig.json");
  const common = { skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true };
  return existsSync(tsConfigFilePath)
    ? new Project({ ...common, tsConfigFilePath, compilerOptions: STABLE_ORDER })
    : new Project({ ...common, compilerOptions: { ...DEFAULT_OPTIONS, ...STABLE_ORDER } });
}
