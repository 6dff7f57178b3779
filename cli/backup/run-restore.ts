// Restores a data folder from the command line.

import { SvcError } from "../../runtime/base/errors.js";
import { openStore } from "../../runtime/interconnect/archive/open-store.js";
import {
  describePoint,
  planRestore,
  type RestoreTarget,
  requireSettledSlots,
} from "../../runtime/interconnect/archive/restore-plan.js";
import { restoreRoot } from "../../runtime/interconnect/archive/restore-root.js";

/** @throws SvcError SVC3003, SVC3420, SVC3422 */
export async function runRestore(
  location: string,
  root: string,
  time: string | undefined,
  position: string | undefined,
): Promise<number> {
  const target = parseTarget(time, position);
  const store = await openStore(location);
  const plan = await planRestore(store, target);
  const { end } = await restoreRoot(store, plan, root, requireSettledSlots(plan));
  process.stdout.write(`${root} restored up to ${describePoint(end)}\n`);
  return 0;
}

/** @throws SvcError SVC3003 */
export function parseTarget(time?: string, position?: string): RestoreTarget {
  if (time !== undefined && position !== undefined) {
    throw new SvcError("SVC3003", "pass either --to-time or --to-position");
  }
  if (time !== undefined) return { kind: "time", second: parseSecond(time) };
  if (position === undefined) return { kind: "end" };
  const [, id, digits] = /^([0-9a-f]{32}):([0-9]{1,15})$/.exec(position) ?? [];
  if (id !== undefined) return { kind: "position", id, sn: Number(digits) };
  throw new SvcError("SVC3003", `invalid --to-position, expected <log>:<number>: ${position}`);
}

function parseSecond(text: string): number {
  // Requires a zone: otherwise the time would differ between machines.
  const hasZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const ms = hasZone ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return Math.floor(ms / 1000);
  const example = "2026-01-31T16:05:00Z";
  throw new SvcError("SVC3003", `invalid --to-time, expected a time such as ${example}: ${text}`);
}
