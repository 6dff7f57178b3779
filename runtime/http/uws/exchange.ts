// One request and its response on uWebSockets. Responses that close the connection are sent from
// the event loop, never from within the parser: there, pipelined requests of the same packet would
// still run, and closing would discard written data. Responses to chunked requests close the
// connection, too: uWebSockets accepts malformed chunks, so any bytes after them could be smuggled
// requests.

import { INLINE_BODY_BYTES } from "../../base/limits.js";
import type { Trace } from "../../base/tracing/trace.js";
import type { CountedPlugin } from "../../metrics/plugin-counters.js";
import { clientAddress } from "../client-address.js";
import type { HeaderFields } from "../header-fields.js";
import type { Client, Clients } from "../net/clients.js";
import { type HttpRejection, RESPONSE_DROPPED, RESPONSE_MEMORY_EXHAUSTED } from "../rejections.js";
import type {
  ByteStream,
  CancellableSource,
  Connection,
  Exchange,
  Method,
  ServerEvents,
} from "../transport.js";
import { headBytes, type UwsResponseHeads } from "./response-heads.js";
import { sendChunks } from "./send-chunks.js";
import { sendStream } from "./send-stream.js";
import type { UwsResponse } from "./uws-api.js";

const NOT_ASCII = /[^\0-\x7f]/;
/** Longer strings are encoded without a scan for non-ASCII characters. */
const MAX_SEARCHED_LENGTH = 4096;

/** State shared by the exchanges of one server. */
export interface ExchangeHost {
  readonly heads: UwsResponseHeads;
  readonly clients: Clients;
  readonly events: ServerEvents;
  /** Connections close with their next response. */
  readonly isRetiring: boolean;
  /** Number of responses that have begun and are not sent completely. */
  sending: number;
}

export class UwsExchange implements Exchange {
  aborted = false;
  countedPlugin: CountedPlugin | null = null;
  trace: Trace | null = null;
  queueUs = -1;
  runUs = -1;
  explanation: Exchange["explanation"] = null;
  principal: string | null = null;
  audited: Exchange["audited"] = null;
  requestId: string | null;
  signedOrigin: Exchange["signedOrigin"] = null;
  isWarmUp = false;
  body: string | Uint8Array | null = null;
  /** The client, with all its connections. */
  readonly owner: Client;
  /** Bytes of the client's body quota reserved by this exchange. */
  reserved = 0;
  /** Called when the client disconnects before the response is complete. */
  onAborted: (() => void) | null = null;
  readonly #host: ExchangeHost;
  readonly #response: UwsResponse;
  #answered = false;
  /** The response is complete and must not be touched any more. */
  #sent = false;

  constructor(
    host: ExchangeHost,
    response: UwsResponse,
    readonly method: Method,
    readonly target: string,
    readonly headers: HeaderFields,
    readonly connection: Connection,
    public forwardedFor: string | null,
    readonly t0Ms: number,
    /** Bytes of the request, head and body. */
    public requestBytes: number,
  ) {
    this.#host = host;
    this.#response = response;
    this.requestId = headers.requestId;
    this.owner = host.clients.at(forwardedFor ?? connection.remoteAddress);
  }

  /**
   * Registers the abort handler. Must be called before the route handler returns: uWebSockets
   * requires it for asynchronous responses.
   */
  watch(): void {
    if (this.#sent) return;
    this.#response.onAborted(() => {
      this.aborted = true;
      if (this.#answered && !this.#sent) this.#host.sending--;
      this.onAborted?.();
    });
  }

  respond(status: number, mediaType: string | null, body: string | Uint8Array, fields = ""): void {
    const { length } = body;
    const isLarge = length > INLINE_BODY_BYTES && this.method !== "HEAD";
    if (isLarge && !this.#answered && !this.owner.responses.hasCapacityFor(length)) {
      return this.refuse(
        this.method === "POST" ? RESPONSE_DROPPED : RESPONSE_MEMORY_EXHAUSTED,
        false,
      );
    }
    if (!this.#begin()) return;
    const isLast = this.headers.chunked || this.headers.closes || this.#host.isRetiring;
    if (isLarge) return this.#sendLarge(status, mediaType!, body, fields, isLast);
    if (isLast && length > 0) return this.#sendLast(status, mediaType!, body, fields);
    const head = this.#host.heads.text(status, length === 0 ? null : mediaType, fields);
    // 304 never has content: its head ends the response, and the connection stays open.
    const isHead = this.method === "HEAD" || (status === 304 && !isLast);
    if (isHead) this.#sendHeadOnly(head, length);
    else if (length === 0) this.#sendEmpty(head);
    else this.#send(head, sendable(body), length);
  }

  respondStream(
    status: number,
    mediaType: string,
    byteLength: number,
    source: ByteStream,
    fields = "",
  ): void {
    if (byteLength === 0) return this.respond(status, null, "");
    if (!this.#begin()) return;
    const head = this.#host.heads.text(status, mediaType, fields);
    if (this.method === "HEAD") return this.#sendHeadOnly(head, byteLength);
    this.#stream(head, byteLength, source);
  }

  /** Accounts for unsent bytes; uWebSockets would buffer all of them without reporting it. */
  #sendLarge(
    status: number,
    mediaType: string,
    body: string | Uint8Array,
    fields: string,
    isLast: boolean,
  ): void {
    const { length } = body;
    const { responses } = this.owner;
    const head = this.#host.heads[isLast ? "last" : "text"](status, mediaType, fields);
    responses.add(length);
    const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : sendable(body);
    const send = (): void =>
      this.#stream(head, length, [bytes as Uint8Array], () => {
        responses.add(-length);
        if (isLast && !this.aborted) this.#response.close();
      });
    if (isLast) setImmediate(send);
    else send();
  }

  /** Streams content with backpressure; `done` is called on success and on failure. */
  #stream(head: string, byteLength: number, source: ByteStream, done = (): void => {}): void {
    const gone = new AbortController();
    this.onAborted = () => gone.abort();
    if (this.aborted) gone.abort();
    sendStream(this.#response, head, byteLength, source, gone.signal).then((isWhole) => {
      if (!this.aborted) {
        this.#end(headBytes(head, byteLength) + byteLength);
        if (!isWhole) this.#response.close();
      }
      done();
    });
  }

  respondChunked(status: number, mediaType: string, source: CancellableSource, fields = ""): void {
    if (!this.#begin()) return source.cancel();
    const isLast = this.headers.chunked || this.headers.closes || this.#host.isRetiring;
    const { heads } = this.#host;
    const head = isLast
      ? heads.closing(status, mediaType, fields)
      : heads.text(status, mediaType, fields);
    if (this.method === "HEAD") {
      source.cancel();
      return this.#sendHeadOnly(head, 0);
    }
    const gone = new AbortController();
    this.onAborted = () => {
      gone.abort();
      source.cancel();
    };
    sendChunks(this.#response, head, source, gone.signal, isLast).then((bytesOut) => {
      if (this.aborted) return;
      this.#end(headBytes(head, 0) + (bytesOut ?? 0));
      if (bytesOut === null) this.#response.close();
    });
  }

  /** Answers with an error of the transport; `isLast` closes the connection. */
  refuse(refusal: HttpRejection, isLast: boolean): void {
    const { status, fields } = refusal;
    const { events } = this.#host;
    events.onRejection(refusal, clientAddress(this), this);
    const { mediaType, body } = events.errorBody(refusal, this.headers.accept, this.t0Ms);
    if (!isLast) this.respond(status, mediaType, body, fields);
    else if (this.#begin()) this.#sendLast(status, mediaType, body, fields);
  }

  /** @returns false if there is nothing to send, or the client is gone */
  #begin(): boolean {
    if (this.#answered) return false;
    this.#answered = true;
    this.owner.give(this.reserved);
    this.reserved = 0;
    if (!this.aborted) this.#host.sending++;
    return !this.aborted;
  }

  #end(bytesOut: number): void {
    this.#sent = true;
    this.#host.sending--;
    this.#host.events.onResponse(this.requestBytes, bytesOut);
  }

  #send(head: string, content: string | Uint8Array, length: number): void {
    this.#response.cork(() => this.#response.writeStatus(head).end(content));
    this.#end(headBytes(head, length) + length);
  }

  #sendLast(status: number, mediaType: string, body: string | Uint8Array, fields: string): void {
    const head = this.#host.heads.closing(status, mediaType, fields);
    const content = this.method === "HEAD" ? "" : sendable(body);
    setImmediate(() => {
      if (this.aborted) return;
      this.#response.cork(() => {
        this.#response.writeStatus(head);
        if (content === "") this.#response.endWithoutBody(body.length, true);
        else this.#response.end(content, true);
      });
      this.#end(headBytes(head, body.length) + content.length);
    });
  }

  #sendHeadOnly(head: string, length: number): void {
    this.#response.cork(() => {
      this.#response.writeStatus(head);
      if (length === 0) this.#response.endWithoutBody();
      else this.#response.endWithoutBody(length);
    });
    this.#end(headBytes(head, length));
  }

  /** Without a length, closing the connection marks the end of the response. */
  #sendEmpty(head: string): void {
    setImmediate(() => {
      if (this.aborted) return;
      // The empty line completes the response; `end` would add fields to it.
      this.#response.cork(() => this.#response.writeStatus(`${head}\r\n`));
      this.#end(headBytes(head, 0));
      this.#response.close();
    });
  }
}

/** uWebSockets encodes strings as UTF-8 and rejects shared memory. */
function sendable(body: string | Uint8Array): string | Uint8Array {
  if (typeof body !== "string") {
    return body.buffer instanceof SharedArrayBuffer ? Uint8Array.from(body) : body;
  }
  const isPlain = body.length <= MAX_SEARCHED_LENGTH && !NOT_ASCII.test(body);
  return isPlain ? body : Buffer.from(body, "latin1");
}
