// `svc admin status`: shows the state of every instance, and a line for each unreachable or slow
// one. Without ids, it shows totals by dispatcher for a large system.

import { isPlainObject } from "../../runtime/base/plain-object.js";
import {
  type Address,
  InstanceTimeoutError,
  requestInstance,
  requestInstanceJson,
} from "../../runtime/system/instance-client.js";
import { MAX_DIRECT } from "../../runtime/system/system-watch.js";
import { unexpectedResponse } from "../../runtime/system/unexpected-response.js";
import { EXIT_FAILURE } from "../framework/report-error.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { runByLevel } from "./status-levels.js";
import { table } from "./table.js";

const TIMEOUT_MS = 2000;
const HEALTH_TIMEOUT_MS = 1000;
/** An instance that takes longer is slow: alive, but busy or hard to reach. */
const SLOW_MS = 500;
const GIB = 2 ** 30;
const MIB = 2 ** 20;
const COLUMNS = [
  ..."Id,Ver,Uptime,Host,IP,APort,TXPort,S,RPS,95th(ms),CPU,Mem(GiB),Use(MiB)".split(","),
  ..."Order,Size,Service".split(","),
];

/** By `log-state` of nodestat. */
const LOG_PROBLEMS: ReadonlyMap<unknown, readonly [word: string, text: string]> = new Map([
  ["full", ["Disk full", "changes are refused: free space"]],
  ["failed", ["Log failed", "changes are refused: its server log has the reason"]],
  ["low", ["Disk low", "less than 512 MiB are free"]],
]);

type Dict = Readonly<Record<string, unknown>>;

interface Row {
  readonly id: string;
  readonly ping: Dict | null;
  readonly nodestat: Dict | null;
  readonly error: string | null;
  /** Why the instance counts as slow; null: it does not. */
  readonly slow: string | null;
}

export async function run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
  const isLarge = context.system.instances.size > MAX_DIRECT;
  if (isLarge && ids === undefined) return runByLevel(context);
  const rows = await Promise.all(context.select(ids).map((id) => readRow(context, id)));
  context.print(rows, [
    ...table(
      COLUMNS,
      rows.map((row) => formatCells(context, row)),
    ),
    ...rows.flatMap(describeOutOfService),
    ...describeDetached(context, rows),
    ...rows.flatMap(describeReadonly),
    ...(ids === undefined ? describeLeaderless(rows) : []),
    ...describeWaiting(rows),
    ...rows.flatMap(describeEngine),
    ...rows.filter(({ slow }) => slow !== null).map(({ id, slow }) => `Slow: ${id} (${slow})`),
    ...rows.filter(({ error }) => error !== null).map(({ id, error }) => notRunning(id, error!)),
  ]);
  return rows.some(({ nodestat }) => nodestat === null) ? EXIT_FAILURE : 0;
}

/** Describes why an instance is out of service. */
function describeOutOfService({ id, nodestat }: Row): string[] {
  const reason = nodestat?.["service-out-reason"];
  return typeof reason === "string" ? [`Out of service: ${id} (${reason})`] : [];
}

/** Describes replicas that their running providers send no changes to. */
function describeDetached({ system }: AdminContext, rows: readonly Row[]): string[] {
  // Members of a group follow its leader by themselves.
  if (system.leadership !== null) return [];
  return rows.flatMap(({ id: provider, nodestat }) => {
    const attached = nodestat?.subscribers;
    if (!Array.isArray(attached)) return [];
    const ports = attached.map((entry) => (isPlainObject(entry) ? entry.txport : null));
    const replicas = system.subscribers.get(provider)!;
    const portOf = (id: string) => system.instances.get(id)!.tport;
    const count = (all: readonly unknown[], port: number) => all.filter((p) => p === port).length;
    // Replicas on several machines can have the same port.
    const lacksAt = (port: number) => count(replicas.map(portOf), port) - count(ports, port);
    const candidates = replicas.filter((id) => lacksAt(portOf(id)) > 0);
    const lacking = [...new Set(candidates.map(portOf))].reduce((sum, at) => sum + lacksAt(at), 0);
    if (lacking === 0) return [];
    const some = lacking < candidates.length ? `${lacking} of ` : "";
    const ids = candidates.join(", ");
    return [`Not attached: ${some}${ids} (run svc admin attach ${provider})`];
  });
}

/** Describes why an instance refuses changes that it should accept, or soon will. */
function describeReadonly({ id, nodestat }: Row): string[] {
  const disk = LOG_PROBLEMS.get(nodestat?.["log-state"]);
  if (disk !== undefined) return [`${disk[0]}: ${id} (${disk[1]})`];
  const replica = nodestat?.replica;
  const isSource = isPlainObject(replica) && replica.state === "leader";
  if (!isSource || nodestat?.readonly !== true) return [];
  return [`Read-only: ${id} (by its settings, or until svc admin clear-readonly ${id})`];
}

/** Describes groups without a leader: during an election, or if no member may lead. */
function describeLeaderless(rows: readonly Row[]): string[] {
  const groups = rows.map(({ nodestat }) => nodestat?.group).filter(isPlainObject);
  const led = new Set(groups.filter(({ role }) => role !== "following").map(({ group }) => group));
  const leaderless = new Set(groups.map(({ group }) => group).filter((group) => !led.has(group)));
  return [...leaderless].map(
    (group) => `No leader: ${group} (no member that responds leads the group)`,
  );
}

/** Describes groups whose changes wait for members that do not respond, or are refused. */
function describeWaiting(rows: readonly Row[]): string[] {
  const silent = new Set(rows.filter(({ nodestat }) => nodestat === null).map(({ id }) => id));
  return rows.flatMap(({ id, nodestat }) => {
    const group = nodestat?.group;
    if (!isPlainObject(group)) return [];
    if (group.role === "readonly")
      return [`Changes refused: ${group.group} (too few members respond to ${id}, which leads)`];
    if (group.role !== "leading") return [];
    const awaited = Array.isArray(group.synced) ? group.synced.filter((id) => silent.has(id)) : [];
    const text = `${id} acknowledges none before ${awaited.join(" and ")} responds`;
    return awaited.length === 0 ? [] : [`Changes wait: ${group.group} (${text})`];
  });
}

/** Describes a member whose leadership engine does not respond. */
function describeEngine({ id, nodestat }: Row): string[] {
  const group = nodestat?.group;
  if (!isPlainObject(group) || group.isEngineDown !== true) return [];
  return [`Engine down: ${id} (the leadership engine does not respond: SVC3408 in its server log)`];
}

function notRunning(id: string, error: string): string {
  return `Not running: ${id} (${error})`;
}

async function readRow(context: AdminContext, id: string): Promise<Row> {
  const address = context.address(id);
  const get = async (path: string): Promise<Dict> => {
    const value = await requestInstance(address, { path, timeoutMs: TIMEOUT_MS });
    return isPlainObject(value) ? value : {};
  };
  const sinceMs = performance.now();
  try {
    const [ping, nodestat] = await Promise.all([get("/svc/ping"), get("/svc/nodestat")]);
    const ms = Math.round(performance.now() - sinceMs);
    const slow = ms > SLOW_MS ? `responded after ${ms} ms` : null;
    const row = { id, ping: ping.host as Dict, nodestat, error: null, slow };
    // An unexpected response throws here, where it affects only this instance.
    JSON.stringify(row);
    formatCells(context, row);
    return row;
  } catch (error) {
    const { message } = unexpectedResponse(id, error);
    const unavailable = { id, ping: null, nodestat: null };
    const isSlow = error instanceof InstanceTimeoutError && (await isAlive(address));
    return isSlow
      ? { ...unavailable, error: null, slow: `responds to health checks only; ${message}` }
      : { ...unavailable, error: message, slow: null };
  }
}

/** Returns whether an instance that timed out responds to a health check. */
async function isAlive(address: Address): Promise<boolean> {
  const request = { path: "/svc/hc", timeoutMs: HEALTH_TIMEOUT_MS };
  return requestInstanceJson(address, request).then(
    () => true,
    () => false,
  );
}

function formatCells(context: AdminContext, { id, ping, nodestat }: Row): string[] {
  const { host, port } = context.address(id);
  if (nodestat === null) return [id, "-", "-", host, "-", String(port)];
  const number = (key: string, unit = 1, digits = 0): string => {
    const value = nodestat[key];
    return typeof value === "number" ? (value / unit).toFixed(digits) : "-";
  };
  return [
    id,
    /^svc (\S+)/.exec(String(ping?.version))?.[1] ?? "-",
    formatUptime(Number(nodestat.uptime)),
    host,
    String(nodestat.ip),
    number("adminport"),
    number("txport"),
    nodestat["service-in"] === 1 ? "S-IN" : "S-OUT",
    number("service-rate", 1, 1),
    number("service-95th-ms", 1, 1),
    String(nodestat.cpu),
    number("memory-total", GIB, 1),
    number("memory-process", MIB),
    number("graph-order"),
    number("graph-size"),
    String(nodestat["service-name"] ?? "-"),
  ];
}

/** Returns text such as `2d 03:04:05`. */
function formatUptime(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const time = [(seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60].map(two).join(":");
  return `${Math.floor(seconds / 86_400)}d ${time}`;
}
