// The properties of one vertex that an expression reads, all of them read at one moment: between
// two looks at the sequence of its group. Until the frame is moved it does not look again.

import { Float } from "../../base/float.js";
import type { GraphStore } from "../store/graph-store.js";
import type { StoredValue } from "../store/property-values.js";

export class VertexFrame {
  readonly #store: GraphStore;
  /** 0 where there is no vertex. */
  handle = 0;
  #isRead = false;
  readonly #values: (StoredValue | undefined)[] = [];
  /** Codes of the keys that are read, 0 for those that no vertex has. */
  keys: readonly number[] = [];

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /** Goes to a vertex, which may be the same in another state. */
  move(handle: number): void {
    this.handle = handle;
    this.#isRead = false;
  }

  /** Value of the key at a place of `keys`; null if there is none. */
  property(place: number): StoredValue {
    return this.find(place) ?? null;
  }

  /** The same, undefined where the vertex does not have the property. */
  find(place: number): StoredValue | undefined {
    if (!this.#isRead) {
      this.#store.properties.storedAll(this.handle, this.keys, this.#values);
      this.#isRead = true;
    }
    return this.#values[place];
  }

  /** The number of a property; NaN if there is none. */
  numberAt(place: number): number {
    const value = this.find(place);
    if (typeof value === "number") return value;
    return value instanceof Float ? value.value : Number.NaN;
  }
}
