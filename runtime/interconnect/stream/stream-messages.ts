// Replication messages in a stream: the same as on a connection, with the same checksums, but split
// into parts for the broker. If a writer crashes within a message, readers skip its parts, because
// the next message starts with part 1.

import { SvcError } from "../../base/errors.js";
import { explainLaterFormat } from "../../base/later-release.js";
import { FRAME_HEADER_BYTES, MAX_FRAME_BYTES } from "../log/segment-format.js";
import {
  encodeMessage,
  type Message,
  MessageReader,
  MessageType,
  type MessageTypeNumber,
  malformedMessage,
} from "../wire/messages.js";
import { PROTOCOL } from "../wire/peer.js";
import type { LogStream, ReceivedPart, StreamPart, StreamState } from "./log-stream.js";

/** Maximum bytes in flight to the broker. */
const MAX_IN_FLIGHT_BYTES = 2 ** 22;
const MAX_MESSAGE_BYTES = FRAME_HEADER_BYTES + MAX_FRAME_BYTES + 64;

export class StreamWriter {
  readonly #log: LogStream;
  readonly #partBytes: number;
  readonly #inFlight: { readonly acknowledged: Promise<number>; readonly bytes: number }[] = [];
  #bytes = 0;
  #failure: Error | null = null;
  /** State of the stream once the broker has stored all parts sent so far. */
  #state: StreamState;
  /** Called with each position for which the broker has stored everything. */
  readonly #onReached: (sn: number) => void;

  constructor(log: LogStream, state: StreamState, onReached: (sn: number) => void) {
    this.#log = log;
    this.#partBytes = log.maxPartBytes;
    this.#state = state;
    this.#onReached = onReached;
  }

  /** Resolves when more may be sent. */
  async send(type: MessageTypeNumber, body: Uint8Array): Promise<void> {
    await this.#send(type, body, this.#state);
  }

  async sendJson(type: MessageTypeNumber, content: object): Promise<void> {
    await this.send(type, Buffer.from(JSON.stringify(content)));
  }

  /** Sends the last message before a position of the log. */
  async sendLast(
    type: MessageTypeNumber,
    body: Uint8Array,
    reached: StreamState["reached"],
  ): Promise<void> {
    await this.#send(type, body, { ...this.#state, reached });
  }

  /**
   * Starts a new generation of snapshots with a table of graphs.
   * @returns its sequence
   */
  async sendTable(content: object): Promise<number> {
    this.#state = { ...this.#state, reached: null };
    const body = Buffer.from(JSON.stringify(content));
    return this.#send(MessageType.Table, body, this.#state);
  }

  /** Resolves when the broker has stored everything. */
  async flush(): Promise<void> {
    while (this.#inFlight.length > 0) await this.#completeOldest();
    this.#check();
  }

  /**
   * @param after state of the stream after the message
   * @returns the sequence of the first part of a table; 0 for other messages
   */
  async #send(type: MessageTypeNumber, body: Uint8Array, after: StreamState): Promise<number> {
    const message = encodeMessage(type, body);
    const parts = Math.max(1, Math.ceil(message.length / this.#partBytes));
    let first: Promise<number> | null = null;
    for (let part = 1; part <= parts; part++) {
      const bytes = message.subarray((part - 1) * this.#partBytes, part * this.#partBytes);
      const state = part === parts ? after : this.#state;
      const isTable = type === MessageType.Table && part === 1;
      const acknowledged = this.#append(isTable ? "table" : "data", { part, parts, bytes }, state);
      first ??= acknowledged;
      while (this.#bytes > MAX_IN_FLIGHT_BYTES) await this.#completeOldest();
      this.#check();
    }
    this.#state = after;
    return type === MessageType.Table ? first! : 0;
  }

  #append(kind: "table" | "data", part: StreamPart, state: StreamState): Promise<number> {
    const { length } = part.bytes;
    const acknowledged = this.#log.append(kind, part, state);
    this.#inFlight.push({ acknowledged, bytes: length });
    this.#bytes += length;
    acknowledged.then(
      () => {
        if (this.#failure === null && state.reached !== null) this.#onReached(state.reached.sn);
      },
      (error: Error) => {
        this.#failure ??= error;
      },
    );
    return acknowledged;
  }

  async #completeOldest(): Promise<void> {
    const { acknowledged, bytes } = this.#inFlight.shift()!;
    this.#bytes -= bytes;
    await acknowledged;
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}

export class StreamReader {
  readonly #parts: AsyncIterator<ReceivedPart>;
  readonly #received: Uint8Array[] = [];
  #bytes = 0;

  constructor(parts: AsyncIterable<ReceivedPart>) {
    this.#parts = parts[Symbol.asyncIterator]();
  }

  /** Returns null if the connection has closed. @throws SvcError SVC2531, SVC2532 */
  async next(): Promise<Message | null> {
    for (;;) {
      const { done, value } = await this.#parts.next();
      if (done === true) return null;
      const { part, parts, bytes, protocol } = value;
      requireKnownProtocol(protocol);
      if (part < 1 || part > parts) throw malformedMessage(`invalid part ${part} of ${parts}`);
      if (part === 1) this.#clear();
      // The beginning of this message was not read, or its writer crashed.
      if (part !== this.#received.length + 1) continue;
      this.#received.push(bytes);
      this.#bytes += bytes.length;
      if (this.#bytes > MAX_MESSAGE_BYTES) throw malformedMessage("message is too long");
      if (part === parts) return this.#message();
    }
  }

  /** @throws SvcError SVC2531 if another message arrives */
  async expect(type: MessageTypeNumber): Promise<Buffer> {
    const message = await this.next();
    if (message === null) throw malformedMessage("the stream has ended");
    if (message.type !== type)
      throw malformedMessage(`expected message ${type}, got ${message.type}`);
    return message.body;
  }

  #message(): Message {
    const reader = new MessageReader();
    reader.trust();
    const bytes = Buffer.concat(this.#received);
    this.#clear();
    for (const message of reader.read(bytes)) return message;
    throw malformedMessage("incomplete message");
  }

  #clear(): void {
    this.#received.length = 0;
    this.#bytes = 0;
  }
}

/** @throws SvcError SVC2532 if a later release wrote the messages of a stream */
export function requireKnownProtocol(protocol: number): void {
  const reason = explainLaterFormat(protocol, PROTOCOL);
  if (reason === null) return;
  throw new SvcError("SVC2532", `replication: messages of the stream: ${reason}`);
}
