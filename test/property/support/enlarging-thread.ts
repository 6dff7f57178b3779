// A thread that changes its own part of a graph, compares every read with a model, and requests the
// enlargement of arenas in between.

import { setImmediate as nextTurn } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { trackGraph } from "../../../runtime/graph/manager/track-graph.js";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { D_OUT, M_INT } from "../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { openStore } from "../../runtime/graph/support/make-graph.js";
import { Random } from "./random.js";

export interface EnlargingThreadData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly seed: number;
  readonly changes: number;
  readonly threads: number;
  /** Number of threads that have attached, and that have finished. */
  readonly control: Int32Array;
}

const { share, thread, seed, changes, threads, control } = workerData as EnlargingThreadData;
const random = new Random(seed);
const store = GraphStore.attach(share, thread);
if (!trackGraph(store, () => {})) throw new Error("the share is current");
const graph = openStore(store);
const model = new Map<string, { arcs: Map<string, number>; text: string }>();
const keys = Array.from({ length: 30 }, (_, index) => `${thread} ${index}`);

void run();

async function run(): Promise<void> {
  Atomics.add(control, 0, 1);
  // All begin at once, and keep arriving at safepoints until the last one has finished.
  while (Atomics.load(control, 0) < threads) await nextTurn();
  for (let change = 0; change < changes; change++) {
    step();
    if (random.below(10) === 0) await nextTurn();
  }
  Atomics.add(control, 1, 1);
  while (Atomics.load(control, 1) < threads) await nextTurn();
  process.exit(0);
}

function step(): void {
  const key = random.of(keys);
  const known = model.get(key) ?? { arcs: new Map<string, number>(), text: "" };
  switch (random.below(6)) {
    case 0: {
      const text = `${random.below(1e9)}`.padEnd(random.below(2000), ".");
      graph.deleteVertex(key);
      known.arcs.clear();
      graph.createVertex(key, { type: `type${random.below(5)}`, properties: { text } });
      known.text = text;
      break;
    }
    case 1:
      graph.deleteVertex(key);
      known.text = "";
      known.arcs.clear();
      break;
    case 2:
      if (random.below(20) === 0) store.memory.requestEnlargement(random.of(store.memory.arenas));
      break;
    default: {
      const terminal = `${thread} leaf ${random.below(60)}`;
      const value = random.below(1000);
      graph.connect(key, ["to", M_INT, value], terminal);
      known.arcs.set(terminal, value);
    }
  }
  model.set(key, known);
  compare(key, known);
}

function compare(key: string, known: { arcs: Map<string, number>; text: string }): void {
  const degree = graph.hasVertex(key) ? graph.degree(key, ["to", D_OUT, M_INT]) : 0;
  if (degree !== known.arcs.size) throw new Error(`${key}: degree ${degree}, ${known.arcs.size}`);
  for (const [terminal, value] of known.arcs) {
    const stored = graph.arcValue(key, "to", terminal);
    if (stored !== value) throw new Error(`${key} -> ${terminal}: ${String(stored)}, ${value}`);
  }
  if (known.text === "") return;
  const text = graph.getVertex(key)?.properties.text;
  if (text !== known.text) throw new Error(`${key}: ${String(text)}`);
}
