// Leadership engine in memory, shared by the instances of a test. Calls of an instance can fail.

import {
  findRecord,
  type LeadershipEngine,
  type Reading,
} from "../../../../runtime/interconnect/leadership/leadership.js";

export class MemoryEngine {
  #text: string | null = null;
  #revision = 0;
  reads = 0;
  /** Members that cannot reach it. */
  readonly unreachableFor = new Set<string>();

  get record(): Reading["record"] {
    return findRecord(this.#text);
  }

  get text(): string | null {
    return this.#text;
  }

  /** Replaces the record, as a member of another release would. */
  store(text: string): void {
    this.#text = text;
    this.#revision++;
  }

  /** Loses the record. */
  clear(): void {
    this.#text = null;
    this.#revision++;
  }

  open(id: string): LeadershipEngine {
    const reachable = async (): Promise<void> => {
      if (this.unreachableFor.has(id)) throw new Error("engine is away");
    };
    return {
      read: async () => {
        await reachable();
        this.reads++;
        return { revision: String(this.#revision), text: this.#text };
      },
      swap: async (revision, text) => {
        await reachable();
        if (revision !== String(this.#revision)) return null;
        this.#text = text;
        return String(++this.#revision);
      },
      close: async () => undefined,
    };
  }
}
