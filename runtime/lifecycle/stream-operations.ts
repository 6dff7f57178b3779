// Admin operations on replication.

import { HOST_PORT } from "../base/host-port.js";
import type { ControlArguments } from "../builtin/admin/control-service.js";
import type { ThrottleUnit } from "../interconnect/flow-control.js";
import type { Operation, Parts } from "./operation.js";
import { subscribe, unsubscribe } from "./subscribe-operations.js";

const UNITS: readonly ThrottleUnit[] = ["bytes", "opcodes", "operations", "transactions"];

const MODES: readonly string[] = ["repair", "hard", "soft"];
const SYNC_WAIT_MS = 6_000;
const SCHEME = "svc://";
const HANDOVER_MS = 10_000;
const ACCEPT_LOSS = "accept-loss";

export const STREAM_OPERATIONS: readonly (readonly [string, Operation])[] = [
  ["Attach", attach],
  ["Detach", detach],
  ["DetachAll", detachAll],
  ["UpdateSubscribers", updateSubscribers],
  ["Bind", bind],
  ["Unbind", unbind],
  ["SuspendTxInput", (parts) => setFlow(parts, "suspend", "input")],
  ["ResumeTxInput", (parts) => setFlow(parts, "resume", "input")],
  ["SuspendTxOutput", (parts) => setFlow(parts, "suspend", "output")],
  ["ResumeTxOutput", (parts) => setFlow(parts, "resume", "output")],
  ["Throttle", throttle],
  ["Promote", promote],
  ["HandOver", handOver],
  ["Sync", sync],
  ["CancelSync", cancelSync],
  ["Subscribe", subscribe],
  ["Unsubscribe", unsubscribe],
];

async function attach({ graphs }: Parts, { uri }: ControlArguments): Promise<object> {
  await graphs.control({ do: "attach", uri: String(uri) });
  return { subscriber: uri, action: "attached" };
}

async function detach({ graphs }: Parts, { uri }: ControlArguments): Promise<object> {
  await graphs.control({ do: "detach", uri: String(uri) });
  return { subscriber: uri, action: "detached" };
}

async function detachAll({ graphs }: Parts): Promise<object> {
  await graphs.control({ do: "detach", uri: null });
  return { subscriber: "all", action: "detached" };
}

/**
 * Replaces the subscribers. Accepts a list of `host:port` of tx ports, or an object with this list
 * as `destinations`. Streams of a broker stay attached.
 */
async function updateSubscribers(
  { graphs }: Parts,
  { content, goal }: ControlArguments,
): Promise<object> {
  const text = String(content ?? "").trim() || String(goal ?? "[]");
  const body: unknown = JSON.parse(text);
  const list = Array.isArray(body) ? body : (body as { destinations?: unknown })?.destinations;
  if (!Array.isArray(list)) throw new Error("a list of host:port is required");
  const requested = [...new Set(list.map(parseUri))];
  const attached = (await graphs.control({ do: "attached" })) as readonly string[];
  const attachedUris = attached.filter((uri) => uri.startsWith(SCHEME));
  const added = requested.filter((uri) => !attachedUris.includes(uri));
  const removed = attachedUris.filter((uri) => !requested.includes(uri));
  await attachAll(graphs, added);
  for (const uri of removed) await graphs.control({ do: "detach", uri });
  return { action: "attached", added, removed, result: [] };
}

function parseUri(address: unknown): string {
  if (typeof address === "string" && HOST_PORT.test(address)) return `${SCHEME}${address}`;
  throw new Error(`not host:port: ${JSON.stringify(address).slice(0, 200)}`);
}

/** Attaches all or none: an invalid request changes nothing. */
async function attachAll(graphs: Parts["graphs"], uris: readonly string[]): Promise<void> {
  const attached: string[] = [];
  try {
    for (const uri of uris) {
      await graphs.control({ do: "attach", uri });
      attached.push(uri);
    }
  } catch (error) {
    for (const uri of attached) await graphs.control({ do: "detach", uri });
    throw error;
  }
}

async function bind({ graphs }: Parts, { port, durable }: ControlArguments): Promise<object> {
  const requestedPort = Number(port);
  if (!(requestedPort >= 1 && requestedPort <= 65_535))
    throw new Error("a port from 1 to 65535 is required");
  await graphs.control({ do: "bind", port: requestedPort });
  return { action: "bind", port: requestedPort, durable };
}

async function unbind({ graphs }: Parts): Promise<object> {
  await graphs.control({ do: "unbind" });
  return { action: "unbind" };
}

async function setFlow(
  { graphs }: Parts,
  verb: "suspend" | "resume",
  what: "input" | "output",
): Promise<object> {
  await graphs.control({ do: verb, what });
  return { action: `tx_${what}_${verb === "suspend" ? "suspended" : "resumed"}` };
}

/** `soft` equals `repair`: both remove excess contents of diverged graphs. */
async function sync({ graphs }: Parts, { mode = "repair" }: ControlArguments): Promise<object> {
  if (!MODES.includes(String(mode))) {
    throw new Error(
      `mode must be 'repair', 'hard', or 'soft' (got '${String(mode).slice(0, 50)}')`,
    );
  }
  const repair = mode === "hard" ? "all" : "different";
  const isDone = await graphs.control({ do: "sync", repair, timeoutMs: SYNC_WAIT_MS });
  return { action: "sync", mode, status: isDone === true ? "complete" : "in progress" };
}

async function cancelSync({ graphs }: Parts): Promise<object> {
  const stopped = (await graphs.control({ do: "cancelSync" })) as number;
  return { action: "cancel_sync", status: stopped > 0 ? "sync stopped" : "sync not running" };
}

/** Available in `Console` only, because the interface has no promotion. */
async function promote({ graphs }: Parts, { goal }: ControlArguments): Promise<object> {
  const acceptsLoss = goal === ACCEPT_LOSS;
  return { action: "promoted", epoch: await graphs.control({ do: "promote", acceptsLoss }) };
}

/** Available in `Console` only: makes another member of the group lead. */
async function handOver({ graphs }: Parts, { goal }: ControlArguments): Promise<object> {
  const to = String(goal ?? "");
  await graphs.control({ do: "handOver", to, timeoutMs: HANDOVER_MS });
  return { action: "handed over", to };
}

/** A negative rate only queries; 0, or the unit `all_unlimited`, removes limits. */
async function throttle({ graphs }: Parts, { rate, unit }: ControlArguments): Promise<object> {
  const set = (unit: ThrottleUnit, rate: number | null) =>
    graphs.control({ do: "throttle", unit, rate });
  if (unit === "all_unlimited") for (const each of UNITS) await set(each, null);
  else if (!UNITS.includes(unit as ThrottleUnit)) {
    throw new Error(`unit must be one of ${UNITS.join(", ")}`);
  } else if (Number(rate) >= 0) await set(unit as ThrottleUnit, Number(rate) || null);
  return { action: "throttle", limits: graphs.traffic.read().throttle };
}
