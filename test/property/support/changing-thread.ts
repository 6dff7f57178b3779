// A thread that changes a graph as fast as it can, between pauses.

import { isMainThread, workerData } from "node:worker_threads";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { openStore } from "../../runtime/graph/support/make-graph.js";
import { Random } from "./random.js";
import { changeAtRandom } from "./random-changes.js";

/** Values of word 0 of `ChangingData.state`. */
export const Changing = { Paused: 0, Running: 1 } as const;

export interface ChangingData {
  readonly share: SharedGraphMemory;
  readonly seed: number;
  readonly state: Int32Array;
}

const THREAD = 99;

if (!isMainThread) change(workerData as ChangingData);

function change({ share, seed, state }: ChangingData): never {
  const graph = openStore(GraphStore.attach(share, THREAD));
  const random = new Random(seed);
  for (;;) {
    Atomics.wait(state, 0, Changing.Paused);
    while (Atomics.load(state, 0) === Changing.Running) changeAtRandom(graph, random);
  }
}
