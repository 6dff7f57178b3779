// Edits parsed files before the checker binds them, which happens once for each file.

import type { ts } from "ts-morph";
import { attachComments } from "./attach-comments.js";
import { carryAliasLimits } from "./limited-aliases.js";

const prepared = new WeakSet<ts.SourceFile>();

export function prepareFiles(program: ts.Program): void {
  for (const sourceFile of program.getSourceFiles()) {
    if (prepared.has(sourceFile) || program.isSourceFileDefaultLibrary(sourceFile)) continue;
    prepared.add(sourceFile);
    attachComments(sourceFile);
    carryAliasLimits(sourceFile);
  }
}
