// Graphs for a thread that is told of each by message, and must never wait for another thread: what
// it is asked for by its clients is either there or not.

import { GraphStore } from "../store/graph-store.js";
import type { GraphSource, SharedGraph } from "./graph-source.js";
import { onRemoved } from "./removed-graphs.js";

interface Told {
  readonly shared: SharedGraph;
  readonly store: GraphStore;
}

export class ToldGraphs implements GraphSource {
  readonly #thread: number;
  readonly #receive: () => void;
  readonly #graphs = new Map<string, Told>();

  /**
   * @param thread number of the calling thread
   * @param receive takes the messages that have come: one of them may tell of a graph
   */
  constructor(thread: number, receive: () => void) {
    this.#thread = thread;
    this.#receive = receive;
  }

  /** Makes an open graph known. */
  add(shared: SharedGraph): void {
    const store = GraphStore.attach(shared.share, this.#thread);
    const told = { shared, store };
    this.#graphs.set(store.name, told);
    onRemoved(store, () => {
      if (this.#graphs.get(store.name) === told) this.#graphs.delete(store.name);
    });
  }

  find(name: string): SharedGraph | null {
    const known = this.#known(name);
    if (known !== null) return known;
    this.#receive();
    return this.#known(name);
  }

  names(): readonly string[] {
    return [...this.#graphs.keys()].filter((name) => this.#known(name) !== null).sort();
  }

  /** Built-in plugins neither make graphs nor let them go. */
  open(): never {
    throw new Error("graphs are opened by the main thread");
  }

  remove(): never {
    throw new Error("graphs are removed by the main thread");
  }

  #known(name: string): SharedGraph | null {
    const told = this.#graphs.get(name);
    return told === undefined || told.store.memory.isRemoved ? null : told.shared;
  }
}
