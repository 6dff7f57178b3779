// A world in virtual time for unchanged code of the product: timers, clocks, waits on shared memory
// and TCP connections of several processes in one thread, under one seed. A killed process gets no
// event any more, and one that stands still gets its events later.

import crypto from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import timers from "node:timers/promises";
import zlib, { crc32 } from "node:zlib";
import { NOTHING, VirtualTime } from "../leadership/virtual-time.js";
import type { Random } from "../random.js";
import { VirtualFiles } from "./virtual-files.js";
import { VirtualNetwork } from "./virtual-network.js";

const EPOCH_MS = 1_800_000_000_000;
/** Spreads the bits of a hash. */
const PRIME = 0x9e3779b1;

/** A process of the world. */
export interface VirtualProcess {
  readonly id: string;
  /** Its clock is faster or slower than that of the world. */
  readonly rate: number;
  isAlive: boolean;
  pausedUntil: number;
}

interface Waiter {
  readonly index: number;
  wake(): void;
}

type Method = (...args: never[]) => unknown;
type Done = (error: Error | null, result: Buffer) => void;

const realImmediate = setImmediate;
/** Runs what waits for the end of an event: ten times as fast as a turn of the event loop. */
const { _tickCallback: runNextTicks } = process as unknown as { _tickCallback: () => void };

export class VirtualWorld {
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly network: VirtualNetwork;
  readonly files = new VirtualFiles(this);
  /** The process whose code runs; null: the test's. */
  current: VirtualProcess | null = null;
  /** Hash of all events: the same for the same seed. */
  trace = 0;
  readonly #numbers = new Float64Array(1);
  /** The same bytes. */
  readonly #halves = new Int32Array(this.#numbers.buffer);
  readonly #waiters = new WeakMap<ArrayBufferLike, Waiter[]>();
  #uninstall: (() => void)[] = [];

  constructor(random: Random) {
    this.random = random;
    this.network = new VirtualNetwork(this);
  }

  /** Runs code after virtual time, in a process. Returns a function that cancels it. */
  after(ms: number, owner: VirtualProcess | null, run: () => void): () => void {
    let isOver = false;
    const due = (): unknown => {
      if (isOver || owner?.isAlive === false) return NOTHING;
      const pauseMs = owner === null ? 0 : owner.pausedUntil - this.time.now;
      if (pauseMs > 0) {
        this.time.after(pauseMs, due);
        return NOTHING;
      }
      isOver = true;
      this.enter(owner, run);
      return undefined;
    };
    this.time.after(ms, due);
    return () => {
      isOver = true;
    };
  }

  /** Runs code in a process now, which also continues there. */
  enter<T>(owner: VirtualProcess | null, run: () => T): T {
    this.current = owner;
    return run();
  }

  /**
   * Runs all events until a time, each with everything that it resolves.
   * @param isOver called after each event; true: ends
   */
  runUntil(end: number, isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      // Not within a microtask, where others do not run.
      realImmediate(() => {
        try {
          do this.current = null;
          while (this.time.runNext(end, this.#settle) && !isOver());
          resolve();
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  }

  readonly #settle = (): void => {
    runNextTicks();
    this.#numbers[0] = this.time.now + (this.current?.rate ?? 0);
    const mixed = Math.imul(this.trace ^ this.#halves[0]!, PRIME);
    this.trace = (mixed ^ this.#halves[1]!) >>> 0;
  };

  /** Adds to the hash of everything that happens. */
  note(text: string): void {
    this.trace = crc32(text, this.trace);
  }

  /** Replaces the clocks, timers and connections of this thread until `uninstall`. */
  install(): void {
    const now = (): number => this.time.now * (this.current?.rate ?? 1);
    this.#replace(performance, "now", now);
    this.#replace(Date, "now", () => EPOCH_MS + Math.floor(now()));
    this.#replace(Math, "random", () => this.random.below(2 ** 31) / 2 ** 31);
    this.#installTimers();
    this.#replace(Atomics, "waitAsync", this.#waitAsync);
    this.#replace(Atomics, "notify", this.#notify);
    this.#replace(globalThis, "SharedArrayBuffer", SmallBuffer);
    this.#installCrypto();
    this.#installFiles();
    this.#replace(net, "connect", this.network.connect);
    this.#replace(net, "createServer", this.network.createServer);
    syncBuiltinESMExports();
  }

  uninstall(): void {
    for (const undo of this.#uninstall.splice(0)) undo();
    syncBuiltinESMExports();
  }

  #replace<T extends object>(target: T, name: keyof T & string, value: unknown): void {
    const descriptor = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    this.#uninstall.push(() => {
      if (descriptor === undefined) delete target[name];
      else Object.defineProperty(target, name, descriptor);
    });
  }

  #installTimers(): void {
    const once = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): VirtualTimer =>
      new VirtualTimer(this, ms, false, () => run(...args));
    const often = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): VirtualTimer =>
      new VirtualTimer(this, ms, true, () => run(...args));
    const clear = (timer: VirtualTimer | undefined): void => timer?.close();
    this.#replace(globalThis, "setTimeout", once);
    this.#replace(globalThis, "setInterval", often);
    this.#replace(globalThis, "setImmediate", (run: () => void) => once(run));
    for (const name of ["clearTimeout", "clearInterval", "clearImmediate"] as const) {
      this.#replace(globalThis, name, clear);
    }
    this.#replace(timers, "setTimeout", (ms: number, value: unknown) => {
      return new Promise((resolve) => void once(() => resolve(value), ms));
    });
  }

  #installCrypto(): void {
    const randomBytes = (size: number): Buffer => {
      return Buffer.from(Array.from({ length: size }, () => this.random.below(256)));
    };
    this.#replace(crypto, "randomBytes", randomBytes);
    this.#replace(crypto, "randomUUID", () => randomBytes(16).toString("hex"));
    for (const name of ["gzip", "gunzip"] as const) {
      const now = zlib[`${name}Sync`];
      this.#replace(zlib, name, (bytes: Buffer, options: object, done: Done) => {
        const result = now(bytes, options);
        this.after(0, this.current, () => done(null, result));
      });
    }
  }

  /** Virtual paths and descriptors only. */
  #installFiles(): void {
    const { sync, callbacks, promises } = this.files;
    const both = [
      [fs, { ...sync, ...callbacks }],
      [fs.promises, promises],
    ] as const;
    for (const [target, methods] of both) {
      const real = target as unknown as Record<string, Method>;
      for (const [name, method] of Object.entries(methods)) {
        const original = real[name]!;
        this.#replace(real, name, (...args: never[]) => {
          return (this.files.has(args[0]) ? (method as Method) : original)(...args);
        });
      }
    }
  }

  readonly #waitAsync = (words: Int32Array, index: number, value: number, ms?: number) => {
    if (Atomics.load(words, index) !== value) return { async: false, value: "not-equal" };
    const waiters = this.#waiters.get(words.buffer) ?? [];
    this.#waiters.set(words.buffer, waiters);
    const promise = new Promise((resolve) => {
      const waiter: Waiter = { index: byteOffset(words, index), wake: () => resolve("ok") };
      waiters.push(waiter);
      if (ms === undefined || ms === Number.POSITIVE_INFINITY) return;
      setTimeout(() => {
        const index = waiters.indexOf(waiter);
        if (index >= 0) waiters.splice(index, 1);
        resolve("timed-out");
      }, ms);
    });
    return { async: true, value: promise };
  };

  readonly #notify = (words: Int32Array, index: number): number => {
    const waiters = this.#waiters.get(words.buffer) ?? [];
    const offset = byteOffset(words, index);
    const woken = waiters.filter((waiter) => waiter.index === offset);
    for (const waiter of woken) {
      waiters.splice(waiters.indexOf(waiter), 1);
      waiter.wake();
    }
    return woken.length;
  };
}

/** The rings of graphs are this small: the memory of many processes is allocated for each seed. */
const MAX_FIXED_BYTES = 2 ** 19;
const SmallBuffer = new Proxy(SharedArrayBuffer, {
  construct(target, [bytes, options]: [number, object | undefined]) {
    return options === undefined
      ? new target(Math.min(bytes, MAX_FIXED_BYTES))
      : Reflect.construct(target, [bytes, options]);
  },
});

function byteOffset(words: Int32Array, index: number): number {
  return words.byteOffset + index * words.BYTES_PER_ELEMENT;
}

/** As much of a timer of Node as the product uses. */
class VirtualTimer {
  readonly #world: VirtualWorld;
  readonly #ms: number;
  readonly #owner: VirtualProcess | null;
  readonly #run: () => void;
  readonly #repeats: boolean;
  #cancel: () => void = () => undefined;

  constructor(world: VirtualWorld, ms: number, repeats: boolean, run: () => void) {
    this.#world = world;
    this.#owner = world.current;
    this.#ms = Math.max(repeats ? 1 : 0, ms) / (this.#owner?.rate ?? 1);
    this.#run = run;
    this.#repeats = repeats;
    this.#start();
  }

  refresh(): this {
    this.#cancel();
    this.#start();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  close(): void {
    this.#cancel();
    this.#cancel = () => undefined;
  }

  #start(): void {
    this.#cancel = this.#world.after(this.#ms, this.#owner, () => {
      if (this.#repeats) this.#start();
      this.#run();
    });
  }
}
