// Content of slots in a graph. In a move, the former owner group encodes and removes it, and the
// new owner group writes it. Both changes are logged, so replicas apply them, too.

import type { InstanceSlots } from "../../base/instance-slots.js";
import type { GraphStore } from "../store/graph-store.js";
import { type KeptContent, KeptContents } from "./kept-contents.js";
import { type RecordName, type SlotContent, SlotEncoder } from "./slot-encoder.js";
import { SlotIndex } from "./slot-index.js";
import { ListedVertices, SlotRemoval } from "./slot-removal.js";
import { SlotWriter } from "./slot-writer.js";

export type { RecordName, SlotContent } from "./slot-encoder.js";

export class GraphSlots {
  readonly store: GraphStore;
  readonly #index: SlotIndex;
  readonly #kept: KeptContents;

  constructor(store: GraphStore, slots: InstanceSlots) {
    this.store = store;
    this.#index = new SlotIndex(store, slots);
    this.#kept = new KeptContents(store);
  }

  /** Returns the number of vertices by slot, excluding anchors and virtual vertices. */
  count(): Uint32Array {
    return this.#reading(() => this.#index.count());
  }

  /**
   * Encodes slots in order, at least one, until the result has `maxWords` words.
   * @throws AccessError if another thread holds the mutex for too long
   */
  encode(
    slots: readonly number[],
    maxWords: number,
  ): { readonly contents: SlotContent[]; readonly names: readonly RecordName[] } {
    const encoder = new SlotEncoder(this.store);
    const all = this.#reading(() => {
      const found = this.#index.find(new Set(slots));
      const encoded: KeptContent[] = [];
      let words = 0;
      for (const slot of slots) {
        const vertices = found.get(slot)!;
        const encodedSlot =
          this.#kept.find(slot, vertices) ??
          this.#kept.put(encoder.encode(slot, vertices), vertices, encoder.names);
        encoded.push(encodedSlot);
        words += encodedSlot.content.words.length;
        if (words >= maxWords) break;
      }
      return encoded;
    });
    const contents = all.map(({ content }) => content);
    this.#kept.keep(contents.map(({ slot }) => slot));
    return { contents, names: joinNames(all) };
  }

  /** Encodes the anchors and the arcs between them, for a group without anchors. */
  encodeAnchors(): { readonly words: Uint32Array; readonly names: readonly RecordName[] } {
    const encoder = new SlotEncoder(this.store);
    return this.#reading(() => ({ words: encoder.encodeAnchors(), names: encoder.names }));
  }

  /**
   * Writes the content of slots that have no vertices in this graph.
   * @throws DataError if the content is corrupt, or contradicts the graph
   */
  write(words: Uint32Array, names: readonly RecordName[]): void {
    this.#unchecked(() => new SlotWriter(this.store, names).write(words));
  }

  /** Removes the content of slots. */
  remove(slots: readonly number[]): void {
    const listed = this.#reading(() => {
      const found = [...this.#index.find(new Set(slots)).values()].flat();
      return new ListedVertices(this.store, found);
    });
    this.#unchecked(() => new SlotRemoval(this.store, listed).run());
  }

  /** Waits for the running mutation; later ones check the current owners of slots. */
  settle(): void {
    this.#reading(() => undefined);
  }

  #reading<T>(read: () => T): T {
    const { writer } = this.store;
    writer.beginReading();
    try {
      return read();
    } finally {
      writer.end();
    }
  }

  #unchecked(change: () => void): void {
    const { store } = this;
    const { constraints } = store;
    constraints.isEnforced = false;
    store.checksOwner = false;
    try {
      change();
    } finally {
      constraints.isEnforced = true;
      store.checksOwner = true;
    }
  }
}

/** Returns the names of contents that were encoded together or one after the other. */
function joinNames(all: readonly KeptContent[]): RecordName[] {
  const lists = new Set(all.map(({ names }) => names));
  const byCode = [...lists].flatMap((names) =>
    names.map((name) => [`${name[0]} ${name[1]}`, name] as const),
  );
  return [...new Map(byCode).values()];
}
