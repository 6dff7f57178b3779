// What every graph object has: the store that it works on and the session that it works for. It
// opens graphs by name and refuses work once it is closed or the graph erased.

import { threadGraphs } from "../manager/this-thread.js";
import type { GraphOptions } from "../manager/thread-graphs.js";
import { AccessError } from "../model/errors.js";
import type { GraphAccess } from "../sessions/graph-access.js";

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
  constructor(name: string | GraphAccess, options?: GraphOptions) {
    this.#access = typeof name === "string" ? threadGraphs().open(name, options) : name;
    this.name = this.#access.store.name;
  }

  /** Releases this object; the graph itself stays. */
  close(): void {
    this.#access = null;
  }

  /** For the runtime: what the methods work on. */
  protected get access(): GraphAccess {
    const access = this.#access;
    if (access === null || access.store.memory.isRemoved) {
      throw new AccessError("Graph cannot be accessed");
    }
    return access;
  }

  static {
    accessOf = (graph) => graph.access;
  }
}
