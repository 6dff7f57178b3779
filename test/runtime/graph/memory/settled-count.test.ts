// The count by which readers of many vertices notice that the graph has changed.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("settled count");

test("never return to an earlier count, not even by a mutation that is rolled back", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const seen = [store.settledCount];
  assert.is(store.settledCount, seen[0]);
  graph.createVertex("a");
  seen.push(store.settledCount);
  const operations = store.operationCount;
  const fail = (): never => {
    graph.createVertex("b");
    assert.is(store.settledCount, -1, "during a mutation");
    throw new Error("undo");
  };
  for (let at = 0; at < 2; at++) {
    assert.throws(() => graph.batch(fail), "undo");
    seen.push(store.settledCount);
  }
  assert.is(store.operationCount, operations);
  assert.equal(
    seen,
    [...new Set(seen)].sort((a, b) => a - b),
  );
});

test.run();
