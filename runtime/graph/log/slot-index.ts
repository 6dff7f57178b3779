// Slot of each vertex of a graph, for a move: 2 bytes a vertex. A refresh hashes only the ids of
// vertices that are new: those with a later generation than the last one at the refresh before. To
// this comparison, vertices that are older by half of all generations are new, too.

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
    this.#refresh();
    const { vertices } = this.#store;
    const { end } = vertices;
    const isWanted = new Uint8Array(this.#slots.count);
    for (const slot of wanted) isWanted[slot] = 1;
    const found = new Map([...wanted].map((slot) => [slot, [] as number[]]));
    const slotOf = this.#slotOf;
    for (let vertex = 1; vertex < end; vertex++) {
      const slot = slotOf[vertex]!;
      if (isWanted[slot] === 0 || !vertices.isUsed(vertex)) continue;
      if (!isAnchor(this.#store, vertex)) found.get(slot)!.push(vertex);
    }
    return found;
  }

  /** Returns the number of real vertices of each slot that are no anchors. Requires the mutex. */
  count(): Uint32Array {
    this.#refresh();
    const { vertices } = this.#store;
    const { end } = vertices;
    const counts = new Uint32Array(this.#slots.count);
    for (let vertex = 1; vertex < end; vertex++) {
      const isCounted = vertices.isUsed(vertex) && vertices.isReal(vertex);
      if (isCounted && !isAnchor(this.#store, vertex)) counts[this.#slotOf[vertex]!]!++;
    }
    return counts;
  }

  #refresh(): void {
    const { vertices, ids } = this.#store;
    const { end, serial } = vertices;
    const known = this.#serial;
    if (serial === known) return;
    this.#extend(end);
    const slotOf = this.#slotOf;
    for (let vertex = 1; vertex < end; vertex++) {
      const isKnown = known !== null && vertices.isAsOld(vertex, known);
      if (isKnown || !vertices.isUsed(vertex)) continue;
      slotOf[vertex] = this.#slots.of(ids.idOf(vertex));
    }
    this.#serial = serial;
  }

  #extend(end: number): void {
    if (end <= this.#slotOf.length) return;
    const slotOf = new Uint16Array(Math.ceil(end * (1 + SPARE)));
    slotOf.set(this.#slotOf);
    this.#slotOf = slotOf;
  }
}
