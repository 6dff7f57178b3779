// A thread that changes vertices of its own, in parallel to a model of them, and others that
// another thread changes too. It reports the expected contents of its own ones at the end.

import { parentPort, workerData } from "node:worker_threads";
import { trackGraph } from "../../../runtime/graph/manager/track-graph.js";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { FakeClock } from "./fake-clock.js";
import { randomChange } from "./graph-change.js";
import { GraphModel } from "./graph-model.js";
import {
  makeChange,
  openForChanges,
  type PlainGraph,
  plainModel,
  runChange,
} from "./make-change.js";
import { Random } from "./random.js";

export interface ModelThreadData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly seed: number;
  /** Id prefixes of its own vertices, and of the others. */
  readonly ownIds: string;
  readonly shared: string;
  readonly changes: number;
  /** Both start when word 0 is the number of threads. */
  readonly ready: Int32Array;
  readonly threads: number;
  /** Changes between two safepoints for compaction; 0: none. */
  readonly changesAtOnce: number;
}

export type ModelThreadResult = { readonly ownModel: PlainGraph } | { readonly failure: string };

const VERTICES = 40;

function makeIds(prefix: string): string[] {
  return Array.from({ length: VERTICES }, (_, index) => `${prefix}${index}`);
}

async function run(data: ModelThreadData): Promise<ModelThreadResult> {
  const clock = new FakeClock().start();
  const changed = openForChanges(GraphStore.attach(data.share, data.thread), clock);
  if (data.changesAtOnce > 0) trackGraph(changed.store, () => {});
  const random = new Random(data.seed);
  const model = new GraphModel();
  const [ownIds, shared] = [makeIds(data.ownIds), makeIds(data.shared)];
  Atomics.add(data.ready, 0, 1);
  while (Atomics.load(data.ready, 0) < data.threads);
  for (let index = 0; index < data.changes; index++) {
    if (index % data.changesAtOnce === 0) await nextTask();
    runChange(() => makeChange(changed, randomChange(random, shared)));
    const change = randomChange(random, ownIds);
    const expected = JSON.stringify(runChange(() => model.make(change, clock.second)));
    const actual = JSON.stringify(runChange(() => makeChange(changed, change)));
    if (actual === expected) continue;
    return { failure: `change ${index}, ${JSON.stringify(change)}: ${actual}, not ${expected}` };
  }
  return { ownModel: plainModel(model) };
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

void run(workerData as ModelThreadData).then((result) => parentPort!.postMessage(result));
