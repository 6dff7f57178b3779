// A thread that changes a graph while another one does; both write records to the same ring.

import { parentPort, workerData } from "node:worker_threads";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { FakeClock } from "./fake-clock.js";
import { randomChange } from "./graph-change.js";
import { makeChange, openForChanges, runChange } from "./make-change.js";
import { Random } from "./random.js";

export interface RecordingThreadData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly seed: number;
  readonly changes: number;
  /** Counts ready threads: all start when it equals `threads`. */
  readonly ready: Int32Array;
  readonly threads: number;
}

const IDS = Array.from({ length: 40 }, (_, index) => `v${index}`);

function run({ share, thread, seed, changes, ready, threads }: RecordingThreadData): void {
  const changed = openForChanges(GraphStore.attach(share, thread), new FakeClock().start());
  const random = new Random(seed);
  Atomics.add(ready, 0, 1);
  while (Atomics.load(ready, 0) < threads);
  for (let index = 0; index < changes; index++) {
    runChange(() => makeChange(changed, randomChange(random, IDS)));
  }
}

run(workerData as RecordingThreadData);
parentPort!.postMessage("done");
