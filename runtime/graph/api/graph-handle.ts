// Base of graph objects: holds the store and the session. Opens graphs by name, and rejects calls
// after the object is closed or the graph is erased.

import type { GraphAccess } from "../changes/sessions/graph-access.js";
import type { GraphOptions } from "../manager/thread-graphs.js";
import { GRAPH_OPTIONS, threadGraphs } from "../manager/thread-graphs.js";
import { checkOptions, refuseFurther } from "../model/check-argument.js";
import { AccessError } from "../model/errors.js";

/** Returns store and session of a graph. @throws AccessError if it is closed or erased */
export let getAccess: (graph: GraphHandle) => GraphAccess;

export class GraphHandle {
  readonly name: string;
  #access: GraphAccess | null;

  /**
   * Opens a graph, or creates it.
   * @param name name of the graph; the runtime passes a graph that is already open
   * @throws DataError invalid name or path, or unreadable stored data; TypeError
   */
  constructor(name: string | GraphAccess, options: GraphOptions = {}, ...further: never[]) {
    refuseFurther(further, "options");
    checkOptions(options, GRAPH_OPTIONS);
    this.#access = typeof name === "string" ? threadGraphs().open(name, options) : name;
    this.name = this.#access.store.name;
  }

  /** Closes this object; the graph remains open for others. */
  close(): void {
    this.#access = null;
  }

  /** For methods and the runtime: store and session. */
  protected get access(): GraphAccess {
    const access = this.#access;
    return access === null || access.store.memory.isRemoved ? this.#replacement() : access;
  }

  /**
   * Returns the graph that a replica received in place of this one, for objects that outlive
   * requests.
   */
  #replacement(): GraphAccess {
    const access = this.#access;
    const isReplaced = access?.store.memory.isReplaced === true && !access.session.isOfRequest;
    const next = isReplaced ? threadGraphs().find(this.name) : null;
    if (next === null) throw new AccessError("Graph cannot be accessed");
    this.#access = next;
    return next;
  }

  static {
    getAccess = (graph) => graph.access;
  }
}
