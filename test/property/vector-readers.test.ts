// Searches beside a thread that sets vectors continuously: a vertex that always has one of two
// vectors is always found with one of these; exactly, and by an index that is built meanwhile.
// SECONDS=n runs longer.
// limit: 60 s

import { once } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_SIM } from "../../runtime/base/sort-constants.js";
import { F_RANK, R_SIMPLE } from "../../runtime/graph/model/constants.js";
import { recoverGraph } from "../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { IndexProcessor } from "../../runtime/graph/vectors/index-processor.js";
import { Vector } from "../../runtime/graph/vectors/vector.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { startWorker, waitForExit } from "../support/start-worker.js";

const test = suite("vectors during writes");
const SECONDS = Number(process.env.SECONDS ?? 2);
const WRITER = 120;
const PROBE = [1, 0.5, 0.25];
const VECTORS = [
  [1, 0.5, 0.2],
  [0.3, -1, 0.6],
];
const BEST = { sortby: S_SIM, vector: PROBE, hits: 1, fields: F_RANK, result: R_SIMPLE };
const SCORES = new Set(VECTORS.map((vector) => new Vector(vector).cosine(PROBE)));

test("find a vertex that always has a vector, with one that it had", async () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.index("vectors", { length: 3 });
  for (let index = 0; index < 500; index++) {
    graph.createVertex(`v${index}`, { vector: [-9, -(index % 10), -(index % 7)] });
  }
  graph.createVertex("swapped", { vector: VECTORS[0]! });
  for (const id of ["swapped", "v0", "v1"]) graph.connect("hub", "has", id);
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(100));
  const control = new SharedArrayBuffer(4);
  const data = { share: store.share, thread: WRITER, vectors: VECTORS, control };
  const writer = startWorker(new URL("./support/vector-swapper.ts", import.meta.url), data);
  const ended = waitForExit(writer);
  const readValues = new Set<number>();
  let searches = 0;
  // A thread that searches would delay its start.
  await once(writer, "message");
  const endAt = performance.now() + SECONDS * 1000;
  for (; readValues.size < SCORES.size || performance.now() < endAt; searches++) {
    const approximate = searches % 2 === 0 ? false : { ef: 64 };
    const nearest = graph.nearest(PROBE, { hits: 20, approximate });
    const swapped = nearest.find(({ id }) => id === "swapped");
    assert.ok(swapped, `search ${searches}`);
    assert.ok(SCORES.has(swapped!.similarity), `${swapped!.similarity}`);
    assert.is(new Set(nearest.map(({ id }) => id)).size, nearest.length, "nobody comes twice");
    const [best] = graph.neighborhood("hub", BEST) as unknown as number[];
    assert.ok(SCORES.has(best!), `${best}`);
    readValues.add(swapped!.similarity);
    processor.run(0.2);
    if (searches % 50 === 0) await new Promise((resume) => setImmediate(resume));
  }
  await writer.terminate();
  await ended;
  recoverGraph(store, WRITER);
  checkStore(store);
  while (processor.run(100));
  checkStore(store);
});

test.run();
