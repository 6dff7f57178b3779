// Snapshots of graphs that are being changed: each is the graph as it was after some change, and
// what is loaded goes on like the original.
// limit: 60 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadGraph } from "../../runtime/graph/snapshot/load-graph.js";
import { saveGraph } from "../../runtime/graph/snapshot/save-graph.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { graphContent } from "../runtime/graph/support/graph-content.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { startWorker } from "../runtime/graph/support/start-worker.js";
import { Changing, type ChangingData } from "./support/changing-thread.js";
import { Random, SEED } from "./support/random.js";
import { changeAtRandom, timeless } from "./support/random-changes.js";

const ROUNDS = Number(process.env.ROUNDS ?? 8);
const NAME = "changing";
const CHANGES_PER_SAVE = 300;
const CHANGING_THREAD = new URL("./support/changing-thread.ts", import.meta.url);

const test = suite<{ folder: string }>("snapshots of random graphs");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-snapshots-"));
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

function load(folder: string): GraphStore {
  const store = loadGraph(NAME, folder, TEST_THREAD, { warn: (line) => assert.unreachable(line) });
  assert.ok(store);
  checkStore(store);
  return store;
}

test(`what is loaded goes on like the original (seed ${SEED})`, ({ folder }) => {
  const random = new Random();
  let original = GraphStore.make(NAME, TEST_THREAD);
  for (let round = 0; round < ROUNDS; round++) {
    for (let change = 0; change < CHANGES_PER_SAVE; change++) {
      changeAtRandom(openStore(original), random);
    }
    saveGraph(original, folder);
    const loaded = load(folder);
    assert.equal(graphContent(loaded), graphContent(original));
    const seed = random.below(2 ** 31);
    for (const store of [original, loaded]) {
      const same = new Random(seed);
      for (let change = 0; change < CHANGES_PER_SAVE; change++) {
        changeAtRandom(openStore(store), same);
      }
    }
    assert.equal(timeless(graphContent(loaded)), timeless(graphContent(original)));
    original = loaded;
  }
});

test(`a snapshot is the graph as it was after some change (seed ${SEED})`, async ({ folder }) => {
  const store = GraphStore.make(NAME, TEST_THREAD);
  const state = new Int32Array(new SharedArrayBuffer(4));
  const data: ChangingData = { share: store.share, seed: SEED, state };
  const thread = startWorker(CHANGING_THREAD, data);
  const switchTo = (value: number): void => {
    Atomics.store(state, 0, value);
    Atomics.notify(state, 0);
  };
  // The same changes, made once more up to the moment of each snapshot.
  const random = new Random(SEED);
  const repeated = GraphStore.make(NAME, TEST_THREAD);
  for (let round = 0; round < ROUNDS; round++) {
    switchTo(Changing.Running);
    const before = store.operationCount;
    while (store.operationCount < before + CHANGES_PER_SAVE) await nextTurn();
    saveGraph(store, folder);
    // Or there would be more to repeat each time.
    switchTo(Changing.Paused);
    const loaded = load(folder);
    assert.ok(loaded.operationCount >= before + CHANGES_PER_SAVE);
    while (repeated.operationCount < loaded.operationCount) {
      changeAtRandom(openStore(repeated), random);
    }
    assert.equal(timeless(graphContent(loaded)), timeless(graphContent(repeated)));
  }
  await thread.terminate();
});

test.run();
