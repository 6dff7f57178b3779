// Encoded slots that have not changed since: a cut encodes its slots twice, and the second time
// while changes wait. Each change of a vertex, and of an arc at both ends, leaves its number there.

import { Header } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import type { RecordName, SlotContent } from "./slot-encoder.js";

export interface KeptContent {
  readonly content: SlotContent;
  /** Names that it refers to, and others. */
  readonly names: readonly RecordName[];
  readonly vertices: readonly number[];
  /** Numbers of the last change, and of the last reuse of a name, before it was encoded. */
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

  /** Forgets all but these slots, and those of the call before. */
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
   * Returns the content of a slot that is still the same; undefined if it may have changed.
   * Requires the mutex.
   * @param vertices that the slot has now
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
    // An arc to a vertex of a type that was truncated ends without a trace at its tail, and one of
    // an anchor at its head: content with arcs of anchors is always encoded again.
    return arcs === kept.content.arcs ? kept : undefined;
  }

  get #reuses(): number {
    return this.#store.memory.header.words[Header.NameReuses]!;
  }
}
