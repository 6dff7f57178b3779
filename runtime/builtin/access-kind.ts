// Access kinds of built-in plugins. Plugins without `@readonly` count as changes, so that a new
// plugin is restricted to trusted clients by default. Plugins for operators require a token.

import { readonlyPaths } from "./.generated/readonly.js";

const READONLY = new Set(readonlyPaths);
const OPERATIONS = "/svc/builtin/ADMIN_";

/** "control": an operation on the server itself. */
export type AccessKind = "read" | "change" | "control";

export function getAccessKind(path: string): AccessKind {
  if (path.startsWith(OPERATIONS)) return "control";
  return READONLY.has(path) ? "read" : "change";
}
