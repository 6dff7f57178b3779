// Named expressions: a thread keeps the texts it has read until the system graph changes.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import type { GraphSource } from "../../../../runtime/graph/manager/graph-source.js";
import { installThreadGraphs } from "../../../../runtime/graph/manager/installed-graphs.js";
import { findThreadGraphs, ThreadGraphs } from "../../../../runtime/graph/manager/thread-graphs.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { makeGraph, openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  previousGraphs: ThreadGraphs | null;
  graph: Graph;
  /** The system graph in another thread. */
  otherStore: GraphStore;
}

const test = suite<Context>("definitions");

/** Gives this thread an empty system graph; returns it as another thread has it. */
function installSystem(): GraphStore {
  const { share } = GraphStore.create("_system", TEST_THREAD);
  const shared = { share, path: null, isLocal: false };
  const source = { open: () => shared, find: () => shared } as unknown as GraphSource;
  installThreadGraphs(new ThreadGraphs(TEST_THREAD, source));
  return GraphStore.attach(share, TEST_THREAD + 1);
}

test.before.each((context) => {
  context.previousGraphs = findThreadGraphs();
  context.otherStore = installSystem();
  context.graph = makeGraph();
});

test.after.each(({ previousGraphs }) => installThreadGraphs(previousGraphs));

test("an expression has its latest name, and a graph has only its own names", ({ graph }) => {
  assert.throws(() => graph.evaluate("known"));
  graph.define("known := 1 + 2");
  for (let round = 0; round < 3; round++) assert.is(graph.evaluate("known"), 3);
  graph.define("known := 1 + 4");
  for (let round = 0; round < 3; round++) assert.is(graph.evaluate("known"), 5);
  assert.equal(graph.getDefinitions(), { known: "known := 1 + 4" });
  assert.throws(() => makeGraph("another").evaluate("known"));
});

test("definitions of other threads are found at once", ({ graph, otherStore }) => {
  graph.define("known := 1");
  assert.is(graph.evaluate("known"), 1);
  openStore(otherStore).createVertex("definitions:test", { properties: { known: "known := 2" } });
  assert.is(graph.evaluate("known"), 2);
});

test("a text read while another thread changes it is not cached", ({ graph, otherStore }) => {
  graph.define("known := 1");
  const { writer, memory } = otherStore;
  const vertex = otherStore.ids.find("definitions:test");
  writer.mutate(() => {
    writer.addWide(memory.header, Header.OperationCount, 1);
    assert.is(graph.evaluate("known"), 1);
    otherStore.properties.set(vertex, otherStore.keys.codeOf("known"), "known := 2");
  });
  writer.mutate(() => assert.is(graph.evaluate("known"), 2));
  assert.is(graph.evaluate("known"), 2);
});

test("another system graph has definitions of its own", ({ graph }) => {
  graph.define("known := 1");
  assert.is(graph.evaluate("known"), 1);
  installSystem();
  graph.define("known := 2");
  assert.is(graph.evaluate("known"), 2);
});

test.run();
