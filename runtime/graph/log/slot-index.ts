// Slot of each vertex of a graph, for a move: 2 bytes a vertex. A refresh hashes only the ids of
// new vertices: those with a later generation than the last one at the previous refresh. It checks
// the handles that were free then. If these do not account for all later generations, it checks all
// vertices. Generations wrap, so vertices older by half of their range also look new. The lists of
// the slots requested last are cached, so that the steps of a cut need not scan all vertices.

import type { InstanceSlots } from "../../base/instance-slots.js";
import { isAnchor } from "../operations/require-owner.js";
import type { GraphStore } from "../store/graph-store.js";

const MIN_HANDLES = 1024;
/** Relative spare capacity, so that a few new vertices do not cause a copy of the array. */
const SPARE = 1 / 8;
/** Maximum slots with lists, and slots listed ahead: most moves are of consecutive slots. */
const MAX_LISTED = 512;
const LISTED_AHEAD = 128;
/** Limits of the free handles that the next refresh checks: twice the number of new vertices. */
const MIN_FREE = 1024;
const MAX_FREE = 2 ** 16;

export class SlotIndex {
  readonly #store: GraphStore;
  readonly #slots: InstanceSlots;
  #slotOf = new Uint16Array(MIN_HANDLES);
  /** Last generation and end of the handles at the last refresh; null before the first one. */
  #serial: number | null = null;
  #end = 1;
  /** Handles that were free at the last refresh, in the order of their use. */
  #free: Uint32Array = new Uint32Array();
  /** By slot: each of its vertices once, and possibly former vertices. */
  readonly #listed = new Map<number, number[]>();

  constructor(store: GraphStore, slots: InstanceSlots) {
    this.#store = store;
    this.#slots = slots;
  }

  /** Returns the vertices of slots, real and virtual ones, without anchors. Requires the mutex. */
  find(slots: ReadonlySet<number>): Map<number, number[]> {
    this.#refresh();
    const missing = [...slots].filter((slot) => !this.#listed.has(slot));
    if (missing.length > 0) {
      if (this.#listed.size > MAX_LISTED) this.#listed.clear();
      const first = Math.min(...missing);
      const end = Math.min(first + LISTED_AHEAD, this.#slots.count);
      const ahead = Array.from({ length: end - first }, (_, n) => first + n);
      this.#list(new Set([...slots, ...ahead]));
    }
    return new Map([...slots].map((slot) => [slot, this.#verticesOf(slot)]));
  }

  #list(slots: ReadonlySet<number>): void {
    for (const slot of slots) this.#listed.set(slot, []);
    const isWanted = new Uint8Array(this.#slots.count);
    for (const slot of slots) isWanted[slot] = 1;
    const slotOf = this.#slotOf;
    for (let vertex = 1; vertex < this.#end; vertex++) {
      const slot = slotOf[vertex]!;
      if (isWanted[slot] === 1) this.#listed.get(slot)!.push(vertex);
    }
  }

  #verticesOf(slot: number): number[] {
    const { vertices } = this.#store;
    const found: number[] = [];
    for (const vertex of this.#listed.get(slot)!) {
      if (this.#slotOf[vertex] !== slot || !vertices.isUsed(vertex)) continue;
      if (!isAnchor(this.#store, vertex)) found.push(vertex);
    }
    return found;
  }

  /** Returns the number of real vertices of each slot, without anchors. Requires the mutex. */
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
    const { vertices } = this.#store;
    const { end, serial } = vertices;
    if (serial === this.#serial) return;
    this.#extend(end);
    const created = this.#findCreated();
    if (created === null) this.#readAll();
    else for (const vertex of created) this.#read(vertex);
    const count = this.#serial === null ? 0 : (serial - this.#serial) >>> 0;
    this.#free = vertices.listFree(Math.min(MAX_FREE, Math.max(MIN_FREE, 2 * count)));
    this.#serial = serial;
    this.#end = end;
  }

  /**
   * Returns the handles of vertices created since the last refresh; null if they are unknown. The
   * second comparison excludes free handles older by half of the range of generations.
   */
  #findCreated(): number[] | null {
    const known = this.#serial;
    if (known === null) return null;
    const { vertices } = this.#store;
    const { end, serial } = vertices;
    const isCreated = (handle: number): boolean => {
      return !vertices.isAsOld(handle, known) && vertices.isAsOld(handle, serial);
    };
    const created = [...this.#free.filter(isCreated)];
    for (let handle = this.#end; handle < end; handle++) created.push(handle);
    // Complete only if every generation since then belongs to one of them.
    return created.length === (serial - known) >>> 0 ? created : null;
  }

  #readAll(): void {
    const { vertices, ids } = this.#store;
    const known = this.#serial;
    this.#listed.clear();
    for (let vertex = 1; vertex < vertices.end; vertex++) {
      const isKnown = known !== null && vertices.isAsOld(vertex, known);
      if (isKnown || !vertices.isUsed(vertex)) continue;
      this.#slotOf[vertex] = this.#slots.of(ids.idOf(vertex));
    }
  }

  /** Reads the slot of a new vertex. */
  #read(vertex: number): void {
    const { vertices, ids } = this.#store;
    if (!vertices.isUsed(vertex)) return;
    const slot = this.#slots.of(ids.idOf(vertex));
    this.#slotOf[vertex] = slot;
    const listed = this.#listed.get(slot);
    // The list may have the handle of a former vertex.
    if (vertex >= this.#end || listed?.includes(vertex) === false) listed?.push(vertex);
  }

  #extend(end: number): void {
    if (end <= this.#slotOf.length) return;
    const slotOf = new Uint16Array(Math.ceil(end * (1 + SPARE)));
    slotOf.set(this.#slotOf);
    this.#slotOf = slotOf;
  }
}
