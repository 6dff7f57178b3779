// A thread that creates and deletes vertices, strings and names as fast as it can, so that all
// their tables grow, shrink and are reused, while another thread looks things up.

import { parentPort, workerData } from "node:worker_threads";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { UNTYPED } from "../../../runtime/graph/store/code-ranges.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { Random } from "./random.js";

export interface ChurnData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly seed: number;
  /** Word 0: set to stop it. Word 1: completed rounds. */
  readonly control: Int32Array;
}

const BATCH = 3000;
const REAL = 1;

export function makeVertex(store: GraphStore, id: string): number {
  const handle = store.vertices.allocate();
  store.ids.add(handle, id);
  store.vertices.setMeta(handle, UNTYPED, REAL);
  store.typeLists.add(UNTYPED, handle);
  return handle;
}

export function deleteVertex(store: GraphStore, handle: number): void {
  store.ids.remove(handle);
  store.typeLists.remove(UNTYPED, handle);
  store.vertices.free(handle);
}

function churn({ share, thread, seed, control }: ChurnData): void {
  const store = GraphStore.attach(share, thread);
  const { writer, strings, keys } = store;
  const random = new Random(seed);
  for (let round = 1; Atomics.load(control, 0) === 0; round++) {
    const created: [handle: number, text: number][] = [];
    const size = 1 + random.below(BATCH);
    for (let index = 0; index < size; index++) {
      const id = `churn ${random.below(4)} ${index}`;
      writer.mutate(() => {
        if (store.ids.find(id) === 0) created.push([makeVertex(store, id), strings.intern(id)]);
      });
    }
    if (round < 2000) writer.mutate(() => keys.define(`key${round}`));
    undo(store, created[0]![0]);
    for (const [handle, text] of created) {
      writer.mutate(() => {
        deleteVertex(store, handle);
        strings.release(text);
      });
    }
    Atomics.store(control, 1, round);
    Atomics.notify(control, 1);
  }
}

/** A mutation that fails after it has changed something of everything. */
function undo(store: GraphStore, handle: number): void {
  try {
    store.writer.mutate(() => {
      for (let index = 0; index < 100; index++) {
        makeVertex(store, `undone ${index}`);
        store.strings.intern(`undone ${index}`);
      }
      store.keys.define("undone");
      deleteVertex(store, handle);
      throw new Error("undo");
    });
  } catch {}
}

if (parentPort !== null) {
  churn(workerData as ChurnData);
  parentPort.postMessage("done");
}
