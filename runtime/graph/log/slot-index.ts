// Slot of each vertex of a graph, for a move: 6 bytes a vertex. A refresh hashes only the ids of
// vertices that are new.

import type { InstanceSlots } from "../../base/instance-slots.js";
import { isAnchor } from "../operations/require-owner.js";
import type { GraphStore } from "../store/graph-store.js";

/** A slot is at most 65,535: the number of none does not fit in 16 bits with it. */
const UNSEEN = 0xffff_ffff;
const MIN_HANDLES = 1024;

export class SlotIndex {
  readonly #store: GraphStore;
  readonly #slots: InstanceSlots;
  #slotOf = new Uint16Array(MIN_HANDLES);
  /** Generation of the handle when its slot was computed. */
  #generations = new Uint32Array(MIN_HANDLES).fill(UNSEEN);

  constructor(store: GraphStore, slots: InstanceSlots) {
    this.#store = store;
    this.#slots = slots;
  }

  /**
   * Returns the vertices of slots, real and virtual ones, without anchors. Requires the mutex.
   * @param wanted slots
   */
  find(wanted: ReadonlySet<number>): Map<number, number[]> {
    const lists = new Array<number[] | null>(this.#slots.count).fill(null);
    for (const slot of wanted) lists[slot] = [];
    this.#forEach((vertex, slot) => lists[slot]?.push(vertex));
    return new Map([...wanted].map((slot) => [slot, lists[slot]!]));
  }

  /** Returns the number of real vertices of each slot that are no anchors. Requires the mutex. */
  count(): Uint32Array {
    const counts = new Uint32Array(this.#slots.count);
    this.#forEach((vertex, slot) => {
      const isCounted = this.#store.vertices.isReal(vertex) && !isAnchor(this.#store, vertex);
      if (isCounted) counts[slot]!++;
    });
    return counts;
  }

  #forEach(visit: (vertex: number, slot: number) => void): void {
    const { vertices, ids } = this.#store;
    const { end } = vertices;
    this.#extend(end);
    for (let vertex = 1; vertex < end; vertex++) {
      if (!vertices.isUsed(vertex)) continue;
      const generation = vertices.generationOf(vertex);
      if (this.#generations[vertex] !== generation) {
        this.#generations[vertex] = generation;
        this.#slotOf[vertex] = this.#slots.of(ids.idOf(vertex));
      }
      visit(vertex, this.#slotOf[vertex]!);
    }
  }

  #extend(end: number): void {
    if (end <= this.#slotOf.length) return;
    const slotOf = new Uint16Array(end * 2);
    slotOf.set(this.#slotOf);
    const generations = new Uint32Array(end * 2).fill(UNSEEN);
    generations.set(this.#generations);
    this.#slotOf = slotOf;
    this.#generations = generations;
  }
}
