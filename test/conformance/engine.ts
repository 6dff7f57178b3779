// A small request engine behind a transport: each path responds in one way that the cases need.
// Counts its notifications, so that tests can compare them with reality.

import { setTimeout as sleep } from "node:timers/promises";
import { MAX_CONNECTIONS_PER_PORT } from "../../runtime/base/limits.js";
import { allowedMethods } from "../../runtime/http/methods.js";
import type { HttpRejection } from "../../runtime/http/rejections.js";
import type { Exchange, ServerEvents, ServerOptions } from "../../runtime/http/transport.js";

const TEXT = "text/plain";
export const LARGE_BYTES = 1024 * 1024;
/** Of bodies, and of responses. */
export const MEMORY_BYTES = 256 * 1024 * 1024;
export const IDLE_TIMEOUT_MS = 75_000;

/** Options of a server whose clients are all on loopback. */
export function serverOptions(changes: Partial<ServerOptions> = {}): ServerOptions {
  const limits = { connections: 0, requestsPerSecond: 0 };
  const memory = { bodyMemoryBytes: MEMORY_BYTES, responseMemoryBytes: MEMORY_BYTES };
  const maxConnections = MAX_CONNECTIONS_PER_PORT;
  const common = {
    maxConnections,
    maxBodyBytes: 1e6,
    cors: null,
    dispatcherNetworks: ["127.0.0.1"],
    proxies: [],
    proxyProtocol: false,
    limits,
    ...memory,
  };
  return { ...common, idleTimeoutMs: IDLE_TIMEOUT_MS, tls: null, ...changes };
}

export class TestEngine implements ServerEvents {
  requests = 0;
  responseCount = 0;
  open = 0;
  sheds = 0;
  readonly rejections: string[] = [];
  readonly shedClients: string[] = [];
  /** Requests under `/hold`, oldest first, until the test answers them. */
  readonly heldExchanges: Exchange[] = [];

  request(exchange: Exchange): void {
    this.requests++;
    const path = exchange.target.split("?")[0]!;
    if (exchange.method === "OPTIONS") {
      const kind = path === "*" ? "server" : "plugin";
      exchange.respond(200, null, "", `Allowed: ${allowedMethods(kind).join(", ")}\r\n`);
    } else if (path === "/hold") this.heldExchanges.push(exchange);
    else if (path === "/late") setImmediate(() => this.#echo(exchange));
    else if (path === "/empty") exchange.respond(200, null, "");
    else if (path === "/unmodified") exchange.respond(304, null, "");
    else if (path === "/fields") exchange.respond(200, TEXT, "f", "X-SVC-Backlog: 0001\r\n");
    else if (path === "/argspec") exchange.respond(200, TEXT, String(exchange.headers.hasArgspec));
    else if (path === "/large") exchange.respond(200, TEXT, "x".repeat(LARGE_BYTES));
    else if (path === "/bytes") exchange.respond(200, TEXT, Buffer.from("bytes\xff", "latin1"));
    else if (path === "/stream") exchange.respondStream(200, TEXT, 10, pieces("12345", "67890"));
    else if (path === "/gaps")
      exchange.respondStream(200, TEXT, 10, pieces("", "12345", "", "67890"));
    else if (path === "/short") exchange.respondStream(200, TEXT, 10, pieces("12345"));
    else if (path === "/gone") exchange.respond(503, TEXT, "gone");
    else this.#echo(exchange);
  }

  /** Responds with everything that the engine received. */
  #echo(exchange: Exchange): void {
    const { method, target, body, headers, connection } = exchange;
    const text = body instanceof Uint8Array ? Buffer.from(body).toString("latin1") : body;
    const { accept, bypassServiceOut, minQueue, count } = headers;
    const partialTarget = headers.partialTarget ?? -1;
    const ident = connection.ident === null ? "" : connection.ident.join(".");
    const flags = [accept, bypassServiceOut ? 1 : 0, minQueue, partialTarget, count].join(" ");
    const shown = text === null ? "none" : text.length > 100 ? `${text.length} bytes` : text;
    exchange.respond(200, TEXT, [method, target, flags, ident, shown].join("|"));
  }

  errorBody({ status, message }: HttpRejection): { mediaType: string; body: string } {
    return { mediaType: TEXT, body: `${status} ${message}` };
  }

  onRejection({ status, reason }: HttpRejection, client: string, exchange: Exchange | null): void {
    this.rejections.push(`${status} ${reason} ${client} ${exchange?.target ?? ""}`.trim());
  }

  onShedConnection(client: string): void {
    this.sheds++;
    this.shedClients.push(client);
  }

  onResponse(): void {
    this.responseCount++;
  }

  onConnection(delta: 1 | -1): void {
    this.open += delta;
  }
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await sleep(1);
    yield Buffer.from(text);
  }
}
