// Graphs known to a thread; a graph is forgotten as soon as any thread closes it.

import { InternalError } from "../model/errors.js";
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
  readonly #graphs = new Map<string, RegisteredGraph>();

  /** @param thread number of the calling thread */
  constructor(thread: number) {
    this.#thread = thread;
  }

  add(shared: SharedGraph): RegisteredGraph {
    const { share, path, isLocal } = shared;
    const store = GraphStore.attach(share, this.#thread);
    const graph = { store, path, isLocal, shared };
    this.#graphs.set(store.name, graph);
    const isCurrent = trackGraph(store, () => this.forget(graph));
    if (!isCurrent) throw new InternalError(`graph "${store.name}" was relocated`);
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
