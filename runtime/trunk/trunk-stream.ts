// One stream of a trunk, which behaves as a socket does. What is written waits here until the trunk
// has room, so that one stream cannot hold up the others; what arrives is handed on at once.

import { EventEmitter } from "node:events";
import type { ByteSocket } from "./byte-socket.js";
import { MAX_FRAME_BYTES } from "./frames.js";

const HIGH_WATER_BYTES = 64 * 1024;
/** What may arrive for one that does not read: more than anybody sends before it has an answer. */
const MAX_HELD_BYTES = 1024 * 1024;

/** What all that was received and not yet read may take; null: nobody stops reading. */
export interface MemoryAccount {
  /** @returns false when there is not as much */
  take(bytes: number, isLarge: boolean): boolean;
  give(bytes: number): void;
}

/** Whom a stream tells what it wants. */
export interface StreamOwner {
  readonly remotePort: number | undefined;
  readonly memory: MemoryAccount | null;
  /** It has something to send, or has come to its end. */
  ready(stream: TrunkStream): void;
  /** It wants nothing more. */
  left(stream: TrunkStream): void;
}

export class TrunkStream extends EventEmitter implements ByteSocket {
  readonly writableHighWaterMark = HIGH_WATER_BYTES;
  destroyed = false;
  bytesRead = 0;
  bytesWritten = 0;
  writableLength = 0;
  /** It stands in the trunk's line. */
  isReady = false;
  /** It has told that it was connected. */
  #isConnected: boolean;
  /** The other side sends no more, and takes no more. */
  isOver = false;
  readonly #owner: StreamOwner;
  readonly #pending: (string | Uint8Array)[] = [];
  /** What was taken of the first of them. */
  #taken = 0;
  #needsDrain = false;
  #ended: (() => void) | null = null;
  #isPaused = false;
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** @param id 0 until the other side is told of it */
  constructor(
    owner: StreamOwner,
    public id: number,
  ) {
    super();
    this.#owner = owner;
    this.#isConnected = id > 0;
  }

  get remotePort(): number | undefined {
    return this.#owner.remotePort;
  }

  /** All that was written is on its way, and nothing will follow. */
  get isAtEnd(): boolean {
    return this.#ended !== null && this.#pending.length === 0;
  }

  write(content: string | Uint8Array): void {
    if (this.destroyed || this.#ended !== null || content.length === 0) return;
    const last = this.#pending.length - 1;
    const before = this.#pending[last];
    const isSmall = typeof before === "string" && typeof content === "string";
    if (isSmall && before.length + content.length <= MAX_FRAME_BYTES) {
      this.#pending[last] = before + content;
    } else this.#pending.push(content);
    this.writableLength += content.length;
    if (this.writableLength >= HIGH_WATER_BYTES) this.#needsDrain = true;
    this.#owner.ready(this);
  }

  /** What fits into the next frame; null if there is nothing to send. */
  take(): string | Uint8Array | null {
    const first = this.#pending[0];
    if (first === undefined) return null;
    const end = Math.min(first.length, this.#taken + MAX_FRAME_BYTES);
    const isWhole = this.#taken === 0 && end === first.length;
    const piece = isWhole ? first : part(first, this.#taken, end);
    this.#taken = end;
    if (end === first.length) {
      this.#pending.shift();
      this.#taken = 0;
    }
    this.writableLength -= piece.length;
    this.bytesWritten += piece.length;
    return piece;
  }

  /** The trunk has passed on what it took. */
  passedOn(): void {
    if (!this.#isConnected) {
      this.#isConnected = true;
      this.emit("connect");
    }
    if (this.writableLength > 0) return;
    if (this.#ended !== null) {
      this.#ended();
      this.destroy();
    } else if (this.#needsDrain) {
      this.#needsDrain = false;
      this.emit("drain");
    }
  }

  /** @param bytes overwritten once this has returned */
  receive(bytes: Buffer): void {
    this.bytesRead += bytes.length;
    if (!this.#isPaused) {
      this.emit("data", bytes);
      return;
    }
    this.#hold(bytes);
  }

  #hold(bytes: Buffer): void {
    if (this.destroyed) return;
    const isTooMuch = this.#heldBytes + bytes.length > MAX_HELD_BYTES;
    if (isTooMuch || this.#owner.memory?.take(bytes.length, true) === false) return this.destroy();
    this.#heldBytes += bytes.length;
    this.#held.push(Buffer.from(bytes));
  }

  /** What was held, which takes no memory any more. */
  #release(): Buffer[] {
    const held = this.#held;
    this.#held = [];
    this.#owner.memory?.give(this.#heldBytes);
    this.#heldBytes = 0;
    return held;
  }

  /** The other side has ended it, or the trunk is no more. */
  over(event: "end" | "error" | "refused", error: Error | null): void {
    this.isOver = true;
    if (event !== "error") this.emit(event);
    else if (this.listenerCount("error") > 0) this.emit("error", error);
    this.destroy();
  }

  cork(): void {
    // Nothing leaves before this turn of the loop ends.
  }

  uncork(): void {}

  end(done: () => void): void {
    if (this.destroyed || this.#ended !== null) return;
    this.#ended = done;
    this.#owner.ready(this);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const bytes of this.#release()) {
      if (this.#isPaused) this.#hold(bytes);
      else if (!this.destroyed) this.emit("data", bytes);
    }
  }

  /** `close` follows in the next turn, as with any socket. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#pending.length = 0;
    this.#release();
    this.writableLength = 0;
    this.#owner.left(this);
    process.nextTick(() => this.emit("close"));
  }

  setKeepAlive(): void {
    // The trunk does that, and looks after clients that take nothing.
  }

  setTimeout(): void {}
}

function part(content: string | Uint8Array, from: number, to: number): string | Uint8Array {
  return typeof content === "string" ? content.slice(from, to) : content.subarray(from, to);
}
