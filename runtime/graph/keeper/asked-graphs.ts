// Graphs for a thread that has to ask another one for them.

import type { MessagePort } from "node:worker_threads";
import { SyncAsker } from "../../wire/asker.js";
import { GRAPH_ERRORS } from "../model/crossing-errors.js";
import type { GraphAsk, GraphRequest, GraphSource, Repair, SharedGraph } from "./graph-source.js";

export class AskedGraphs implements GraphSource {
  readonly #port: SyncAsker<GraphAsk>;

  /** @param signal raised by the other side after each answer */
  constructor(port: MessagePort, signal: Int32Array) {
    this.#port = new SyncAsker(port, signal, GRAPH_ERRORS);
  }

  open(request: GraphRequest, giveUpAt: number): SharedGraph {
    return this.#port.ask({ op: "open", request }, giveUpAt) as SharedGraph;
  }

  find(name: string): SharedGraph | null {
    return this.#port.ask({ op: "find", name }, Number.POSITIVE_INFINITY) as SharedGraph | null;
  }

  names(): readonly string[] {
    return this.#port.ask({ op: "names" }, Number.POSITIVE_INFINITY) as readonly string[];
  }

  remove(name: string, isErased: boolean): boolean {
    const ask: GraphAsk = { op: "remove", name, isErased };
    return this.#port.ask(ask, Number.POSITIVE_INFINITY) as boolean;
  }

  sync(repair: Repair, timeoutMs: number): boolean {
    const ask: GraphAsk = { op: "sync", sync: { repair, timeoutMs } };
    return this.#port.ask(ask, Number.POSITIVE_INFINITY) as boolean;
  }
}
