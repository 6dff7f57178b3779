// Snapshots of graphs under change: each is the graph after some change, and a loaded graph behaves
// like the original.
// limit: 60 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { Session } from "../../runtime/graph/changes/sessions/session.js";
import { EventProcessor } from "../../runtime/graph/manager/event-processor.js";
import { loadGraph } from "../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../runtime/graph/manager/snapshot/save-graph.js";
import { Header } from "../../runtime/graph/memory/layout.js";
import { AccessError } from "../../runtime/graph/model/errors.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { graphContent } from "../runtime/graph/support/graph-content.js";
import { makeLarge, openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { startWorker } from "../support/start-worker.js";
import { Changing, type ChangingData } from "./support/changing-thread.js";
import { FakeClock } from "./support/fake-clock.js";
import { Random, SEED } from "./support/random.js";
import { changeAtRandom, timeless } from "./support/random-changes.js";

const ROUNDS = rounds(6);
const NAME = "changing";
const CHANGES_PER_SAVE = 300;
const HOLDS = 10;
const CHANGING_THREAD = new URL("./support/changing-thread.ts", import.meta.url);

const test = suite<{ folder: string; clock: FakeClock }>("random snapshots");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-snapshots-"));
  context.clock = new FakeClock();
});

test.after.each(({ folder, clock }) => {
  clock.stop();
  rmSync(folder, { recursive: true });
});

function load(folder: string): GraphStore {
  const store = loadGraph(NAME, folder, TEST_THREAD, { warn: (line) => assert.unreachable(line) });
  assert.ok(store);
  checkStore(store);
  return store;
}

/** Locks some vertices, half of them deleted by then; returns a function that releases them. */
function holdSome(store: GraphStore, random: Random): () => void {
  const [writer, reader] = [openStore(store), openStore(store)];
  const ids = new Set(random.list(HOLDS, () => random.of(writer.vertices())));
  for (const [index, id] of [...ids].entries()) {
    if (index % 3 === 2) reader.openVertex(id, "r");
    else writer.openVertex(id, "w");
  }
  for (const [index, id] of [...ids].entries()) if (index % 3 === 0) tryDelete(writer, id);
  return () => {
    writer.closeAll();
    reader.closeAll();
  };
}

/** It stays if the reader has locked the head of its arc. */
function tryDelete(graph: Graph, id: string): void {
  try {
    graph.deleteVertex(id);
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
  }
}

/** Changes a graph and advances its time. */
function change(store: GraphStore, random: Random, clock: FakeClock): void {
  const graph = openStore(store);
  for (let step = 0; step < CHANGES_PER_SAVE; step++) changeAtRandom(graph, random);
  clock.second += random.below(40);
  new EventProcessor({ store, session: new Session(store) }).run(clock.second);
}

test(`load to a graph that behaves like the original (seed ${SEED})`, ({ folder, clock }) => {
  const random = new Random();
  let original = GraphStore.create(NAME, TEST_THREAD);
  for (let round = 0; round < ROUNDS; round++) {
    change(original, random, clock.start());
    const letGo = holdSome(original, random);
    const isReadonly = original.memory.header.words[Header.LocksHeld] === 0;
    if (isReadonly) openStore(original).setGraphReadonly();
    saveGraph(original, folder);
    const loadedStore = load(folder);
    letGo();
    assert.equal(graphContent(loadedStore), graphContent(original));
    assert.is(loadedStore.isReadonly, isReadonly);
    const { second } = clock;
    const seed = random.below(2 ** 31);
    for (const store of [original, loadedStore]) {
      clock.second = second;
      openStore(store).clearGraphReadonly();
      change(store, new Random(seed), clock);
    }
    assert.equal(graphContent(loadedStore), graphContent(original));
    original = loadedStore;
  }
});

test(`contain the graph after some change (seed ${SEED})`, async ({ folder }) => {
  const store = GraphStore.create(NAME, TEST_THREAD);
  const state = new Int32Array(new SharedArrayBuffer(4));
  const data: ChangingData = { share: store.share, seed: SEED, state };
  const thread = startWorker(CHANGING_THREAD, data);
  const switchTo = (value: number): void => {
    Atomics.store(state, 0, value);
    Atomics.notify(state, 0);
  };
  // The same changes, repeated up to the moment of each snapshot.
  const random = new Random(SEED);
  const repeated = GraphStore.create(NAME, TEST_THREAD);
  for (const largeStore of [store, repeated]) makeLarge(openStore(largeStore));
  for (let round = 0; round < ROUNDS; round++) {
    switchTo(Changing.Running);
    const before = store.operationCount;
    while (store.operationCount < before + CHANGES_PER_SAVE) await nextTurn();
    saveGraph(store, folder);
    // Otherwise there would be more to repeat each time.
    switchTo(Changing.Paused);
    const loadedStore = load(folder);
    assert.ok(loadedStore.operationCount >= before + CHANGES_PER_SAVE);
    while (repeated.operationCount < loadedStore.operationCount) {
      changeAtRandom(openStore(repeated), random);
    }
    assert.equal(timeless(graphContent(loadedStore)), timeless(graphContent(repeated)));
  }
  await thread.terminate();
});

test.run();
