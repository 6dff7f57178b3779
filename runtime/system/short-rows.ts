// Rows of the short overview: metrics of an instance as arrays, whose column names are sent once.
// The row of an idle instance never changes, because times are absolute and memory is rounded.

import { isPlainObject } from "../base/plain-object.js";
import type { MatrixFlags } from "./overview.js";
import type { PollResult } from "./poll-instance.js";

/** Metrics that change with requests. */
export const LIVE_COLUMNS = [
  ...(["service-rate", "service-95th-ms", "connected-clients", "memory-process"] as const),
  ...(["memory-available", "tx-in-rate", "subscribers"] as const),
];
/** Names of fields of `nodestat` that are sent as they are. */
const AS_REPORTED = [
  ...(["ready", "service-in", "service-out-reason", "build"] as const),
  ...(["adminport", "txport", "provider", "digest", "master-serial", "synchronizing"] as const),
  ...(["sync-progress", "tx-in-halted", "tx-out-halted", "graph-order", "graph-size"] as const),
  ...(["graph-properties", "readonly", "durable", "log-state", "durable-txlog"] as const),
  ...(["durable-max-txlog", "snapshot-writing", "memory-total"] as const),
];
/** Metrics that change with data and with operations. */
export const REST_COLUMNS = [
  ...(["health", "unreachable-since", "matrix-complete", "matrix-degraded"] as const),
  ...(["matrix-consistent", "back-ends-down", "replica"] as const),
  ...(["started", "changed", "saved", "service-name"] as const),
  ...AS_REPORTED,
];
/** One replica of a matrix, after dispatcher, partition and row. */
export const CELL_COLUMNS = [
  ...(["ip", "port", "channels", "priority", "primary", "state", "running", "answered"] as const),
  ...(["p95-ms", "failures", "retries", "serving"] as const),
];

const FAILURE_KINDS = ["timeout", "connection", "refused", "error"] as const;

/** State of a dispatcher's matrix. */
export interface MatrixState extends MatrixFlags {
  /** Number of back-ends that are not up, or do not serve. */
  readonly down: number;
}

/** Values of `health`. */
export const HEALTH = { waiting: 0, good: 1, slow: 2, failing: 3, unreachable: 4 } as const;

export type Row = readonly unknown[];

const MAX_TEXT = 200;
const MAX_SUBSCRIBERS = 1000;
const MIB = 1024 * 1024;
/** Measured times vary by the duration of a poll, and by the resolution of the metric. */
const TOLERANCE_MS = 2000;
const MS_PER_S = 1000;

type Dict = Readonly<Record<string, unknown>>;

/** @param before the last row; empty: none */
export function restRow(
  { instance, health, error, isSlow, unreachableMs }: PollResult,
  node: Dict,
  matrix: MatrixState | null,
  before: Row,
  nowMs: number,
): Row {
  const moment = (name: (typeof REST_COLUMNS)[number], ageMs: unknown): number | null => {
    if (typeof ageMs !== "number") return null;
    const last = before[REST_COLUMNS.indexOf(name)];
    const at = Math.round(nowMs - ageMs);
    return typeof last === "number" && Math.abs(at - last) <= TOLERANCE_MS ? last : at;
  };
  if (health === null) {
    return [HEALTH.unreachable, moment("unreachable-since", unreachableMs)];
  }
  const { replica, uptime, "idle-ms": idleMs, "snapshot-age": savedS, "service-name": name } = node;
  const seconds = (value: unknown) => (typeof value === "number" ? value * MS_PER_S : null);
  return [
    ...[error !== null ? HEALTH.failing : isSlow ? HEALTH.slow : HEALTH.good, null],
    ...[matrix?.complete ?? null, matrix?.degraded ?? null, matrix?.consistent ?? null],
    matrix?.down ?? null,
    isPlainObject(replica) ? bounded(replica.state) : null,
    ...[moment("started", seconds(uptime)), moment("changed", idleMs)],
    // Never saved: 0.
    savedS === 0 ? null : moment("saved", seconds(savedS)),
    // Most service names equal the id, which the client knows.
    name === instance.id ? null : bounded(name),
    ...AS_REPORTED.map((column) => bounded(node[column])),
  ];
}

export function liveRow(node: Dict): Row {
  const { "memory-process": used, "memory-available": free, "memory-total": total } = node;
  const percent = Math.round((100 * number(free)) / (number(total) || 1));
  return [
    number(node["service-rate"]),
    number(node["service-95th-ms"]),
    number(node["connected-clients"]),
    Math.round(number(used) / MIB) * MIB,
    Math.round((number(total) * percent) / 100),
    number(node["tx-in-rate"]),
    subscribers(node.subscribers),
  ];
}

/** Connections to subscribers, each as `[admin port, 1 if connected, lag in ms]`. */
function subscribers(list: unknown): readonly Row[] {
  return (Array.isArray(list) ? list : [])
    .slice(0, MAX_SUBSCRIBERS)
    .filter(isPlainObject)
    .map(({ adminport, status, lag_ms: lagMs }) => {
      return [number(adminport), status === "CONNECTED" ? 1 : 0, number(lagMs)];
    });
}

export function cellRow(replica: unknown, isServing: boolean | null): Row {
  const cell = isPlainObject(replica) ? replica : {};
  const values = CELL_COLUMNS.slice(0, -1).map((name) =>
    name === "failures" ? failureCounts(cell.failures) : bounded(cell[name]),
  );
  return [...values, isServing];
}

/** Counts by kind; null where nothing has failed. */
function failureCounts(failures: unknown): readonly number[] | null {
  if (!isPlainObject(failures)) return null;
  const counts = FAILURE_KINDS.map((kind) => number(failures[kind]));
  return counts.some((count) => count > 0) ? counts : null;
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Truncates strings of other instances, and replaces lists and objects by null. */
function bounded(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_TEXT);
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}
