// Slot of each vertex of a graph, for a move: 2 bytes a vertex. A refresh hashes only the ids of
// vertices that are new: those with a later generation than the last one at the refresh before.

import type { InstanceSlots } from "../../base/instance-slots.js";
import { isAnchor } from "../operations/require-owner.js";
import type { GraphStore } from "../store/graph-store.js";

const MIN_HANDLES = 1024;
/** More than needed, relatively, so that few vertices do not copy all slots. */
const SPARE = 1 / 8;

export class SlotIndex {
  readonly #store: GraphStore;
  readonly #slots: InstanceSlots;
  #slotOf = new Uint16Array(MIN_HANDLES);
  /** Last generation at the last refresh; null: there was none. */
  #serial: number | null = null;

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
    this.#forEach((vertex, slot) => {
      const list = lists[slot]!;
      if (list !== null && !isAnchor(this.#store, vertex)) list.push(vertex);
    });
    return new Map([...wanted].map((slot) => [slot, lists[slot]!]));
  }

  /** Returns whether a handle has the vertex that it had at the last refresh, or none. */
  isSame(vertex: number): boolean {
    return this.#serial !== null && this.#store.vertices.isAsOld(vertex, this.#serial);
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
      if (!this.isSame(vertex)) this.#slotOf[vertex] = this.#slots.of(ids.idOf(vertex));
      visit(vertex, this.#slotOf[vertex]!);
    }
    this.#serial = vertices.serial;
  }

  #extend(end: number): void {
    if (end <= this.#slotOf.length) return;
    const slotOf = new Uint16Array(Math.ceil(end * (1 + SPARE)));
    slotOf.set(this.#slotOf);
    this.#slotOf = slotOf;
  }
}
