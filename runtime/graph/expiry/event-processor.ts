// Removes what has expired, in the one thread that keeps graphs. It must never keep others from
// writing for long: it takes few vertices at a time, and lets go of the graph in between.

import type { SessionView } from "../changes/session-view.js";
import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";

export class EventProcessor {
  /** Looks every 250 ms from `start` to `stop`. */
  constructor(_store: GraphStore, _session: SessionView) {
    throw new InternalError("not written");
  }

  start(): void {}

  stop(): void {}

  /** Removes what is due at once; returns the number of vertices looked at. */
  run(_now: number): number {
    throw new InternalError("not written");
  }
}
