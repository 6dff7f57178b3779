// TCP connections between the processes of a virtual world. Bytes arrive in order; those of a cut
// link arrive once it is whole again, as with retransmissions. A connection may also be reset.

import { EventEmitter } from "node:events";
import { withoutStack } from "./stackless-error.js";
import type { VirtualProcess, VirtualWorld } from "./virtual-world.js";

const RETRANSMIT_MS = 50;
const REBOOT_MS = 5000;
/** Between two pieces: more than an error of rounding. */
const ORDER_MS = 0.001;
/** A write beyond this waits for `drain`. */
const HIGH_WATER_BYTES = 2 ** 14;

interface Target {
  readonly port: number;
  readonly timeout?: number;
  readonly onread?: { readonly callback: (count: number, bytes: Uint8Array) => boolean };
}

export class VirtualNetwork {
  readonly #world: VirtualWorld;
  readonly #listening = new Map<number, VirtualServer>();
  readonly #sockets = new Set<VirtualSocket>();
  /** Pairs of processes without connection. */
  readonly cut = new Set<string>();
  /** Milliseconds by which messages between two processes are late. */
  readonly slow = new Map<string, number>();
  /** Called with everything that is sent. */
  onSent: (socket: VirtualSocket, bytes: Buffer) => void = () => undefined;
  #ports = 40_000;

  constructor(world: VirtualWorld) {
    this.#world = world;
  }

  isCut(from: VirtualProcess | null, to: VirtualProcess | null): boolean {
    return this.cut.size > 0 && this.cut.has(linkKey(from?.id ?? "", to?.id ?? ""));
  }

  latency(from: VirtualProcess | null = null, to: VirtualProcess | null = null): number {
    const { random } = this.#world;
    const slowMs = this.slow.get(linkKey(from?.id ?? "", to?.id ?? "")) ?? 0;
    return slowMs + (random.below(200) === 0 ? random.below(1000) : 0.1 + random.below(20) / 10);
  }

  readonly createServer = (accept: (socket: VirtualSocket) => void): VirtualServer => {
    return new VirtualServer(this, this.#world.current, accept);
  };

  readonly connect = (target: Target, connected?: () => void): VirtualSocket => {
    const world = this.#world;
    const socket = new VirtualSocket(this, world, ++this.#ports, target.port);
    socket.receives(target.onread?.callback);
    if (connected !== undefined) socket.once("connect", connected);
    if (target.timeout !== undefined) {
      setTimeout(() => socket.isConnecting && socket.emit("timeout"), target.timeout);
    }
    const attempt = (): void => {
      const server = this.#listening.get(target.port);
      const owner = server?.owner ?? null;
      if (this.isCut(socket.owner, owner)) return world.time.after(RETRANSMIT_MS, attempt);
      if (server === undefined) {
        world.after(this.latency(), socket.owner, () =>
          socket.destroy(connectionRefused(target.port)),
        );
        return;
      }
      world.after(this.latency(), owner, () => {
        if (socket.destroyed) return;
        const peer = new VirtualSocket(this, world, target.port, socket.localPort);
        socket.join(peer);
        server.accept(peer);
      });
    };
    world.time.after(this.latency(), attempt);
    return socket;
  };

  /** Ends all connections of a killed process. Without power, the other ends notice it late. */
  end(owner: VirtualProcess, hasPower: boolean): void {
    for (const [port, server] of this.#listening) {
      if (server.owner === owner) this.#listening.delete(port);
    }
    for (const socket of this.#sockets) {
      if (socket.owner !== owner) continue;
      this.#sockets.delete(socket);
      if (hasPower) socket.reset();
      else socket.loseSent();
      // A message after the restart is answered with a reset.
      if (!hasPower)
        this.#world.time.after(this.#world.random.below(REBOOT_MS), () => socket.reset());
    }
  }

  /** Resets a random connection. @param link of these processes; undefined: of any */
  resetOne(link?: string): void {
    const isOne = (socket: VirtualSocket): boolean => {
      return (
        link === undefined || linkKey(socket.owner?.id ?? "", socket.peer?.owner?.id ?? "") === link
      );
    };
    const sockets = [...this.#sockets].filter(isOne);
    if (sockets.length > 0) this.#world.random.of(sockets).reset();
  }

  listen(server: VirtualServer, port: number): boolean {
    if (this.#listening.has(port)) return false;
    this.#listening.set(port, server);
    return true;
  }

  close(server: VirtualServer): void {
    if (this.#listening.get(server.port) === server) this.#listening.delete(server.port);
  }

  opened(socket: VirtualSocket): void {
    this.#sockets.add(socket);
  }

  closed(socket: VirtualSocket): void {
    this.#sockets.delete(socket);
  }
}

export class VirtualServer extends EventEmitter {
  readonly owner: VirtualProcess | null;
  readonly #network: VirtualNetwork;
  readonly accept: (socket: VirtualSocket) => void;
  port = 0;

  constructor(
    network: VirtualNetwork,
    owner: VirtualProcess | null,
    accept: (socket: VirtualSocket) => void,
  ) {
    super();
    this.#network = network;
    this.owner = owner;
    this.accept = accept;
  }

  listen({ port }: { port: number }, listening?: () => void): this {
    this.port = port;
    const isFree = this.#network.listen(this, port);
    setTimeout(() => {
      if (isFree) listening?.();
      else this.emit("error", Object.assign(new Error("in use"), { code: "EADDRINUSE" }));
    }, 0);
    return this;
  }

  address(): { port: number } {
    return { port: this.port };
  }

  close(): this {
    this.#network.close(this);
    return this;
  }
}

/** As much of a socket as the product uses. Streams of Node were a seventh of the CPU of a seed. */
export class VirtualSocket extends EventEmitter {
  readonly owner: VirtualProcess | null;
  readonly localPort: number;
  readonly remotePort: number;
  readonly remoteAddress = "127.0.0.1";
  readonly writableHighWaterMark = HIGH_WATER_BYTES;
  isConnecting = true;
  destroyed = false;
  writableLength = 0;
  writableNeedDrain = false;
  readonly #network: VirtualNetwork;
  readonly #world: VirtualWorld;
  #peer: VirtualSocket | null = null;
  /** Everything that the other end has sent, in order. */
  readonly #arriving: { readonly timeMs: number; readonly run: () => void }[] = [];
  #isPumping = false;
  #activeAt = 0;
  #callback: ((count: number, bytes: Uint8Array) => boolean) | undefined;
  /** Written before the connection was there, or while corked. */
  readonly #unsent: Buffer[] = [];
  #corks = 0;
  /** Received, and not read. */
  readonly #unread: Buffer[] = [];
  /** The other end sends no more. */
  #hasReceivedAll = false;
  #hasEnded = false;
  #isEnding = false;
  #isLastSent = false;
  #isFinished = false;
  #isClosed = false;
  #error: Error | null = null;
  /** Wakes the iterator. */
  #wake: (() => void) | null = null;

  constructor(network: VirtualNetwork, world: VirtualWorld, localPort: number, remotePort: number) {
    super();
    this.#network = network;
    this.#world = world;
    this.owner = world.current;
    this.localPort = localPort;
    this.remotePort = remotePort;
    this.#activeAt = world.time.now;
    network.opened(this);
  }

  /** The other end; null: there is none, or no more. */
  get peer(): VirtualSocket | null {
    return this.#peer;
  }

  /** Bytes go to a function instead of listeners. */
  receives(callback: ((count: number, bytes: Uint8Array) => boolean) | undefined): void {
    this.#callback = callback;
  }

  /** Connects both ends. */
  join(peer: VirtualSocket): void {
    this.#peer = peer;
    peer.#peer = this;
    peer.isConnecting = false;
    this.arrive(() => {
      this.isConnecting = false;
      this.emit("connect");
      this.#sendAll();
    });
  }

  /** Loses the bytes that have not arrived: a machine without power does not send them again. */
  loseSent(): void {
    const peer = this.#peer;
    if (peer !== null) peer.#arriving.length = 0;
  }

  /** The connection is lost, as when its process ends. */
  reset(): void {
    const peer = this.#peer;
    this.#peer = null;
    peer?.arrive(() => peer.destroy(wasReset()));
    const { owner } = this;
    this.#world.after(0, owner, () => this.destroy(wasReset()));
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** Calls a function once nothing was sent or received for a time. */
  setTimeout(ms: number, idle: () => void): this {
    const check = (): void => {
      const leftMs = this.#activeAt + ms - this.#world.time.now;
      if (this.destroyed) return;
      if (leftMs <= 0) idle();
      else setTimeout(check, leftMs);
    };
    setTimeout(check, ms);
    return this;
  }

  write(data: Uint8Array | string, then?: BufferEncoding | (() => void)): boolean {
    if (this.destroyed) return false;
    if (this.#isEnding) {
      this.destroy(withoutStack("write after end", { code: "ERR_STREAM_WRITE_AFTER_END" }));
      return false;
    }
    // A buffer belongs to the sender again afterwards.
    const bytes = Buffer.from(data as string, typeof then === "string" ? then : "utf8");
    if (typeof then === "function") process.nextTick(then);
    this.writableLength += bytes.length;
    const isTooMuch = this.writableLength >= HIGH_WATER_BYTES;
    if (isTooMuch) this.writableNeedDrain = true;
    this.#unsent.push(bytes);
    this.#sendAll();
    return !isTooMuch;
  }

  cork(): void {
    this.#corks++;
  }

  uncork(): void {
    this.#corks--;
    this.#sendAll();
  }

  /** Sends no more. */
  end(): this {
    if (this.#isEnding || this.destroyed) return this;
    this.#isEnding = true;
    this.#corks = 0;
    this.#sendAll();
    return this;
  }

  destroySoon(): void {
    this.end();
    if (this.#isFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  destroy(error: Error | null = null): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#error = error;
    const peer = this.#peer;
    this.#peer = null;
    peer?.arrive(() => peer.#receiveEnd());
    this.#network.closed(this);
    process.nextTick(() => {
      this.#isClosed = true;
      if (error !== null) this.emit("error", error);
      this.emit("close");
      this.#wakeUp();
    });
    return this;
  }

  /** Returns received pieces in order. Pieces that arrived together are one. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, void> {
    try {
      for (;;) {
        const pieces = this.destroyed ? [] : this.#unread.splice(0);
        if (pieces.length > 0) yield pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
        else if (this.#hasEnded) return;
        else if (this.#isClosed) throw this.#error ?? withoutStack("premature close", {});
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
            this.#endIfRead();
          });
        }
      }
    } finally {
      this.destroy();
    }
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }

  /** Sends what was written, if it can be sent. */
  #sendAll(): void {
    if (this.#corks > 0 || (this.isConnecting && this.#peer === null)) return;
    for (const bytes of this.#unsent.splice(0)) {
      this.writableLength -= bytes.length;
      this.#activeAt = this.#world.time.now;
      this.#network.onSent(this, bytes);
      const peer = this.#peer;
      peer?.arrive(() => peer.#receive(bytes));
    }
    if (this.writableNeedDrain) process.nextTick(() => this.#drained());
    if (this.#isEnding && !this.#isLastSent) this.#finish();
  }

  #drained(): void {
    if (!this.writableNeedDrain || this.#isEnding || this.destroyed) return;
    this.writableNeedDrain = false;
    this.emit("drain");
  }

  #finish(): void {
    this.#isLastSent = true;
    const peer = this.#peer;
    peer?.arrive(() => peer.#receiveEnd());
    process.nextTick(() => {
      if (this.destroyed) return;
      this.#isFinished = true;
      this.emit("finish");
      if (this.#hasEnded) this.destroy();
    });
  }

  #receive(bytes: Buffer): void {
    this.#activeAt = this.#world.time.now;
    if (this.destroyed) return;
    if (this.#callback !== undefined) this.#callback(bytes.length, bytes);
    else if (!this.emit("data", bytes)) {
      this.#unread.push(bytes);
      this.#wakeUp();
    }
  }

  #receiveEnd(): void {
    if (this.destroyed || this.#hasReceivedAll) return;
    this.#hasReceivedAll = true;
    this.#endIfRead();
  }

  /** Tells the end once everything was read. */
  #endIfRead(): void {
    const isRead = this.#callback !== undefined || this.#wake !== null;
    const hasReader = isRead || this.listenerCount("data") > 0;
    if (!this.#hasReceivedAll || !hasReader || this.#unread.length > 0) return;
    process.nextTick(() => {
      if (this.destroyed || this.#hasEnded) return;
      this.#hasEnded = true;
      this.emit("end");
      process.nextTick(() => {
        this.end();
        if (this.#isFinished) process.nextTick(() => this.destroy());
      });
      this.#wakeUp();
    });
  }

  /** Something of the other end arrives after what it sent before. */
  arrive(run: () => void): void {
    const last = this.#arriving.at(-1)?.timeMs ?? 0;
    const timeMs = Math.max(last + ORDER_MS, this.#world.time.now + this.#latency());
    this.#arriving.push({ timeMs, run });
    if (!this.#isPumping) this.#pump();
  }

  #latency(): number {
    return this.#network.latency(this.owner, this.#peer?.owner ?? null);
  }

  /** Delivers what has arrived. */
  #pump(): void {
    const [first] = this.#arriving;
    this.#isPumping = first !== undefined;
    if (first === undefined) return;
    const peer = this.#peer?.owner ?? null;
    const { now } = this.#world.time;
    const isCut = this.#network.isCut(this.owner, peer);
    const ms = isCut ? Math.max(first.timeMs - now, RETRANSMIT_MS) : first.timeMs - now;
    this.#world.after(ms, this.owner, () => {
      const isLost = this.#arriving[0] !== first;
      if (!isLost && !this.#network.isCut(this.owner, this.#peer?.owner ?? null)) {
        this.#arriving.shift();
        first.run();
      }
      this.#pump();
    });
  }
}

export function linkKey(from: string, to: string): string {
  return from < to ? `${from} ${to}` : `${to} ${from}`;
}

function wasReset(): Error {
  return withoutStack("read ECONNRESET", { code: "ECONNRESET" });
}

function connectionRefused(port: number): Error {
  return withoutStack(`connect ECONNREFUSED :${port}`, { code: "ECONNREFUSED" });
}
