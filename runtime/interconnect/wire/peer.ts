// One connection between two instances: messages out, no faster than the other end takes them, and
// messages in, one after the other.

import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { SvcError } from "../../base/errors.js";
import type { MessageTypeNumber } from "./messages.js";
import { encodeMessage, garbled, type Message, MessageReader, MessageType } from "./messages.js";
import { NONCE_BYTES, type Role, type SharedKey } from "./shared-key.js";

const HANDSHAKE_MS = 5_000;
/** Either end says something every 2 seconds. */
const SILENCE_MS = 30_000;
const PROTOCOL = 1;
const HEX = /^[0-9a-f]{64}$/;

export class Peer {
  readonly #socket: Socket;
  readonly #reader = new MessageReader();
  readonly #messages: AsyncGenerator<Message, void, void>;
  bytesRead = 0;
  bytesWritten = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setTimeout(HANDSHAKE_MS, () => socket.destroy(silent()));
    // Whoever reads or writes gets it.
    socket.on("error", () => undefined);
    this.#messages = this.#read();
  }

  get address(): string {
    return this.#socket.remoteAddress ?? "";
  }

  get port(): number {
    return this.#socket.remotePort ?? 0;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Resolves when there is room for more. */
  async send(type: MessageTypeNumber, body: Uint8Array): Promise<void> {
    const message = encodeMessage(type, body);
    this.bytesWritten += message.length;
    if (this.#socket.destroyed) throw lost();
    if (this.#socket.write(message)) return;
    await new Promise<void>((resolve, reject) => {
      const socket = this.#socket;
      const drained = (): void => {
        socket.off("close", closed);
        resolve();
      };
      const closed = (): void => {
        socket.off("drain", drained);
        reject(lost());
      };
      socket.once("drain", drained).once("close", closed);
    });
  }

  sendJson(type: MessageTypeNumber, value: unknown): Promise<void> {
    return this.send(type, Buffer.from(JSON.stringify(value)));
  }

  /** The next message; null: the other end has gone. */
  async next(): Promise<Message | null> {
    const { value, done } = await this.#messages.next();
    return done === true ? null : value;
  }

  /** The next message, which has to be of a type. @throws SvcError SVC2531, SVC2532 */
  async expect(type: MessageTypeNumber): Promise<Buffer> {
    const message = await this.next();
    if (message === null) throw lost();
    if (message.type === MessageType.Refusal) throw refused(message.body);
    if (message.type !== type) throw garbled(`message ${message.type} came in place of ${type}`);
    return message.body;
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
  async shakeHands(role: Role, key: SharedKey): Promise<void> {
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
    this.#reader.trust();
    this.#socket.setTimeout(SILENCE_MS);
  }

  async *#read(): AsyncGenerator<Message, void, void> {
    for await (const piece of this.#socket) {
      this.bytesRead += (piece as Buffer).length;
      yield* this.#reader.read(piece as Buffer);
    }
  }
}

/** What the body of a message says. @throws SvcError SVC2531 */
export function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw garbled("a message is no JSON");
  }
}

export function lost(): SvcError {
  return garbled("the connection was lost");
}

function silent(): SvcError {
  return garbled("nothing was heard of the other end");
}

export function refused(body: Buffer): SvcError {
  return new SvcError("SVC2532", `replication: the other end refuses: ${String(jsonIn(body))}`);
}

function nodeVersion(): number {
  return Number(process.versions.node.split(".")[0]);
}

function helloIn(body: Buffer): Buffer {
  const { protocol, nonce, node } = (jsonIn(body) ?? {}) as Record<string, unknown>;
  if (protocol !== PROTOCOL) throw garbled("the other end speaks another version");
  if (typeof nonce !== "string" || !HEX.test(nonce)) throw garbled("a greeting without a nonce");
  // Values of properties may have been written by `v8.serialize` of that version.
  if (node !== nodeVersion()) throw garbled(`the other end runs on Node ${Number(node)}`);
  return Buffer.from(nonce, "hex");
}
