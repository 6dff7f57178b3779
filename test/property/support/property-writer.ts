// Thread that writes properties as fast as it can. Those of a vertex are always written together
// and agree: number `n`, string `text n`, list `[n, n]`. A negative number is never committed.

import { workerData } from "node:worker_threads";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { Random } from "./random.js";

export interface WriterTask {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly seed: number;
  readonly vertices: number;
  readonly keys: readonly [number: number, text: number, list: number];
  readonly rounds: number;
  /** Set when the thread has finished. */
  readonly done: Int32Array;
}

const UNDONE = new Error("undone");

function run(task: WriterTask): void {
  const { writer, properties } = GraphStore.attach(task.share, task.thread);
  const random = new Random(task.seed);
  const [number, text, list] = task.keys;
  const write = (vertex: number, value: number): void => {
    properties.set(vertex, number, value);
    properties.set(vertex, text, `text ${value}`);
    properties.set(vertex, list, [value, value]);
  };
  for (let round = 0; round < task.rounds; round++) {
    const vertex = 1 + random.below(task.vertices);
    const kind = random.below(8);
    try {
      writer.mutate(() => {
        if (kind < 5) write(vertex, random.below(1000));
        else if (kind < 7) properties.clear(vertex);
        else {
          write(vertex, -1 - random.below(1000));
          throw UNDONE;
        }
      });
    } catch (error) {
      if (error !== UNDONE) throw error;
    }
  }
}

const task = workerData as WriterTask;
try {
  run(task);
} finally {
  Atomics.store(task.done, 0, 1);
}
