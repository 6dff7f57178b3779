// A thread that changes a graph until it is terminated, which can happen at any point.

import { workerData } from "node:worker_threads";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { FakeClock } from "./fake-clock.js";
import { randomChange } from "./graph-change.js";
import { type ChangedGraph, makeChange, openForChanges, runChange } from "./make-change.js";
import { Random } from "./random.js";
import { Control } from "./thread-control.js";

export interface KilledThreadData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly seed: number;
  readonly control: Int32Array;
}

const IDS = Array.from({ length: 60 }, (_, index) => `v${index}`);
/** More arcs than one step of a deletion removes, several times. */
const HUB_ARCS = 400;

function run({ share, thread, seed, control }: KilledThreadData): void {
  const clock = new FakeClock().start();
  const changed = openForChanges(GraphStore.attach(share, thread), clock);
  const random = new Random(seed);
  Atomics.wait(control, Control.Go, 0);
  for (;;) {
    runChange(() => changeSomething(changed, random));
    Atomics.add(control, Control.Changes, 1);
    if (Atomics.load(control, Control.Pause) === 0) continue;
    // No record describes its locks.
    changed.graph.closeAll();
    Atomics.store(control, Control.Paused, 1);
    Atomics.notify(control, Control.Paused);
    Atomics.wait(control, Control.Pause, 1);
    Atomics.store(control, Control.Paused, 0);
  }
}

function changeSomething(changed: ChangedGraph, random: Random): void {
  const { graph } = changed;
  switch (random.below(150)) {
    case 0: {
      const arcs = 1 + random.below(HUB_ARCS);
      for (let index = 0; index < arcs; index++) graph.connect("hub", "to", `leaf ${index}`);
      return;
    }
    case 1:
    case 2:
      graph.deleteVertex("hub");
      return;
    case 3:
      graph.closeAll();
      graph.truncate(random.of(["person", "thing", null]));
      return;
    case 4:
      graph.closeAll();
      if (random.below(4) === 0) graph.truncate();
      return;
    case 5:
      graph.openVertex(random.of(IDS), "a");
      return;
    case 6:
    case 7:
    case 8:
      graph.closeAll();
      return;
    default:
      makeChange(changed, randomChange(random, IDS));
  }
}

run(workerData as KilledThreadData);
