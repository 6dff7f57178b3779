// Graph source of a thread that is notified of each graph by message, so lookups never block.

import { GraphRegistry } from "./graph-registry.js";
import type { GraphRequest, GraphSource, RepairAction, SharedGraph } from "./graph-source.js";

const MAX_WAIT_MS = 5000;

export class PushedGraphSource implements GraphSource {
  readonly #receive: () => void;
  readonly #main: GraphSource;
  readonly #graphs: GraphRegistry;

  /**
   * @param thread number of the calling thread
   * @param receive handles pending messages, which may announce a graph
   * @param main source for graphs that are not open yet
   */
  constructor(thread: number, receive: () => void, main: GraphSource) {
    this.#graphs = new GraphRegistry(thread);
    this.#receive = receive;
    this.#main = main;
  }

  /** Registers an open graph. */
  add(shared: SharedGraph): void {
    this.#graphs.add(shared);
  }

  find(name: string): SharedGraph | null {
    const registered = this.#graphs.find(name);
    if (registered !== null) return registered.shared;
    this.#receive();
    return this.#graphs.find(name)?.shared ?? null;
  }

  names(): readonly string[] {
    return this.#graphs.all().map(({ store }) => store.name);
  }

  /** Opens a graph; the wait is bounded, because the main thread may be running a plugin. */
  open(request: GraphRequest, giveUpAt: number): SharedGraph {
    const latest = Math.min(giveUpAt, performance.now() + MAX_WAIT_MS);
    return this.find(request.name) ?? this.#main.open(request, latest);
  }

  remove(name: string, isErased: boolean): boolean {
    return this.#main.remove(name, isErased);
  }

  sync(repair: RepairAction, timeoutMs: number): boolean {
    return this.#main.sync(repair, timeoutMs);
  }
}
