// What built-in plugins do: all that are not tagged `@readonly` change something, so that a new one
// is for trusted clients only until somebody decides otherwise; those of operators need a token.

import { readonlyPaths } from "./.generated/readonly.js";

const READONLY = new Set(readonlyPaths);
const OPERATIONS = "/svc/builtin/ADMIN_";

/** "control": an operation on the server itself. */
export type AccessKind = "read" | "change" | "control";

export function accessKindOf(path: string): AccessKind {
  if (path.startsWith(OPERATIONS)) return "control";
  return READONLY.has(path) ? "read" : "change";
}
