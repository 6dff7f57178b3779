// A thread that builds the text indexes of a graph until it is terminated, at any moment.

import { workerData } from "node:worker_threads";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { TextProcessor } from "../../../runtime/graph/texts/text-processor.js";

export interface TextBuilderData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
}

const { share, thread } = workerData as TextBuilderData;
const processor = new TextProcessor(GraphStore.attach(share, thread), (line) => {
  throw new Error(line);
});
const idle = new Int32Array(new SharedArrayBuffer(4));
for (;;) if (!processor.run(100)) Atomics.wait(idle, 0, 0, 1);
