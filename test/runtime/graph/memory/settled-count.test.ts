// The count by which readers of many vertices notice that the graph has changed.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("settled count");

test("never return to an earlier count, not even by a mutation that is rolled back", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const observed = [store.settledCount];
  assert.is(store.settledCount, observed[0]);
  graph.createVertex("a");
  observed.push(store.settledCount);
  const operations = store.operationCount;
  const fail = (): never => {
    graph.createVertex("b");
    assert.is(store.settledCount, -1, "during a mutation");
    throw new Error("undo");
  };
  for (let index = 0; index < 2; index++) {
    assert.throws(() => graph.batch(fail), "undo");
    observed.push(store.settledCount);
  }
  assert.is(store.operationCount, operations);
  assert.equal(
    observed,
    [...new Set(observed)].sort((a, b) => a - b),
  );
});

test.run();
