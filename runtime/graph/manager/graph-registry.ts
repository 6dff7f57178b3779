// Registry of the graphs of a thread. A graph is removed from it as soon as any thread closes it.

import { graphEngine } from "./graph-engine.js";
import type { SharedGraph } from "./graph-source.js";
import type { RegisteredGraph } from "./registered-graph.js";

export class GraphRegistry {
  readonly #thread: number;
  readonly #moved: (graph: RegisteredGraph) => void;
  readonly #graphs = new Map<string, RegisteredGraph>();

  /**
   * @param thread number of the calling thread
   * @param moved called after a graph was relocated, when `shared` refers to its new memory
   */
  constructor(thread: number, moved: (graph: RegisteredGraph) => void = () => undefined) {
    this.#thread = thread;
    this.#moved = moved;
  }

  /**
   * Registers a graph, unless it is registered already. The graph engine must be loaded.
   * @returns null if the graph was relocated since it was shared, and will be shared again
   */
  add(shared: SharedGraph): RegisteredGraph | null {
    const { share, path, isLocal } = shared;
    const registered = this.find(share.name);
    if (registered !== null && registered.store.share.id === share.id) return registered;
    const { GraphStore, trackGraph } = graphEngine();
    const store = GraphStore.attach(share, this.#thread);
    const graph = { store, path, isLocal, shared };
    const isCurrent = trackGraph(
      store,
      () => this.forget(graph),
      () => this.#moved(graph),
    );
    if (!isCurrent) return null;
    this.#graphs.set(store.name, graph);
    return graph;
  }

  find(name: string): RegisteredGraph | null {
    const graph = this.#graphs.get(name);
    return graph === undefined || graph.store.memory.isRemoved ? null : graph;
  }

  /** Returns all graphs, sorted by name. */
  all(): RegisteredGraph[] {
    const all = [...this.#graphs.values()].filter(({ store }) => !store.memory.isRemoved);
    return all.sort((a, b) => (a.store.name < b.store.name ? -1 : 1));
  }

  /** Removes a graph, but not a later graph of the same name. */
  forget(graph: RegisteredGraph): void {
    const { name } = graph.store;
    if (this.#graphs.get(name) === graph) this.#graphs.delete(name);
  }
}
