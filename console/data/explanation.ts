// How a matrix produced a response, as rows of a waterfall, from `explain` in the envelope, parts
// of which are untrusted. Start times are not sent: calls of one partition follow each other, and a
// lower level is centered in the time that its dispatcher measured.

import { isRecord } from "./client.js";
import { entriesAt, listAt, numberAt, readPath } from "./node-stat.js";

const MAX_ROWS = 400;
const MAX_DEPTH = 8;
const TITLES: ReadonlyMap<string, string> = new Map([
  ["pre", "pre-processor"],
  ["wait", "queue"],
  ["backends", "back-ends"],
  ["merge", "merge"],
  ["post", "post-processor"],
]);
const ORDER = [...TITLES.keys()];

export interface WaterfallRow {
  /** Number of dispatchers above. */
  readonly level: number;
  readonly title: string;
  /** Replica and outcome of a call to a back-end. */
  readonly detail: string;
  readonly startMs: number;
  readonly ms: number;
}

export interface Waterfall {
  readonly totalMs: number;
  readonly rows: readonly WaterfallRow[];
}

/** Returns null for an invalid explanation. */
export function buildWaterfall(explain: unknown): Waterfall | null {
  const totalMs = numberAt(explain, "ms", "total");
  if (totalMs <= 0) return null;
  const rows: WaterfallRow[] = [];
  addLevel(rows, explain, 0, 0);
  return { totalMs, rows: rows.slice(0, MAX_ROWS) };
}

function addLevel(rows: WaterfallRow[], explain: unknown, level: number, startMs: number): void {
  const durations = new Map(entriesAt(explain, "ms"));
  let at = startMs;
  for (const phase of ORDER) {
    const ms = durations.get(phase);
    if (typeof ms !== "number" || !Number.isFinite(ms)) continue;
    rows.push({ level, title: TITLES.get(phase)!, detail: "", startMs: at, ms });
    if (phase === "backends") addPartitions(rows, explain, level + 1, at);
    at += ms;
  }
}

function addPartitions(
  rows: WaterfallRow[],
  explain: unknown,
  level: number,
  startMs: number,
): void {
  for (const partition of listAt(explain, "partitions")) {
    let at = startMs;
    for (const attempt of listAt(partition, "tries")) {
      if (rows.length >= MAX_ROWS) return;
      const ms = numberAt(attempt, "ms");
      const title = `partition ${numberAt(partition, "partition")}`;
      rows.push({ level, title, detail: detailOf(attempt), startMs: at, ms });
      const below = readPath(attempt, "below");
      const belowMs = numberAt(below, "ms", "total");
      if (isRecord(below) && belowMs > 0 && level < MAX_DEPTH) {
        const start = at + Math.max(0, ms - belowMs) / 2;
        rows.push({ level: level + 1, title: "run", detail: "", startMs: start, ms: belowMs });
        addLevel(rows, below, level + 1, start);
      }
      at += ms;
    }
  }
}

function detailOf(attempt: unknown): string {
  const costs = listAt(attempt, "costs").map(String).join(", ");
  const outcome = readPath(attempt, "outcome");
  const came = outcome === null || outcome === undefined ? "no response" : String(outcome);
  const address = String(readPath(attempt, "address"));
  return `replica ${numberAt(attempt, "replica")} at ${address}: ${came}; costs ${costs}`;
}
