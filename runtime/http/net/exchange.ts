// One request and its response, as an entry in its connection's queue: responses may become ready
// in any order, the connection sends them in the order of the requests.

import { INLINE_BODY_BYTES } from "../../base/limits.js";
import type { Trace } from "../../base/tracing/trace.js";
import type { CountedPlugin } from "../../metrics/plugin-counters.js";
import { latin1Text, MAX_COPIED_BYTES } from "../../plugin/contract/wire-text.js";
import { TRUNK_HEADER } from "../../trunk/frames.js";
import type { HeaderFields } from "../header-fields.js";
import { type HttpRejection, RESPONSE_DROPPED, RESPONSE_MEMORY_EXHAUSTED } from "../rejections.js";
import type {
  ByteStream,
  CancellableSource,
  Connection,
  Exchange,
  Method,
  RequestHeaders,
} from "../transport.js";
import type { Client } from "./clients.js";
import type { ParsedHead } from "./request-reader.js";
import type { ResponseHeads } from "./response-heads.js";
import { UploadedBody } from "./upload-folder.js";

const TAKES_TRUNK = `${TRUNK_HEADER}: 1\r\n`;
const LINE_END = Buffer.from("\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

/** The connection's interface to its exchanges. */
export interface ExchangeOwner extends Connection {
  /** The peer may upgrade this connection to a trunk. */
  readonly takesTrunk: boolean;
  /** Returns the heads for the response to an exchange. */
  headsFor(exchange: NetExchange): ResponseHeads;
  /** Address of the client behind a proxy, null if the peer of the connection is the client. */
  forwardedFor(fields: HeaderFields): string | null;
  /** Returns the client of a request. */
  ownerOf(forwardedFor: string | null): Client;
  /** Marks a response as ready; it is sent in order. */
  settle(exchange: NetExchange): void;
  /** Returns false if the response must be dropped because too many bytes are unread. */
  hasCapacityFor(bytes: number): boolean;
  /** Answers in place of the engine. */
  sendRejection(exchange: NetExchange, refusal: HttpRejection): void;
}

export class NetExchange implements Exchange {
  readonly body: string | Uint8Array | null;
  readonly upload: UploadedBody | null;
  forwardedFor: string | null;
  signedOrigin: Exchange["signedOrigin"] = null;
  /** The client whose limits apply to the request. */
  readonly owner: Client;
  readonly #head: ParsedHead;
  aborted = false;
  countedPlugin: CountedPlugin | null = null;
  trace: Trace | null = null;
  queueUs = -1;
  runUs = -1;
  explanation: Exchange["explanation"] = null;
  principal: string | null = null;
  audited: Exchange["audited"] = null;
  requestId: string | null;
  isWarmUp = false;

  next: NetExchange | null = null;
  /** The response is ready. */
  settled = false;
  /** The connection closes after this response. */
  isLast = false;
  status = 0;
  /** Head of the response, with its content when that is text. */
  text = "";
  /** Content that is not part of `text`, and its length. */
  content: Uint8Array | ByteStream | null = null;
  contentLength = 0;
  /** The length of the content is unknown until its end. */
  isChunked = false;
  /** Called when the client disconnects before the response is sent. */
  onAborted: (() => void) | null = null;

  constructor(
    readonly connection: ExchangeOwner,
    head: ParsedHead,
    readonly t0Ms: number,
    body: string | Uint8Array | UploadedBody | null,
    /** Bytes of the request, head and body. */
    readonly requestBytes: number,
    /** Bytes of the server's body budget that the body holds. */
    public reserved: number,
  ) {
    this.upload = body instanceof UploadedBody ? body : null;
    this.body = body instanceof UploadedBody ? null : body;
    this.#head = head;
    this.requestId = head.fields.requestId;
    this.forwardedFor = connection.forwardedFor(head.fields);
    this.owner = connection.ownerOf(this.forwardedFor);
  }

  get method(): Method {
    return this.#head.method;
  }

  get target(): string {
    return this.#head.target;
  }

  get headers(): RequestHeaders {
    return this.#head.fields;
  }

  /** Bytes of the request head that the exchange retains. */
  get headBytes(): number {
    return this.target.length + this.headers.block.length;
  }

  /** Bytes of the response in memory; streams are produced while they are sent. */
  get responseBytes(): number {
    return this.text.length + (this.content instanceof Uint8Array ? this.contentLength : 0);
  }

  respond(status: number, mediaType: string | null, body: string | Uint8Array, fields = ""): void {
    if (this.settled) return;
    if (body.length > INLINE_BODY_BYTES && !this.connection.hasCapacityFor(body.length)) {
      const isHarmless = this.method !== "POST";
      const refusal = isHarmless ? RESPONSE_MEMORY_EXHAUSTED : RESPONSE_DROPPED;
      return this.connection.sendRejection(this, refusal);
    }
    const takesTrunk = this.#head.fields.offersTrunk && this.connection.takesTrunk;
    const allFields = takesTrunk ? TAKES_TRUNK + fields : fields;
    this.text = this.connection.headsFor(this).text(status, mediaType, body.length, allFields);
    if (this.method !== "HEAD") {
      // Without a length, closing the connection marks the end of the response; 304 never has
      // content.
      if (body.length === 0) this.isLast ||= status !== 304;
      else if (typeof body === "string") this.text += body;
      else if (body.length <= MAX_COPIED_BYTES) this.text += latin1Text(body);
      else this.#setContent(body, body.length);
    }
    this.#settle(status);
  }

  respondStream(
    status: number,
    mediaType: string,
    byteLength: number,
    source: ByteStream,
    fields = "",
  ): void {
    if (this.settled) return;
    this.text = this.connection.headsFor(this).text(status, mediaType, byteLength, fields);
    if (this.method !== "HEAD") this.#setContent(source, byteLength);
    this.#settle(status);
  }

  respondChunked(status: number, mediaType: string, source: CancellableSource, fields = ""): void {
    if (this.settled || this.aborted) return source.cancel();
    this.text = this.connection.headsFor(this).chunked(status, mediaType, fields);
    if (this.method === "HEAD") source.cancel();
    else {
      this.content = this.#chunks(source);
      this.isChunked = true;
      this.onAborted = () => source.cancel();
    }
    this.#settle(status);
  }

  async *#chunks(source: CancellableSource): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      const chunk = Buffer.concat([
        Buffer.from(`${bytes.length.toString(16)}\r\n`),
        bytes,
        LINE_END,
      ]);
      this.contentLength += chunk.length;
      yield chunk;
    }
    this.contentLength += LAST_CHUNK.length;
    yield LAST_CHUNK;
  }

  #setContent(content: Uint8Array | ByteStream, byteLength: number): void {
    this.content = content;
    this.contentLength = byteLength;
  }

  #settle(status: number): void {
    this.status = status;
    this.settled = true;
    this.connection.settle(this);
  }
}
