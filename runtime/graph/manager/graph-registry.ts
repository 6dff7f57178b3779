// Graphs known to a thread; a graph is forgotten as soon as any thread closes it.

import { GraphStore } from "../store/graph-store.js";
import type { SharedGraph } from "./graph-source.js";
import { trackGraph } from "./track-graph.js";

export interface RegisteredGraph {
  readonly store: GraphStore;
  /** Folder of its snapshots, null if it is not stored. */
  readonly path: string | null;
  /** Not replicated to other instances. */
  readonly isLocal: boolean;
  /** Form that crosses threads. */
  readonly shared: SharedGraph;
}

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
   * Registers a graph, unless it is registered already.
   * @returns null if the graph was relocated since it was shared: it is shared again then
   */
  add(shared: SharedGraph): RegisteredGraph | null {
    const { share, path, isLocal } = shared;
    const known = this.find(share.name);
    if (known !== null && known.store.share.id === share.id) return known;
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

  /** Forgets a graph, but not another one of the same name. */
  forget(graph: RegisteredGraph): void {
    const { name } = graph.store;
    if (this.#graphs.get(name) === graph) this.#graphs.delete(name);
  }
}
