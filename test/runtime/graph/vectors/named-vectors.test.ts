// Several vectors of a vertex by name: set, searched alone and together, in log records, in indexes
// and in snapshots.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { applyTransaction } from "../../../../runtime/graph/log/apply-transaction.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { verifyDigest } from "../../../../runtime/graph/store/verify-digest.js";
import { IndexProcessor } from "../../../../runtime/graph/vectors/index-processor.js";
import { MAX_VECTOR_NAMES } from "../../../../runtime/graph/vectors/vector-fields.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, takeUnits } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  graph: Graph;
}

const test = suite<Context>("named vectors");

test.before.each((context) => {
  const store = loggedStore();
  Object.assign(context, { store, graph: openStore(store) });
});

test.after.each(({ store }) => {
  checkStore(store);
  assert.ok(verifyDigest(store));
});

/** A page with a text and a picture, and others that have one of both. */
function fill(graph: Graph): void {
  graph.createVertex("both", { vectors: { title: [1, 0], image: [1, 0, 0] } });
  graph.createVertex("near", { vectors: { title: [1, 0.1], image: [0, 1, 0] } });
  graph.createVertex("far", { vectors: { title: [0, 1], image: [0, 0, 1] } });
  graph.createVertex("text", { vectors: { title: [1, 0] }, vector: [5] });
}

test("are independent of each other and of the vector without a name", ({ graph }) => {
  fill(graph);
  using vertex = graph.openVertex("text");
  assert.equal(
    [vertex.hasVector(), vertex.hasVector("title"), vertex.hasVector("image")],
    [true, true, false],
  );
  assert.ok(vertex.getVector("title").equals([1, 0]));
  assert.is(vertex.getVector("image").length, 0);
  assert.is(vertex.getVector("unknown").length, 0);
  vertex.setVector([0, 0, 2], "image");
  assert.ok(vertex.getVector("image").equals([0, 0, 2]));
  assert.ok(vertex.removeVector("title"));
  assert.not(vertex.removeVector("title"));
  assert.not(vertex.removeVector("unknown"));
  assert.equal([vertex.hasVector(), vertex.hasVector("image")], [true, true]);
  vertex.setVector([], "image");
  assert.not(vertex.hasVector("image"));
  assert.is(graph.objcnt.vectors, 7);
});

test("are found for several vertices at once as for one", ({ graph, store }) => {
  fill(graph);
  const ids = ["far", "text", "both", "near"];
  const handles = Uint32Array.from([...ids.map((id) => store.ids.find(id)), 2 ** 20]);
  for (const name of ["", "title", "image"]) {
    const table = store.vectorFields.require(store.keys.codeOf(name));
    const slots = new Uint32Array(handles.length).fill(7);
    table.findSlots(handles, slots, handles.length);
    const single = Array.from(handles, (handle) => table.slotOf(handle));
    assert.equal([...slots], single);
    assert.ok(new Set(single).size > 1);
  }
});

test("are removed with their vertex, and with all vertices", ({ graph }) => {
  fill(graph);
  graph.deleteVertex("both");
  assert.equal(graph.vectorNames, {
    title: { precision: "int8", measure: "cosine", vectors: 3 },
    image: { precision: "int8", measure: "cosine", vectors: 2 },
  });
  graph.truncate();
  assert.equal([graph.vectorNames, graph.objcnt.vectors], [{}, 0]);
  assert.equal(graph.nearest({ title: [1] }), []);
  graph.createVertex("a", { vectors: { image: [1] } });
  assert.equal(graph.nearest({ image: [1] }), [{ id: "a", similarity: 1 }]);
});

test("are searched by one name", ({ graph }) => {
  fill(graph);
  const hits = graph.nearest({ title: [1, 0] }, { hits: 2 });
  assert.equal(
    hits.map(({ id }) => id),
    ["both", "text"],
  );
  assert.is(graph.nearest({ image: [0, 1] }, { hits: 1 })[0]!.id, "near");
  assert.equal(graph.nearest({ unknown: [1] }), []);
  using vertex = graph.openVertex("near");
  assert.is(graph.nearest({ image: vertex }, { hits: 1 })[0]!.id, "near");
  assert.throws(() => graph.nearest({ title: [] }), /the probe of "title" is a null vector/);
  assert.throws(() => graph.nearest({}), /probe has no vectors/);
});

test("are searched together, by weights", ({ graph }) => {
  fill(graph);
  const probe = { title: [1, 0], image: [0, 1, 0] };
  const ids = (weights?: Record<string, number>): string[] =>
    graph.nearest(probe, { ...(weights && { weights }) }).map(({ id }) => id);
  assert.equal(ids(), ["near", "both", "far"]);
  assert.equal(ids({ title: 1000 }), ["both", "near", "far"]);
  const [best] = graph.nearest(probe, { hits: 1, weights: { title: 2, image: 3 } });
  assert.ok(Math.abs(best!.similarity - (2 * Math.cos(Math.atan(0.1)) + 3)) < 0.01);
  assert.throws(() => ids({ title: 0 }), /invalid weight/);
  assert.throws(() => ids({ titel: 1 }), /weight without a probe/);
});

test("have their own precision, measure and kind", ({ graph }) => {
  graph.setVectorSettings({ precision: "float32", measure: "l2" }, "title");
  graph.createVertex("a", { vectors: { title: [0.1, 0.2], tags: [["red", 1]] }, vector: [1] });
  graph.createVertex("b", { vectors: { title: [3.1, 4.2], tags: [["blue", 1]] } });
  using a = graph.openVertex("a");
  assert.equal([...a.getVector("title").external].slice(0, 2), [0.1, 0.2].map(Math.fround));
  const [, second] = graph.nearest({ title: [0.1, 0.2] });
  assert.ok(Math.abs(second!.similarity + 5) < 1e-6);
  const both = graph.nearest({ title: [0.1, 0.2], tags: [["blue", 1]] }, { weights: { tags: 9 } });
  assert.equal(
    both.map(({ id }) => id),
    ["b", "a"],
  );
  assert.throws(() => a.setVector([1, 2], "tags"), /tags holds numbers, but/);
  assert.throws(() => graph.nearest({ tags: [1, 2] }), /probe holds numbers, but/);
});

test("have names as properties have", ({ graph }) => {
  graph.createVertex("a");
  using vertex = graph.openVertex("a");
  assert.throws(() => graph.createVertex("b", { vectors: { "": [1] } }), /name is empty/);
  assert.throws(() => graph.createVertex("b", { vector: [1], vektors: [1] } as never), /vektors/);
  for (let index = 0; index < MAX_VECTOR_NAMES; index++) vertex.setVector([1], `n${index}`);
  assert.throws(() => vertex.setVector([1], "more"), /at most 16 names of vectors/);
  assert.is(Object.keys(graph.vectorNames).length, MAX_VECTOR_NAMES);
});

test("are replicated by log records", ({ graph, store }) => {
  graph.setVectorSettings({ precision: "float16", measure: "dot" }, "image");
  fill(graph);
  graph.index("vectors", { length: 2, name: "title", ef: 50 });
  graph.openVertex("both").removeVector("title");
  graph.deleteVertex("far");
  const copy = loggedStore();
  for (const transaction of takeUnits(store)) applyTransaction(copy, transaction, 0);
  checkStore(copy);
  const copied = openStore(copy);
  assert.equal(copied.vectorNames, graph.vectorNames);
  assert.equal(copied.indexes(), graph.indexes());
  for (const name of ["title", "image"]) {
    assert.equal(copied.nearest({ [name]: [1, 1] }), graph.nearest({ [name]: [1, 1] }));
  }
});

test("have an index each, and move with it to another precision", async ({ graph, store }) => {
  for (let index = 0; index < 400; index++) {
    const angle = index / 100;
    const title = [Math.cos(angle), Math.sin(angle)];
    graph.createVertex(`v${index}`, { vectors: { title, image: [index, 1] }, vector: [1, index] });
  }
  graph.index("vectors", { length: 2, name: "title" });
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(1000));
  const [index, ...others] = graph.indexes();
  assert.equal([index!.name, index!.indexed, others.length], ["title", 400, 0]);
  const options = { hits: 5, approximate: { ef: 64 } };
  const near = graph.nearest({ title: [1, 0] }, options).map(({ id }) => id);
  assert.equal(near.slice(0, 1), ["v0"]);
  graph.setVectorSettings({ precision: "float32" }, "title");
  assert.is(await graph.rebuildVectors(), 400);
  while (processor.run(1000));
  assert.equal(graph.vectorNames.title!.precision, "float32");
  assert.is(graph.indexes()[0]!.indexed, 400);
  assert.ok(graph.dropIndex("vectors", { length: 2, name: "title" }));
  assert.not(graph.dropIndex("vectors", { length: 2, name: "image" }));
  while (processor.run(1000));
});

test("retain the code of their name", ({ graph, store }) => {
  graph.createVertex("a", { vectors: { title: [1] } });
  const key = store.keys.codeOf("title");
  assert.ok(store.vectorFields.usesKey(key));
  assert.not(store.vectorFields.usesKey(0));
  assert.not(store.vectorFields.usesKey(key + 1));
});

test("are seen by other threads of the graph, also after it was emptied", ({ graph, store }) => {
  fill(graph);
  const otherGraph = openStore(GraphStore.attach(store.share, TEST_THREAD + 1));
  assert.is(otherGraph.nearest({ title: [1, 0] }, { hits: 1 })[0]!.id, "both");
  graph.truncate();
  graph.createVertex("new", { vectors: { image: [1], title: [2] } });
  assert.equal(otherGraph.nearest({ title: [1] }), [{ id: "new", similarity: 1 }]);
});

test.run();
