// Removals run in steps: impossible ones are rejected before the first step.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { truncate } from "../../../../runtime/graph/operations/removals.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("removals");
const HUB_ARCS = 300;

function makeHub(): GraphStore {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  for (let index = 0; index < HUB_ARCS; index++) graph.connect("hub", "to", `leaf ${index}`);
  return store;
}

test("rejects truncate within another change", () => {
  const store = makeHub();
  const graph = openStore(store);
  assert.throws(
    () =>
      store.writer.mutate(() => {
        graph.connect("other", "to", "leaf 1");
        graph.truncate();
      }),
    /truncate is not allowed in a batch/,
  );
  assert.is(store.order, HUB_ARCS + 1);
  checkStore(store);
});

test("reports a nested truncate as an internal error", () => {
  const store = makeHub();
  const { mutate } = store.writer;
  const nested = () => mutate.call(store.writer, () => truncate(store));
  try {
    store.writer.mutate(nested);
    assert.unreachable("was taken");
  } catch (error) {
    const { name, code } = error as Error & { code: string };
    assert.equal([name, code], ["InternalError", "SVC2413"]);
  }
  checkStore(store);
});

test("restores a hub deleted in a change that is rolled back", () => {
  const store = makeHub();
  const graph = openStore(store);
  assert.throws(
    () =>
      store.writer.mutate(() => {
        graph.deleteVertex("hub");
        assert.is(store.size, 0);
        throw new Error("undo");
      }),
    "undo",
  );
  assert.is(store.size, HUB_ARCS);
  checkStore(store);
});

test("removes virtual vertices with their hub", () => {
  const store = makeHub();
  openStore(store).truncate("thing");
  assert.is(store.size, HUB_ARCS);
  assert.is(openStore(store).deleteVertex("hub"), 1);
  assert.is(store.order, 0);
  checkStore(store);
});

test.run();
