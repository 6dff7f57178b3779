// A transport without sockets: what it is asked becomes a request of the engine at once. Heads are
// read by the code that reads those of sockets, so that what is no request is refused as there.

import { nowMs } from "../../runtime/base/clock.js";
import { INLINE_BODY_BYTES } from "../../runtime/base/limits.js";
import { readHeaderFields } from "../../runtime/http/header-fields.js";
import { Refusal } from "../../runtime/http/refusal.js";
import type {
  Connection,
  HttpServer,
  Method,
  ServerEvents,
  ServerOptions,
  Transport,
} from "../../runtime/http/transport.js";
import { MemoryExchange } from "./memory-exchange.js";

/** Ports that nobody listens on. */
const MAIN_PORT = 9000;

export interface MemoryRequest {
  readonly method: string;
  /** Path and query, as a client sends them. */
  readonly target: string;
  /** Lines, each with CR LF. */
  readonly fields: string;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal | null;
}

export class MemoryTransport implements Transport {
  readonly name = "net";
  readonly #servers: MemoryServer[] = [];

  async listen(
    port: number,
    _ip: string | null,
    options: ServerOptions,
    events: ServerEvents,
  ): Promise<HttpServer> {
    const server = new MemoryServer(port === 0 ? MAIN_PORT : port, options, events);
    this.#servers.push(server);
    return server;
  }

  /** @param offset 0 for the main port, 1 for the admin port */
  request(offset: 0 | 1, request: MemoryRequest): Promise<Response> {
    return this.#servers[offset]!.ask(request);
  }
}

class MemoryServer implements HttpServer {
  readonly #open = new Set<MemoryExchange>();
  #isClosed = false;
  #requests = 0;

  constructor(
    readonly port: number,
    readonly options: ServerOptions,
    readonly events: ServerEvents,
  ) {}

  connections(): readonly Connection[] {
    return [];
  }

  retire(): void {}

  async drain(): Promise<void> {
    await Promise.allSettled([...this.#open].map(({ answered }) => answered));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#open) exchange.abort(new Error("the service has ended"));
  }

  ask({ method, target, fields, body, signal }: MemoryRequest): Promise<Response> {
    if (this.#isClosed) return Promise.reject(new Error("the service has ended"));
    const headers = readHeaderFields(fields);
    const t0Ms = nowMs();
    if (headers instanceof Refusal || (body?.length ?? 0) > this.options.maxBodyBytes) {
      const { status, message } = headers instanceof Refusal ? headers : TOO_LARGE;
      const { mediaType, body: text } = this.events.errorBody(status, message, "json", t0Ms);
      const type = { "content-type": mediaType };
      return Promise.resolve(new Response(text, { status, headers: type }));
    }
    const exchange = new MemoryExchange(
      { method: method as Method, target, headers, t0Ms },
      bodyOf(body),
      connection(this.#requests++),
    );
    this.#open.add(exchange);
    const gone = (): void => exchange.abort(signal!.reason);
    signal?.addEventListener("abort", gone, { once: true });
    if (signal?.aborted) gone();
    else this.events.request(exchange);
    return exchange.answered.finally(() => {
      signal?.removeEventListener("abort", gone);
      this.#open.delete(exchange);
      this.events.answered(fields.length + (body?.length ?? 0), exchange.bytes);
    });
  }
}

const TOO_LARGE = { status: 413, message: "413 Payload Too Large" };

/** As sockets hand it on: short ones as text, others in memory that threads share. */
function bodyOf(body: Uint8Array | null): string | Uint8Array | null {
  if (body === null) return null;
  if (body.length <= INLINE_BODY_BYTES) return Buffer.from(body).toString("latin1");
  const shared = new Uint8Array(new SharedArrayBuffer(body.length));
  shared.set(body);
  return shared;
}

function connection(id: number): Connection {
  return {
    ...{ id, remoteAddress: "127.0.0.1", remotePort: 0, client: "http://127.0.0.1:0/" },
    ...{ openedAtMs: nowMs(), ident: null, endedAtMs: 0, bytesIn: 0, bytesOut: 0 },
  };
}
