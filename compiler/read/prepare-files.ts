// Edits parsed files before the checker binds them, which happens once for each file.

import type { ts } from "ts-morph";
import { attachComments } from "./attach-comments.js";
import { carryLimits } from "./carried-limits.js";

const prepared = new WeakSet<ts.SourceFile>();

export function prepareFiles(program: ts.Program): void {
  for (const sourceFile of program.getSourceFiles()) {
    if (prepared.has(sourceFile) || program.isSourceFileDefaultLibrary(sourceFile)) continue;
    prepared.add(sourceFile);
    attachComments(sourceFile);
    carryLimits(sourceFile);
  }
}
