// Turns the bytes of a connection into requests: head, then body, then the next head. A violation
// becomes a rejection in the order of the requests; when the end of the request is ambiguous, the
// rejection is the last response of the connection.

import { toEpochMs } from "../../base/clock.js";
import {
  BODY_RATE_WINDOW_MS,
  HEAD_TIMEOUT_MS,
  INLINE_BODY_BYTES,
  MAX_DRAIN_BYTES,
  MIN_BODY_BYTES_PER_WINDOW,
} from "../../base/limits.js";
import type { Ident } from "../../plugin/contract/request-source.js";
import { HeaderFields } from "../header-fields.js";
import {
  EXPECTATION_FAILED,
  type HttpRejection,
  INVALID_CONTENT,
  INVALID_HEADER,
  INVALID_REQUEST_LINE,
  PAYLOAD_TOO_LARGE,
  REQUEST_TIMEOUT,
} from "../rejections.js";
import type { IncomingRequest, Method } from "../transport.js";
import { type BodyReader, ChunkedBody, SizedBody } from "./body-reader.js";
import { type BodyDisk, type BodyMemory, BodyStore } from "./body-store.js";
import { HeadReader } from "./head-reader.js";
import type { UploadedBody } from "./upload-folder.js";

const CR = 13;
const LF = 10;
const NO_FIELDS = new HeaderFields("");
/** Heads of longer texts are not cached: their substrings would retain the whole text. */
const MAX_CACHED_TEXT_BYTES = 8192;

/** The head of a request, or the part of it that could be read. Repeated requests share it. */
export interface ParsedHead {
  readonly method: Method;
  readonly target: string;
  readonly fields: HeaderFields;
}

const NO_HEAD: ParsedHead = { method: "GET", target: "", fields: NO_FIELDS };

/** Receives the results of the reader, in order. */
export interface RequestSink {
  /** Returns the memory budget that the body of a request counts against. */
  memoryFor(fields: HeaderFields): BodyMemory;
  readonly maxBodyBytes: number;
  /** No earlier request of the connection is in progress. */
  readonly isIdle: boolean;
  /** Returns whether more requests may be read now. */
  mayRead(): boolean;
  /** `reserved` bytes of that budget pass to the sink with the body. */
  request(
    head: ParsedHead,
    t0Ms: number,
    body: string | Uint8Array | UploadedBody | null,
    requestBytes: number,
    reserved: number,
  ): void;
  /** `isLast`: nothing more can be read from the connection. */
  refuse(
    refusal: HttpRejection,
    head: ParsedHead,
    t0Ms: number,
    requestBytes: number,
    isLast: boolean,
  ): void;
  /** Closes the connection after its responses; the current request was rejected before. */
  closeAfterResponses(): void;
  /**
   * Called when the peer identifies itself as a dispatcher.
   * @returns the rejection if it may not be one
   */
  acceptDispatcher(ident: Ident): HttpRejection | null;
  /**
   * Upgrades the connection to a trunk: the sink receives all further bytes.
   * @returns the rejection if that is not allowed
   */
  startTrunk(): HttpRejection | null;
  /** Returns a function that stores the body on disk; null if it must stay in memory. */
  diskFor(head: ParsedHead): BodyDisk["create"] | null;
  /** Called when reading may continue after a wait for the disk. */
  scheduleTurn(): void;
  /** Removes the fields that the client may not send. */
  filterFields(fields: HeaderFields): HeaderFields;
  /** Called when the client sent `Expect: 100-continue` and its body will be accepted. */
  sendContinue(): void;
}

export class RequestReader {
  /** The next request expects 100 Continue, which must follow the responses before it. */
  waitsForIdle = false;
  /** The last `read` found more than empty lines. */
  isActive = false;
  readonly #sink: RequestSink;
  readonly #head: HeadReader;
  #monotonicMs = 0;
  /** When the first byte of the unfinished head arrived, 0 without one. */
  #headStartedAtMs = 0;
  /** The head of the last request. */
  #last = NO_HEAD;
  /** The head of the request whose body is being read, and the time of its first byte. */
  #request: ParsedHead | null = null;
  #requestT0Ms = 0;
  /** The body being read, that of `#request`. */
  #body: BodyReader | null = null;
  /**
   * Start of the window in which the body has to make progress, and the bytes received before it.
   */
  #windowStartedAtMs = 0;
  #windowBytes = 0;
  #requestBytes = 0;

  constructor(sink: RequestSink) {
    this.#sink = sink;
    this.#head = new HeadReader((fields) => sink.filterFields(fields));
  }

  /**
   * Reads all complete requests that the sink accepts.
   * @returns the offset of the first byte not consumed
   */
  read(chunk: Buffer, monotonicMs: number): number {
    this.#monotonicMs = monotonicMs;
    this.waitsForIdle = false;
    this.isActive = false;
    let text = "";
    let at = 0;
    while (at < chunk.length && this.#sink.mayRead()) {
      if (this.#body !== null) {
        this.isActive = true;
        at = this.#readBody(this.#body, chunk, at);
      } else if (chunk[at] === CR && chunk[at + 1] === LF) {
        at += 2; // RFC 9112, 2.2: empty lines before a request are ignored
      } else if (chunk[at] === CR && at + 1 === chunk.length) {
        break; // the rest of an empty line may follow
      } else {
        this.isActive = true;
        if (text === "") text = chunk.toString("latin1");
        const next = this.#readHead(text, chunk, at);
        if (next === at) break;
        at = next;
      }
    }
    if (text.length > MAX_CACHED_TEXT_BYTES) {
      this.#head.forget();
      this.#last = NO_HEAD;
    }
    return at;
  }

  /** The client sent its last byte: an unfinished request is rejected. */
  end(rest: Buffer | null): void {
    if (this.#body !== null) this.#fail(INVALID_CONTENT);
    else if (rest !== null && !(rest.length === 1 && rest[0] === CR))
      this.#fail(rest.includes("\r\n") ? INVALID_HEADER : INVALID_REQUEST_LINE);
  }

  /** Rejects the unfinished request on a timeout. */
  rejectUnfinished(): void {
    this.#fail(REQUEST_TIMEOUT);
  }

  /** Returns whether reading has to wait for the disk. */
  get isBehind(): boolean {
    return this.#body !== null && (this.#body.done || this.#body.store.isBehind);
  }

  /** Returns whether a head was read whose body is still incomplete. */
  get hasRequest(): boolean {
    return this.#request !== null;
  }

  /** Memory of the body being read. */
  get reservedBytes(): number {
    return this.#body?.store.reserved ?? 0;
  }

  /** Rejects the body being read; the rest of it is read and discarded. */
  refuseBody(refusal: HttpRejection): void {
    this.#refuseBody(refusal, false);
  }

  get arriving(): IncomingRequest | null {
    if (this.#request === null) return null;
    const { method, target, fields } = this.#request;
    return { method, target, headers: fields, t0Ms: this.#requestT0Ms };
  }

  /**
   * Returns whether an unfinished head takes too long, or a body makes no progress; called
   * periodically.
   */
  isLate(monotonicMs: number): boolean {
    if (this.#body !== null) {
      if (monotonicMs - this.#windowStartedAtMs < BODY_RATE_WINDOW_MS) return false;
      const arrived = this.#requestBytes - this.#windowBytes;
      this.restartClock(monotonicMs);
      return arrived < MIN_BODY_BYTES_PER_WINDOW;
    }
    return this.#headStartedAtMs !== 0 && monotonicMs - this.#headStartedAtMs > HEAD_TIMEOUT_MS;
  }

  /** Restarts the timeouts after a pause in which the server itself did not read. */
  restartClock(monotonicMs: number): void {
    this.#windowStartedAtMs = monotonicMs;
    this.#windowBytes = this.#requestBytes;
  }

  /** Ends reading; releases the memory of an unfinished body. */
  close(): void {
    this.#body?.store.release();
    this.#body = null;
    this.#request = null;
    this.#headStartedAtMs = 0;
  }

  /** Rejects the current request, unless it was rejected before; nothing more can be read. */
  #fail(refusal: HttpRejection): void {
    const wasRefused = this.#body !== null && this.#body.store.refusal !== null;
    const head = this.#request ?? NO_HEAD;
    const t0Ms = this.#request === null ? this.#t0Ms() : this.#requestT0Ms;
    this.close();
    if (wasRefused) this.#sink.closeAfterResponses();
    else this.#sink.refuse(refusal, head, t0Ms, this.#requestBytes, true);
  }

  #t0Ms(): number {
    return toEpochMs(this.#headStartedAtMs || this.#monotonicMs);
  }

  /** @returns `at` when the head is incomplete or has to wait */
  #readHead(text: string, chunk: Buffer, at: number): number {
    const head = this.#head;
    const outcome = head.read(text, at);
    if (outcome === "incomplete") {
      this.#headStartedAtMs ||= this.#monotonicMs;
      return at;
    }
    this.#requestBytes = head.end - at;
    if (outcome === "request") return this.#begin(text, chunk, at);
    if (outcome === "ident" || outcome === "trunk") {
      this.#headStartedAtMs = 0;
      const isIdent = outcome === "ident";
      const refusal = isIdent ? this.#sink.acceptDispatcher(head.ident!) : this.#sink.startTrunk();
      head.isForwarded = true;
      if (refusal === null) return head.end;
      this.#fail(refusal);
      return chunk.length;
    }
    this.#fail(outcome);
    return chunk.length;
  }

  /** Starts a request whose head is complete, including its body if that has arrived already. */
  #begin(text: string, chunk: Buffer, at: number): number {
    const { end } = this.#head;
    const head = this.#shareHead();
    const { fields } = head;
    const t0Ms = this.#t0Ms();
    this.#headStartedAtMs = 0;
    if (fields.expect !== null && !this.#sink.isIdle) {
      this.waitsForIdle = true;
      return at;
    }
    const length = fields.contentLength;
    if (this.#head.refusal === null && fields.expect === null && !fields.chunked) {
      if (length <= 0) {
        this.#sink.request(head, t0Ms, null, this.#requestBytes, 0);
        return end;
      }
      if (this.#takesInline(fields, chunk.length - end)) {
        const body = text.slice(end, end + length);
        this.#sink.request(head, t0Ms, body, this.#requestBytes + length, length);
        return end + length;
      }
    }
    this.#request = head;
    this.#requestT0Ms = t0Ms;
    this.#beginBody(head, end < chunk.length, this.#head.refusal);
    return end;
  }

  /** Returns the head that was read: the same object for repeated requests. */
  #shareHead(): ParsedHead {
    const { method, target, fields } = this.#head;
    const last = this.#last;
    if (last.fields !== fields || last.method !== method || last.target !== target) {
      this.#last = { method, target, fields: fields! };
    }
    return this.#last;
  }

  /** Reserves the bytes of a small body that has arrived already. */
  #takesInline(fields: HeaderFields, available: number): boolean {
    const { contentLength: length } = fields;
    if (length > available || length > Math.min(INLINE_BODY_BYTES, this.#sink.maxBodyBytes)) {
      return false;
    }
    return this.#sink.memoryFor(fields).take(length, false);
  }

  #beginBody(head: ParsedHead, hasArrived: boolean, headRefusal: HttpRejection | null): void {
    const { fields } = head;
    const create = this.#sink.diskFor(head);
    const disk = create && { create, onProgress: () => this.#progressed() };
    const store = new BodyStore(this.#sink.memoryFor(fields), this.#sink.maxBodyBytes, disk);
    const length = Math.max(0, fields.contentLength);
    const body = fields.chunked ? new ChunkedBody(store) : new SizedBody(store, length);
    this.#body = body;
    this.restartClock(this.#monotonicMs);
    const expects = fields.expect === "100-continue";
    const unexpected = fields.expect !== null && !expects ? EXPECTATION_FAILED : null;
    const tooLarge = length > this.#sink.maxBodyBytes ? PAYLOAD_TOO_LARGE : null;
    const refusal = headRefusal ?? unexpected ?? tooLarge;
    // A client that sent `Expect` may or may not send the body: the framing would be ambiguous.
    if (refusal !== null) this.#refuseBody(refusal, expects || length > MAX_DRAIN_BYTES);
    else if (expects && !hasArrived && !body.done) this.#sink.sendContinue();
    if (body.done) this.#endBody(body);
  }

  /** Answers at once; the rest of the body is read and discarded, unless `isLast`. */
  #refuseBody(refusal: HttpRejection, isLast: boolean): void {
    const request = this.#request!;
    this.#body!.store.refuse(refusal);
    if (isLast) this.close();
    this.#sink.refuse(refusal, request, this.#requestT0Ms, this.#requestBytes, isLast);
  }

  #readBody(body: BodyReader, chunk: Buffer, at: number): number {
    const { store } = body;
    const wasKept = store.refusal === null;
    const end = body.feed(chunk, at);
    this.#requestBytes += end - at;
    if (wasKept && store.refusal !== null) this.#refuseBody(store.refusal, false);
    if (body.broken) this.#fail(INVALID_CONTENT);
    else if (body.done) this.#endBody(body);
    else if (store.dropped > MAX_DRAIN_BYTES) this.#fail(PAYLOAD_TOO_LARGE);
    return end;
  }

  /** The disk has stored bytes of the body, or has failed. */
  #progressed(): void {
    const body = this.#body;
    if (body === null) return;
    if (body.store.refusal !== null) this.#refuseBody(body.store.refusal, false);
    if (body.done) this.#endBody(body);
    this.#sink.scheduleTurn();
  }

  #endBody(body: BodyReader): void {
    const { store } = body;
    if (store.refusal === null && !store.complete()) return; // `#progressed` follows
    const request = this.#request!;
    this.#body = null;
    this.#request = null;
    if (store.refusal !== null) return; // answered before
    const content = store.upload ?? store.finish();
    this.#sink.request(request, this.#requestT0Ms, content, this.#requestBytes, store.reserved);
  }
}
