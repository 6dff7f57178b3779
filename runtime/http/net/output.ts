// The sending half of a connection. Strings are buffered until `flush`, so that the responses of
// one loop turn leave in one write; bytes and streams are written in order between them.

import { setImmediate as nextTurn } from "node:timers/promises";
import { MAX_RENDER_SLICE_BYTES } from "../../base/limits.js";
import type { ByteSocket } from "../../trunk/byte-socket.js";
import { StallDetector } from "../../trunk/stall-detector.js";
import type { ByteStream } from "../transport.js";

export class OutputBuffer {
  bytesOut = 0;
  /** Unwritten text; its length is its number of bytes. */
  #text = "";
  readonly #socket: ByteSocket;
  readonly #stall: StallDetector;

  constructor(socket: ByteSocket) {
    this.#socket = socket;
    this.#stall = new StallDetector(socket, () => socket.destroy());
  }

  /** Returns whether too many bytes wait for the client to read them. */
  get isBlocked(): boolean {
    return this.#socket.writableLength >= this.#socket.writableHighWaterMark;
  }

  /** Bytes that the system has not accepted yet. */
  get unsent(): number {
    return this.#text.length + this.#socket.writableLength;
  }

  get bufferedLength(): number {
    return this.#text.length;
  }

  add(text: string): void {
    this.#text = this.#text === "" ? text : this.#text + text;
  }

  /** @param released called once the buffer may be reused; never if that is unknown */
  addBytes(bytes: Uint8Array, released?: () => void): void {
    this.flush();
    this.bytesOut += bytes.length;
    if (released === undefined) this.#socket.write(bytes);
    else this.#socket.write(bytes, (error) => error || released());
    this.#stall.written();
  }

  flush(): void {
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    this.bytesOut += text.length;
    this.#socket.write(text, "latin1");
    this.#stall.written();
  }

  /**
   * Sends all of `source` with backpressure. A fast client must not starve others: between chunks
   * other connections get a turn, because the system copies each write while this thread waits.
   * @param byteLength null for content that delimits itself
   * @param released called once the last buffer may be reused; never if that is unknown
   * @returns false if the source failed or its length differs from the declared one
   */
  async pump(
    source: ByteStream,
    byteLength: number | null,
    released?: () => void,
  ): Promise<boolean> {
    let remaining = byteLength ?? Number.POSITIVE_INFINITY;
    let inTurn = 0;
    try {
      for await (const bytes of source) {
        remaining -= bytes.length;
        if (remaining < 0 || this.#socket.destroyed) return false;
        this.addBytes(bytes, remaining === 0 ? released : undefined);
        if (this.isBlocked) await this.#drained();
        inTurn += bytes.length;
        if (inTurn < MAX_RENDER_SLICE_BYTES) continue;
        inTurn = 0;
        await nextTurn();
      }
    } catch {
      return false;
    }
    return byteLength === null || remaining === 0;
  }

  #drained(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      const done = (): void => {
        socket.off("drain", done);
        socket.off("close", done);
        resolve();
      };
      socket.on("drain", done);
      socket.on("close", done);
    });
  }
}
