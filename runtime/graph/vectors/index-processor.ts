// Builds the vector indexes of a graph in the interconnect thread, in time slices. If the thread
// dies, its successor continues.

import type { LogLine } from "../../base/log-settings.js";
import { TimeSlicedTask } from "../../base/time-sliced-task.js";
import { CapacityError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { HnswBuilder } from "./hnsw-builder.js";
import { dropIndex } from "./hnsw-drop.js";
import { HnswVacuum } from "./hnsw-vacuum.js";
import { VectorIndex } from "./index-layout.js";
import { clearSigns, fillSigns, hasTooFewVectors } from "./sign-builder.js";
import { Space } from "./vector-layout.js";
import type { VectorTable } from "./vector-table.js";

const TICK_MS = 100;
const SLICE_MS = 2;

export class IndexProcessor extends TimeSlicedTask {
  readonly #store: GraphStore;
  readonly #log: LogLine;
  #steps: Generator<undefined, void, void> | null = null;

  /** @param log receives a line when an index cannot be built */
  constructor(store: GraphStore, log: LogLine) {
    super(TICK_MS);
    this.#store = store;
    this.#log = log;
  }

  /** Works for a time slice; returns false if nothing is left to do. */
  run(limitMs: number): boolean {
    const deadline = performance.now() + limitMs;
    this.#steps ??= this.#buildAll();
    do {
      if (this.#steps.next().done !== true) continue;
      this.#steps = null;
      return false;
    } while (performance.now() < deadline);
    return true;
  }

  protected slice(): boolean {
    if (this.#store.memory.isRemoved) return false;
    if (this.#steps === null && !this.#isNeeded()) return false;
    if (!this.#store.vectors.hasKernel) {
      this.#store.enlargeIfRequested();
      return false;
    }
    try {
      return this.run(SLICE_MS);
    } catch (error) {
      if (!(error instanceof CapacityError)) throw error;
      // Searches remain correct: they scan every vector that the index does not cover.
      this.stop();
      this.#log(`graph "${this.#store.name}": vector index build failed: ${error.message}`, "warn");
      return false;
    }
  }

  /** Returns whether an index needs work. The check is cheap while nothing changes. */
  #isNeeded(): boolean {
    const { vectorFields } = this.#store;
    const tables = vectorFields.all();
    if (tables.some((table) => table.spaces().some((space) => this.#isBehind(table, space)))) {
      return true;
    }
    return vectorFields.allSigns().some((signs) => {
      const { vectors, table, space, ef } = signs;
      if (ef === 0) return signs.hasCenter || this.#isBehind(table, space);
      if (hasTooFewVectors(signs)) return this.#isDropping(table, space);
      const isFilled = signs.isFilled && signs.signsTo === vectors.writes >>> 0;
      return !isFilled || this.#isBehind(table, space);
    });
  }

  #isBehind(table: VectorTable, space: number): boolean {
    if (this.#isDropping(table, space)) return true;
    const isBehind = this.#read(table, space, VectorIndex.CompleteTo) !== table.writes >>> 0;
    const isIncomplete = this.#read(table, space, VectorIndex.IsComplete) === 0;
    return this.#read(table, space, VectorIndex.Ef) !== 0 && (isBehind || isIncomplete);
  }

  #isDropping(table: VectorTable, space: number): boolean {
    return this.#read(table, space, VectorIndex.Dropping) !== 0;
  }

  /** Returns a word of the index of a space; 0 without an index. */
  #read(table: VectorTable, space: number, word: number): number {
    const index = space === 0 ? 0 : table.readSpace(space, Space.Index);
    return index === 0 ? 0 : this.#store.memory.lists.words[index + word]!;
  }

  *#buildAll(): Generator<undefined, void, void> {
    for (const table of this.#store.vectorFields.all()) {
      for (const space of table.spaces()) yield* this.#build(table, space);
    }
    for (const signs of this.#store.vectorFields.allSigns()) {
      if (signs.ef !== 0) yield* fillSigns(signs);
      if (signs.exists && signs.space !== 0) yield* this.#build(signs.table, signs.space);
      if (!signs.exists || signs.ef !== 0) continue;
      // The signs are freed after the nodes, if necessary in the next pass.
      if (!this.#isDropping(signs.table, signs.space)) yield* clearSigns(signs);
    }
  }

  *#build(table: VectorTable, space: number): Generator<undefined, void, void> {
    const { lists } = this.#store.memory;
    const index = table.readSpace(space, Space.Index);
    if (index === 0) return;
    const builder = new HnswBuilder(table, space);
    if (!builder.exists) return;
    if (lists.words[index + VectorIndex.Dropping] !== 0) yield* dropIndex(table, space, builder);
    if (!builder.exists || lists.words[index + VectorIndex.Ef] === 0) return;
    const sweep = new HnswVacuum(table, space, builder);
    if (sweep.isDue) yield* sweep.run();
    if (!builder.isFinished) yield* builder.addMissing();
  }
}
