// Syntax errors of a file as diagnostics. The reader skips the rest of such a file, because an
// invalid tree only causes further errors.

import { ts } from "ts-morph";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { ReadContext } from "./read-context.js";

export function readSyntaxErrors(context: ReadContext, sourceFile: ts.SourceFile): Diagnostic[] {
  return context.program.getSyntacticDiagnostics(sourceFile).map((diagnostic) => ({
    code: `TS${diagnostic.code}`,
    severity: "error",
    position: context.positionAt(sourceFile, diagnostic.start),
    length: Math.max(1, diagnostic.length),
    message: ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"),
    help: "",
  }));
}
