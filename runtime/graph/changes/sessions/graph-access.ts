// An open graph with a session, as passed to requests, modules and the runtime.

import type { GraphStore } from "../../store/graph-store.js";
import type { Session } from "./session.js";

/** A graph and the session that works on it. */
export interface SessionAccess {
  readonly store: GraphStore;
  readonly session: Session;
}

export interface GraphAccess extends SessionAccess {
  /** Folder of its snapshots, null if it is not stored. */
  readonly path: string | null;
  /** Not replicated to other instances. */
  readonly isLocal: boolean;
}
