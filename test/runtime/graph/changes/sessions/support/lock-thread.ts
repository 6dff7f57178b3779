// A thread that locks vertices of a graph on command, and reports the outcome.

import { once } from "node:events";
import { isMainThread, parentPort, type Worker } from "node:worker_threads";
import type { Graph } from "../../../../../../runtime/graph/api/graph.js";
import type { Vertex } from "../../../../../../runtime/graph/api/vertex.js";
import type { AccessMode } from "../../../../../../runtime/graph/changes/sessions/open-vertices.js";
import type { SharedGraphMemory } from "../../../../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../../../../runtime/graph/store/graph-store.js";
import { startWorker } from "../../../../../support/start-worker.js";
import { openStore } from "../../../support/make-graph.js";

/** Commands: open a graph, lock vertices, release all now or later, increment. */
type Order =
  | { readonly op: "use"; readonly share: SharedGraphMemory }
  | { readonly op: "open"; readonly ids: string[]; mode: AccessMode; timeout: number }
  | { readonly op: "escalate"; readonly timeout: number }
  | { readonly op: "release"; readonly afterMs: number }
  | { readonly op: "count"; readonly rounds: number };

const THREAD = 149;

let graph: Graph;
let opened: readonly Vertex[] = [];

if (!isMainThread) {
  parentPort!.on("message", (order: Order) => parentPort!.postMessage(act(order)));
}

function act(order: Order): string {
  try {
    switch (order.op) {
      case "use":
        graph = openStore(GraphStore.attach(order.share, THREAD));
        break;
      case "open":
        open(order);
        break;
      case "escalate":
        for (const vertex of opened) vertex.escalate(order.timeout);
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

function open({ ids, mode, timeout }: Order & { readonly op: "open" }): void {
  if (mode === "w") for (const id of ids) graph.openVertex(id, mode, timeout);
  else opened = graph.openVertices(ids, mode, timeout);
}

/** Increments by reading and writing, which loses counts if two threads overlap. */
export function countAlone(graph: Graph): void {
  const vertex = graph.openVertex("A", "a", -1);
  vertex.setProperty("n", (vertex.getProperty("n", 0) as number) + 1);
  vertex.close();
}

export class LockThread {
  /** Number of the thread in graphs. */
  static readonly number = THREAD;

  readonly #worker: Worker = startWorker(new URL(import.meta.url), null);

  /** Resolves with `done`, or with name and message of the error. */
  async order(order: Order): Promise<unknown> {
    this.#worker.postMessage(order);
    const [response] = await once(this.#worker, "message");
    return response;
  }

  /** Terminates the thread at any point. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
