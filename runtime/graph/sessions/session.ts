// A logical owner of vertex locks: a request, or the code at module level of a thread. It knows
// which vertices it holds, and how; the locks themselves lie in shared memory, where all threads
// see them and where those of a dead thread are found.

import type { GiveUpAt, SessionView } from "../changes/session-view.js";
import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";

export type AccessMode = "r" | "w" | "a";

/** A vertex that a session holds; all its handles share one. */
export interface Hold {
  readonly vertex: number;
  isWritable: boolean;
  /** How often it is held; 0 once it was released for good. */
  count: number;
}

export class Session implements SessionView {
  readonly id: number;
  readonly readonlyHeld = 0;
  readonly writableHeld = 0;
  readonly #store: GraphStore;

  constructor(store: GraphStore) {
    this.#store = store;
    this.id = ((store.writer.thread << 24) | 1) >>> 0;
  }

  awaitRelease(vertex: number, _seen: number, _giveUpAt: GiveUpAt): void {
    throw new InternalError(`not written ${this.#store.name} ${vertex}`);
  }
}
