// A thread that repeatedly sets one of two vectors of a vertex, among others that it moves. Once it
// has set both, it sends a message.

import { parentPort, workerData } from "node:worker_threads";
import { Graph } from "../../../runtime/graph/api/graph.js";
import { Session } from "../../../runtime/graph/changes/sessions/session.js";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";

export interface SwapperData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly vectors: readonly (readonly number[])[];
  /** First word: 1 stops it. */
  readonly control: SharedArrayBuffer;
}

const { share, thread, vectors, control } = workerData as SwapperData;
const store = GraphStore.attach(share, thread);
const graph = new Graph({ store, session: new Session(store), path: null, isLocal: false });
const words = new Int32Array(control);
for (let round = 0; Atomics.load(words, 0) === 0; round++) {
  graph.createVertex("swapped", { vector: vectors[round % vectors.length]! });
  graph.createVertex(`other ${round % 7}`, { vector: vectors[(round * 3) % vectors.length]! });
  if (round === 1) parentPort!.postMessage("started");
}
