// Edits each parsed file once, before the checker binds it.

import type { ts } from "ts-morph";
import { attachComments, hasCommentWithinLine } from "./attach-comments.js";
import { carryLimits, MENTIONS_LIMIT } from "./carried-limits.js";

const prepared = new WeakSet<ts.SourceFile>();

export function prepareFiles(program: ts.Program): void {
  for (const sourceFile of program.getSourceFiles()) {
    if (prepared.has(sourceFile) || program.isSourceFileDefaultLibrary(sourceFile)) continue;
    prepared.add(sourceFile);
    attachComments(sourceFile);
    carryLimits(sourceFile);
  }
}

/** Returns whether the parser must set parents of nodes; otherwise the binder does it faster. */
export function needsParents(text: string): boolean {
  return hasCommentWithinLine(text) || MENTIONS_LIMIT.test(text);
}
