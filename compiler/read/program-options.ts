// Compiler options of a project: from its tsconfig.json, or defaults for plugin projects.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ts } from "ts-morph";
import { SvcError } from "../../runtime/base/errors.js";
import { tsconfigFiles } from "../tsconfig.js";
import { LookUpRecorder, recordLookUps } from "./look-ups.js";
import { replacementOptions } from "./renamed-options.js";

/** Options of a project without a tsconfig.json. */
const DEFAULT_OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  skipLibCheck: true,
};

/** Makes the order of union members independent of unrelated files. */
const STABLE_ORDER: ts.CompilerOptions = { stableTypeOrdering: true };

/**
 * @param lookUps records the lookups of packages that tsconfig.json extends
 * @throws SvcError SVC1061 if tsconfig.json cannot be parsed
 */
export function readProgramOptions(
  projectDir: string,
  tsconfig: string,
  lookUps = new LookUpRecorder(),
): ts.CompilerOptions {
  const path = join(projectDir, tsconfig);
  if (!existsSync(path)) return { ...DEFAULT_OPTIONS, ...STABLE_ORDER };
  for (const file of tsconfigFiles(projectDir, tsconfig)) requireReadable(projectDir, file);
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  // List no files: the configuration of svc determines them.
  const host = { ...recordLookUps(ts.sys, lookUps), readDirectory: () => [] };
  const parsed = ts.parseJsonConfigFileContent(config, host, dirname(path), undefined, path);
  // The same options as the type check, so that types are read as they were checked.
  const replacements = replacementOptions(projectDir, tsconfig);
  const { options } = ts.convertCompilerOptionsFromJson(replacements, projectDir);
  return { ...parsed.options, ...options, ...STABLE_ORDER };
}

/** @throws SvcError SVC1061 with the position of a syntax error */
function requireReadable(projectDir: string, file: string): void {
  const path = join(projectDir, file);
  const text = readFileSync(path, "utf8");
  const { error } = ts.parseConfigFileTextToJson(path, text);
  if (error === undefined) return;
  const lines = text.slice(0, error.start ?? 0).split("\n");
  const location = `${file}:${lines.length}:${lines.at(-1)!.length + 1}`;
  const reason = ts.flattenDiagnosticMessageText(error.messageText, " ");
  throw new SvcError("SVC1061", `${location}: ${reason}`);
}
