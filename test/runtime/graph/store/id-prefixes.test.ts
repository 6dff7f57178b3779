// Prefixes of ids that a thread keeps, while no vertex is created or removed.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../../../runtime/base/sort-constants.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { IdPrefixes } from "../../../../runtime/graph/store/id-prefixes.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("prefixes of ids");
const MANY = 1000;

function makeStore(): GraphStore {
  const store = GraphStore.create("test", TEST_THREAD);
  openStore(store).createVertex("first");
  return store;
}

/** Requests prefixes until they are kept. */
function request(prefixes: IdPrefixes): Float64Array {
  prefixes.request(MANY);
  const column = prefixes.request(MANY);
  assert.ok(column !== null);
  return column;
}

test("keep prefixes once as many were requested as there are vertices", () => {
  const prefixes = new IdPrefixes(makeStore().memory);
  assert.is(prefixes.request(1), null);
  const column = request(prefixes);
  assert.is(prefixes.request(1), column);
});

test("forget prefixes when a vertex is created or removed", () => {
  const store = makeStore();
  const graph = openStore(store);
  // Enough that creating one more rarely enlarges a table of the index.
  for (let index = 0; index < MANY - 100; index++) graph.createVertex(`some ${index}`);
  const prefixes = new IdPrefixes(store.memory);
  for (let index = 0; index < 20; index++) {
    request(prefixes);
    graph.createVertex(`one more ${index}`);
    assert.is(prefixes.request(1), null);
  }
  request(prefixes);
  graph.deleteVertex("one more 1");
  assert.is(prefixes.request(1), null);
});

test("keep prefixes while arcs and properties change", () => {
  const store = makeStore();
  const graph = openStore(store);
  const prefixes = new IdPrefixes(store.memory);
  const column = request(prefixes);
  graph.connect("first", "knows", "first");
  graph.createVertex("first", { properties: { name: "x" } });
  assert.is(prefixes.request(1), column);
});

test("keep nothing while a mutation may change ids", () => {
  const store = makeStore();
  const prefixes = new IdPrefixes(store.memory);
  const column = request(prefixes);
  store.writer.mutate(() => assert.is(prefixes.request(MANY), null));
  assert.is(prefixes.request(1), column);
});

test("keep nothing of a graph with too many handles", () => {
  const store = makeStore();
  const prefixes = new IdPrefixes(store.memory);
  store.memory.header.words[Header.HandleEnd] = 2 ** 20 + 1;
  for (let round = 0; round < 3; round++) assert.is(prefixes.request(2 ** 20), null);
});

test("a handle that is reused has the prefix of its new id", () => {
  const graph = openStore(makeStore());
  const ids = Array.from({ length: 40 }, (_, index) => `vertex ${index + 10}`);
  for (const id of ids) graph.createVertex(id);
  const sorted = (): string[] => graph.vertices({ sortby: S_ID, hits: 3 });
  for (let round = 0; round < 5; round++) assert.is(sorted()[1], "vertex 10");
  graph.deleteVertex("vertex 20");
  graph.createVertex("a");
  for (let round = 0; round < 5; round++) {
    assert.equal(sorted(), ["a", "first", "vertex 10"]);
  }
  graph.deleteVertex("a");
  graph.createVertex("zz");
  for (let round = 0; round < 5; round++) {
    assert.equal(sorted(), ["first", "vertex 10", "vertex 11"]);
  }
});

test.run();
