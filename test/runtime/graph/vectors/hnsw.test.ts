// The vector index at the points that random tests rarely reach: the wrap of visit stamps, a vector
// replaced while its node is being added, and a builder that dies in a sweep.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { findVectors } from "../../../../runtime/graph/changes/vectors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { HnswBuilder } from "../../../../runtime/graph/vectors/hnsw-builder.js";
import { HnswSearch } from "../../../../runtime/graph/vectors/hnsw-search.js";
import { HnswVacuum } from "../../../../runtime/graph/vectors/hnsw-vacuum.js";
import { MAX_LEVEL, VectorIndex } from "../../../../runtime/graph/vectors/index-layout.js";
import { IndexProcessor } from "../../../../runtime/graph/vectors/index-processor.js";
import { NearestTopK } from "../../../../runtime/graph/vectors/nearest-top-k.js";
import { Probe } from "../../../../runtime/graph/vectors/probe.js";
import { scanVectors } from "../../../../runtime/graph/vectors/scan-vectors.js";
import { parseVector } from "../../../../runtime/graph/vectors/vector.js";
import { Slot, Space } from "../../../../runtime/graph/vectors/vector-layout.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  graph: Graph;
  /** Of the first space that has vectors. */
  space: () => number;
}

const test = suite<Context>("hnsw");
const LENGTH = 32;

test.before.each((context) => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.index("vectors", { length: LENGTH });
  const space = (): number => [...store.vectors.spaces()][0]!;
  Object.assign(context, { store, graph, space });
});

test.after.each(({ store }) => checkStore(store));

/** A vector that differs for each number. */
function vector(number: number): number[] {
  return Array.from({ length: LENGTH }, (_, index) => Math.sin((number + 1) * (index + 1)));
}

const ANY = { accepts: () => true, serial: 0 };

function fill(graph: Graph, from: number, to: number): void {
  for (let number = from; number < to; number++) {
    graph.createVertex(`v${number}`, { vector: vector(number) });
  }
}

function build(store: GraphStore): void {
  const processor = new IndexProcessor(store, assert.unreachable);
  while (processor.run(1000));
}

test("finds all vectors after its visit stamps have wrapped", ({ store, graph, space }) => {
  fill(graph, 0, 40);
  build(store);
  const search = new HnswSearch(store.vectors, space());
  const probe = new Probe(store.vectors, parseVector(vector(7), "probe"));
  const findIds = (): string[] => {
    search.nearest(probe, 100, ANY);
    const { walk } = search;
    return walk
      .slots()
      .map((slot) => store.ids.idOf(store.memory.vectors.words[slot + Slot.Vertex]!))
      .sort();
  };
  const ids = findIds();
  assert.is(ids.length, 40);
  // On the top layer only the start is visited: the others keep the stamp of the first search.
  const start = search.descend(probe, 0);
  // Each upper layer takes a stamp, too.
  for (let count = 0; count < 0xff - 2 * search.topLevel - 1; count++) {
    search.search(probe, start, MAX_LEVEL, 1);
  }
  assert.equal(findIds(), ids);
  assert.equal(findIds(), ids);
});

test("reaches other vectors from equal ones", ({ store, graph }) => {
  graph.setVectorSettings({ precision: "binary", measure: "hamming" }, "bits");
  graph.index("vectors", { length: LENGTH, name: "bits" });
  const bits = (number: number): number[] => vector(number).map((value) => Number(value > 0));
  for (let number = 0; number < 480; number++) {
    graph.createVertex(`v${number}`, { vectors: { bits: bits(number % 12) } });
  }
  build(store);
  const table = findVectors(store, "bits")!;
  const search = new HnswSearch(table, table.spaces()[0]!);
  for (let number = 0; number < 12; number++) {
    search.nearest(new Probe(table, parseVector(bits(number), "probe")), 60, null);
    assert.is(search.walk.count, 60);
  }
});

test("remembers which vertices a condition rejected", ({ store, graph, space }) => {
  fill(graph, 0, 200);
  build(store);
  const { words } = store.memory.vectors;
  const search = new HnswSearch(store.vectors, space());
  const probe = new Probe(store.vectors, parseVector(vector(7), "probe"));
  // The walk starts at a refused vertex.
  const rejectedParity = words[search.descend(probe, 0) + Slot.Vertex]! % 2;
  let tested = 0;
  const testedEach: boolean[] = [];
  const half = (vertex: number): boolean => {
    tested++;
    return vertex % 2 !== rejectedParity;
  };
  for (const serial of [5, 5, 6, 0, 0]) {
    tested = 0;
    search.nearest(probe, 200, { accepts: half, serial });
    const vertices = search.walk.slots().map((slot) => words[slot + Slot.Vertex]!);
    assert.is(vertices.length, 100);
    assert.ok(vertices.every((vertex) => vertex % 2 !== rejectedParity));
    testedEach.push(tested > 0);
  }
  assert.equal(testedEach, [true, false, true, true, true]);
});

test("adds no node for a vector that changed meanwhile", ({ store, graph, space }) => {
  fill(graph, 0, 30);
  build(store);
  graph.createVertex("v", { vector: vector(100) });
  let nodes = 0;
  // Called for each node, after its vector was read and before it is written.
  const random = (): number => {
    if (nodes++ > 0) return 0.5;
    // Twice: the second one gets the slot that the first one has freed.
    for (const number of [200, 300]) graph.createVertex("v", { vector: vector(number) });
    return 0.5;
  };
  for (const _ of new HnswBuilder(store.vectors, space(), random).addMissing());
  assert.is(nodes, 2, "the node of the previous vector was discarded");
  assert.is(graph.indexes()[0]!.indexed, 31);
});

test("continues the sweep of a builder that died", ({ store, graph, space }) => {
  fill(graph, 0, 600);
  build(store);
  for (let number = 0; number < 300; number++) graph.deleteVertex(`v${number}`);
  assert.is(graph.indexes()[0]!.dead, 300);
  const vacuum = new HnswVacuum(store.vectors, space(), new HnswBuilder(store.vectors, space()));
  assert.ok(vacuum.isDue);
  // It dies after the first batch; fewer nodes are dead now than are worth a sweep.
  for (const _ of vacuum.run()) if (graph.indexes()[0]!.dead < 300) break;
  assert.is(graph.indexes()[0]!.dead, 44);
  build(store);
  assert.equal([graph.indexes()[0]!.dead, graph.indexes()[0]!.indexed], [0, 300]);
});

test("publishes a node only after its lists, and a layer after its entry", (context) => {
  const { store, graph, space } = context;
  fill(graph, 0, 30);
  build(store);
  graph.createVertex("v", { vector: vector(100) });
  const { memory, vectors } = store;
  const index = vectors.readSpace(space(), Space.Index);
  // The highest layer that a node can have.
  const builder = new HnswBuilder(vectors, space(), () => 1);
  const isNew = (at: number, words: Uint32Array): boolean =>
    words[at + Slot.Vertex] !== 0 && words[at + Slot.Node] === 0;
  const [slot] = builder.slots(isNew);
  const { links } = new HnswSearch(vectors, space());
  const { writer } = vectors;
  const put = writer.put.bind(writer);
  const tally = { names: 0, layers: 0 };
  // Readers without locks may see the memory after each write.
  writer.put = (arena, word, value) => {
    put(arena, word, value);
    if (arena === memory.links && value === slot) {
      tally.names++;
      assert.ok(links.copy(slot, 0, new Uint32Array(64)) > 0, "its list is written");
    }
    if (arena !== memory.lists || word !== index + VectorIndex.TopLevel) return;
    tally.layers++;
    assert.is(memory.lists.words[index + VectorIndex.EntrySlot], slot);
  };
  for (const _ of builder.addMissing());
  writer.put = put;
  assert.ok(tally.names > 0);
  assert.is(tally.layers, 1);
});

for (const precision of ["float16", "float32"] as const) {
  test(`offers the best of its candidates by exact scores of ${precision}`, (context) => {
    const { store, graph } = context;
    graph.setVectorSettings({ precision });
    graph.index("vectors", { length: LENGTH });
    // int8 sorts these wrongly.
    const near = (number: number): number[] => vector(number).map((value) => 1 + value / 20);
    for (let index = 0; index < 150; index++)
      graph.createVertex(`v${index}`, { vector: near(index) });
    build(store);
    assert.ok(graph.indexes().some(({ indexed }) => indexed === 150));
    const { vectors } = store;
    const probe = new Probe(vectors, parseVector(near(7.5), "probe"));
    const find = (ef: number): object[] => {
      const best = new NearestTopK(10);
      const common = { table: vectors, probe, best, accepts: () => true, filter: null };
      scanVectors({ ...common, poll: () => {} }, ef);
      return best.sorted();
    };
    const documents = graph.vertices().map((id) => {
      const vertex = store.ids.find(id);
      return { vertex, score: probe.similarity(vertex) };
    });
    documents.sort((a, b) => b.score - a.score || a.vertex - b.vertex);
    assert.equal(find(0), documents.slice(0, 10), "scan");
    assert.equal(find(200), documents.slice(0, 10), "index");
  });
}

test("searches again if its nodes were swept away meanwhile", ({ store, graph, space }) => {
  fill(graph, 0, 400);
  build(store);
  const { vectors, ids } = store;
  const { entry } = new HnswSearch(vectors, space());
  const first = ids.idOf(store.memory.vectors.words[entry + Slot.Vertex]!);
  const allIds = Array.from({ length: 400 }, (_, number) => `v${number}`);
  const keptIds = allIds.filter((id) => id !== first).slice(0, 50);
  // A thread has one walk at a time.
  const ofOther = GraphStore.attach(store.share, TEST_THREAD + 1);
  let isSwept = false;
  const accepts = (): boolean => {
    if (isSwept) return true;
    isSwept = true;
    for (const id of allIds) if (!keptIds.includes(id)) graph.deleteVertex(id);
    build(ofOther);
    return true;
  };
  const best = new NearestTopK(keptIds.length);
  const probe = new Probe(vectors, parseVector(vector(7), "probe"));
  const filter = { accepts, serial: 0 };
  scanVectors({ table: vectors, probe, best, accepts: () => true, filter, poll: () => {} }, 100);
  assert.equal(
    best
      .sorted()
      .map(({ vertex }) => ids.idOf(vertex))
      .sort(),
    keptIds.sort(),
  );
});

test.run();
