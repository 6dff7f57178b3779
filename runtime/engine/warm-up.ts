// Warm-up before Service-IN: calls plugins over a private socket, so that V8 has compiled the code
// path of the first requests, from the parser to the plugin.

import { randomBytes, timingSafeEqual } from "node:crypto";
import type { RequestOptions } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { http } from "../base/node-modules.js";
import { netTransport } from "../http/net/transport.js";
import type { Exchange, ServerEvents, ServerOptions } from "../http/transport.js";

const LOOPBACK = "127.0.0.1";
const CALLERS = 16;
/** Slower calls are not repeated: clients would find the executors busy. */
const SLOW_MS = 100;
/** Grace period for calls in progress when the time is over. */
const LAST_CALLS_MS = 50;
/** The first call runs uncompiled code. */
const FIRST_CALLS = 2;
const KEY = "x-svc-warm-up";

/** Outcome of a call: a status, or another kind of response. */
type Outcome = number | "a stream" | null;

export interface WarmUp {
  /** Path and query of each call. */
  readonly targets: readonly string[];
  readonly withinMs: number;
}

/**
 * Calls each target once, then the fast ones in turn, concurrently, until the time is over.
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
  const agent = new (http().Agent)({ keepAlive: true, maxSockets: CALLERS });
  const { port } = server;
  const request = { agent, host: LOOPBACK, port, headers: { [KEY]: key } };
  const useless = new Map<string, string>();
  const untilMs = performance.now() + withinMs;
  const tryOne = async (path: string): Promise<void> => {
    // Reported if the call is not answered in time.
    useless.set(path, `no response after ${withinMs} ms`);
    for (let call = 1; call <= FIRST_CALLS; call++) {
      const fault = await faultOf({ ...request, path });
      if (performance.now() > untilMs) return;
      if (fault === null) return void useless.delete(path);
      useless.set(path, fault);
    }
  };
  const callAll = async (): Promise<void> => {
    for (const path of targets) if (performance.now() < untilMs) await tryOne(path);
    const turns = targets.filter((path) => !useless.has(path));
    let calls = 0;
    const caller = async (): Promise<void> => {
      while (performance.now() < untilMs && turns.length > 0) {
        await call({ ...request, path: turns[calls++ % turns.length]! });
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
  };
  const timer = new AbortController();
  const timeUp = delay(withinMs + LAST_CALLS_MS, null, { signal: timer.signal }).catch(() => {});
  await Promise.race([callAll(), timeUp]);
  timer.abort();
  agent.destroy();
  await server.close();
  return useless;
}

/** Returns why a call cannot be repeated. */
async function faultOf(request: RequestOptions): Promise<string | null> {
  const startedMs = performance.now();
  const outcome = await call(request);
  if (outcome === null) return "no response";
  if (outcome !== 200) return `responds with ${outcome}`;
  return performance.now() - startedMs > SLOW_MS ? `takes longer than ${SLOW_MS} ms` : null;
}

/**
 * Rejects other clients that find the port; calls with the key are excluded from metrics and
 * traces.
 */
function onlyWith(key: string, events: ServerEvents): ServerEvents {
  const right = Buffer.from(key);
  const isOurs = ({ headers }: Exchange): boolean => {
    const given = Buffer.from(headers.get(KEY) ?? "");
    return given.length === right.length && timingSafeEqual(given, right);
  };
  return {
    ...events,
    request: (exchange) => {
      if (!isOurs(exchange)) return exchange.answer(403, null, "");
      exchange.isWarmUp = true;
      events.request(exchange);
    },
    answered: () => {},
    connected: () => {},
  };
}

function call(options: RequestOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const request = http().get(options, (response) => {
      if (response.headers["transfer-encoding"] !== undefined) {
        resolve("a stream");
        return void request.destroy();
      }
      response.on("end", () => resolve(response.statusCode!));
      response.resume();
    });
    request.on("error", () => resolve(null));
  });
}
