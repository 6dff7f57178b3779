// An open graph as one thread hands it to whoever works with it: a request, a module, the runtime.

import type { GraphStore } from "../store/graph-store.js";
import type { Session } from "./session.js";

/** A graph, and who works on it. */
export interface SessionAccess {
  readonly store: GraphStore;
  readonly session: Session;
}

export interface GraphAccess extends SessionAccess {
  /** Folder of its snapshots, null where nothing is stored. */
  readonly path: string | null;
  /** Operations are not passed on to other instances. */
  readonly isLocal: boolean;
}
