// Threads that build the vector index are terminated at any point, beside two searching threads and
// a writing one: results stay correct, and the next builder continues. Likewise while the precision
// moves. ROUNDS=n kills more builders, SEED=n repeats a run.
// limit: 120 s

import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  convertVectors,
  countOtherPrecision,
} from "../../runtime/graph/changes/vector-settings.js";
import { recoverGraph } from "../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { IndexProcessor } from "../../runtime/graph/vectors/index-processor.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { startWorker, waitForExit } from "../support/start-worker.js";
import { Random, SEED } from "./support/random.js";

const test = suite("killed index builders");
const ROUNDS = rounds(2);
const BUILDER = 121;
const SEARCHERS = [122, 123];
const LENGTH = 24;
const VERTICES = 600;

function vector(random: Random): number[] {
  return Array.from({ length: LENGTH }, () => random.below(2001) / 1000 - 1);
}

test(`leave a consistent index that the next one continues (seed ${SEED})`, async () => {
  const random = new Random();
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.index("vectors", { length: LENGTH });
  const fixed = vector(random);
  graph.createVertex("fixed", { vector: fixed });
  for (let index = 0; index < VERTICES; index++) {
    graph.createVertex(`v${index}`, { vector: vector(random) });
  }
  const probes = [fixed, vector(random), vector(random)];
  const controls = SEARCHERS.map(() => new Int32Array(new SharedArrayBuffer(8)));
  const searchers = SEARCHERS.map((thread, index) =>
    startWorker(new URL("./support/vector-searcher.ts", import.meta.url), {
      ...{ share: store.share, thread, probes, control: controls[index]!.buffer },
    }),
  );
  const reports = searchers.map((searcher) => once(searcher, "message"));
  while (controls.some((words) => Atomics.load(words, 1) === 0)) await setImmediate();
  for (let round = 0; round < ROUNDS; round++) {
    const data = { share: store.share, thread: BUILDER };
    const builder = startWorker(new URL("./support/vector-builder.ts", import.meta.url), data);
    const ended = waitForExit(builder);
    const nodes = (): number => graph.indexes()[0]!.indexed + graph.indexes()[0]!.dead;
    const before = nodes();
    const minVertices = 20 + random.below(VERTICES / 8);
    // Writers continue meanwhile; the builder dies after some progress.
    for (let writes = 0; Math.abs(nodes() - before) < minVertices; writes++) {
      const id = `v${random.below(VERTICES)}`;
      if (random.below(10) === 0) graph.deleteVertex(id);
      else graph.createVertex(id, { vector: vector(random) });
      if (writes % 20 === 0) await setImmediate();
    }
    await builder.terminate();
    await ended;
    recoverGraph(store, BUILDER);
    checkStore(store);
  }
  for (const words of controls) Atomics.store(words, 0, 1);
  for (const [{ faults }] of await Promise.all(reports)) assert.equal(faults, []);
  await Promise.all(searchers.map((searcher) => searcher.terminate()));
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(1000));
  while (processor.run(1000));
  checkStore(store);
  assert.is(graph.indexes()[0]!.indexed, store.vectors.count);
});

test(`precision moves while others search, write and build (seed ${SEED})`, async () => {
  const random = new Random();
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const fixed = vector(random);
  const names = ["title", "image"];
  const set = (id: string): void => {
    const vectors = Object.fromEntries(names.map((name) => [name, vector(random)]));
    graph.createVertex(id, { vector: vector(random), vectors });
  };
  graph.index("vectors", { length: LENGTH });
  graph.index("vectors", { length: LENGTH, name: "title" });
  graph.createVertex("fixed", { vector: fixed, vectors: { title: fixed } });
  for (let index = 0; index < VERTICES / 3; index++) set(`v${index}`);
  const control = new SharedArrayBuffer(8);
  const builder = startWorker(new URL("./support/vector-builder.ts", import.meta.url), {
    ...{ share: store.share, thread: BUILDER },
  });
  const searcher = startWorker(new URL("./support/vector-searcher.ts", import.meta.url), {
    ...{ share: store.share, thread: SEARCHERS[0], probes: [fixed, vector(random)], control },
  });
  const report = once(searcher, "message");
  const words = new Int32Array(control);
  while (Atomics.load(words, 1) === 0) await setImmediate();
  for (const precision of ["float16", "float32"] as const) {
    for (const name of ["", ...names]) graph.setVectorSettings({ precision }, name);
    for (const _ of convertVectors(store)) {
      set(`v${random.below(VERTICES / 3)}`);
      if (random.below(8) === 0) graph.deleteVertex(`v${random.below(VERTICES / 3)}`);
      assert.is(graph.nearest({ title: fixed }, { hits: 1 })[0]!.id, "fixed");
      await setImmediate();
    }
    assert.is(countOtherPrecision(store), 0);
  }
  Atomics.store(words, 0, 1);
  const [{ faults }] = await report;
  assert.equal(faults, []);
  await Promise.all([builder, searcher].map((worker) => worker.terminate()));
  recoverGraph(store, BUILDER);
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(1000));
  while (processor.run(1000));
  checkStore(store);
  const built = graph.indexes().filter(({ vectors }) => vectors > 0);
  assert.ok(built.every(({ indexed, vectors }) => indexed === vectors));
  assert.equal([...new Set(built.map(({ precision }) => precision))], ["float32"]);
  assert.is(built.length, 2);
});

test.run();
