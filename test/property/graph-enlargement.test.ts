// Arenas that are enlarged while threads change and read the graph, against models.
// THREADS=n threads, ROUNDS=n graphs.
// limit: 60 s

import { once } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { trackGraph } from "../../runtime/graph/manager/track-graph.js";
import { isEnlarged } from "../../runtime/graph/memory/graph-memory.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { BundledThread } from "./support/bundled-thread.js";
import type { EnlargingThreadData } from "./support/enlarging-thread.js";
import { SEED } from "./support/random.js";

const test = suite("enlargement of arenas");
const THREADS = Number(process.env.THREADS ?? 3);
const ROUNDS = rounds(3);
const CHANGES = 2000;
const bundled = new BundledThread(new URL("support/enlarging-thread.ts", import.meta.url));

for (let round = 0; round < ROUNDS; round++) {
  const seed = SEED + round * 100;
  test(`loses nothing while threads work (seed ${seed})`, async () => {
    const store = GraphStore.create("test", TEST_THREAD);
    assert.ok(trackGraph(store, () => {}));
    const control = new Int32Array(new SharedArrayBuffer(8));
    const workers = Array.from({ length: THREADS }, (_, index) => {
      const { share } = store;
      const thread = 100 + index;
      const data: EnlargingThreadData = {
        ...{ share, thread, seed: seed + index, changes: CHANGES, threads: THREADS, control },
      };
      return bundled.start(data);
    });
    const ended = workers.map((worker) => once(worker, "exit"));
    const codes = await Promise.all(ended);
    assert.equal(codes.flat(), Array(THREADS).fill(0));
    assert.is(Atomics.load(control, 1), THREADS);
    store.memory.refresh();
    assert.ok(store.memory.arenas.filter(isEnlarged).length > 6, "arenas were enlarged");
    checkStore(store);
  });
}

test.run();
