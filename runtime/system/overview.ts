// System overview (`system_overview` of the interface): pure, from poll results.

import { isPlainObject } from "../base/plain-object.js";
import type { PollResult } from "./poll-instance.js";
import type { System } from "./system.js";

/** In display order. */
const ORDER = ["admin", "dispatch", "builder", "txproxy", "search", "generic"];

/** Response of the health check of an instance that serves. */
export const HEALTHY = "SVC/3";
/** A replica may lag behind while changes arrive. */
const QUIET_MS = 30_000;

type Dict = Readonly<Record<string, unknown>>;

/** Results by id. */
export type Results = ReadonlyMap<string, PollResult>;

export interface MatrixFlags {
  readonly complete: boolean;
  readonly degraded: boolean;
  readonly consistent: boolean;
}

export function buildOverview(system: System, found: readonly PollResult[]): readonly object[] {
  const byId = new Map(found.map((entry) => [entry.instance.id, entry]));
  return [...found].sort(compareEntries).map((entry) => buildEntry(system, byId, entry));
}

type Placed = Pick<PollResult, "instance" | "group">;

/** Compares entries for their display order. */
export function compareEntries(a: Placed, b: Placed): number {
  const byGroup = a.group - b.group;
  const byType = ORDER.indexOf(a.instance.type) - ORDER.indexOf(b.instance.type);
  return byGroup || byType || (a.instance.id < b.instance.id ? -1 : 1);
}

function buildEntry(system: System, byId: Results, entry: PollResult): object {
  const { instance, group, partition, health, figures, error, isSlow, unreachableMs } = entry;
  const base = {
    id: instance.id,
    hostname: instance.host,
    adminport: instance.hport + 1,
    nodetype: instance.type,
    message: error === null ? null : `Failed to get SVC Instance Metrics: ${error}`,
    group,
    partition: Number(partition),
  };
  if (health === null) return { ...base, error: true, "unreachable-ms": unreachableMs };
  const isDispatcher = system.matrices.has(instance.id);
  const flags = isDispatcher ? computeMatrixFlags(system, byId, instance.id) : null;
  return {
    ...base,
    nodestat: figures["/svc/nodestat"] ?? null,
    hc: health,
    ...(flags !== null && {
      matrix: buildMatrix(system, byId, instance.id, figures["/svc/matrix"]),
      "matrix-consistent": flags.consistent,
      "matrix-complete": flags.complete,
      "matrix-degraded": flags.degraded,
    }),
    ...(isSlow && { slow: true }),
    ...(error !== null && { error: true }),
  };
}

/** Returns the matrix of a dispatcher, each replica with the state of its instance. */
function buildMatrix(system: System, byId: Results, id: string, reported: unknown): unknown {
  if (!Array.isArray(reported)) return [];
  const { partitions } = system.matrices.get(id)!;
  return reported.map((replicas, partition) => {
    if (!Array.isArray(replicas)) return [];
    return replicas.map((replica, row) => {
      const engine = byId.get(partitions[partition]?.[row] ?? "");
      if (engine === undefined || !isPlainObject(replica)) return replica;
      return {
        ...replica,
        id: engine.instance.id,
        nodetype: engine.instance.type,
        serving: engine.health === HEALTHY,
        digest: readNodestat(engine).digest ?? null,
      };
    });
  });
}

/**
 * Complete: each partition has a serving replica. Degraded: some replica does not serve.
 * Consistent: replicas of a partition have the same data. Flags of dispatchers below propagate up.
 * @param above dispatchers being evaluated, to stop at a dispatch loop
 */
export function computeMatrixFlags(
  system: System,
  byId: Results,
  id: string,
  above: ReadonlySet<string> = new Set(),
): MatrixFlags {
  const { partitions } = system.matrices.get(id)!;
  const seen = new Set([...above, id]);
  let flags: MatrixFlags = { complete: partitions.length > 0, degraded: false, consistent: true };
  for (const replicas of partitions) {
    const results = replicas.map((replica) => byId.get(replica));
    const serving = results.filter((result) => result?.health === HEALTHY);
    const isSame = new Set(serving.flatMap((result) => quietDigest(result!))).size <= 1;
    flags = merge(flags, {
      complete: serving.length > 0,
      degraded: serving.length < results.length,
      consistent: isSame,
    });
    for (const replica of replicas) {
      if (!system.matrices.has(replica) || seen.has(replica)) continue;
      flags = merge(flags, computeMatrixFlags(system, byId, replica, seen));
    }
  }
  return flags;
}

function merge(a: MatrixFlags, b: MatrixFlags): MatrixFlags {
  return {
    complete: a.complete && b.complete,
    degraded: a.degraded || b.degraded,
    consistent: a.consistent && b.consistent,
  };
}

/** Returns the digest of an instance whose graphs have not changed recently; else none. */
function quietDigest(result: PollResult): string[] {
  const { digest, "idle-ms": idleMs } = readNodestat(result);
  return typeof digest === "string" && Number(idleMs) > QUIET_MS ? [digest] : [];
}

export function readNodestat({ figures }: Pick<PollResult, "figures">): Dict {
  const reported = figures["/svc/nodestat"];
  return isPlainObject(reported) ? reported : {};
}
