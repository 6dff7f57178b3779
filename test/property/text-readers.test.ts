// Searches of two threads beside a writer and a builder that is terminated at any moment: unchanged
// texts are always found, exactly once, also while segments are merged and their memory is reused.
// ROUNDS=n terminates more builders, SEED=n repeats a run.
// limit: 120 s
// takes 10 s

import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { recoverGraph } from "../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { isPinnedBefore, readPinned, unpin } from "../../runtime/graph/texts/pins.js";
import { TextProcessor } from "../../runtime/graph/texts/text-processor.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { startWorker, waitForExit } from "../support/start-worker.js";
import { Random, SEED } from "./support/random.js";

const test = suite("text index during reads");
const ROUNDS = rounds(2);
const WRITES = 1500;
const REPLACED_SEARCHES = 200 * ROUNDS;
const BUILDER = 121;
const SEARCHERS = [122, 123];
const FIXED = 150;
const OTHERS = ["delta epsilon", "zeta", "epsilon zeta eta theta iota", "", "delta delta delta"];

test(`finds unchanged texts beside writers and dying builders (seed ${SEED})`, async () => {
  const random = new Random();
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.index("text", { keys: ["title", "body"] });
  for (let index = 0; index < FIXED; index++) {
    const properties = { title: "alpha beta gamma", body: `number ${index}` };
    graph.createVertex(`fixed${index}`, { properties });
  }
  graph.createVertex("swapped", { properties: { title: "swapword one" } });
  const controls = SEARCHERS.map(() => new Int32Array(new SharedArrayBuffer(8)));
  const searchers = SEARCHERS.map((thread, index) =>
    startWorker(new URL("./support/text-searcher.ts", import.meta.url), {
      ...{ share: store.share, thread, fixed: FIXED, control: controls[index]!.buffer },
    }),
  );
  const reports = searchers.map((searcher) => once(searcher, "message"));
  while (controls.some((words) => Atomics.load(words, 1) === 0)) await setImmediate();
  const write = (id: string, title: string): number =>
    graph.createVertex(id, { properties: { title } });
  for (let round = 0; round < ROUNDS; round++) {
    const data = { share: store.share, thread: BUILDER };
    const builder = startWorker(new URL("./support/text-index-builder.ts", import.meta.url), data);
    const ended = waitForExit(builder);
    const epoch = (): number => store.texts.retiredEpoch;
    const before = epoch();
    // The builder is terminated once it has merged something.
    for (let writes = 0; writes < WRITES || epoch() <= before; writes++) {
      const id = `v${random.below(400)}`;
      if (random.below(10) === 0) graph.deleteVertex(id);
      else write(id, random.of(OTHERS));
      if (writes % 7 === 0) write("swapped", `swapword ${random.of(OTHERS)}`);
      if (writes % 20 === 0) await new Promise((resume) => setTimeout(resume, 1));
    }
    await builder.terminate();
    await ended;
    recoverGraph(store, BUILDER);
    checkStore(store);
  }
  for (const words of controls) Atomics.store(words, 0, 1);
  for (const [{ faults }] of await Promise.all(reports)) assert.equal(faults, []);
  await Promise.all(searchers.map((searcher) => searcher.terminate()));
  const processor = new TextProcessor(store, assert.unreachable);
  while (processor.run(1000));
  checkStore(store);
  assert.is(graph.search("alpha", { hits: -1 }).length, FIXED);
  assert.is(graph.textIndexes()[0]!.pending, 0);
});

test("finds all texts while another index replaces it", async () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.index("text", { keys: ["title"] });
  graph.createVertex("fixed0", { properties: { title: "alpha beta gamma" } });
  graph.createVertex("swapped", { properties: { title: "swapword one" } });
  const control = new Int32Array(new SharedArrayBuffer(8));
  const searcher = startWorker(new URL("./support/text-searcher.ts", import.meta.url), {
    ...{ share: store.share, thread: SEARCHERS[0], fixed: 1, control: control.buffer },
  });
  const report = once(searcher, "message");
  let isFaulty = false;
  void report.then(() => {
    isFaulty = true;
  });
  for (let number = 0; Atomics.load(control, 1) < REPLACED_SEARCHES && !isFaulty; number++) {
    replaceIndex(graph, number);
    if (number % 20 === 0) await setImmediate();
  }
  Atomics.store(control, 0, 1);
  const [{ faults }] = await report;
  assert.equal(faults, []);
  await searcher.terminate();
});

/** By one change, or by two of a batch. */
function replaceIndex(graph: Graph, number: number): void {
  const options = { keys: ["title"], synonyms: [["replaced", `by${number}`]] };
  if (number % 2 === 0) graph.index("text", options);
  else {
    graph.batch(() => {
      graph.dropIndex("text");
      graph.index("text", options);
    });
  }
}

test("keeps retired segments while a thread reads, and frees them after it has died", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.index("text", { keys: ["title"] });
  graph.createVertex("a", { properties: { title: "alpha" } });
  const processor = new TextProcessor(store, assert.unreachable);
  while (processor.run(1000));
  readPinned(store.memory, BUILDER, () => {
    graph.dropIndex("text");
    const epoch = store.texts.retiredEpoch;
    assert.is(isPinnedBefore(store.memory, epoch), true);
    while (processor.run(1000));
    assert.is(store.texts.retiredEpoch, epoch, "memory is not reused");
    unpin(store.memory, BUILDER);
  });
  while (processor.run(1000));
  assert.is(store.texts.retiredEpoch, -1);
});

test.run();
