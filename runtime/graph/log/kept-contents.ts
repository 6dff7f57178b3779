// Cache of encoded slots. A cut encodes its slots twice, the second time while changes wait, so
// slots that have not changed since are reused. Changes are detected by the operation count that
// each change stores in its vertex, or in both ends of its arc.

import { Header } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import type { RecordName, SlotContent } from "./slot-encoder.js";

export interface KeptContent {
  readonly content: SlotContent;
  /** Names that the content refers to, among others. */
  readonly names: readonly RecordName[];
  readonly vertices: readonly number[];
  /** Operation count, and number of name reuses, at the time of encoding. */
  readonly operations: number;
  readonly reuses: number;
}

export class KeptContents {
  readonly #store: GraphStore;
  #bySlot = new Map<number, KeptContent>();
  #former: readonly number[] = [];

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /** Forgets all slots except these and those of the previous call. */
  keep(slots: readonly number[]): void {
    const kept = new Set([...slots, ...this.#former]);
    this.#bySlot = new Map([...this.#bySlot].filter(([slot]) => kept.has(slot)));
    this.#former = slots;
  }

  put(
    content: SlotContent,
    vertices: readonly number[],
    names: readonly RecordName[],
  ): KeptContent {
    const { operationCount: operations } = this.#store;
    const kept = { content, names, vertices, operations, reuses: this.#reuses };
    this.#bySlot.set(content.slot, kept);
    return kept;
  }

  /**
   * Returns the cached content of a slot; undefined if it may have changed. Requires the mutex.
   * @param vertices current vertices of the slot
   */
  find(slot: number, vertices: readonly number[]): KeptContent | undefined {
    const kept = this.#bySlot.get(slot);
    if (kept === undefined || kept.reuses !== this.#reuses) return undefined;
    if (kept.vertices.length !== vertices.length) return undefined;
    const { vertices: table } = this.#store;
    let arcs = 0;
    for (const [place, vertex] of vertices.entries()) {
      const isSame = kept.vertices[place] === vertex;
      if (!isSame || table.operationOf(vertex) > kept.operations) return undefined;
      arcs += table.outDegree(vertex);
    }
    // A truncation of a type removes arcs without storing its operation count at their tails, so
    // the arcs are counted. Content with arcs from anchors never has this count, so it is always
    // encoded again.
    return arcs === kept.content.arcs ? kept : undefined;
  }

  get #reuses(): number {
    return this.#store.memory.header.words[Header.NameReuses]!;
  }
}
