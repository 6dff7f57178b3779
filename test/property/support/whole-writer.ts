// A thread that changes two vertices and many arcs in one change: a reader sees the same number in
// all of them, and as many arcs as the number determines.

import { workerData } from "node:worker_threads";
import { connect } from "../../../runtime/graph/changes/connect.js";
import { disconnect } from "../../../runtime/graph/changes/disconnect.js";
import { Session } from "../../../runtime/graph/changes/sessions/session.js";
import { setRank, setType } from "../../../runtime/graph/changes/vertices.js";
import type { SharedGraphMemory } from "../../../runtime/graph/memory/graph-memory.js";
import { D_IN, D_OUT, M_INT } from "../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { Random } from "./random.js";
import { arcsFor, FROM, LEAVES, TO, TYPES } from "./whole-graph.js";

export interface WholeWriterData {
  readonly share: SharedGraphMemory;
  readonly thread: number;
  readonly seed: number;
  /** Word 0: set to stop it. Word 1: the last number written. */
  readonly control: Int32Array;
}

const UNDONE = new Error("undone");

function run({ share, thread, seed, control }: WholeWriterData): void {
  const store = GraphStore.attach(share, thread);
  const access = { store, session: new Session(store) };
  const random = new Random(seed);
  const write = (number: number): void => {
    const arcs = arcsFor(number);
    for (let leaf = 0; leaf < LEAVES; leaf++) {
      const id = `leaf ${leaf}`;
      if (leaf < arcs) {
        connect(access, FROM, ["to", M_INT, number], id);
        connect(access, id, ["to", M_INT, number], TO);
      } else if (store.ids.find(id) !== 0) {
        disconnect(access, FROM, { arc: ["to", D_OUT], neighbor: id });
        disconnect(access, TO, { arc: ["to", D_IN], neighbor: id });
      }
    }
    for (const id of [FROM, TO]) {
      setRank(access, id, number, number);
      setType(access, id, TYPES[Math.abs(number) % TYPES.length]!);
    }
  };
  while (Atomics.load(control, 0) === 0) {
    const number = random.below(1 << 20);
    try {
      store.writer.mutate(() => {
        write(number);
        // A change that is rolled back must not be seen either.
        if (random.below(5) > 0) return;
        write(-1);
        throw UNDONE;
      });
      Atomics.store(control, 1, number);
    } catch (error) {
      if (error !== UNDONE) throw error;
    }
  }
}

run(workerData as WholeWriterData);
