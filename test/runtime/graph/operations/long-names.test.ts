// Names that are too long are rejected before anything is created.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("long names");
const LONGEST = "n".repeat(131_000);

test("accepts the longest names and rejects longer ones", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  graph.connect("a", LONGEST, "b");
  graph.createVertex("c", { type: LONGEST, properties: { [LONGEST]: 1 } });
  assert.equal(Object.keys(store.relationships.list()), [LONGEST]);
  assert.is(store.types.nameOf(store.types.codeOf(LONGEST)), LONGEST);
  const longer = `${LONGEST}n`;
  assert.throws(() => graph.connect("a", longer, "b"), /invalid relationship/);
  assert.throws(() => graph.createVertex("d", { type: longer }), /invalid vertex type/);
  assert.throws(
    () => graph.createVertex("d", { properties: { [longer]: 1 } }),
    /invalid property key/,
  );
  assert.is(store.order, 3);
  checkStore(store);
});

test.run();
