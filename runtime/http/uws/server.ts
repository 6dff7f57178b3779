// One listening server on hyper-express: hyper-express manages the lifecycle; the single route is
// registered on the uWebSockets app beneath, which makes a request a third cheaper. All requests
// accepted by the parser of uWebSockets are validated here as in the other transport.

import { setTimeout as delay } from "node:timers/promises";
import { nowMs } from "../../base/clock.js";
import {
  CONNECTION_SWEEP_MS,
  INLINE_BODY_BYTES,
  LINGER_MS,
  MAX_CLIENT_MEMORY_RATIO,
  MAX_CONNECTIONS_PER_PORT,
  SMALL_BODY_RESERVE_RATIO,
} from "../../base/limits.js";
import { ClientPermissions } from "../client-permissions.js";
import { HeaderFields } from "../header-fields.js";
import { BodyBudget, BodyStore } from "../net/body-store.js";
import { Client, Clients } from "../net/clients.js";
import { ResponseMemory, transportMemory } from "../net/response-memory.js";
import { Proxies } from "../proxies.js";
import {
  EXPECTATION_FAILED,
  PAYLOAD_TOO_LARGE,
  RESPONSE_MEMORY_EXHAUSTED,
  TOO_MANY_CONNECTIONS,
  TOO_MANY_REQUESTS,
  UNSUPPORTED_CONTENT_CODING,
} from "../rejections.js";
import type {
  Connection,
  HttpServer,
  ServerEvents,
  ServerOptions,
  TransportMemory,
} from "../transport.js";
import { type ExchangeHost, UwsExchange } from "./exchange.js";
import { type Peer, Peers } from "./peers.js";
import { RequestHeadReader } from "./request-head.js";
import { headBytes, UwsResponseHeads } from "./response-heads.js";
import type { HyperExpress, HyperExpressServer, UwsRequest, UwsResponse } from "./uws-api.js";

const NO_FIELDS = new HeaderFields("");
const DRAIN_POLL_MS = 10;

export class UwsServer implements HttpServer, ExchangeHost {
  readonly heads: UwsResponseHeads;
  readonly budget: BodyBudget;
  /** By address, because connections cannot be identified. */
  readonly clients: Clients;
  port = 0;
  isRetiring = false;
  sending = 0;
  readonly #responses: ResponseMemory;
  readonly #maxBodyBytes: number;
  readonly #permissions: ClientPermissions;
  readonly #proxies: Proxies;
  readonly #server: HyperExpressServer;
  readonly #head = new RequestHeadReader();
  readonly #peers = new Peers();
  #open = 0;
  #sweeper: NodeJS.Timeout | undefined;
  readonly #onExit = (): void => this.#end();

  constructor(
    hyperExpress: HyperExpress,
    options: ServerOptions,
    readonly events: ServerEvents,
  ) {
    this.heads = new UwsResponseHeads(options.cors);
    const { bodyMemoryBytes, limits } = options;
    const share = bodyMemoryBytes * MAX_CLIENT_MEMORY_RATIO;
    const budget = new BodyBudget(bodyMemoryBytes, bodyMemoryBytes * SMALL_BODY_RESERVE_RATIO);
    const responses = new ResponseMemory(options.responseMemoryBytes, null);
    this.budget = budget;
    this.#responses = responses;
    this.clients = new Clients((key) => new Client(key, budget, share, responses, limits));
    this.#maxBodyBytes = Math.min(options.maxBodyBytes, share);
    this.#permissions = new ClientPermissions(options.dispatcherNetworks);
    this.#proxies = new Proxies(options.proxies);
    this.#server = new hyperExpress.Server({ auto_close: false });
    this.#server.uws_instance.filter((response, change) => this.#countConnection(response, change));
  }

  async listen(port: number, host: string): Promise<void> {
    await this.#server.listen(port, host);
    // Registered after the routes of hyper-express, to replace them.
    this.#server.uws_instance.any("/*", (response, request) => this.#receive(response, request));
    this.port = port;
    // A thread that exits with open sockets crashes the process.
    process.once("exit", this.#onExit);
    this.#sweeper = setInterval(() => this.clients.sweep(performance.now()), CONNECTION_SWEEP_MS);
  }

  connections(): readonly Connection[] {
    return this.#peers.list(this.#open);
  }

  memory(): TransportMemory {
    return transportMemory(this.budget, this.#responses);
  }

  /**
   * Marks connections to close with their next response. Idle ones cannot be identified: they stay
   * open until then, or until `drain`.
   */
  retire(): void {
    this.isRetiring = true;
  }

  /** Waits for responses until the timeout, and briefly for connections: any can be idle. */
  async drain(timeoutMs: number): Promise<void> {
    this.#server.close();
    const startMs = performance.now();
    for (let passedMs = 0; this.#open > 0 && passedMs < timeoutMs; ) {
      if (this.sending === 0 && passedMs >= LINGER_MS) break;
      await delay(DRAIN_POLL_MS);
      passedMs = performance.now() - startMs;
    }
  }

  async close(): Promise<void> {
    process.off("exit", this.#onExit);
    this.#end();
  }

  #end(): void {
    clearInterval(this.#sweeper);
    this.#server.close();
    this.#server.uws_instance.close();
  }

  #countConnection(response: UwsResponse, change: number): void {
    const isOpening = change > 0;
    const number = isOpening ? ++this.#open : this.#open--;
    if (isOpening) this.#peers.opened(response, number);
    // Connections cannot be identified, so those numbered above the limit count as the refused
    // ones.
    if (number <= MAX_CONNECTIONS_PER_PORT) this.events.onConnection(isOpening ? 1 : -1);
    else if (isOpening) this.#refuseConnection(response);
  }

  #refuseConnection(response: UwsResponse): void {
    const { status } = TOO_MANY_CONNECTIONS;
    this.events.onRejection(
      TOO_MANY_CONNECTIONS,
      this.#peers.forResponse(response).remoteAddress,
      null,
    );
    const { mediaType, body } = this.events.errorBody(TOO_MANY_CONNECTIONS, "json", nowMs());
    const head = this.heads.closing(status, mediaType, "");
    response.cork(() => response.writeStatus(head).end(body, true));
    this.events.onResponse(0, headBytes(head, body.length) + body.length);
  }

  #receive(response: UwsResponse, request: UwsRequest): void {
    const head = this.#head;
    const t0Ms = nowMs();
    const refusal = head.read(request);
    const peer = this.#peers.forResponse(response);
    const received = head.fields ?? NO_FIELDS;
    const forwardedFor = this.#proxies.forwardedFor(received, peer.remoteAddress);
    const fields = this.#permissions.filterFields(received, forwardedFor ?? peer.remoteAddress);
    const exchange = new UwsExchange(
      this,
      response,
      head.method,
      head.target,
      fields,
      peer,
      forwardedFor,
      t0Ms,
      head.byteLength,
    );
    const { owner } = exchange;
    if (owner.requests?.take(performance.now()) === false) {
      exchange.refuse(TOO_MANY_REQUESTS, fields.chunked || fields.expect !== null);
    } else if (owner.responses.isUsedUp) {
      exchange.refuse(RESPONSE_MEMORY_EXHAUSTED, fields.chunked || fields.expect !== null);
    } else if (refusal !== null)
      exchange.refuse(refusal, fields === NO_FIELDS || fields.expect !== null);
    else if (fields.expect !== null && fields.expect !== "100-continue") {
      exchange.refuse(EXPECTATION_FAILED, false);
    } else if (fields.contentLength > this.#maxBodyBytes) {
      // A client that sent `Expect` may or may not send the body: the framing would be ambiguous.
      exchange.refuse(PAYLOAD_TOO_LARGE, fields.expect !== null);
    } else if (fields.chunked && head.method !== "POST") {
      exchange.refuse(UNSUPPORTED_CONTENT_CODING, true);
    } else if (fields.chunked || fields.contentLength > 0) {
      this.#receiveBody(response, exchange, fields, peer);
    } else this.events.request(exchange);
    exchange.watch();
  }

  #receiveBody(
    response: UwsResponse,
    exchange: UwsExchange,
    fields: HeaderFields,
    peer: Peer,
  ): void {
    const store = new BodyStore(exchange.owner, this.#maxBodyBytes);
    peer.arriving = exchange;
    const clearArriving = (): void => {
      if (peer.arriving === exchange) peer.arriving = null;
    };
    exchange.onAborted = () => {
      clearArriving();
      store.release();
    };
    response.onData((data, isLast) => {
      const chunk = Buffer.from(data);
      exchange.requestBytes += chunk.length;
      if (isLast) clearArriving();
      if (isLast && store.size === 0 && this.#reserveInline(exchange, chunk.length)) {
        exchange.body = chunk.length === 0 ? null : chunk.toString("latin1");
        exchange.reserved = chunk.length;
      } else {
        const expected = Math.max(fields.contentLength - store.size, chunk.length);
        if (chunk.length > 0) store.write(chunk, 0, chunk.length, expected);
        // After the response, the parser discards the rest of a body of known length.
        if (store.refusal !== null && (isLast || !fields.chunked)) {
          exchange.refuse(store.refusal, fields.chunked);
        }
        if (store.refusal !== null || !isLast) return;
        exchange.body = store.finish();
        exchange.reserved = store.reserved;
      }
      exchange.onAborted = null;
      this.events.request(exchange);
    });
  }

  /** Reserves memory for a small body that arrived as one chunk; returns false for other bodies. */
  #reserveInline({ owner }: UwsExchange, length: number): boolean {
    return length <= Math.min(INLINE_BODY_BYTES, this.#maxBodyBytes) && owner.take(length, false);
  }
}
