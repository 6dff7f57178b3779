// A thread that changes a graph as fast as it can, until word 0 of `stop` is set.

import { parentPort, workerData } from "node:worker_threads";
import type { GraphShare } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { openStore } from "../../runtime/graph/support/make-graph.js";
import { Random } from "./random.js";
import { changeAtRandom } from "./random-changes.js";

export interface ChangingData {
  readonly share: GraphShare;
  readonly seed: number;
  readonly stop: Int32Array;
}

const THREAD = 99;
const { share, seed, stop } = workerData.data as ChangingData;
const graph = openStore(GraphStore.attach(share, THREAD));
const random = new Random(seed);
while (Atomics.load(stop, 0) === 0) changeAtRandom(graph, random);
parentPort!.postMessage("stopped");
