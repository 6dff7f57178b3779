// Graphs for a thread that is told of each by message, and must never wait for another thread: what
// it is asked for by its clients is either there or not.

import type { GraphSource, SharedGraph } from "./graph-source.js";
import { KnownGraphs } from "./known-graphs.js";

export class ToldGraphs implements GraphSource {
  readonly #receive: () => void;
  readonly #graphs: KnownGraphs;

  /**
   * @param thread number of the calling thread
   * @param receive takes the messages that have come: one of them may tell of a graph
   */
  constructor(thread: number, receive: () => void) {
    this.#graphs = new KnownGraphs(thread);
    this.#receive = receive;
  }

  /** Makes an open graph known. */
  add(shared: SharedGraph): void {
    this.#graphs.add(shared);
  }

  find(name: string): SharedGraph | null {
    const known = this.#graphs.find(name);
    if (known !== null) return known.shared;
    this.#receive();
    return this.#graphs.find(name)?.shared ?? null;
  }

  names(): readonly string[] {
    return this.#graphs.all().map(({ store }) => store.name);
  }

  /** Built-in plugins neither make graphs nor let them go. */
  open(): never {
    throw new Error("graphs are opened by the main thread");
  }

  remove(): never {
    throw new Error("graphs are removed by the main thread");
  }
}
