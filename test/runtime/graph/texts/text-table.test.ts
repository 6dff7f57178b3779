// The table of text indexes as other threads see it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { readAllEntries } from "../../../../runtime/graph/texts/text-indexes.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("table of text indexes");

test("shows an index to threads that have not seen the arena grow", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const attachedStore = GraphStore.attach(store.share, TEST_THREAD + 1);
  openStore(store).createVertex("v", { properties: { title: "red" } });
  openStore(store).index("text", { keys: ["title"] });
  const shown = openStore(attachedStore).textIndexes();
  assert.equal(
    shown.map(({ name, keys }) => [name, keys]),
    [["text", ["title"]]],
  );
});

test("reads all indexes again if one changes meanwhile", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const otherGraph = openStore(GraphStore.attach(store.share, TEST_THREAD + 1));
  const names = ["text", "later"];
  otherGraph.index("text", { keys: ["title"] });
  const entries = readAllEntries(store.texts, () => {
    const positions = store.texts.indexes();
    const name = names.pop();
    if (name !== undefined) otherGraph.index("text", { name, keys: ["body"] });
    return positions;
  });
  assert.equal([entries, names], [[0, 1], []]);
});

test.run();
