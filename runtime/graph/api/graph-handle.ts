// Base of graph objects: the store they work on and the session they work for. Opens graphs by
// name, and rejects calls once it is closed or the graph is erased.

import type { GraphAccess } from "../changes/sessions/graph-access.js";
import type { GraphOptions } from "../manager/thread-graphs.js";
import { GRAPH_OPTIONS, threadGraphs } from "../manager/thread-graphs.js";
import { checkOptions, refuseFurther } from "../model/check-argument.js";
import { AccessError } from "../model/errors.js";

/** Returns what the methods of a graph work on; throws once it is closed. */
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

  /** For the runtime: what the methods work on. */
  protected get access(): GraphAccess {
    const access = this.#access;
    return access === null || access.store.memory.isRemoved ? this.#successor() : access;
  }

  /** Objects that outlive requests go on with the graph that a replica has received instead. */
  #successor(): GraphAccess {
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
