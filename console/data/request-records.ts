// Answered requests as the server recorded them. Names come from clients.

import { isRecord } from "./client.js";
import { buildWaterfall, type Waterfall } from "./explanation.js";
import { listAt, numberAt, readPath, textAt } from "./node-stat.js";
import { count } from "./text.js";

export type RequestList = "recent" | "slow" | "failed";

export interface RequestRecord {
  readonly number: number;
  readonly at: number;
  readonly ms: number;
  readonly status: number;
  readonly bytes: number;
  readonly method: string;
  readonly plugin: string;
  /** Each argument and the length of its value. */
  readonly arguments: readonly (readonly [name: string, size: number])[];
  readonly content: number;
  /** Null if it did not run in an executor. */
  readonly queue: number | null;
  readonly run: number | null;
  readonly traceparent: string;
  readonly explain: unknown;
}

/** Number of records in each list. */
export function readCounts(answer: unknown): Readonly<Partial<Record<RequestList, string>>> {
  const lists = ["recent", "slow", "failed"] as const;
  return Object.fromEntries(lists.map((list) => [list, count(numberAt(answer, "counts", list))]));
}

export function parseRecords(answer: unknown): readonly RequestRecord[] {
  return listAt(answer, "requests").map((request) => ({
    number: numberAt(request, "number"),
    at: numberAt(request, "at"),
    ms: numberAt(request, "ms"),
    status: numberAt(request, "status"),
    bytes: numberAt(request, "bytes"),
    method: textAt(request, "method"),
    plugin: textAt(request, "plugin").replace(/^\/svc\/(?:plugin\/)?/, ""),
    arguments: listAt(request, "arguments").flatMap((pair) =>
      Array.isArray(pair) ? [[String(pair[0]), Number(pair[1])] as const] : [],
    ),
    content: numberAt(request, "content"),
    queue: readNumber(request, "queue"),
    run: readNumber(request, "run"),
    traceparent: textAt(request, "traceparent"),
    explain: readPath(request, "explain"),
  }));
}

function readNumber(request: unknown, name: string): number | null {
  const value = readPath(request, name);
  return typeof value === "number" ? value : null;
}

/** Returns the phases of a request with their times: dispatch, or queue and run. */
export function buildRecordWaterfall({ explain, ms, queue, run }: RequestRecord): Waterfall | null {
  if (isRecord(explain)) return buildWaterfall(explain);
  if (queue === null || run === null) return null;
  const after = Math.max(0, ms - queue - run);
  const row = (title: string, startMs: number, length: number) => {
    return { level: 0, title, detail: "", startMs, ms: length };
  };
  const rows = [row("queue", 0, queue), row("run", queue, run), row("send", queue + run, after)];
  return { totalMs: Math.max(ms, 1e-3), rows };
}

/** Addresses of the back-ends that answered or failed, in the order of the partitions. */
export function askedBackEnds({ explain }: RequestRecord): readonly string[] {
  return listAt(explain, "partitions").flatMap((partition) =>
    listAt(partition, "tries").map((attempt) => textAt(attempt, "address")),
  );
}

/** The back-end that took longest, if it took most of the time. */
export function slowestBackEnd({ explain, ms }: RequestRecord): string | null {
  const tries = listAt(explain, "partitions").flatMap((partition) => listAt(partition, "tries"));
  const [slowest] = [...tries].sort((a, b) => numberAt(b, "ms") - numberAt(a, "ms"));
  if (slowest === undefined || numberAt(slowest, "ms") < ms / 2) return null;
  return textAt(slowest, "address");
}
