// Syntax errors of a file as diagnostics. A broken tree would only yield consequential diagnostics,
// so nothing else of such a file is read.

import { ts } from "ts-morph";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { ReadContext } from "./read-context.js";

export function syntaxErrors(context: ReadContext, sourceFile: ts.SourceFile): Diagnostic[] {
  return context.program.getSyntacticDiagnostics(sourceFile).map((found) => ({
    code: `TS${found.code}`,
    severity: "error",
    position: context.positionAt(sourceFile, found.start),
    length: Math.max(1, found.length),
    message: ts.flattenDiagnosticMessageText(found.messageText, "\n"),
    help: "",
  }));
}
