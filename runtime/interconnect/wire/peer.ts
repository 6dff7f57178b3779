// One connection between two instances: messages out, no faster than the other end takes them, and
// messages in, one after the other.

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
import { NONCE_BYTES, type Role, type SharedKey } from "./shared-key.js";

export interface PeerLimits {
  /** For the whole of it, whatever is said meanwhile. */
  readonly handshakeMs: number;
  /** Whoever is listened to that long, and says nothing, is gone. */
  readonly silenceMs: number;
}

const LIMITS: PeerLimits = { handshakeMs: 5_000, silenceMs: 30_000 };
/** So many times either end says something within what the other one takes for silence. */
const SIGNS = 15;
const NOTHING = Buffer.alloc(0);
const PROTOCOL = 4;
/** Many times what is under way where the other end is asked to pause. */
const MAX_AHEAD_BYTES = 2 ** 26;
const HEX = /^[0-9a-f]{64}$/;

export class Peer {
  readonly #socket: Socket;
  readonly #reader = new MessageReader();
  readonly #messages: AsyncGenerator<Message, void, void>;
  readonly #limits: PeerLimits;
  /** Of the handshake, then of silence. */
  #timer: NodeJS.Timeout;
  #signs: NodeJS.Timeout | undefined;
  #isTrusted = false;
  /** What was read before anybody asked for it. */
  readonly #ahead: Promise<Message | null>[] = [];
  /** Also when it has gone. */
  readonly address: string;
  readonly port: number;
  bytesRead = 0;
  bytesWritten = 0;

  constructor(socket: Socket, limits = LIMITS) {
    this.#socket = socket;
    this.#limits = limits;
    this.address = socket.remoteAddress ?? "";
    this.port = socket.remotePort ?? 0;
    socket.setNoDelay(true);
    this.#timer = setTimeout(() => socket.destroy(silent()), limits.handshakeMs).unref();
    // Whoever reads or writes gets it.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearTimeout(this.#timer);
      clearInterval(this.#signs);
    });
    this.#messages = this.#read();
  }

  /** The other end has shown that it has the key. */
  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Resolves when there is room for more. */
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

  /** The next message; null: the other end has gone. */
  next(): Promise<Message | null> {
    return this.#ahead.shift() ?? this.#pull();
  }

  /**
   * Goes on reading while nobody wants to have what comes, so that it is noticed when the other end
   * goes; `next` gives it later. Where much has come nothing more is read.
   * @returns false: the other end has gone
   */
  async readAhead(until: Promise<void>): Promise<boolean> {
    for (let bytes = 0; bytes < MAX_AHEAD_BYTES; ) {
      const coming = this.#pull();
      this.#ahead.push(coming);
      // Whoever asks for it gets its error, too.
      coming.catch(() => undefined);
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

  /** The next message, which has to be of a type. @throws SvcError SVC2531, SVC2532 */
  async expect(type: MessageTypeNumber): Promise<Buffer> {
    const message = await this.next();
    if (message === null) throw connectionLost();
    if (message.type === MessageType.Refusal) {
      // What strangers say is shown to nobody.
      if (!this.#isTrusted) throw malformedMessage("the other end refuses; its log may say why");
      throw peerRejected(message.body);
    }
    if (message.type !== type)
      throw malformedMessage(`message ${message.type} came in place of ${type}`);
    return message.body;
  }

  /**
   * The same, of an end that has nothing else to do: signs of life do not count, as that they go on
   * says nothing where the answer, or what it answers, was lost on the way.
   * @throws SvcError SVC2531, SVC2532
   */
  async answer(type: MessageTypeNumber): Promise<Buffer> {
    let hasCome = false;
    const check = (): void => {
      if (!hasCome) this.#socket.destroy(silent());
    };
    // What came while this thread was busy is read first.
    const timer = setTimeout(() => setImmediate(check), this.#limits.silenceMs).unref();
    try {
      return await this.expect(type);
    } finally {
      hasCome = true;
      clearTimeout(timer);
    }
  }

  /** Says why it cannot go on, and ends. */
  async refuse(reason: string): Promise<void> {
    try {
      await this.sendJson(MessageType.Refusal, reason.slice(0, 500));
    } catch {
      // It has gone meanwhile.
    }
    this.#socket.destroySoon();
  }

  close(): void {
    this.#socket.destroy();
  }

  /**
   * Both ends show that they have the key, the subscriber first: it is asked by a stranger, but
   * tells nothing by that.
   * @throws SvcError SVC2531, SVC2533
   */
  async handshake(role: Role, key: SharedKey): Promise<void> {
    const nonce = randomBytes(NONCE_BYTES);
    const isProvider = role === "provider";
    const hello = { protocol: PROTOCOL, nonce: nonce.toString("hex"), node: nodeVersion() };
    if (isProvider) await this.sendJson(MessageType.Hello, hello);
    const other = helloIn(await this.expect(MessageType.Hello));
    const [first, second] = isProvider ? [nonce, other] : [other, nonce];
    if (!isProvider) await this.sendJson(MessageType.Hello, hello);
    if (!isProvider) await this.send(MessageType.Proof, key.proof(role, first, second));
    const proof = await this.expect(MessageType.Proof);
    if (!key.isProof(proof, isProvider ? "subscriber" : "provider", first, second)) {
      await this.refuse("the keys of both instances differ");
      throw new SvcError("SVC2533", `replication: ${this.address} has another key`);
    }
    if (isProvider) await this.send(MessageType.Proof, key.proof(role, first, second));
    this.#trust();
  }

  #trust(): void {
    const { silenceMs } = this.#limits;
    const socket = this.#socket;
    this.#isTrusted = true;
    this.#reader.trust();
    clearTimeout(this.#timer);
    // Nothing moves in either direction: what is sent is not taken.
    socket.setTimeout(silenceMs, () => socket.destroy(silent()));
    const sign = (): void => {
      // What waits to be taken is a sign, too.
      if (!socket.writableNeedDrain)
        void this.send(MessageType.Alive, NOTHING).catch(() => undefined);
    };
    this.#signs = setInterval(sign, silenceMs / SIGNS).unref();
    if (socket.destroyed) clearInterval(this.#signs);
  }

  async *#read(): AsyncGenerator<Message, void, void> {
    const pieces = this.#socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (;;) {
      const stop = this.#isTrusted ? this.#awaitSign() : undefined;
      const { value: piece, done } = await pieces.next();
      stop?.();
      if (done === true) return;
      this.bytesRead += piece.length;
      for (const message of this.#reader.read(piece)) {
        if (message.type !== MessageType.Alive || !this.#isTrusted) yield message;
      }
    }
  }

  /**
   * Only while somebody waits for what comes: whoever is busy with something else has not listened.
   * A write of this end, which `setTimeout` of the socket counts, too, says nothing of the other.
   */
  #awaitSign(): () => void {
    let hasCome = false;
    const check = (): void => {
      if (!hasCome) this.#socket.destroy(silent());
    };
    // What came while this thread was busy is read first.
    this.#timer = setTimeout(() => setImmediate(check), this.#limits.silenceMs).unref();
    return () => {
      hasCome = true;
      clearTimeout(this.#timer);
    };
  }
}

/** What the body of a message says. @throws SvcError SVC2531 */
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

function silent(): SvcError {
  return malformedMessage("nothing was heard of the other end");
}

export function peerRejected(body: Buffer): SvcError {
  return new SvcError(
    "SVC2532",
    `replication: the other end refuses: ${String(parseJsonBody(body))}`,
  );
}

function nodeVersion(): number {
  return Number(process.versions.node.split(".")[0]);
}

function helloIn(body: Buffer): Buffer {
  const { protocol, nonce, node } = (parseJsonBody(body) ?? {}) as Record<string, unknown>;
  if (protocol !== PROTOCOL) throw malformedMessage("the other end speaks another version");
  if (typeof nonce !== "string" || !HEX.test(nonce))
    throw malformedMessage("a greeting without a nonce");
  // Values of properties may have been written by `v8.serialize` of that version.
  if (node !== nodeVersion()) throw malformedMessage(`the other end runs on Node ${Number(node)}`);
  return Buffer.from(nonce, "hex");
}
