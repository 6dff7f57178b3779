// A thread's access to the complete index of a space. Searches reuse its state.

import { HnswSearch } from "./hnsw-search.js";
import { VectorIndex } from "./index-layout.js";
import { Space } from "./vector-layout.js";
import type { VectorTable } from "./vector-table.js";

class IndexAccess {
  readonly search: HnswSearch;
  readonly #table: VectorTable;
  readonly #index: number;
  readonly #epoch: number;

  constructor(table: VectorTable, space: number) {
    this.#table = table;
    this.#index = table.readSpace(space, Space.Index);
    this.#epoch = table.epoch;
    this.search = new HnswSearch(table, space);
  }

  /** False once the graph has been truncated. */
  get exists(): boolean {
    return this.#table.epoch === this.#epoch;
  }

  get isComplete(): boolean {
    return this.#word(VectorIndex.IsComplete) === 1;
  }

  /** Changes when slots of the index may have been reused; -1 once the index is removed. */
  get state(): number {
    return this.exists ? this.#word(VectorIndex.Sweeps) : -1;
  }

  /** Value of the table's `writes` up to which the index contains every vector. */
  get completeTo(): number {
    return this.#word(VectorIndex.CompleteTo);
  }

  #word(word: number): number {
    return this.#table.writer.memory.lists.words[this.#index + word]!;
  }
}

const accesses = new WeakMap<VectorTable, Map<number, IndexAccess>>();

/** Returns the index of a space; null if it does not exist or is incomplete. */
export function findVectorIndex(table: VectorTable, space: number): IndexAccess | null {
  if (table.readSpace(space, Space.Index) === 0) return null;
  const bySpace = accesses.get(table) ?? new Map<number, IndexAccess>();
  accesses.set(table, bySpace);
  let access = bySpace.get(space);
  if (access === undefined || !access.exists) {
    access = new IndexAccess(table, space);
    bySpace.set(space, access);
  }
  return access.isComplete ? access : null;
}
