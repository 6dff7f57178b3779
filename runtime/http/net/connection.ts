// One client connection. A reader parses requests and a queue orders the responses. This class
// connects both to the socket, which it closes without losing the last response.
//
//   open ──(half-closed, fatal rejection, last response)──► closing ──(responses sent)──► lingering
//
// While closing, no input is read. While lingering, input is read and discarded:
// closing a socket with unread input resets it, and the reset discards a response in transit.

import { nowMs as epochMs, toEpochMs } from "../../base/clock.js";
import {
  BUSY_READ_PAUSE_MS,
  IDENT_LINE_TIMEOUT_MS,
  INLINE_BODY_BYTES,
  LINGER_MS,
  MAX_READ_AHEAD_BYTES,
  MAX_READ_SLICE_BYTES,
  MAX_WRITE_BATCH_BYTES,
} from "../../base/limits.js";
import type { Ident } from "../../plugin/contract/request-source.js";
import { headerValue } from "../../plugin/contract/request-text.js";
import type { ByteSocket } from "../../trunk/byte-socket.js";
import { TRUNK_LINE } from "../../trunk/frames.js";
import { Trunk } from "../../trunk/trunk.js";
import { TrunkStream } from "../../trunk/trunk-stream.js";
import { readCertificate } from "../auth/read-certificate.js";
import type { ClientCertificate } from "../auth/request-head.js";
import { clientAddress, formatClientUrl } from "../client-address.js";
import type { HeaderFields } from "../header-fields.js";
import {
  BODY_MEMORY_EXHAUSTED,
  dispatcherNotAllowed,
  type HttpRejection,
  INVALID_REQUEST_LINE,
  RESPONSE_MEMORY_EXHAUSTED,
  TOO_MANY_CONNECTIONS,
  TOO_MANY_REQUESTS,
} from "../rejections.js";
import type { IncomingRequest, ServerEvents } from "../transport.js";
import type { BodyDisk, BodyMemory } from "./body-store.js";
import type { Client } from "./clients.js";
import type { ConnectionHost } from "./connection-host.js";
import { type ExchangeOwner, NetExchange } from "./exchange.js";
import { OutputBuffer } from "./output.js";
import { type ParsedHead, RequestReader, type RequestSink } from "./request-reader.js";
import type { ResponseHeads } from "./response-heads.js";
import { ConnectionResponses } from "./response-memory.js";
import { type QueueOwner, ResponseQueue } from "./response-queue.js";
import { type ScheduledTurn, scheduleTurn } from "./scheduled-turns.js";
import type { ArrivingBody } from "./shed-body.js";
import type { UploadedBody } from "./upload-folder.js";

const FORM = /^multipart\/form-data\b/i;
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

export class NetConnection implements ExchangeOwner, QueueOwner, RequestSink, ScheduledTurn {
  readonly client: string;
  readonly openedAtMs: number;
  ident: Ident | null = null;
  endedAtMs = 0;
  bytesIn = 0;
  isScheduled = false;

  readonly #host: ConnectionHost<NetConnection>;
  readonly #socket: ByteSocket;
  readonly #output: OutputBuffer;
  readonly #queue: ResponseQueue;
  readonly #reader: RequestReader;
  readonly #responses: ConnectionResponses;
  /** Set once the connection became a trunk, which carries the streams of a dispatcher. */
  #trunk: Trunk | null = null;
  /** Received bytes not yet consumed: part of a head, or requests that must wait. */
  #rest: Buffer | null = null;
  #phase: "open" | "closing" | "lingering" = "open";
  /** Input is being read; its responses are written afterwards. */
  #isReading = false;
  #isPaused = false;
  /** Bytes of bodies read in this time slice, and whether other connections have their turn. */
  #sliceBytes = 0;
  #isYielding = false;
  #isDispatcher: boolean;
  /** The client whose memory quota holds the body being read. */
  #bodyOwner: Client;
  #certificate: ClientCertificate | null | undefined;
  /** `#rest` contains complete requests that must wait. */
  #isHeld = false;
  #activeAtMs = performance.now();
  #lingersUntilMs = Number.POSITIVE_INFINITY;

  constructor(
    host: ConnectionHost<NetConnection>,
    socket: ByteSocket,
    readonly id: number,
    readonly remoteAddress: string,
    readonly remotePort: number,
    /** The client, with all its connections. */
    readonly owner: Client,
    /** Counts as a dispatcher's connection, and must identify itself. */
    isDispatcher: boolean,
  ) {
    this.#host = host;
    this.#isDispatcher = isDispatcher;
    this.#bodyOwner = owner;
    this.#socket = socket;
    this.#output = new OutputBuffer(socket);
    this.#queue = new ResponseQueue(this, this.#output);
    this.#reader = new RequestReader(this);
    host.clients.connected(owner, !isDispatcher);
    this.#responses = new ConnectionResponses(owner.responses);
    this.client = formatClientUrl(this.remoteAddress, this.remotePort);
    this.openedAtMs = toEpochMs(this.#activeAtMs);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.turn());
    socket.on("end", () => this.#inputEnded());
    // A reset also emits `close`, which cleans up.
    socket.on("error", () => {});
    socket.on("close", () => this.#closed());
  }

  get bytesOut(): number {
    return this.#output.bytesOut;
  }

  get certificate(): ClientCertificate | null {
    if (this.#certificate === undefined) this.#certificate = readCertificate(this.#socket);
    return this.#certificate;
  }

  get arriving(): IncomingRequest | null {
    return this.#reader.arriving;
  }

  headsFor(exchange: NetExchange): ResponseHeads {
    const isLast = this.#host.isRetiring && this.#phase !== "open" && exchange.next === null;
    return isLast ? this.#host.lastHeads : this.#host.heads;
  }

  get events(): ServerEvents {
    return this.#host.events;
  }

  get maxBodyBytes(): number {
    return this.#host.maxBodyBytes;
  }

  get isIdle(): boolean {
    return this.#queue.size === 0 && !(this.#trunk !== null && this.#trunk.size > 0);
  }

  get takesTrunk(): boolean {
    const isStream = this.#socket instanceof TrunkStream;
    return !isStream && this.#host.rights.isDispatcherAddress(this.remoteAddress);
  }

  /** Writes the responses collected since the last turn and resumes paused reading. */
  turn(): void {
    this.#output.flush();
    this.#count();
    if (this.#isHeld && this.mayRead()) {
      this.#reader.restartClock(performance.now());
      this.#read(this.#rest!);
    }
    this.#adjust();
  }

  /** Updates the memory account of responses; a closed connection holds none. */
  #count(): void {
    const isClosed = this.#socket.destroyed;
    this.#responses.set(isClosed ? 0 : this.#queue.heldBytes + this.#output.unsent);
  }

  /** Checks timeouts; called periodically. */
  sweep(monotonicMs: number): void {
    this.#count();
    if (!this.isIdle || this.#socket.writableLength > 0) this.#activeAtMs = monotonicMs;
    if (this.#phase === "lingering") {
      if (monotonicMs >= this.#lingersUntilMs) this.#socket.destroy();
    } else if (this.#phase === "open" && !this.#isPaused && !this.#isHeld) {
      const waitsForIdent = this.#isDispatcher && this.ident === null && this.#trunk === null;
      if (this.#reader.isLate(monotonicMs)) this.#reader.rejectUnfinished();
      else if (waitsForIdent && toEpochMs(monotonicMs) - this.openedAtMs > IDENT_LINE_TIMEOUT_MS)
        this.closeAfterResponses();
      else if (monotonicMs - this.#activeAtMs > this.#host.idleTimeoutMs)
        this.closeAfterResponses();
    }
  }

  /** Closes the connection after the pending responses; if there are none, after the next one. */
  retire(): void {
    if (!this.isIdle && this.#trunk === null) this.startClosing();
  }

  /** Closes the connection once the pending responses are sent; nothing more is read. */
  finish(): void {
    this.#host.burst.release(this);
    this.startClosing();
    // The streams of the trunk must still complete.
    if (this.#trunk !== null && this.#isPaused) this.#setPaused(false);
    this.#adjust();
  }

  /** True if no complete request is queued, running or being answered on the connection. */
  get isEvictable(): boolean {
    const isReading = this.#reader.hasRequest || this.#isHeld || this.#host.burst.has(this);
    const isUsed = !this.isIdle || isReading || this.#isDispatcher;
    return !isUsed && this.#phase === "open" && this.#socket.writableLength === 0;
  }

  /** When the connection was last in use, in milliseconds of `performance.now`. */
  get activeAtMs(): number {
    return this.#activeAtMs;
  }

  /** Closes an idle connection, so that another client can connect. */
  evict(): void {
    this.startClosing();
    this.#socket.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  // RequestSink

  mayRead(): boolean {
    if (this.#phase !== "open" || this.#queue.isFull || this.#responses.isLarge) return false;
    if (this.#trunk !== null) return false;
    if (this.#reader.isBehind || (this.#reader.waitsForIdle && !this.isIdle)) return false;
    return !this.#output.isBlocked;
  }

  request(
    head: ParsedHead,
    t0Ms: number,
    body: string | Uint8Array | UploadedBody | null,
    requestBytes: number,
    reserved: number,
  ): void {
    const exchange = new NetExchange(this, head, t0Ms, body, requestBytes, reserved);
    this.#host.onRequest(this, t0Ms);
    this.#queue.push(exchange);
    // The client sent `Connection: close`: bytes after this request are ignored.
    if (head.fields.closes || this.#host.isRetiring) this.startClosing();
    const refusal = this.#exceeded(exchange);
    if (refusal !== null) this.sendRejection(exchange, refusal);
    else this.events.request(exchange);
    if (this.#output.bufferedLength > MAX_WRITE_BATCH_BYTES) this.#output.flush();
  }

  /** Returns the limit that one more request would exceed. */
  #exceeded({ owner }: NetExchange): HttpRejection | null {
    const { requests } = owner;
    if (this.ident === null) {
      if (this.#isDispatcher) {
        this.startClosing();
        return TOO_MANY_CONNECTIONS;
      }
      if (requests?.take(performance.now()) === false) return TOO_MANY_REQUESTS;
    }
    return this.#responses.isUsedUp ? RESPONSE_MEMORY_EXHAUSTED : null;
  }

  refuse(...[refusal, head, t0Ms, bytes, isLast]: Parameters<RequestSink["refuse"]>): void {
    const exchange = new NetExchange(this, head, t0Ms, null, bytes, 0);
    exchange.isLast = isLast || head.fields.closes;
    this.#queue.push(exchange);
    this.sendRejection(exchange, refusal);
  }

  closeAfterResponses(): void {
    this.startClosing();
    this.scheduleTurn();
  }

  acceptDispatcher(ident: Ident): HttpRejection | null {
    const refusal = this.#becomeDispatcher();
    if (refusal === null) this.ident = ident;
    return refusal;
  }

  #becomeDispatcher(): HttpRejection | null {
    if (!this.#host.rights.isDispatcherAddress(this.remoteAddress))
      return dispatcherNotAllowed(this.remoteAddress);
    if (!this.#isDispatcher) {
      if (!this.#host.countDispatcher(1)) return TOO_MANY_CONNECTIONS;
      this.#isDispatcher = true;
      this.owner.counted--;
    }
    this.#socket.setKeepAlive(true, this.#host.idleTimeoutMs);
    return null;
  }

  startTrunk(): HttpRejection | null {
    const isFresh = this.ident === null && this.isIdle && !(this.#socket instanceof TrunkStream);
    if (!isFresh) return INVALID_REQUEST_LINE;
    const refusal = this.#becomeDispatcher();
    if (refusal !== null) return refusal;
    const onOpen = (stream: TrunkStream): boolean =>
      this.#phase === "open" && this.#host.admitStream(stream, this);
    const onStall = (): void => void this.#socket.destroy();
    const onStreamClose = (): void => this.scheduleTurn();
    const events = { onOpen, onStreamClose, onStall, memory: this.owner };
    this.#trunk = new Trunk(this.#socket, events, true);
    this.#output.add(TRUNK_LINE);
    return null;
  }

  filterFields(fields: HeaderFields): HeaderFields {
    return this.#host.rights.filterFields(fields, this.forwardedFor(fields) ?? this.remoteAddress);
  }

  /** Fields of a dispatcher are ignored: it passes on those of its clients. */
  forwardedFor(fields: HeaderFields): string | null {
    if (!fields.isForwarded || this.ident !== null) return null;
    return this.#host.proxies.forwardedFor(fields, this.remoteAddress);
  }

  ownerOf(forwardedFor: string | null): Client {
    return forwardedFor === null ? this.owner : this.#host.clients.at(forwardedFor);
  }

  memoryFor(fields: HeaderFields): BodyMemory {
    this.#bodyOwner = this.ownerOf(this.forwardedFor(fields));
    return this.#bodyOwner;
  }

  /** The body being read; null if it holds no memory, or is a dispatcher's, for many clients. */
  get arrivingBody(): ArrivingBody | null {
    const bytes = this.#reader.reservedBytes;
    if (bytes === 0 || this.#isDispatcher) return null;
    const shed = (): void => this.#reader.refuseBody(BODY_MEMORY_EXHAUSTED);
    return { owner: this.#bodyOwner, bytes, shed };
  }

  diskFor({ target, fields }: ParsedHead): BodyDisk["create"] | null {
    const type = headerValue(fields.block, "Content-Type") ?? "";
    // A dispatcher has the whole body in memory already.
    const isOfClient = this.ident === null && !(this.#socket instanceof TrunkStream);
    if (!isOfClient || !FORM.test(type) || !this.events.takesUpload?.(target)) return null;
    const owner = this.ownerOf(this.forwardedFor(fields));
    return (progress) => this.#host.uploads.create(owner, progress);
  }

  sendContinue(): void {
    this.#output.add(CONTINUE);
    this.scheduleTurn();
  }

  // ExchangeOwner

  settle(exchange: NetExchange): void {
    this.#queue.settle(exchange);
    // Further responses may arrive before the next turn.
    if (exchange.responseBytes > INLINE_BODY_BYTES) this.#count();
  }

  hasCapacityFor(bytes: number): boolean {
    return this.#responses.hasCapacityFor(bytes);
  }

  sendRejection(exchange: NetExchange, refusal: HttpRejection): void {
    const { status, fields } = refusal;
    const { accept } = exchange.headers;
    this.events.onRejection(refusal, clientAddress(exchange), exchange);
    const { mediaType, body } = this.events.errorBody(refusal, accept, exchange.t0Ms);
    exchange.respond(status, mediaType, body, fields);
  }

  // QueueOwner

  scheduleTurn(): void {
    if (!this.#isReading && !this.isScheduled) scheduleTurn(this);
  }

  startClosing(): void {
    if (this.#phase === "open") this.#phase = "closing";
  }

  onFailure(): void {
    this.#socket.destroy();
  }

  // Socket

  #receive(chunk: Buffer): void {
    this.bytesIn += chunk.length;
    if (!this.#host.burst.postpone(this, chunk)) this.process(chunk);
  }

  process(chunk: Buffer): void {
    if (this.#trunk !== null && this.#phase !== "lingering") {
      return this.#forward(this.#trunk, chunk);
    }
    if (this.#phase !== "open") return this.#limitSlice(chunk.length);
    this.#read(this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]));
    if (this.#reader.hasRequest) this.#limitSlice(chunk.length);
    this.#adjust();
  }

  /**
   * Pauses after each slice of a body or of discarded input: otherwise libuv reads megabytes from
   * one socket before it polls the next one. Input of a paused trunk stream would only be buffered.
   */
  #limitSlice(bytes: number): void {
    if (this.#socket instanceof TrunkStream) return;
    this.#sliceBytes += bytes;
    if (this.#sliceBytes < MAX_READ_SLICE_BYTES) return;
    this.#sliceBytes = 0;
    this.#isYielding = true;
    this.#setPaused(true);
    const proceed = (): void => {
      this.#isYielding = false;
      if (this.#phase === "open") this.#adjust();
      else this.#setPaused(false);
    };
    if (this.#host.isBusyWithOthers(this)) setTimeout(proceed, BUSY_READ_PAUSE_MS);
    else setImmediate(proceed);
  }

  #read(chunk: Buffer): void {
    const monotonicMs = performance.now();
    this.#rest = null;
    this.#isHeld = false;
    this.#isReading = true;
    const end = this.#reader.read(chunk, monotonicMs);
    this.#isReading = false;
    if (this.#reader.isActive) this.#activeAtMs = monotonicMs;
    if (this.#trunk !== null) {
      if (end < chunk.length) this.#forward(this.#trunk, chunk.subarray(end));
    } else if (end < chunk.length && this.#phase === "open") {
      this.#rest = Buffer.from(chunk.subarray(end));
      this.#isHeld = !this.mayRead();
    }
    this.#output.flush();
  }

  #forward(trunk: Trunk, chunk: Buffer): void {
    if (trunk.receive(chunk)) this.#adjust();
    else this.#host.closeBrokenTrunk(this);
  }

  /** Pauses, resumes or closes, depending on the state. */
  #adjust(): void {
    const mayRead = this.mayRead();
    if (this.endedAtMs > 0 && mayRead) {
      this.#reader.end(this.#rest);
      this.startClosing();
    }
    if (this.#phase !== "open") return this.#end();
    // Not paused without need: a disconnect is detected only by reading or sending.
    const isFull = this.#rest !== null && this.#rest.length >= MAX_READ_AHEAD_BYTES;
    const mayReceive = !this.#isYielding && (mayRead || !(isFull || this.#output.isBlocked));
    if (mayReceive === this.#isPaused) this.#setPaused(!mayReceive);
  }

  #setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.#socket.pause();
    else {
      this.#reader.restartClock(performance.now());
      this.#socket.resume();
    }
  }

  #end(): void {
    if (this.#phase !== "closing" || !this.isIdle) return;
    this.#phase = "lingering";
    this.#reader.close();
    this.#rest = null;
    this.#output.flush();
    this.#trunk?.flush();
    this.#socket.resume();
    this.#socket.end(() => {
      this.#lingersUntilMs = performance.now() + LINGER_MS;
    });
  }

  /** Half-closed: the client sends no more, but still gets its responses. */
  #inputEnded(): void {
    this.#host.burst.release(this);
    this.endedAtMs = epochMs();
    if (this.#trunk === null) this.#adjust();
    else this.#socket.destroy();
  }

  #closed(): void {
    this.#phase = "lingering";
    this.#reader.close();
    this.#rest = null;
    this.#queue.abort();
    this.#trunk?.lost(new Error("connection closed"));
    this.#responses.set(0);
    if (this.#isDispatcher) this.#host.countDispatcher(-1);
    this.#host.clients.recordClose(this.owner, !this.#isDispatcher);
    this.#host.onClose(this);
  }
}
