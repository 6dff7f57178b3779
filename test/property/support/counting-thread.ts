// A thread that counts in a graph until it is terminated, and reports its progress.

import { workerData } from "node:worker_threads";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { openStore } from "../../runtime/graph/support/make-graph.js";
import type { KilledThreadData } from "./killed-thread.js";
import { Control } from "./thread-control.js";

const { share, thread, seed, control } = workerData as KilledThreadData;
const graph = openStore(GraphStore.attach(share, thread));
Atomics.wait(control, Control.Go, 0);
for (;;) {
  const count = graph.count(`thread ${seed}`, "did", "counter");
  Atomics.store(control, Control.Changes, count);
  graph.count("all", "did", "counter");
}
