// A vertex that is read without a lock, as queries do: other sessions may change and even remove
// it, and need not wait.

import { KeyError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { OpenedVertex } from "./session.js";

export class ReadHandle implements OpenedVertex {
  readonly vertex: number;
  readonly isWritable = false;
  readonly #store: GraphStore;
  readonly #generation: number;

  /** @throws KeyError if there is no such vertex */
  constructor(store: GraphStore, id: string) {
    const { ids, vertices } = store;
    this.#store = store;
    for (;;) {
      this.vertex = ids.resolve(id);
      if (this.vertex === 0) throw new KeyError(`Object does not exist: '${id}'`);
      this.#generation = vertices.generationOf(this.vertex);
      // The handle may have been reused before its generation was read.
      if (vertices.isUsed(this.vertex) && ids.resolve(id) === this.vertex) return;
    }
  }

  /** 1 while the vertex exists, then 0. */
  get count(): number {
    const { vertices } = this.#store;
    const isSame = vertices.generationOf(this.vertex) === this.#generation;
    return isSame && vertices.isUsed(this.vertex) ? 1 : 0;
  }
}
