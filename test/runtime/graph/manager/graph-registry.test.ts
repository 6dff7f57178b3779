// Graphs that a thread knows, and relocations of graphs that it has not received yet.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { relocateGraph } from "../../../../runtime/graph/manager/graph-compactor.js";
import { GraphRegistry } from "../../../../runtime/graph/manager/graph-registry.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("graph registry");
const OTHER_THREAD = TEST_THREAD + 1;

function copyShare({ share }: GraphStore) {
  const copy = { ...share, memories: [...share.memories] };
  return { share: copy, path: null, logPath: "g", isLocal: false };
}

test("rejects a graph relocated in transit, and receives it again", async () => {
  const store = GraphStore.create("g", TEST_THREAD);
  const sent: number[] = [];
  const main = new GraphRegistry(TEST_THREAD, ({ shared }) => sent.push(shared.share.moves));
  const graph = main.add({ ...copyShare(store), share: store.share })!;
  const outdated = copyShare(graph.store);
  assert.ok(relocateGraph(graph.store));
  const otherRegistry = new GraphRegistry(OTHER_THREAD);
  assert.is(otherRegistry.add(outdated), null);
  assert.is(otherRegistry.find("g"), null);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(sent, [2]);
  openStore(graph.store).createVertex("a");
  const added = otherRegistry.add(copyShare(graph.store));
  assert.is(added?.store.order, 1);
  assert.is(otherRegistry.add(copyShare(graph.store)), added, "once");
});

test.run();
