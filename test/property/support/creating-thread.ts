// A thread that creates vertices with unique values, which another one creates at the same time,
// and reports the number of created vertices.

import { parentPort, workerData } from "node:worker_threads";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { openStore } from "../../runtime/graph/support/make-graph.js";

export interface CreatorData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly values: number;
  /** Number of threads that have arrived at a value. */
  readonly gate: Int32Array;
}

const { share, thread, values, gate } = workerData as CreatorData;
const graph = openStore(GraphStore.attach(share, thread));
let created = 0;
for (let value = 0; value < values; value++) {
  Atomics.add(gate, 0, 1);
  // Both begin with each value at once.
  while (Atomics.load(gate, 0) < 2 * (value + 1));
  try {
    created += graph.createVertex(`${thread} ${value}`, { type: "t", properties: { a: value } });
  } catch (error) {
    if ((error as { code?: string }).code !== "SVC2415") throw error;
  }
}
parentPort!.postMessage(created);
