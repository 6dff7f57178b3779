// TCP connections between the processes of a virtual world. Bytes arrive in order; those of a cut
// link arrive once it is whole again, as with retransmissions. A connection may also be reset.

import { EventEmitter } from "node:events";
import { Duplex } from "node:stream";
import { withoutStack } from "./stackless-error.js";
import type { VirtualProcess, VirtualWorld } from "./virtual-world.js";

const RETRANSMIT_MS = 50;
const REBOOT_MS = 5000;
/** Between two pieces: more than an error of rounding. */
const ORDER_MS = 0.001;

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

  isCut(one: VirtualProcess | null, other: VirtualProcess | null): boolean {
    return this.cut.size > 0 && this.cut.has(linkOf(one?.id ?? "", other?.id ?? ""));
  }

  latency(one: VirtualProcess | null = null, other: VirtualProcess | null = null): number {
    const { random } = this.#world;
    const slowMs = this.slow.get(linkOf(one?.id ?? "", other?.id ?? "")) ?? 0;
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
        world.after(this.latency(), socket.owner, () => socket.destroy(refused(target.port)));
        return;
      }
      world.after(this.latency(), owner, () => {
        if (socket.destroyed) return;
        const other = new VirtualSocket(this, world, target.port, socket.localPort);
        socket.join(other);
        server.accept(other);
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
    const isOne = (one: VirtualSocket): boolean => {
      return link === undefined || linkOf(one.owner?.id ?? "", one.other?.owner?.id ?? "") === link;
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

export class VirtualSocket extends Duplex {
  readonly owner: VirtualProcess | null;
  readonly localPort: number;
  readonly remotePort: number;
  readonly remoteAddress = "127.0.0.1";
  isConnecting = true;
  readonly #network: VirtualNetwork;
  readonly #world: VirtualWorld;
  #other: VirtualSocket | null = null;
  /** Everything that the other end has sent, in order. */
  readonly #arriving: { readonly at: number; readonly run: () => void }[] = [];
  #isPumping = false;
  #activeAt = 0;
  #callback: ((count: number, bytes: Uint8Array) => boolean) | undefined;
  #waiting: (() => void) | null = null;

  constructor(network: VirtualNetwork, world: VirtualWorld, localPort: number, remotePort: number) {
    super({ allowHalfOpen: false });
    this.#network = network;
    this.#world = world;
    this.owner = world.current;
    this.localPort = localPort;
    this.remotePort = remotePort;
    this.#activeAt = world.time.now;
    network.opened(this);
  }

  /** The other end; null: there is none, or no more. */
  get other(): VirtualSocket | null {
    return this.#other;
  }

  /** Bytes go to a function instead of the stream. */
  receives(callback: ((count: number, bytes: Uint8Array) => boolean) | undefined): void {
    this.#callback = callback;
    if (callback !== undefined) this.resume();
  }

  /** Connects both ends. */
  join(other: VirtualSocket): void {
    this.#other = other;
    other.#other = this;
    other.isConnecting = false;
    this.arrive(() => {
      this.isConnecting = false;
      this.emit("connect");
      this.#waiting?.();
      this.#waiting = null;
    });
  }

  /** Loses the bytes that have not arrived: a machine without power does not send them again. */
  loseSent(): void {
    const other = this.#other;
    if (other !== null) other.#arriving.length = 0;
  }

  /** The connection is lost, as when its process ends. */
  reset(): void {
    const other = this.#other;
    this.#other = null;
    other?.arrive(() => other.destroy(wasReset()));
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

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error) => void): void {
    if (this.isConnecting && this.#other === null) {
      this.#waiting = () => this._write(bytes, _encoding, done);
      return;
    }
    this.#activeAt = this.#world.time.now;
    // The buffer belongs to the sender again.
    const copy = Buffer.from(bytes);
    this.#network.onSent(this, copy);
    const other = this.#other;
    other?.arrive(() => other.#receive(copy));
    done();
  }

  override _final(done: () => void): void {
    const other = this.#other;
    other?.arrive(() => other.push(null));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other;
    this.#other = null;
    other?.arrive(() => {
      if (!other.readableEnded) other.push(null);
    });
    this.#network.closed(this);
    done(error);
  }

  #receive(bytes: Buffer): void {
    this.#activeAt = this.#world.time.now;
    if (this.destroyed) return;
    if (this.#callback === undefined) this.push(bytes);
    else this.#callback(bytes.length, bytes);
  }

  /** Something of the other end arrives after what it sent before. */
  arrive(run: () => void): void {
    const last = this.#arriving.at(-1)?.at ?? 0;
    const at = Math.max(last + ORDER_MS, this.#world.time.now + this.#latency());
    this.#arriving.push({ at, run });
    if (!this.#isPumping) this.#pump();
  }

  #latency(): number {
    return this.#network.latency(this.owner, this.#other?.owner ?? null);
  }

  /** Delivers what has arrived. */
  #pump(): void {
    const [first] = this.#arriving;
    this.#isPumping = first !== undefined;
    if (first === undefined) return;
    const peer = this.#other?.owner ?? null;
    const { now } = this.#world.time;
    const isCut = this.#network.isCut(this.owner, peer);
    const ms = isCut ? Math.max(first.at - now, RETRANSMIT_MS) : first.at - now;
    this.#world.after(ms, this.owner, () => {
      const isLost = this.#arriving[0] !== first;
      if (!isLost && !this.#network.isCut(this.owner, this.#other?.owner ?? null)) {
        this.#arriving.shift();
        first.run();
      }
      this.#pump();
    });
  }
}

export function linkOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

function wasReset(): Error {
  return withoutStack("read ECONNRESET", { code: "ECONNRESET" });
}

function refused(port: number): Error {
  return withoutStack(`connect ECONNREFUSED :${port}`, { code: "ECONNREFUSED" });
}
