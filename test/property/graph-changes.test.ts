// Random changes of graphs against a model of Maps, from one thread and from two. ROUNDS=n runs
// more, SEED=n repeats a run.
// limit: 60 s

import type { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { indexProperties } from "../../runtime/graph/changes/index-properties.js";
import { relocateGraph } from "../../runtime/graph/manager/graph-compactor.js";
import { trackGraph } from "../../runtime/graph/manager/track-graph.js";
import { hasThread } from "../../runtime/graph/memory/safepoint.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { BundledThread } from "./support/bundled-thread.js";
import { FakeClock } from "./support/fake-clock.js";
import { KEYS, randomChange, randomHubChange } from "./support/graph-change.js";
import { GraphModel } from "./support/graph-model.js";
import {
  makeChange,
  openForChanges,
  plainModel,
  plainStore,
  runChange,
} from "./support/make-change.js";
import type { ModelThreadData, ModelThreadResult } from "./support/model-thread.js";
import { Random, SEED } from "./support/random.js";

const test = suite<{ clock: FakeClock }>("graph changes");
const bundled = new BundledThread(new URL("support/model-thread.ts", import.meta.url));
const ROUNDS = rounds(2);
const CHANGES = 3000;
const HUB_CHANGES = 5000;
const THREADS = [101, 102];
const IDS = Array.from({ length: 60 }, (_, index) => `v${index}`);

test.before.each((context) => {
  context.clock = new FakeClock().start();
});

test.after.each(({ clock }) => {
  clock.stop();
});

test(`agree with a model (seed ${SEED})`, ({ clock }) => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const changed = openForChanges(GraphStore.create("test", TEST_THREAD), clock);
    const { store } = changed;
    for (const key of [...KEYS, null]) indexProperties(store, key, true);
    const model = new GraphModel();
    for (let index = 0; index < CHANGES; index++) {
      const change = randomChange(random, IDS);
      const expected = runChange(() => model.make(change, clock.second));
      const actual = runChange(() => makeChange(changed, change));
      assert.equal(actual, expected, `change ${index}: ${JSON.stringify(change)}`);
      if (index % 500 !== 0) continue;
      checkStore(store);
      assert.equal(plainStore(store, ""), plainModel(model));
    }
    checkStore(store);
    assert.equal(plainStore(store, ""), plainModel(model));
    assert.is(store.order, model.vertices.size);
    assert.is(store.size, model.arcs.size);
  }
});

test(`grow and shrink hubs and lists (seed ${SEED})`, ({ clock }) => {
  const random = new Random();
  const changed = openForChanges(GraphStore.create("test", TEST_THREAD), clock);
  const model = new GraphModel();
  const ids = Array.from({ length: 3000 }, (_, index) => `v${index}`);
  for (const isGrowing of [true, false, true, false]) {
    for (let index = 0; index < HUB_CHANGES; index++) {
      const change = randomHubChange(random, ids, isGrowing);
      const expected = runChange(() => model.make(change, clock.second));
      assert.equal(
        runChange(() => makeChange(changed, change)),
        expected,
        JSON.stringify(change),
      );
      if (index % 1500 === 0) checkStore(changed.store);
    }
    checkStore(changed.store);
    assert.is(changed.store.size, model.arcs.size);
    assert.is(changed.store.order, model.vertices.size);
  }
  changed.graph.deleteVertex("v0");
  changed.graph.disconnect("v1");
  checkStore(changed.store);
});

test(`agree with models in two threads (seed ${SEED})`, async ({ clock }) => {
  for (let round = 0; round < ROUNDS; round++) {
    const store = GraphStore.create("test", TEST_THREAD);
    await changeTogether(store, clock, { seed: SEED + 2 * round, changesAtOnce: 0 });
  }
});

test(`agree with models in two threads during compaction (seed ${SEED})`, async ({ clock }) => {
  const store = GraphStore.create("test", TEST_THREAD);
  trackGraph(store, () => {});
  let moves = 0;
  const moving = setInterval(() => {
    const isFollowed = THREADS.every((thread) => hasThread(store.memory, thread));
    if (isFollowed && relocateGraph(store)) moves++;
  }, 5);
  try {
    await changeTogether(store, clock, { seed: SEED, changesAtOnce: 20 });
  } finally {
    clearInterval(moving);
  }
  assert.ok(moves > 5, `it has moved ${moves} times`);
});

type Together = Pick<ModelThreadData, "seed" | "changesAtOnce">;

/** Two threads change their own vertices, and shared ones. */
async function changeTogether(store: GraphStore, clock: FakeClock, plan: Together): Promise<void> {
  const ready = new Int32Array(new SharedArrayBuffer(4));
  const results = await Promise.all(
    ["a", "b"].map((vertexId, index) => {
      const data: ModelThreadData = {
        ...{ share: store.share, thread: THREADS[index]!, ...plan, seed: plan.seed + index },
        ...{ ownIds: vertexId, shared: "s", changes: CHANGES, ready, threads: 2 },
      };
      return waitForResult(bundled.start(data));
    }),
  );
  // The clocks of the threads are ahead by now.
  clock.second += 3 * CHANGES;
  checkStore(store);
  ["a", "b"].forEach((vertexId, index) => {
    const result = results[index]!;
    if ("failure" in result) throw new Error(result.failure);
    assert.equal(plainStore(store, vertexId), result.ownModel);
  });
  const shared = Object.keys(plainStore(store, "s")).length;
  assert.ok(shared > 0);
  const sum = results.map((result) =>
    "ownModel" in result ? Object.keys(result.ownModel).length : 0,
  );
  assert.is(store.order, shared + sum[0]! + sum[1]!);
}

function waitForResult(worker: Worker): Promise<ModelThreadResult> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("ended without a result")));
    worker.once("message", (result: ModelThreadResult) => resolve(result));
  });
}

test.run();
