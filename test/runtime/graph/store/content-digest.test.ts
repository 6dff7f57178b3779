// The digest of contents: equal for equal contents, whatever their history, and different for any
// other contents.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { loadGraph } from "../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";
import { createRingMemory } from "../../../../runtime/graph/memory/commit-ring.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { digestText } from "../../../../runtime/graph/store/content-digest.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { computeDigest, digestCheckpoint } from "../../../../runtime/graph/store/verify-digest.js";
import { FakeClock } from "../../../property/support/fake-clock.js";
import { loggedStore } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ clock: FakeClock }>("content digest");

test.before.each((context) => {
  context.clock = new FakeClock().start();
});
test.after.each(({ clock }) => clock.stop());

function createStore(fill: (graph: Graph) => void): GraphStore {
  const store = loggedStore();
  const graph = openStore(store);
  fill(graph);
  graph.closeAll();
  return store;
}

function graphDigest(fill: (graph: Graph) => void): string {
  return digestCheckpoint(createStore(fill))!.digest;
}

const NOTHING = "0".repeat(32);

const CONTENTS: readonly ((graph: Graph) => void)[] = [
  (graph) => graph.createVertex("a"),
  (graph) => graph.createVertex("b"),
  (graph) => graph.createVertex("a", { type: "thing" }),
  (graph) => graph.createVertex("a", { properties: { n: 1 } }),
  (graph) => graph.createVertex("a", { properties: { n: 2 } }),
  (graph) => graph.createVertex("a", { properties: { n: "1" } }),
  (graph) => graph.createVertex("a", { properties: { n: "a text that is longer" } }),
  (graph) => graph.createVertex("a", { properties: { n: null } }),
  (graph) => graph.createVertex("a", { properties: { n: [1, 2] } }),
  (graph) => graph.createVertex("a", { properties: { n: [1, 3] } }),
  (graph) => graph.createVertex("a", { properties: { n: 1, m: 1 } }),
  (graph) => graph.createVertex("a", { lifespan: 100 }),
  (graph) => graph.createVertex("a", { vector: [1, 2, 3] }),
  (graph) => graph.createVertex("a", { vector: [3, 2, 1] }),
  (graph) => graph.openVertex("a", "w").setRank(2, 3),
  (graph) => graph.openVertex("a", "w").setRank(3, 2),
  (graph) => graph.connect("a", "to", "b"),
  (graph) => graph.connect("b", "to", "a"),
  (graph) => graph.connect("a", "to", "c"),
  (graph) => graph.connect("a", ["to", 5, 1], "b"),
  (graph) => graph.connect("a", ["to", 5, 2], "b"),
];

/** All of these at once, except for the type, which the others do not set. */
function fillAll(graph: Graph): void {
  for (const change of CONTENTS.filter((_, index) => index !== 2)) {
    change(graph);
    graph.closeAll();
  }
}

test("differs for different contents in each of its four words", () => {
  const digests = CONTENTS.map(graphDigest);
  assert.is(new Set(digests).size, CONTENTS.length);
  for (let word = 0; word < 4; word++) {
    const words = digests.map((digest) => digest.slice(8 * word, 8 * word + 8));
    assert.is(new Set(words).size, CONTENTS.length, `word ${word}`);
  }
  assert.not.ok(digests.includes(NOTHING));
  assert.is(
    graphDigest(() => undefined),
    NOTHING,
  );
});

test("is the same for equal contents in any order of changes", () => {
  const first = graphDigest((graph) => {
    graph.connect("a", ["to", 5, 1], "b");
    graph.createVertex("c", { properties: { n: 1 } });
    graph.connect("c", ["to", 5, 1], "a");
  });
  const second = graphDigest((graph) => {
    graph.createVertex("away", { properties: { n: 3 }, vector: [1, 2] });
    graph.createVertex("c", { properties: { n: 2 } });
    graph.connect("c", ["to", 5, 9], "a");
    graph.connect("a", ["to", 5, 1], "b");
    graph.connect("c", ["to", 5, 1], "a");
    graph.createVertex("c", { properties: { n: 1 } });
    graph.deleteVertex("away");
  });
  assert.is(first, second);
});

test("is empty after everything is deleted", () => {
  const taken = graphDigest((graph) => {
    fillAll(graph);
    for (const id of ["a", "b", "c"]) graph.deleteVertex(id);
  });
  assert.is(taken, NOTHING);
  const emptied = graphDigest((graph) => {
    fillAll(graph);
    graph.truncate();
  });
  assert.is(emptied, NOTHING);
});

test("is added to a stored graph without one, and dropped without a log", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-digest-"));
  const log = () => ({ ring: createRingMemory(2 ** 16), clock: new CommitClock().buffer });
  try {
    const store = createStore(fillAll);
    const { digest } = digestCheckpoint(store)!;
    // As if a thread had flushed the log: saves wait for that.
    const { clock } = store.memory.log!;
    clock.finish(clock.nextFlush);
    saveGraph(store, join(folder, "kept"));
    const without = loadGraph("test", join(folder, "kept"), TEST_THREAD)!;
    assert.is(without.memory.header.words[Header.DigestVersion], 0);
    openStore(without).createVertex("more");
    saveGraph(without, join(folder, "without"));
    const reloaded = loadGraph("test", join(folder, "kept"), TEST_THREAD, { log: log() })!;
    assert.is(digestCheckpoint(reloaded)!.digest, digest);
    const reopenedStore = loadGraph("test", join(folder, "without"), TEST_THREAD, { log: log() })!;
    assert.is(digestCheckpoint(reopenedStore)!.digest, digestText(computeDigest(reopenedStore)));
    assert.not.equal(digestCheckpoint(reopenedStore)!.digest, digest);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
