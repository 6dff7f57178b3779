// A process that changes and saves a graph repeatedly until it is killed. It writes a line before
// each save, and another one after it.

import { writeSync } from "node:fs";
import { loadGraph } from "../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../runtime/graph/manager/snapshot/save-graph.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { makeLarge, openStore, TEST_THREAD } from "../../runtime/graph/support/make-graph.js";
import { Random } from "./random.js";
import { changeAtRandom } from "./random-changes.js";

export const SAVED_NAME = "saved";
const CHANGES_PER_STEP = 40;
const STEPS = "steps";
const FULL_EVERY = 7;

/** Makes the changes of one step, which depend on its number; the graph stores the number. */
export function makeStep(store: GraphStore, seed: number, step: number): void {
  const graph = openStore(store);
  // Most of the graph stays as it is, so that saves write deltas.
  if (step === 1) makeLarge(graph);
  const random = new Random(Math.imul(seed + step, 0x9e37_79b1) >>> 0);
  for (let change = 0; change < CHANGES_PER_STEP; change++) changeAtRandom(graph, random);
  graph.createVertex(STEPS, { properties: { done: step } });
}

export function countSteps(store: GraphStore): number {
  const { ids, keys, properties } = store;
  const vertex = ids.find(STEPS);
  return vertex === 0 ? 0 : Number(properties.get(vertex, keys.codeOf("done")));
}

if (process.argv[2] === "--save") saveForEver(process.argv[3]!, Number(process.argv[4]));

function saveForEver(folder: string, seed: number): never {
  const store =
    loadGraph(SAVED_NAME, folder, TEST_THREAD) ?? GraphStore.create(SAVED_NAME, TEST_THREAD);
  for (let step = countSteps(store) + 1; ; step++) {
    makeStep(store, seed, step);
    writeSync(1, `saving ${step}\n`);
    saveGraph(store, folder, { minDeltaGraphBytes: 0, isForced: step % FULL_EVERY === 0 });
    writeSync(1, `saved ${step}\n`);
  }
}
