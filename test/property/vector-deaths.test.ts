// Threads that build the vector index are terminated at any point, beside two searching threads and
// a writing one: results stay correct, and the next builder continues. ROUNDS=n kills more of them,
// SEED=n repeats a run.
// limit: 120 s

import { once } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recoverGraph } from "../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { IndexProcessor } from "../../runtime/graph/vectors/index-processor.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";
import { endOf, startWorker } from "./support/start-worker.js";

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
  const control = new SharedArrayBuffer(4);
  const probes = [fixed, vector(random), vector(random)];
  const searchers = SEARCHERS.map((thread) =>
    startWorker("./support/vector-searcher.ts", import.meta.url, {
      ...{ share: store.share, thread, probes, control },
    }),
  );
  const reports = searchers.map((searcher) => once(searcher, "message"));
  for (let round = 0; round < ROUNDS; round++) {
    const data = { share: store.share, thread: BUILDER };
    const builder = startWorker("./support/vector-builder.ts", import.meta.url, data);
    const ended = endOf(builder);
    const nodes = (): number => graph.indexes()[0]!.indexed + graph.indexes()[0]!.dead;
    const before = nodes();
    const wanted = 20 + random.below(VERTICES / 8);
    // Writers continue meanwhile; the builder dies after some progress.
    for (let writes = 0; Math.abs(nodes() - before) < wanted; writes++) {
      const id = `v${random.below(VERTICES)}`;
      if (random.below(10) === 0) graph.deleteVertex(id);
      else graph.createVertex(id, { vector: vector(random) });
      if (writes % 20 === 0) await new Promise((resume) => setImmediate(resume));
    }
    await builder.terminate();
    await ended;
    recoverGraph(store, BUILDER);
    checkStore(store);
  }
  Atomics.store(new Int32Array(control), 0, 1);
  for (const [report] of await Promise.all(reports)) {
    assert.equal(report.faults, []);
    assert.ok(report.searches > 0);
  }
  await Promise.all(searchers.map((searcher) => searcher.terminate()));
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(1000));
  while (processor.run(1000));
  checkStore(store);
  assert.is(graph.indexes()[0]!.indexed, store.vectors.count);
});

test.run();
