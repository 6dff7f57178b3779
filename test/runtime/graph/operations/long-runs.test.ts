// Runs of arcs around the lengths at which they get and lose their index.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { M_INT } from "../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("long runs of arcs");

test("what is added to a run that has become shorter is found", () => {
  const store = GraphStore.make("test", TEST_THREAD);
  const graph = openStore(store);
  const connect = (index: number): void => {
    graph.connect("hub", ["to", M_INT, index], `v${index}`);
    graph.connect(`v${index}`, ["from", M_INT, index], "hub");
  };
  for (let index = 0; index < 100; index++) connect(index);
  for (let index = 0; index < 55; index++) graph.disconnect("hub", undefined, `v${index}`);
  checkStore(store);
  for (let index = 200; index < 230; index++) {
    connect(index);
    checkStore(store);
    assert.is(graph.disconnect("hub", "to", `v${index}`), 1);
    connect(index);
  }
  checkStore(store);
  assert.is(store.size, 2 * (45 + 30));
});

test.run();
