// A connection without a socket: a pair of byte streams, possibly in two threads. Servers and
// dispatchers use it like a socket.
//
//   client ──port──► connect port         each end then posts bytes, "taken" for bytes that
//   client ◄──"open"── server             were read, "end" of its half, "gone" when it is lost

import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import type { ReadCallback } from "../../runtime/dispatch/connector.js";

type Message = Uint8Array<ArrayBuffer> | "open" | "taken" | "end" | "gone";

interface SocketOptions {
  readonly remotePort: number;
  /** The other end can still read after it has ended its writing side. */
  readonly allowHalfOpen: boolean;
  /** Receives data in place of the stream. */
  readonly onread?: ReadCallback;
}

export class InMemorySocket extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  readonly remotePort: number;
  bytesRead = 0;
  bytesWritten = 0;
  /** The fault `cut`: half of the next write is sent, then the connection is lost. */
  isCut = false;
  readonly #port: MessagePort;
  readonly #onread: ReadCallback | undefined;
  #isConnected: boolean;
  #isEnded = false;
  #isPeerGone = false;
  /** Called when the other end has read the data. */
  #onTaken: (() => void) | null = null;
  /** More bytes arrived than were requested; delivered on the next read. */
  #isOwing = false;
  #timer: NodeJS.Timeout | null = null;

  private constructor(port: MessagePort, isConnected: boolean, options: SocketOptions) {
    super({ allowHalfOpen: options.allowHalfOpen });
    this.remotePort = options.remotePort;
    this.#port = port;
    this.#isConnected = isConnected;
    this.#onread = options.onread;
    port.on("message", (message: Message) => this.#onMessage(message));
    port.on("close", () => this.#lost());
  }

  /** Creates the client end; emits `connect` when it is accepted. */
  static connecting(port: MessagePort, options: SocketOptions): InMemorySocket {
    return new InMemorySocket(port, false, options);
  }

  /** Creates the server end. */
  static accepted(port: MessagePort, remotePort: number): InMemorySocket {
    port.postMessage("open" satisfies Message);
    return new InMemorySocket(port, true, { remotePort, allowHalfOpen: true });
  }

  /** The connection as a socket; it implements all members that are used. */
  get asSocket(): Socket {
    return this as unknown as Socket;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    this.#port.ref();
    return this;
  }

  unref(): this {
    this.#port.unref();
    return this;
  }

  /** Emits `timeout` after this long without a write. */
  setTimeout(ms: number): this {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = ms === 0 ? null : setTimeout(() => this.emit("timeout"), ms);
    this.#timer?.unref();
    return this;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.bytesWritten += chunk.length;
    const sent = this.isCut ? chunk.subarray(0, chunk.length / 2) : chunk;
    // Copied, because the buffer may contain other data, which must not be transferred.
    const bytes = new Uint8Array(sent);
    this.#port.postMessage(bytes satisfies Message, [bytes.buffer]);
    this.#onTaken = done;
    if (this.isCut) this.destroy();
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), "", done);
  }

  override _read(): void {
    if (!this.#isOwing) return;
    this.#isOwing = false;
    this.#port.postMessage("taken" satisfies Message);
  }

  override _final(done: () => void): void {
    this.#port.postMessage("end" satisfies Message);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.setTimeout(0);
    this.#port.postMessage("gone" satisfies Message);
    this.#port.close();
    done(error);
  }

  #onMessage(message: Message): void {
    if (message instanceof Uint8Array) this.#receive(Buffer.from(message.buffer));
    else if (message === "open") {
      this.#isConnected = true;
      this.emit("connect");
    } else if (message === "taken") this.#drained();
    else if (message === "end") this.#end();
    else this.#lost();
  }

  #receive(bytes: Buffer): void {
    this.bytesRead += bytes.length;
    if (this.#onread === undefined) this.#isOwing = !this.push(bytes);
    else {
      const { buffer, callback } = this.#onread;
      for (let at = 0; at < bytes.length && !this.destroyed; at += buffer.length) {
        const part = bytes.subarray(at, at + buffer.length);
        buffer.set(part);
        callback(part.length, buffer);
      }
    }
    if (!this.#isOwing && !this.destroyed) this.#port.postMessage("taken" satisfies Message);
  }

  #drained(): void {
    const taken = this.#onTaken;
    this.#onTaken = null;
    taken?.();
  }

  #end(): void {
    this.#isEnded = true;
    this.push(null);
    // Emits the end even if nothing reads.
    if (this.#onread !== undefined) this.resume();
  }

  /** The other end was destroyed, its thread ended, or nothing listens. */
  #lost(): void {
    if (this.#isPeerGone || this.destroyed) return;
    this.#isPeerGone = true;
    const isDone = this.#isEnded && (this.writableFinished || this.writableLength === 0);
    if (isDone) this.destroy();
    else if (this.#isConnected) this.destroy(fault("ECONNRESET", "the connection was lost"));
    else this.destroy(fault("ECONNREFUSED", "the connection was refused"));
  }
}

function fault(code: string, text: string): Error {
  return Object.assign(new Error(text), { code });
}
