// Merges the diagnostics of svc and TypeScript into one list.

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { sortDiagnostics } from "../diagnostics/sort.js";

/**
 * Drops TypeScript diagnostics that repeat ours: those about a decorator that we explain, and all
 * that follow from a missing package.
 */
export function mergeDiagnostics(
  ownDiagnostics: readonly Diagnostic[],
  types: readonly Diagnostic[],
): Diagnostic[] {
  const missing = ownDiagnostics.find(({ code }) => code === "SVC1270");
  if (missing !== undefined) return [missing];
  const decorated = ownDiagnostics.filter(({ code }) => code === "SVC1001" || code === "SVC1004");
  const further = types.filter(
    (type) => !OF_DECORATORS.has(type.code) || !decorated.some((finding) => isNear(finding, type)),
  );
  return sortDiagnostics([...ownDiagnostics, ...further]);
}

const OF_DECORATORS = new Set(["TS1206", "TS1238", "TS1240", "TS1241", "TS1249", "TS1270"]);

/** A decorator is on the line of its target or above it. */
function isNear({ position: ours }: Diagnostic, { position: theirs }: Diagnostic): boolean {
  const distance = ours.line - theirs.line;
  return ours.file === theirs.file && distance >= 0 && distance <= 1;
}
