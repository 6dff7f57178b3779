// The properties of one vertex that an expression reads, all from one seqlock read of its property
// group. The frame is not refreshed until it is moved.

import { Float } from "../../base/float.js";
import type { GraphStore } from "../store/graph-store.js";
import type { StoredValue } from "../store/property-values.js";

export class VertexFrame {
  readonly #store: GraphStore;
  /** 0 if there is no vertex. */
  handle = 0;
  #isRead = false;
  readonly #values: (StoredValue | undefined)[] = [];
  /** Codes of the keys to read; 0 for a key that no vertex has. */
  keys: readonly number[] = [];

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /** Moves to a vertex, or refreshes the same one. */
  move(handle: number): void {
    this.handle = handle;
    this.#isRead = false;
  }

  /** Returns the value of the key at an index of `keys`; null if there is none. */
  property(position: number): StoredValue {
    return this.find(position) ?? null;
  }

  /** As `property`, but undefined if the vertex does not have it. */
  find(position: number): StoredValue | undefined {
    if (!this.#isRead) {
      this.#store.properties.storedAll(this.handle, this.keys, this.#values);
      this.#isRead = true;
    }
    return this.#values[position];
  }

  /** Returns the number of a property; NaN if there is none. */
  numberAt(position: number): number {
    const value = this.find(position);
    if (typeof value === "number") return value;
    return value instanceof Float ? value.value : Number.NaN;
  }
}
