// A thread that builds the indexes of a graph until it is terminated at any point.

import { workerData } from "node:worker_threads";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { IndexProcessor } from "../../../runtime/graph/vectors/index-processor.js";

export interface BuilderData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
}

const { share, thread } = workerData as BuilderData;
const processor = new IndexProcessor(GraphStore.attach(share, thread), (line) => {
  throw new Error(line);
});
const idle = new Int32Array(new SharedArrayBuffer(4));
for (;;) if (!processor.run(100)) Atomics.wait(idle, 0, 0, 1);
