// The back-ends of dispatchers: `/svc/matrix` of one matrix, `system_overview` of all.

import { isRecord } from "./client.js";
import type { State } from "./instance-state.js";
import type { Instance } from "./instances.js";
import { numberAt, readPath, textAt } from "./node-stat.js";

/** States of a back-end as the server calls them. */
const TONES: ReadonlyMap<string, State["tone"]> = new Map([
  ["up", "ok"],
  ["ejected", "warn"],
  ["down", "err"],
]);

/** By partition, then replica. */
export type Partitions = readonly (readonly unknown[])[];

export interface NamedMatrix {
  /** Id of the dispatcher. */
  readonly id: string;
  readonly partitions: Partitions;
}

/** Returns the back-ends by partition; none for other content, such as that of an engine. */
export function groupByPartition(answer: unknown): Partitions {
  return (Array.isArray(answer) ? answer : []).filter(Array.isArray);
}

/** Caches the matrices of a poll, because several parts of a page read them. */
const parsed = new WeakMap<readonly Instance[], readonly NamedMatrix[]>();

/** Matrices of all dispatchers that reported theirs. */
export function parseMatrices(instances: readonly Instance[]): readonly NamedMatrix[] {
  const known = parsed.get(instances);
  if (known !== undefined) return known;
  const found = instances.flatMap(({ id, entry }) => {
    const partitions = groupByPartition(readPath(entry, "matrix"));
    return partitions.length > 0 ? [{ id, partitions }] : [];
  });
  parsed.set(instances, found);
  return found;
}

/** Returns the number of responses of each back-end, by its key. */
export function parseCounts(matrices: readonly NamedMatrix[]): ReadonlyMap<string, number> {
  const counts = matrices.flatMap(({ id, partitions }) =>
    partitions.flatMap((replicas, partition) =>
      replicas
        .map(
          (backEnd, row) => [cellKey(id, partition, row), numberAt(backEnd, "answered")] as const,
        )
        .filter((_, row) => isRecord(replicas[row])),
    ),
  );
  return new Map(counts);
}

export function cellKey(id: string, partition: number, row: number): string {
  return JSON.stringify([id, partition, row]);
}

/** A back-end with its position in the matrix, and its rate. */
export interface PlacedBackEnd {
  readonly key: string;
  readonly name: string;
  readonly partition: number;
  readonly row: number;
  readonly backEnd: unknown;
  readonly state: State;
  /** Responses per second; null before the second sample. */
  readonly rate: number | null;
  /** Null without responses, and while it is down, because the last value is outdated. */
  readonly p95Ms: number | null;
  /** In the order of `FAILURES`. */
  readonly failures: readonly number[];
}

/** Kinds of failures of a back-end. */
export const FAILURES = ["timeout", "connection", "refused", "error"] as const;

/** All back-ends of a matrix, partition by partition. */
export function listBackEnds(
  { id, partitions }: NamedMatrix,
  rates: { of(key: string): number | null },
): readonly PlacedBackEnd[] {
  return partitions.flatMap((replicas, partition) =>
    replicas.map((backEnd, row) => {
      const key = cellKey(id, partition, row);
      const state = stateOfBackEnd(backEnd);
      const p95 = readPath(backEnd, "p95-ms");
      const p95Ms = typeof p95 === "number" && state.tone !== "err" ? p95 : null;
      const name = nameOfBackEnd(backEnd);
      const failures = countFailures(backEnd);
      return { key, name, partition, row, backEnd, state, rate: rates.of(key), p95Ms, failures };
    }),
  );
}

/** Failed requests of a back-end by kind, in the order of `FAILURES`. */
function countFailures(backEnd: unknown): readonly number[] {
  const found = readPath(backEnd, "failures");
  if (!Array.isArray(found)) return FAILURES.map((kind) => numberAt(found, kind));
  return FAILURES.map((_, at) => (typeof found[at] === "number" ? found[at] : 0));
}

function nameOfBackEnd(backEnd: unknown): string {
  return textAt(backEnd, "id") || `${textAt(backEnd, "ip")}:${numberAt(backEnd, "port")}`;
}

export function stateOfBackEnd(backEnd: unknown): State {
  const word = textAt(backEnd, "state");
  const tone = TONES.get(word) ?? "unk";
  // It responds to its dispatcher and reports itself out of service.
  if (tone === "ok" && readPath(backEnd, "serving") === false) {
    return { word: "not serving", tone: "warn", isWarning: true };
  }
  return { word: word === "" ? "unknown" : word, tone, isWarning: tone !== "ok" };
}

/** Counts the back-ends of all dispatchers that are not up. */
export function countBackEndsDown(instances: readonly Instance[]): number {
  return instances.reduce((sum, { entry }) => sum + numberAt(entry, "back-ends-down"), 0);
}
