// A store whose thread can die at any single write: every write to an arena and every atomic
// operation passes through a counting trap. When the count is exhausted nothing more is written, as
// if the thread had been terminated there; cleanup such as the roll back and the release of the
// mutex has no effect.

import { Arena } from "../../../runtime/graph/memory/arena.js";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";

type Words = Uint32Array | Int32Array;

/** The exception that ends the thread. */
export class Died extends Error {}

/** Methods that write, and read-only ones. */
const ATOMICS = [
  ["store", true],
  ["add", true],
  ["and", true],
  ["or", true],
  ["exchange", true],
  ["compareExchange", true],
  ["load", false],
  ["notify", false],
] as const;
const ORIGINALS = ATOMICS.map(([name]) => [name, Atomics[name]] as const);
const refreshArena = Arena.prototype.refresh;
/** Array methods that write; a whole range counts as one write. */
const WRITING = new Set(["fill", "set", "copyWithin"]);

export class DyingStore {
  readonly store: GraphStore;
  /** Remaining writes; below 0: it is dead. */
  #remaining = Number.POSITIVE_INFINITY;
  #written = 0;
  readonly #targets = new WeakMap<object, Words>();

  constructor(share: SharedGraphMemory, thread: number) {
    this.store = this.#trapped(() => GraphStore.attach(share, thread));
  }

  /** Runs until n words were written, or to completion: true if it died before. */
  run(writes: number, change: () => void): boolean {
    this.#remaining = writes;
    this.#written = 0;
    try {
      this.#trapped(change);
    } catch (error) {
      // While unwinding it may have detected other faults.
      if (this.#remaining >= 0) throw error;
    }
    return this.#remaining < 0;
  }

  /** Words written by the last run. */
  get written(): number {
    return this.#written;
  }

  #count(): void {
    if (this.#remaining < 0 || this.#remaining-- === 0) throw new Died();
    this.#written++;
  }

  /** Arenas created or refreshed meanwhile are written through traps, and so are atomics. */
  #trapped<T>(run: () => T): T {
    const trap = (words: Words): Words => this.#trap(words);
    Arena.prototype.refresh = function refresh(this: Arena): void {
      const { words } = this;
      refreshArena.call(this);
      if (this.words === words) return;
      this.words = trap(this.words) as Uint32Array;
      this.ints = trap(this.ints) as Int32Array;
    };
    this.#trapAtomics();
    try {
      return run();
    } finally {
      Arena.prototype.refresh = refreshArena;
      for (const [name, original] of ORIGINALS) Object.assign(Atomics, { [name]: original });
    }
  }

  #trap(target: Words): Words {
    const proxy = new Proxy(target, {
      get: (words, member) => {
        const value: unknown = Reflect.get(words, member, words);
        if (typeof value !== "function") return value;
        if (!WRITING.has(String(member))) return value.bind(words);
        return (...args: unknown[]) => {
          this.#count();
          return value.apply(words, args);
        };
      },
      set: (words, member, value) => {
        this.#count();
        return Reflect.set(words, member, value, words);
      },
    });
    this.#targets.set(proxy, target);
    return proxy;
  }

  #trapAtomics(): void {
    for (const [name, isWriting] of ATOMICS) {
      const original = Atomics[name] as (...args: unknown[]) => number;
      const trapped = (array: Words, ...args: unknown[]): number => {
        if (isWriting) this.#count();
        return original(this.#targets.get(array) ?? array, ...args);
      };
      Object.assign(Atomics, { [name]: trapped });
    }
  }
}
