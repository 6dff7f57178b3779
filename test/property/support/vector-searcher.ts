// A thread that searches and counts; its hits must be correct at that moment.

import { parentPort, workerData } from "node:worker_threads";
import { Graph } from "../../../runtime/graph/api/graph.js";
import { Session } from "../../../runtime/graph/changes/sessions/session.js";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";

export interface SearcherData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly probes: readonly (readonly number[])[];
  /** First word: 1 stops it; second word: number of searches so far. */
  readonly control: SharedArrayBuffer;
}

const { share, thread, probes, control } = workerData as SearcherData;
const store = GraphStore.attach(share, thread);
const graph = new Graph({ store, session: new Session(store), path: null, isLocal: false });
const words = new Int32Array(control);
let searches = 0;
const faults: string[] = [];
while (Atomics.load(words, 0) === 0) {
  const probe = probes[searches % probes.length]!;
  const nearest = graph.nearest(probe, { hits: 10, approximate: { ef: 32 } });
  const scores = nearest.map(({ similarity }) => similarity);
  const isSorted = scores.every((score, index) => index === 0 || score <= scores[index - 1]!);
  if (!isSorted) faults.push(`not sorted: ${scores}`);
  if (new Set(nearest.map(({ id }) => id)).size !== nearest.length)
    faults.push("somebody comes twice");
  // It is never changed, and no vertex is nearer to this probe.
  if (searches % probes.length === 0 && nearest[0]?.id !== "fixed")
    faults.push(`${nearest[0]?.id}`);
  searches++;
  Atomics.store(words, 1, searches);
}
parentPort!.postMessage({ faults });
