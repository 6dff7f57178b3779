// Before a server gets into service: calls of plugins over a socket that only it knows, so that
// V8 has compiled what the first clients need, from the parser to the plugin.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { Agent, get, type RequestOptions } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { netTransport } from "../http/net/transport.js";
import type { Exchange, ServerEvents, ServerOptions } from "../http/transport.js";

const LOOPBACK = "127.0.0.1";
const CALLERS = 16;
const KEY = "x-svc-warm-up";

/** How a call was answered: its status, or what else it was. */
type Outcome = number | "a stream" | "nothing";

export interface WarmUp {
  /** Path and query of each call. */
  readonly targets: readonly string[];
  readonly withinMs: number;
}

/**
 * Calls all targets in turn until the time is up, those that are answered otherwise than with 200
 * no more.
 * @param events what the calls are answered by
 * @returns the targets that are not called any more, and why
 */
export async function warmUp(
  { targets, withinMs }: WarmUp,
  options: ServerOptions,
  events: ServerEvents,
): Promise<ReadonlyMap<string, Outcome>> {
  const key = randomBytes(16).toString("hex");
  const server = await netTransport.listen(0, LOOPBACK, options, onlyWith(key, events));
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const { port } = server;
  const request = { agent, host: LOOPBACK, port, headers: { [KEY]: key } };
  const failed = new Map<string, Outcome>();
  const untilMs = performance.now() + withinMs;
  let calls = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < untilMs && failed.size < targets.length) {
      const path = targets[calls++ % targets.length]!;
      if (failed.has(path)) continue;
      const outcome = await call({ ...request, path });
      if (outcome !== 200 && performance.now() < untilMs) failed.set(path, outcome);
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  const timer = new AbortController();
  const timeUp = delay(withinMs, null, { signal: timer.signal }).catch(() => {});
  await Promise.race([callers, timeUp]);
  timer.abort();
  agent.destroy();
  await server.close();
  return failed;
}

/** Whoever else finds the port gets nothing, and what is asked with the key leaves no trace. */
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

function call(request: RequestOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const asked = get(request, (response) => {
      if (response.headers["transfer-encoding"] !== undefined) {
        resolve("a stream");
        return void asked.destroy();
      }
      response.on("end", () => resolve(response.statusCode!));
      response.resume();
    });
    asked.on("error", () => resolve("nothing"));
  });
}
