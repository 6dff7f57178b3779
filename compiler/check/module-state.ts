// Reports module variables that functions change: every executor has its own copy, so with several
// executors requests see different values.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { ModuleState } from "../record/plugin-record.js";

export function checkModuleState(
  state: readonly ModuleState[],
  executors: number | "auto",
): Diagnostic[] {
  if (executors === 1) return [];
  const count = executors === "auto" ? "several" : executors;
  return state.map(({ name, position }) => ({
    code: "SVC1051",
    severity: "warning",
    position,
    length: name.length,
    message: `\`${name}\` is mutable, and each of the ${count} executors has its own copy`,
    help: "a graph, which all executors share, or `executors: 1` in svc.config.ts",
  }));
}
