// Warm-up before Service-IN: calls plugins over a private socket, so that V8 has compiled the code
// path of the first requests, from the parser to the plugin.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { EXECUTOR_SWEEP_MS } from "../base/limits.js";
import { netTransport } from "../http/net/transport.js";
import type { Exchange, ServerEvents, ServerOptions } from "../http/transport.js";
import { WarmUpClient } from "./warm-up-client.js";

const LOOPBACK = "127.0.0.1";
/** Exceeds the limit of one client, so that calls also wait for others. */
const CALLERS = 40;
/** Slower calls are not repeated: clients would find the executors busy. */
const SLOW_MS = 100;
/** Grace period for calls in progress when the time is over. */
const LAST_CALLS_MS = 50;
/** The first call runs uncompiled code. */
const FIRST_CALLS = 2;
/** Connections are also closed now and then, so that V8 compiles that code, too. */
const CALLS_PER_CONNECTION = 100;
/** Pauses in which executors become idle, and start and stop timers as they will for clients. */
const PAUSE_MS = 3 * EXECUTOR_SWEEP_MS;
const KEY = "x-svc-warm-up";

export interface WarmUp {
  /** Path and query of each call. */
  readonly targets: readonly string[];
  readonly withinMs: number;
}

/**
 * Calls each target once, then the fast ones in turn, concurrently, until the time has passed.
 * @param events answer the calls
 * @returns the unusable targets, with the reason for each
 */
export async function warmUp(
  { targets, withinMs }: WarmUp,
  options: ServerOptions,
  events: ServerEvents,
): Promise<ReadonlyMap<string, string>> {
  const key = randomBytes(16).toString("hex");
  const server = await netTransport.listen(0, LOOPBACK, options, onlyWith(key, events));
  const fields = `${KEY}: ${key}\r\n`;
  const create = () => new WarmUpClient(LOOPBACK, server.port, fields);
  const clients = Array.from({ length: CALLERS }, create);
  const unusable = new Map<string, string>();
  const untilMs = performance.now() + withinMs;
  const tryOne = async (target: string): Promise<void> => {
    // Reported if the call is not answered in time.
    unusable.set(target, `no response after ${withinMs} ms`);
    for (let call = 1; call <= FIRST_CALLS; call++) {
      const fault = await findFault(clients[0]!, target);
      if (performance.now() > untilMs) return;
      if (fault === null) return void unusable.delete(target);
      unusable.set(target, fault);
    }
  };
  const callAll = async (): Promise<void> => {
    for (const target of targets) if (performance.now() < untilMs) await tryOne(target);
    const turns = targets.filter((target) => !unusable.has(target));
    if (turns.length === 0) return;
    let calls = 0;
    const callInTurn = async (client: WarmUpClient, endMs: number): Promise<void> => {
      while (performance.now() < endMs) {
        await client.call(turns[calls++ % turns.length]!);
        if (calls % CALLS_PER_CONNECTION === 0) client.close();
      }
    };
    const callUntil = (endMs: number) =>
      Promise.all(clients.map((client) => callInTurn(client, endMs)));
    await callUntil((performance.now() + untilMs) / 2);
    await delay(PAUSE_MS);
    await callUntil(untilMs);
  };
  const timer = new AbortController();
  const timeUp = delay(withinMs + LAST_CALLS_MS, null, { signal: timer.signal }).catch(() => {});
  await Promise.race([callAll(), timeUp]);
  timer.abort();
  for (const client of clients) client.close();
  await server.close();
  return unusable;
}

/** Calls a target. Returns why the call cannot be repeated, null if it can. */
async function findFault(client: WarmUpClient, target: string): Promise<string | null> {
  const startedMs = performance.now();
  const outcome = await client.call(target);
  if (outcome === null) return "no response";
  if (outcome !== 200) return `responds with ${outcome}`;
  return performance.now() - startedMs > SLOW_MS ? `takes longer than ${SLOW_MS} ms` : null;
}

/**
 * Rejects other clients that find the port. Calls with the key are excluded from traces and logs;
 * the caller forgets what was counted.
 */
function onlyWith(key: string, events: ServerEvents): ServerEvents {
  const right = Buffer.from(key);
  const connections = new WeakSet<object>();
  const isOurs = ({ headers, connection }: Exchange): boolean => {
    if (connections.has(connection)) return true;
    const sentKey = Buffer.from(headers.get(KEY) ?? "");
    const isRight = sentKey.length === right.length && timingSafeEqual(sentKey, right);
    if (isRight) connections.add(connection);
    return isRight;
  };
  return {
    ...events,
    request: (exchange) => {
      if (!isOurs(exchange)) return exchange.respond(403, null, "");
      exchange.isWarmUp = true;
      events.request(exchange);
    },
    onConnection: () => {},
  };
}
