// A thread that holds vertices of a graph as it is told, and tells what came of it.

import { once } from "node:events";
import { isMainThread, parentPort, type Worker, workerData } from "node:worker_threads";
import type { Graph } from "../../../../../runtime/graph/graph.js";
import type { GraphShare } from "../../../../../runtime/graph/memory/graph-memory.js";
import type { AccessMode } from "../../../../../runtime/graph/sessions/open-vertices.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { openStore } from "../../support/make-graph.js";
import { startWorker } from "../../support/start-worker.js";

/** What the thread is told: to open vertices, to release all, now or later, to count up. */
type Order =
  | { readonly op: "open"; readonly ids: string[]; mode: AccessMode; timeout: number }
  | { readonly op: "release"; readonly afterMs: number }
  | { readonly op: "count"; readonly rounds: number };

const THREAD = 149;

if (!isMainThread) obey((workerData.data as { share: GraphShare }).share);

function obey(share: GraphShare): void {
  const graph = openStore(GraphStore.attach(share, THREAD));
  parentPort!.on("message", (order: Order) => parentPort!.postMessage(act(graph, order)));
  parentPort!.postMessage("ready");
}

function act(graph: Graph, order: Order): string {
  try {
    switch (order.op) {
      case "open":
        open(graph, order);
        break;
      case "release":
        if (order.afterMs === 0) graph.closeAll();
        else setTimeout(() => graph.closeAll(), order.afterMs);
        break;
      case "count":
        for (let round = 0; round < order.rounds; round++) countAlone(graph);
    }
    return "done";
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

function open(graph: Graph, { ids, mode, timeout }: Order & { readonly op: "open" }): void {
  if (mode === "w") for (const id of ids) graph.openVertex(id, mode, timeout);
  else graph.openVertices(ids, mode, timeout);
}

/** Adds one by reading and writing, which loses counts where two do it at once. */
export function countAlone(graph: Graph): void {
  const vertex = graph.openVertex("A", "a", -1);
  vertex.setProperty("n", (vertex.getProperty("n", 0) as number) + 1);
  vertex.close();
}

export class LockThread {
  readonly #worker: Worker;
  readonly #ready: Promise<unknown>;

  constructor(share: GraphShare) {
    this.#worker = startWorker(new URL(import.meta.url), { share });
    this.#ready = this.#answer();
  }

  /** Resolves with `done`, or with the error's name and text. */
  async order(order: Order): Promise<unknown> {
    await this.#ready;
    this.#worker.postMessage(order);
    return this.#answer();
  }

  /** Ends the thread, whatever it does, and resolves with its number in graphs. */
  async end(): Promise<number> {
    await this.#worker.terminate();
    return THREAD;
  }

  async #answer(): Promise<unknown> {
    const [answer] = await once(this.#worker, "message");
    return answer;
  }
}
