// What every graph object has: the store that it works on and the session that it works for. It
// opens graphs by name and refuses work once it is closed or the graph erased.

import { AccessError, InternalError } from "./errors.js";
import { Header } from "./memory/layout.js";
import type { Session } from "./sessions/session.js";
import type { GraphStore } from "./store/graph-store.js";

/** An open graph, as the runtime hands it to a request. */
export interface GraphAccess {
  readonly store: GraphStore;
  readonly session: Session;
  /** Folder of its snapshots, null where nothing is stored. */
  readonly path: string | null;
  /** Operations are not passed on to other instances. */
  readonly isLocal: boolean;
}

export interface GraphOptions {
  /** Folder below the root; default: the name. */
  readonly path?: string | undefined;
  /** Operations are not passed on to other instances. Default false. */
  readonly local?: boolean | undefined;
  /** Milliseconds to wait until the graph is open. */
  readonly timeout?: number | undefined;
}

/** What the methods of a graph work on; throws once it is closed. */
export let accessOf: (graph: GraphHandle) => GraphAccess;

export class GraphHandle {
  readonly name: string;
  #access: GraphAccess | null;

  /**
   * Opens a graph, or makes it.
   * @param name what the graph is called; the runtime itself gives what it has opened
   * @throws DataError for a bad name or path, or stored data that cannot be read
   */
  constructor(name: string | GraphAccess, _options: GraphOptions = {}) {
    if (typeof name === "string") throw new InternalError(`not written: opening ${name}`);
    this.#access = name;
    this.name = name.store.name;
  }

  /** Releases this object; the graph itself stays. */
  close(): void {
    this.#access = null;
  }

  /** For the runtime: what the methods work on. */
  protected get access(): GraphAccess {
    const access = this.#access;
    if (access === null || access.store.memory.header.words[Header.Erased] !== 0) {
      throw new AccessError("Graph cannot be accessed");
    }
    return access;
  }

  static {
    accessOf = (graph) => graph.access;
  }
}
