// A stream of a trunk, which behaves like a socket. Written data waits here until the trunk has
// room, so that one stream cannot block the others; received data is passed on at once.

import type { X509Certificate } from "node:crypto";
import { EventEmitter } from "node:events";
import { assert } from "../base/assert.js";
import type { ByteSocket } from "./byte-socket.js";
import { MAX_FRAME_BYTES } from "./frames.js";

const HIGH_WATER_BYTES = 64 * 1024;
/** Receive limit while paused; exceeds what a client sends before its first response. */
const MAX_HELD_BYTES = 1024 * 1024;

/** Accounts for the memory of received, unread data. */
export interface MemoryAccount {
  /** @returns false if the memory is exhausted */
  take(bytes: number, isLarge: boolean): boolean;
  give(bytes: number): void;
}

/** The trunk, as a stream sees it. */
export interface StreamOwner {
  readonly remotePort: number | undefined;
  /** Null if streams are never paused. */
  readonly memory: MemoryAccount | null;
  getPeerX509Certificate(): X509Certificate | undefined;
  /** The stream has data to send, or has ended. */
  onReady(stream: TrunkStream): void;
  /** The stream is closed. */
  onClose(stream: TrunkStream): void;
}

export class TrunkStream extends EventEmitter implements ByteSocket {
  readonly writableHighWaterMark = HIGH_WATER_BYTES;
  destroyed = false;
  bytesRead = 0;
  bytesWritten = 0;
  writableLength = 0;
  /** True while in the trunk's queue. */
  isReady = false;
  /** True once `connect` was emitted. */
  #isConnected: boolean;
  /** True once an end was sent or received: closing needs no reset. */
  isEnded = false;
  readonly #owner: StreamOwner;
  readonly #pending: (string | Uint8Array)[] = [];
  /** Bytes taken of the first pending content. */
  #taken = 0;
  #needsDrain = false;
  #onEnd: (() => void) | null = null;
  #isPaused = false;
  #held: Buffer[] = [];
  #heldBytes = 0;

  /** @param id 0 until the first frame is sent */
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

  getPeerX509Certificate(): X509Certificate | undefined {
    return this.#owner.getPeerX509Certificate();
  }

  /** True once the stream has ended and everything written was sent. */
  get isAtEnd(): boolean {
    return this.#onEnd !== null && this.#pending.length === 0;
  }

  write(content: string | Uint8Array): void {
    if (this.destroyed || this.#onEnd !== null || content.length === 0) return;
    const index = this.#pending.length - 1;
    const last = this.#pending[index];
    const isSmall = typeof last === "string" && typeof content === "string";
    if (isSmall && last.length + content.length <= MAX_FRAME_BYTES) {
      this.#pending[index] = last + content;
    } else this.#pending.push(content);
    this.writableLength += content.length;
    if (this.writableLength >= HIGH_WATER_BYTES) this.#needsDrain = true;
    this.#owner.onReady(this);
  }

  /** Takes the content of the next frame; null if there is none. */
  take(): string | Uint8Array | null {
    const first = this.#pending[0];
    if (first === undefined) return null;
    const end = Math.min(first.length, this.#taken + MAX_FRAME_BYTES);
    const isWhole = this.#taken === 0 && end === first.length;
    const content = isWhole ? first : slicePart(first, this.#taken, end);
    this.#taken = end;
    if (end === first.length) {
      this.#pending.shift();
      this.#taken = 0;
    }
    this.writableLength -= content.length;
    assert(this.writableLength >= 0, "a stream sends what was written");
    this.bytesWritten += content.length;
    return content;
  }

  /** Called when the trunk has sent the content taken. */
  handleSent(): void {
    if (!this.#isConnected) {
      this.#isConnected = true;
      this.emit("connect");
    }
    if (this.writableLength > 0) return;
    if (this.#onEnd !== null) {
      this.#onEnd();
      this.destroy();
    } else if (this.#needsDrain) {
      this.#needsDrain = false;
      this.emit("drain");
    }
  }

  /** @param bytes overwritten after this returns */
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

  /** Returns the buffered data and frees its memory. */
  #release(): Buffer[] {
    const held = this.#held;
    this.#held = [];
    this.#owner.memory?.give(this.#heldBytes);
    this.#heldBytes = 0;
    return held;
  }

  /** Closes the stream after the peer or the trunk has ended it. */
  endByPeer(event: "end" | "error" | "refused", error: Error | null): void {
    this.isEnded = true;
    if (event !== "error") this.emit(event);
    else if (this.listenerCount("error") > 0) this.emit("error", error);
    this.destroy();
  }

  cork(): void {
    // Not needed: the trunk sends once per turn of the event loop.
  }

  uncork(): void {}

  end(done: () => void): void {
    if (this.destroyed || this.#onEnd !== null) return;
    this.#onEnd = done;
    this.#owner.onReady(this);
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
    this.#owner.onClose(this);
    process.nextTick(() => this.emit("close"));
  }

  setKeepAlive(): void {
    // The trunk does this.
  }

  setTimeout(): void {}
}

function slicePart(content: string | Uint8Array, from: number, to: number): string | Uint8Array {
  return typeof content === "string" ? content.slice(from, to) : content.subarray(from, to);
}
