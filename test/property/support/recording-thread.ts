// A thread that changes a graph beside another one and appends the record of each operation to a
// log that both share: the mutex, which it has while it is told of a record, keeps them in order.

import { parentPort, workerData } from "node:worker_threads";
import type { GraphShare } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { FakeClock } from "./fake-clock.js";
import { randomChange } from "./graph-change.js";
import { makeChange, openForChanges, outcomeOf } from "./make-change.js";
import { Random } from "./random.js";

export interface RecordingThreadData {
  readonly share: GraphShare;
  readonly thread: number;
  readonly seed: number;
  readonly changes: number;
  /** Both begin when it is the number of threads. */
  readonly ready: Int32Array;
  readonly threads: number;
  /** Word 0: bytes of the log. */
  readonly end: Int32Array;
  /** Each record behind its length in 4 bytes. */
  readonly log: Uint8Array;
}

const IDS = Array.from({ length: 40 }, (_, index) => `v${index}`);
const LENGTH_BYTES = 4;

function run({
  share,
  thread,
  seed,
  changes,
  ready,
  threads,
  end,
  log,
}: RecordingThreadData): void {
  const changed = openForChanges(GraphStore.attach(share, thread), new FakeClock().start());
  const random = new Random(seed);
  changed.store.recorder = (record) => {
    const at = end[0]!;
    new DataView(log.buffer).setUint32(at, record.length, true);
    log.set(record, at + LENGTH_BYTES);
    end[0] = at + LENGTH_BYTES + record.length;
  };
  Atomics.add(ready, 0, 1);
  while (Atomics.load(ready, 0) < threads);
  for (let index = 0; index < changes; index++) {
    outcomeOf(() => makeChange(changed, randomChange(random, IDS)));
  }
}

run(workerData as RecordingThreadData);
parentPort!.postMessage("done");
