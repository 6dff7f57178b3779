// Connection between two instances: sends messages with backpressure and receives them in order.

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
  /** Timeout of the whole handshake. */
  readonly handshakeMs: number;
  /** Silence after which the peer counts as gone. */
  readonly silenceMs: number;
  /** Interval of heartbeats; missing: a fifteenth of `silenceMs`. */
  readonly heartbeatMs?: number;
}

const MAX_REASON = 500;
export const PEER_LIMITS: PeerLimits = { handshakeMs: 5_000, silenceMs: 30_000 };
/** Heartbeats per silence timeout. */
const HEARTBEATS = 15;
const NOTHING = Buffer.alloc(0);
/** Protocols that this release speaks: both ends use the highest that they have in common. */
export const PROTOCOL = 4;
const OLDEST_PROTOCOL = 4;
/** Read-ahead limit while paused; many times what is in flight. */
const MAX_AHEAD_BYTES = 2 ** 26;
const HEX = /^[0-9a-f]{64}$/;

export class Peer {
  readonly #socket: Socket;
  readonly #reader = new MessageReader();
  readonly #messages: AsyncGenerator<Message, void, void>;
  readonly #limits: PeerLimits;
  /** Timeout of the handshake, then of silence. */
  #timer: NodeJS.Timeout;
  #heartbeat: NodeJS.Timeout | undefined;
  #isTrusted = false;
  /** Messages read ahead. */
  readonly #ahead: Promise<Message | null>[] = [];
  /** Valid after the connection has closed, too. */
  readonly address: string;
  readonly port: number;
  /** When anything was last received, monotonic milliseconds. */
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
    this.#timer = setTimeout(() => socket.destroy(peerTimeout()), limits.handshakeMs).unref();
    // Reported by the next read or write.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearTimeout(this.#timer);
      clearInterval(this.#heartbeat);
    });
    this.#messages = this.#read();
  }

  /** True once the peer has proved that it has the key. */
  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Resolves when more may be sent. */
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
   * Reads ahead until `until` settles, so that a disconnect is noticed; `next` returns the messages
   * later. Stops reading at a limit.
   * @returns false if the peer disconnected
   */
  async readAhead(until: Promise<void>): Promise<boolean> {
    for (let bytes = 0; bytes < MAX_AHEAD_BYTES; ) {
      const coming = this.#pull();
      this.#ahead.push(coming);
      // Its error, if it comes later, reaches the caller of `next`.
      const message = await Promise.race([coming, until]);
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
      // Text of unauthenticated peers is not logged.
      if (!this.#isTrusted) throw malformedMessage("rejected by the peer; see its log");
      throw peerRejected(message.body);
    }
    if (message.type !== type)
      throw malformedMessage(`expected message ${type}, got ${message.type}`);
    return message.body;
  }

  /**
   * Like `expect`, with a timeout that heartbeats do not extend: they prove nothing if the request
   * or its response was lost.
   * @throws SvcError SVC2531, SVC2532
   */
  async answer(type: MessageTypeNumber): Promise<Buffer> {
    let hasCome = false;
    const check = (): void => {
      if (!hasCome) this.#socket.destroy(peerTimeout());
    };
    // Data that arrived while this thread was busy is read first.
    const timer = setTimeout(() => setImmediate(check), this.#limits.silenceMs).unref();
    try {
      return await this.expect(type);
    } finally {
      hasCome = true;
      clearTimeout(timer);
    }
  }

  /** Sends a rejection and closes the connection. */
  async refuse(reason: string): Promise<void> {
    await this.#endWith(reason.slice(0, MAX_REASON));
  }

  /**
   * Rejects a member that has changes which the leader lacks, and closes the connection.
   * @param end of its log that the leader continued; null: not known
   */
  async refuseAhead(reason: string, end: Ancestor | null): Promise<void> {
    await this.#endWith({ ahead: reason.slice(0, MAX_REASON), end });
  }

  async #endWith(refusal: unknown): Promise<void> {
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
   * Both sides prove that they have the key; the subscriber first, because its proof reveals
   * nothing to an unauthenticated provider.
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
    const other = await this.#greeted(await this.expect(MessageType.Hello));
    const [first, second] = isProvider ? [nonce, other] : [other, nonce];
    if (!isProvider) await this.sendJson(MessageType.Hello, hello);
    if (!isProvider) await this.send(MessageType.Proof, key.proof(role, first, second));
    const proof = await this.expect(MessageType.Proof);
    if (!key.isProof(proof, isProvider ? "subscriber" : "provider", first, second)) {
      await this.refuse("replication keys do not match");
      throw new SvcError("SVC2533", `replication: ${this.address} uses a different key`);
    }
    if (isProvider) await this.send(MessageType.Proof, key.proof(role, first, second));
    this.#trust();
  }

  /** Returns the nonce of a greeting; tells the other end why it is refused. */
  async #greeted(body: Buffer): Promise<Buffer> {
    const { nonce, fault } = parseHello(body);
    if (fault === null) return nonce;
    await this.refuse(fault);
    throw new SvcError("SVC2532", `replication: ${this.address} is refused: ${fault}`);
  }

  #trust(): void {
    const { silenceMs, heartbeatMs = silenceMs / HEARTBEATS } = this.#limits;
    const socket = this.#socket;
    this.#isTrusted = true;
    this.#reader.trust();
    clearTimeout(this.#timer);
    // Nothing moves in either direction: the peer does not read.
    socket.setTimeout(silenceMs, () => socket.destroy(peerTimeout()));
    const heartbeat = (): void => {
      // Pending data is a heartbeat, too.
      if (!socket.writableNeedDrain)
        void this.send(MessageType.Alive, NOTHING).catch(() => undefined);
    };
    this.#heartbeat = setInterval(heartbeat, heartbeatMs).unref();
    if (socket.destroyed) clearInterval(this.#heartbeat);
  }

  async *#read(): AsyncGenerator<Message, void, void> {
    const pieces = this.#socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (;;) {
      const stop = this.#isTrusted ? this.#detectSilence() : undefined;
      const { value: piece, done } = await pieces.next();
      stop?.();
      if (done === true) {
        this.hasEnded = true;
        return;
      }
      this.heardAtMs = performance.now();
      this.bytesRead += piece.length;
      for (const message of this.#reader.read(piece)) {
        if (message.type !== MessageType.Alive || !this.#isTrusted) yield message;
      }
    }
  }

  /**
   * Detects silence only while a reader waits: a busy reader has not listened. The socket's own
   * timeout also counts local writes, which prove nothing about the peer.
   */
  #detectSilence(): () => void {
    let hasCome = false;
    const check = (): void => {
      if (!hasCome) this.#socket.destroy(peerTimeout());
    };
    // Data that arrived while this thread was busy is read first.
    this.#timer = setTimeout(() => setImmediate(check), this.#limits.silenceMs).unref();
    return () => {
      hasCome = true;
      clearTimeout(this.#timer);
    };
  }
}

/** Parses the JSON body of a message. @throws SvcError SVC2531 */
export function parseJsonBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw malformedMessage("a message is no JSON");
  }
}

export function connectionLost(): SvcError {
  return malformedMessage("the connection was lost");
}

function peerTimeout(): SvcError {
  return malformedMessage("peer timed out");
}

/** The leader of its group lacks changes that this member has. */
export class AheadError extends SvcError {
  /** @param end of its log that the leader continued; null: not known */
  constructor(
    reason: string,
    readonly end: Ancestor | null,
  ) {
    super("SVC3404", reason);
  }
}

export function peerRejected(body: Buffer): SvcError {
  const given = parseJsonBody(body);
  const { ahead, end } = (given ?? {}) as { ahead?: unknown; end?: unknown };
  if (typeof ahead === "string") {
    return new AheadError(ahead.slice(0, MAX_REASON), isAncestor(end) ? end : null);
  }
  return new SvcError("SVC2532", `replication: rejected by the peer: ${String(given)}`);
}

function nodeVersion(): number {
  return Number(process.versions.node.split(".")[0]);
}

/** @throws SvcError SVC2531 */
function parseHello(body: Buffer): { nonce: Buffer; fault: string | null } {
  const given = (parseJsonBody(body) ?? {}) as Record<string, unknown>;
  const { protocol, oldest = protocol, nonce, node } = given;
  if (!Number.isSafeInteger(protocol) || !Number.isSafeInteger(oldest))
    throw malformedMessage("a greeting without a protocol");
  if (typeof nonce !== "string" || !HEX.test(nonce))
    throw malformedMessage("a greeting without a nonce");
  const fault = faultOf(protocol as number, oldest as number, Number(node));
  return { nonce: Buffer.from(nonce, "hex"), fault };
}

/** Returns why instances cannot speak with each other; null: they can. */
function faultOf(protocol: number, oldest: number, node: number): string | null {
  const own = `${OLDEST_PROTOCOL} to ${PROTOCOL}`;
  if (protocol < OLDEST_PROTOCOL || oldest > PROTOCOL) {
    const versions = `one end speaks protocols ${oldest} to ${protocol}, the other ${own}`;
    return `${versions}: install the same release of svc on both`;
  }
  // Property values may be encoded by that version's `v8.serialize`.
  if (node === nodeVersion()) return null;
  return `one end runs on Node ${node}, the other on Node ${nodeVersion()}`;
}
