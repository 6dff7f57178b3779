// Runs of arcs around the lengths at which they gain and lose their index.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SIDE_WORDS, Side } from "../../../../runtime/graph/memory/layout.js";
import { D_ANY, M_FLT, M_INT } from "../../../../runtime/graph/model/constants.js";
import type { ArcRuns } from "../../../../runtime/graph/store/arc-runs.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("long runs of arcs");

/** Number of slots among which an index distributes the arcs to one vertex, as a power of 2. */
function readSpread({ sides }: ArcRuns, vertex: number): number {
  return sides.words[vertex * SIDE_WORDS + Side.Class]! >>> 16;
}

test("finds arcs added to a run that has shrunk", () => {
  const store = GraphStore.create("test", TEST_THREAD);
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

test("finds each of many arcs of one pair next to those of a hub", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const many = 4000;
  for (let index = 0; index < 200; index++) graph.connect("hub", "to", `v${index}`);
  const hub = store.ids.resolve("hub");
  assert.is(readSpread(store.outArcs, hub), 0, "arcs to different vertices need no spread");
  for (let index = 0; index < many; index++) {
    graph.connect("hub", [`r${index}`, index % 2 === 0 ? M_INT : M_FLT, index], "one");
  }
  assert.ok(2 ** readSpread(store.outArcs, hub) * 4 > many, "arcs of the pair are spread out");
  assert.ok(2 ** readSpread(store.inArcs, store.ids.resolve("one")) * 4 > many, "on both sides");
  checkStore(store);
  assert.is(graph.arcValue("hub", ["r77"], "one"), 77);
  for (let index = 0; index < many; index += 2) {
    const name = `r${(index * 7) % many}`;
    const filter = [name, [name, D_ANY], { rel: name, mod: "int" }][(index / 2) % 3]!;
    assert.is(
      graph.disconnect("hub", filter as string, index % 4 === 0 ? "one" : { id: "one" }),
      1,
    );
  }
  checkStore(store);
  assert.is(graph.disconnect("hub", "*", "one"), many / 2);
  assert.is(graph.hasVertex("one"), false);
  assert.is(graph.degree("hub"), 200);
  checkStore(store);
});

test("restores the index of a pair when a batch is rolled back", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  for (let index = 0; index < 60; index++) graph.connect("a", `r${index}`, "b");
  assert.throws(() =>
    graph.batch(() => {
      for (let index = 60; index < 1000; index++) graph.connect("a", `r${index}`, "b");
      for (let index = 0; index < 900; index++) graph.disconnect("a", `r${index}`, "b");
      throw new Error("not now");
    }),
  );
  checkStore(store);
  assert.is(graph.degree("a"), 60);
});

test("finds arcs of a pair by relationship, with and without an index", () => {
  for (const others of [0, 100]) {
    const store = GraphStore.create("test", TEST_THREAD);
    const graph = openStore(store);
    for (let index = 0; index < others; index++) graph.connect("hub", "to", `v${index}`);
    for (const name of ["likes", "to", "knows"]) graph.connect("hub", [name, M_INT, 1], "one");
    graph.connect("hub", ["likes", M_FLT, 1], "one");
    const [hub, oneVertex] = [store.ids.resolve("hub"), store.ids.resolve("one")];
    const listIds = (name?: string): string[] =>
      store.outArcs
        .findAll(hub, oneVertex, name === undefined ? 0 : store.relationships.codeOf(name))
        .map((position) => store.relationships.nameOf(store.outArcs.word1At(hub, position) >>> 16))
        .sort();
    assert.is(store.outArcs.sides.words[hub * SIDE_WORDS + Side.Index] !== 0, others > 0);
    assert.equal(listIds(), ["knows", "likes", "likes", "to"]);
    assert.equal(listIds("likes"), ["likes", "likes"]);
    assert.equal(listIds("to"), ["to"]);
  }
});

test.run();
