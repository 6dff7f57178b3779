// Shared memory that stops its thread at any single write: every word of every arena is written
// through a trap that counts, and so is every atomic operation. When the count is used up nothing
// more is written, as if the thread had been terminated there; what it does on its way out, such as
// undoing and giving the mutex back, does not happen.

import type { Arena } from "../../../runtime/graph/memory/arena.js";
import type { GraphMemory } from "../../../runtime/graph/memory/graph-memory.js";

type Words = Uint32Array | Int32Array;

/** What the thread ends with. */
export class Died extends Error {}

/** Those that write, and those that do not. */
const ATOMICS = [
  ["store", true],
  ["add", true],
  ["exchange", true],
  ["compareExchange", true],
  ["load", false],
  ["notify", false],
] as const;
/** Methods of arrays that write; a whole range counts as one write. */
const WRITING = new Set(["fill", "set", "copyWithin"]);

export class DyingMemory {
  /** Writes that are left; less than 0: it is dead. */
  #left = Number.POSITIVE_INFINITY;
  #written = 0;
  readonly #targets = new WeakMap<object, Words>();
  readonly #atomics = ATOMICS.map(([name]) => [name, Atomics[name]] as const);

  constructor(memory: GraphMemory) {
    for (const arena of memory.arenas) this.#watch(arena);
  }

  /** Runs until so many words were written, or to the end: true if it died before. */
  run(writes: number, change: () => void): boolean {
    this.#left = writes;
    this.#written = 0;
    this.#watchAtomics();
    try {
      change();
    } catch (error) {
      // On its way out it may have found other things wrong.
      if (this.#left >= 0) throw error;
    } finally {
      for (const [name, original] of this.#atomics) Object.assign(Atomics, { [name]: original });
    }
    return this.#left < 0;
  }

  /** Words written by the last run. */
  get written(): number {
    return this.#written;
  }

  /** @throws Died instead of writing */
  #count(): void {
    if (this.#left < 0) throw new Died();
    if (this.#left-- === 0) throw new Died();
    this.#written++;
  }

  #watch(arena: Arena): void {
    for (const member of ["words", "ints"] as const) {
      let watched = this.#proxy(arena[member]);
      Object.defineProperty(arena, member, {
        get: () => watched,
        set: (words: Words) => {
          watched = this.#proxy(words);
        },
      });
    }
  }

  #proxy(target: Words): Words {
    const proxy = new Proxy(target, {
      get: (words, member) => {
        const value: unknown = Reflect.get(words, member, words);
        if (typeof value !== "function") return value;
        if (!WRITING.has(String(member))) return value.bind(words);
        return (...given: unknown[]) => {
          this.#count();
          return value.apply(words, given);
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

  #watchAtomics(): void {
    for (const [name, isWriting] of ATOMICS) {
      const original = Atomics[name] as (...given: unknown[]) => number;
      const watched = (array: Words, ...given: unknown[]): number => {
        if (isWriting) this.#count();
        return original(this.#targets.get(array) ?? array, ...given);
      };
      Object.assign(Atomics, { [name]: watched });
    }
  }
}
