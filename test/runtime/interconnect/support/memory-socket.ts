// Two ends of a connection in memory, which hold back written data on request of a test.

import type { Socket } from "node:net";
import { Duplex } from "node:stream";

export class MemorySocket extends Duplex {
  remoteAddress: string | undefined = "127.0.0.1";
  remotePort: number | undefined = 7000;
  isDelayed = true;
  /** Called after a time without data; set by the owner of this end. */
  idle: { readonly ms: number; readonly run: () => void } | null = null;
  #peer: MemorySocket | null = null;
  #held: (() => void)[] | null = null;

  static pair(): [MemorySocket, MemorySocket] {
    const [nearSocket, farSocket] = [new MemorySocket(), new MemorySocket()];
    [nearSocket.#peer, farSocket.#peer] = [farSocket, nearSocket];
    return [nearSocket, farSocket];
  }

  private constructor() {
    super({ allowHalfOpen: false });
  }

  get asSocket(): Socket {
    return this as unknown as Socket;
  }

  /** Nothing more leaves until `release`. */
  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const send of held) send();
  }

  setNoDelay(isOn: boolean): this {
    this.isDelayed = !isOn;
    return this;
  }

  setTimeout(ms: number, run: () => void): this {
    this.idle = { ms, run };
    return this;
  }

  destroySoon(): void {
    this.end(() => this.destroy());
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    const copy = Buffer.from(bytes);
    const send = (): void => {
      this.#peer!.push(copy);
      done();
    };
    if (this.#held === null) send();
    else this.#held.push(send);
  }

  override _final(done: () => void): void {
    this.#peer!.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#peer!.push(null);
    done(error);
  }
}
