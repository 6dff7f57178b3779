// Slot of each vertex of a graph, for a move: 2 bytes a vertex. A refresh hashes only the ids of
// vertices that are new: those with a later generation than the last one at the refresh before. It
// looks at handles that were free then, and at all vertices where these do not explain all
// generations. To this comparison, vertices that are older by half of all generations are new, too.
// Lists of the slots wanted last are kept, so that the steps of a cut do not look at all vertices.

import type { InstanceSlots } from "../../base/instance-slots.js";
import { isAnchor } from "../operations/require-owner.js";
import type { GraphStore } from "../store/graph-store.js";

const MIN_HANDLES = 1024;
/** More than needed, relatively, so that few vertices do not copy all slots. */
const SPARE = 1 / 8;
/** Slots with lists, and slots that are listed ahead: most moves are of runs of slots. */
const MAX_LISTED = 512;
const LISTED_AHEAD = 128;
/** Free handles that the next refresh looks at: twice as many as were used since the last one. */
const MIN_FREE = 1024;
const MAX_FREE = 2 ** 16;

export class SlotIndex {
  readonly #store: GraphStore;
  readonly #slots: InstanceSlots;
  #slotOf = new Uint16Array(MIN_HANDLES);
  /** Last generation, and end of the handles, at the last refresh; null: there was none. */
  #serial: number | null = null;
  #end = 1;
  /** Handles that were free then, and are used first. */
  #free: Uint32Array = new Uint32Array();
  /** Vertices of a slot, each once, and some that have left it. */
  readonly #listed = new Map<number, number[]>();

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
    const missing = [...wanted].filter((slot) => !this.#listed.has(slot));
    if (missing.length > 0) {
      if (this.#listed.size > MAX_LISTED) this.#listed.clear();
      const first = Math.min(...missing);
      const end = Math.min(first + LISTED_AHEAD, this.#slots.count);
      const ahead = Array.from({ length: end - first }, (_, n) => first + n);
      this.#list(new Set([...wanted, ...ahead]));
    }
    return new Map([...wanted].map((slot) => [slot, this.#verticesOf(slot)]));
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
   * Returns the handles of vertices created since the last refresh; null: they are not known. The
   * second comparison excludes free handles that are older by half of all generations.
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
    // Each generation is that of one of them.
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
