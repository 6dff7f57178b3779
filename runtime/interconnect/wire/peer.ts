// Connection to another instance: sends messages with backpressure and receives them in order.

import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { SvcError } from "../../base/errors.js";
import type { MessageTypeNumber } from "./messages.js";
import {
  encodeMessage,
  type Message,
  MessageReader,
  MessageType,
  malformedMessage,
} from "./messages.js";
import { type Ancestor, isAncestor } from "./positions.js";
import { NONCE_BYTES, type Role, type SharedKey } from "./shared-key.js";

export interface PeerLimits {
  /** Timeout of the handshake. */
  readonly handshakeMs: number;
  /** The connection closes if nothing arrives for this long. */
  readonly silenceMs: number;
  /** Interval of heartbeats (default: a fifteenth of `silenceMs`). */
  readonly heartbeatMs?: number;
}

const MAX_REASON = 500;
export const PEER_LIMITS: PeerLimits = { handshakeMs: 5_000, silenceMs: 30_000 };
/** Number of heartbeats within `silenceMs`. */
const HEARTBEATS = 15;
const NOTHING = Buffer.alloc(0);
/** Range of supported protocols. Both ends use the highest one that both support. */
export const PROTOCOL = 4;
const OLDEST_PROTOCOL = 4;
/** Limit of `readAhead`, many times larger than the data in flight. */
const MAX_AHEAD_BYTES = 2 ** 26;
const HEX = /^[0-9a-f]{64}$/;

export class Peer {
  readonly #socket: Socket;
  readonly #reader = new MessageReader();
  readonly #messages: AsyncGenerator<Message, void, void>;
  readonly #limits: PeerLimits;
  readonly #handshakeTimer: NodeJS.Timeout;
  #heartbeat: NodeJS.Timeout | undefined;
  #isTrusted = false;
  /** Messages read ahead. */
  readonly #ahead: Promise<Message | null>[] = [];
  /** Still set after the connection has closed. */
  readonly address: string;
  readonly port: number;
  /** Time of the last received data, by `performance.now()`. */
  heardAtMs = Number.NEGATIVE_INFINITY;
  /** True once the other end has closed the connection. */
  hasEnded = false;
  bytesRead = 0;
  bytesWritten = 0;

  constructor(socket: Socket, limits = PEER_LIMITS) {
    this.#socket = socket;
    this.#limits = limits;
    this.address = socket.remoteAddress ?? "";
    this.port = socket.remotePort ?? 0;
    socket.setNoDelay(true);
    const timedOut = (): unknown => socket.destroy(peerTimeout());
    this.#handshakeTimer = setTimeout(timedOut, limits.handshakeMs).unref();
    // The next read or write reports the error.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearTimeout(this.#handshakeTimer);
      clearInterval(this.#heartbeat);
    });
    this.#messages = this.#read();
  }

  /** True after the peer has proved that it has the key. */
  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Sends a message; resolves when more may be sent. */
  async send(type: MessageTypeNumber, body: Uint8Array): Promise<void> {
    const message = encodeMessage(type, body);
    this.bytesWritten += message.length;
    if (this.#socket.destroyed) throw connectionLost();
    if (this.#socket.write(message)) return;
    await new Promise<void>((resolve, reject) => {
      const socket = this.#socket;
      const drained = (): void => {
        socket.off("close", closed);
        resolve();
      };
      const closed = (): void => {
        socket.off("drain", drained);
        reject(connectionLost());
      };
      socket.once("drain", drained).once("close", closed);
    });
  }

  sendJson(type: MessageTypeNumber, value: unknown): Promise<void> {
    return this.send(type, Buffer.from(JSON.stringify(value)));
  }

  /** Returns the next message; null: the peer has disconnected. */
  next(): Promise<Message | null> {
    return this.#ahead.shift() ?? this.#pull();
  }

  /**
   * Reads ahead until `until` settles, in order to detect a disconnect. `next` returns the messages
   * later. Reading pauses at `MAX_AHEAD_BYTES`.
   * @returns false if the peer disconnected
   */
  async readAhead(until: Promise<void>): Promise<boolean> {
    for (let bytes = 0; bytes < MAX_AHEAD_BYTES; ) {
      const pending = this.#pull();
      this.#ahead.push(pending);
      // If it rejects after the race, `next` reports the error.
      const message = await Promise.race([pending, until]);
      if (message === undefined) return true;
      if (message === null) return false;
      bytes += message.body.length;
    }
    await until;
    return true;
  }

  async #pull(): Promise<Message | null> {
    const { value, done } = await this.#messages.next();
    return done === true ? null : value;
  }

  /**
   * Returns the body of the next message, which must have the given type.
   * @throws SvcError SVC2531, SVC2532
   */
  async expect(type: MessageTypeNumber): Promise<Buffer> {
    const message = await this.next();
    if (message === null) throw connectionLost();
    if (message.type === MessageType.Refusal) {
      // The text of an unauthenticated peer must not reach the log.
      if (!this.#isTrusted) throw malformedMessage("rejected by the peer; see its log");
      throw peerRejected(message.body);
    }
    if (message.type !== type)
      throw malformedMessage(`expected message ${type}, got ${message.type}`);
    return message.body;
  }

  /**
   * Like `expect`, but with a timeout that heartbeats do not extend: they continue even if the
   * request or its response was lost.
   * @throws SvcError SVC2531, SVC2532
   */
  async expectInTime(type: MessageTypeNumber): Promise<Buffer> {
    const stopTimeout = this.#startTimeout();
    try {
      return await this.expect(type);
    } finally {
      stopTimeout();
    }
  }

  /** Sends a rejection and closes the connection. */
  async refuse(reason: string): Promise<void> {
    await this.#closeWith(reason.slice(0, MAX_REASON));
  }

  /**
   * Rejects a member that has changes which the leader lacks, and closes the connection.
   * @param end position in the member's log from which the leader continued; null: unknown
   */
  async refuseAhead(reason: string, end: Ancestor | null): Promise<void> {
    await this.#closeWith({ ahead: reason.slice(0, MAX_REASON), end });
  }

  async #closeWith(refusal: unknown): Promise<void> {
    try {
      await this.sendJson(MessageType.Refusal, refusal);
    } catch {
      // Already disconnected.
    }
    this.#socket.destroySoon();
  }

  close(): void {
    this.#socket.destroy();
  }

  /**
   * Authenticates both sides: each proves that it has the key. The subscriber goes first, because
   * its proof is useless to a provider without the key.
   * @throws SvcError SVC2531, SVC2533
   */
  async handshake(role: Role, key: SharedKey): Promise<void> {
    const nonce = randomBytes(NONCE_BYTES);
    const isProvider = role === "provider";
    const hello = {
      ...{ protocol: PROTOCOL, oldest: OLDEST_PROTOCOL },
      ...{ nonce: nonce.toString("hex"), node: nodeVersion() },
    };
    if (isProvider) await this.sendJson(MessageType.Hello, hello);
    const peerNonce = await this.#acceptHello(await this.expect(MessageType.Hello));
    const [first, second] = isProvider ? [nonce, peerNonce] : [peerNonce, nonce];
    if (!isProvider) await this.sendJson(MessageType.Hello, hello);
    if (!isProvider) await this.send(MessageType.Proof, key.createProof(role, first, second));
    const proof = await this.expect(MessageType.Proof);
    if (!key.isProof(proof, isProvider ? "subscriber" : "provider", first, second)) {
      await this.refuse("replication keys do not match");
      throw new SvcError("SVC2533", `replication: ${this.address} uses a different key`);
    }
    if (isProvider) await this.send(MessageType.Proof, key.createProof(role, first, second));
    this.#trust();
  }

  /**
   * Returns the nonce of a greeting; rejects an incompatible peer.
   * @throws SvcError SVC2532
   */
  async #acceptHello(body: Buffer): Promise<Buffer> {
    const { nonce, incompatibility } = parseHello(body);
    if (incompatibility === null) return nonce;
    await this.refuse(incompatibility);
    throw new SvcError("SVC2532", `replication: ${this.address} rejected: ${incompatibility}`);
  }

  #trust(): void {
    const { silenceMs, heartbeatMs = silenceMs / HEARTBEATS } = this.#limits;
    const socket = this.#socket;
    this.#isTrusted = true;
    this.#reader.trust();
    clearTimeout(this.#handshakeTimer);
    // No traffic in either direction means that the peer has stopped reading.
    socket.setTimeout(silenceMs, () => socket.destroy(peerTimeout()));
    const heartbeat = (): void => {
      // Unsent data serves as a heartbeat.
      if (!socket.writableNeedDrain)
        void this.send(MessageType.Alive, NOTHING).catch(() => undefined);
    };
    this.#heartbeat = setInterval(heartbeat, heartbeatMs).unref();
    if (socket.destroyed) clearInterval(this.#heartbeat);
  }

  async *#read(): AsyncGenerator<Message, void, void> {
    const chunks = this.#socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (;;) {
      // Only while a reader waits: data may be pending while it is busy. The timeout of the socket
      // does not suffice, because local writes restart it, too.
      const stopTimeout = this.#isTrusted ? this.#startTimeout() : undefined;
      const { value: chunk, done } = await chunks.next().finally(stopTimeout);
      if (done === true) {
        this.hasEnded = true;
        return;
      }
      this.heardAtMs = performance.now();
      this.bytesRead += chunk.length;
      for (const message of this.#reader.read(chunk)) {
        if (message.type !== MessageType.Alive || !this.#isTrusted) yield message;
      }
    }
  }

  /** Closes the connection after `silenceMs`, unless the returned function is called before. */
  #startTimeout(): () => void {
    let isStopped = false;
    const check = (): void => {
      if (!isStopped) this.#socket.destroy(peerTimeout());
    };
    // `setImmediate` lets the socket deliver data that arrived while this thread was busy.
    const timer = setTimeout(() => setImmediate(check), this.#limits.silenceMs).unref();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }
}

/** Parses the JSON body of a message. @throws SvcError SVC2531 */
export function parseJsonBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw malformedMessage("message is not JSON");
  }
}

export function connectionLost(): SvcError {
  return malformedMessage("the connection was lost");
}

function peerTimeout(): SvcError {
  return malformedMessage("peer timed out");
}

/** This member has changes that the leader of its group lacks. */
export class AheadError extends SvcError {
  /** @param end position in the member's log from which the leader continued; null: unknown */
  constructor(
    reason: string,
    readonly end: Ancestor | null,
  ) {
    super("SVC3404", reason);
  }
}

export function peerRejected(body: Buffer): SvcError {
  const refusal = parseJsonBody(body);
  const { ahead, end } = (refusal ?? {}) as { ahead?: unknown; end?: unknown };
  if (typeof ahead === "string") {
    return new AheadError(ahead.slice(0, MAX_REASON), isAncestor(end) ? end : null);
  }
  return new SvcError("SVC2532", `replication: rejected by the peer: ${String(refusal)}`);
}

function nodeVersion(): number {
  return Number(process.versions.node.split(".")[0]);
}

/** @throws SvcError SVC2531 */
function parseHello(body: Buffer): { nonce: Buffer; incompatibility: string | null } {
  const hello = (parseJsonBody(body) ?? {}) as Record<string, unknown>;
  const { protocol, oldest = protocol, nonce, node } = hello;
  if (!Number.isSafeInteger(protocol) || !Number.isSafeInteger(oldest))
    throw malformedMessage("greeting without a protocol");
  if (typeof nonce !== "string" || !HEX.test(nonce))
    throw malformedMessage("greeting without a nonce");
  const incompatibility = explainIncompatibility(
    protocol as number,
    oldest as number,
    Number(node),
  );
  return { nonce: Buffer.from(nonce, "hex"), incompatibility };
}

/** Returns why a peer is incompatible with this instance, or null. */
function explainIncompatibility(protocol: number, oldest: number, node: number): string | null {
  const ownRange = `${OLDEST_PROTOCOL} to ${PROTOCOL}`;
  if (protocol < OLDEST_PROTOCOL || oldest > PROTOCOL) {
    const versions = `one end speaks protocols ${oldest} to ${protocol}, the other ${ownRange}`;
    return `${versions}: install the same release of svc on both`;
  }
  // Property values may be encoded by `v8.serialize`, whose format depends on the Node.js version.
  if (node === nodeVersion()) return null;
  return `one end runs on Node ${node}, the other on Node ${nodeVersion()}`;
}
