// A divided graph accepts only changes of its own vertices and of anchors, from any caller.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installSlots, type SlotPlan } from "../../../../runtime/base/instance-slots.js";
import { divideSlots, SlotMap } from "../../../../runtime/base/slot-map.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { expire } from "../../../../runtime/graph/changes/expire.js";
import { Session } from "../../../../runtime/graph/changes/sessions/session.js";
import { nowSeconds } from "../../../../runtime/graph/memory/time.js";
import { M_INT } from "../../../../runtime/graph/model/constants.js";
import { OwnerError } from "../../../../runtime/graph/model/errors.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, replayTo } from "../support/logged-graph.js";
import { makeGraph, openStore } from "../support/make-graph.js";

const test = suite<{ store: GraphStore; graph: Graph }>("owners of vertices");
const PLAN: SlotPlan = {
  id: "0123456789abcdef",
  map: divideSlots(4096, 3),
  groups: ["B1", "B2", "B3"],
  own: 1,
  partitions: null,
  graphs: ["test"],
  everywhere: ["country", "world"],
};
const map = new SlotMap(PLAN.map);
const ids = Array.from({ length: 30 }, (_, number) => `v${number}`);
const [ownId, own2] = ids.filter((id) => map.ownerOfKey(id) === 1) as [string, string];
const foreign = ids.find((id) => map.ownerOfKey(id) === 2)!;

test.before.each((context) => {
  installSlots(PLAN);
  context.store = loggedStore();
  context.graph = openStore(context.store);
});
test.after.each(({ store, graph }) => {
  installSlots(null);
  graph.closeAll();
  checkStore(store);
});

/** A refused change leaves nothing behind. */
function expectRejection(store: GraphStore, change: () => unknown): void {
  const before = [store.order, store.size, store.propertyCount];
  try {
    change();
  } catch (error) {
    assert.instance(error, OwnerError);
    assert.is((error as OwnerError).code, "SVC3410");
    assert.match((error as OwnerError).message, /^vertex 'v\d+': slot \d+ belongs to B3, not B2$/);
    assert.equal([store.order, store.size, store.propertyCount], before);
    return;
  }
  assert.unreachable(String(change));
}

test("vertices are created by their owner, those of anchor types everywhere", ({
  store,
  graph,
}) => {
  assert.is(graph.createVertex(ownId), 1);
  assert.is(graph.createVertex(own2, { type: "city", properties: { a: 1 } }), 1);
  assert.is(graph.createVertex(foreign, { type: "country", properties: { a: 1 } }), 1);
  const foreignId = ids.findLast((id) => map.ownerOfKey(id) === 2)!;
  expectRejection(store, () => graph.createVertex(foreignId));
  expectRejection(store, () => graph.createVertex(foreignId, { type: "city" }));
  expectRejection(store, () => graph.createVertices([ownId, { id: foreignId, type: "city" }]));
  expectRejection(store, () => graph.batch(() => graph.createVertex(foreignId)));
  assert.not(graph.hasVertex(foreignId));
});

test("arcs live with their tail; from an anchor with their head", ({ store, graph }) => {
  graph.createVertex("NO", { type: "country" });
  graph.createVertex("world", { type: "world" });
  assert.is(graph.connect(ownId, "to", foreign), 1, "a foreign head is virtual");
  assert.is(graph.connect(ownId, "to", own2), 1);
  assert.is(graph.connect(ownId, "in", "NO"), 1);
  assert.is(graph.connect("NO", "has", ownId), 1);
  assert.is(graph.connect("world", "has", "NO"), 1);
  assert.is(graph.connect(ownId, ["n", M_INT, 1], [own2, foreign]), 2);
  assert.ok(graph.getVertex(own2) !== null);
  assert.is(store.vertices.isVirtual(store.ids.find(foreign)), true);
  expectRejection(store, () => graph.connect(foreign, "to", ownId));
  expectRejection(store, () => graph.connect("NO", "has", foreign));
  expectRejection(store, () => graph.connect(foreign, "in", "NO"));
});

test("a foreign vertex cannot be changed, also where it is a virtual vertex", ({
  store,
  graph,
}) => {
  graph.createVertex(ownId);
  graph.connect(ownId, "to", foreign);
  for (const change of [
    () => graph.createVertex(foreign),
    () => graph.createVertex(foreign, { properties: { a: 1 } }),
    () => graph.newVertex(foreign),
    () => graph.deleteVertex(foreign),
    () => graph.openVertex(foreign, "a").setProperty("a", 1),
  ]) {
    expectRejection(store, change);
    graph.closeAll();
  }
  graph.disconnect(ownId, "to", foreign);
  assert.not(graph.hasVertex(foreign));
});

test("an anchor cannot become a foreign vertex", ({ store, graph }) => {
  graph.createVertex(foreign, { type: "country" });
  const vertex = graph.openVertex(foreign, "w");
  expectRejection(store, () => vertex.setType("city"));
  vertex.setType("world");
  vertex.setProperty("a", 1);
  graph.closeAll();
  assert.is(graph.deleteVertex(foreign), 1);
});

test("records of the log, and what expires, are not checked", ({ store, graph }) => {
  installSlots(null);
  const unlimitedStore = loggedStore();
  const unlimitedGraph = openStore(unlimitedStore);
  unlimitedGraph.createVertex(foreign, { type: "city", lifespan: 0 });
  installSlots(PLAN);
  replayTo(unlimitedStore, store);
  assert.ok(graph.hasVertex(foreign));
  expectRejection(store, () => graph.createVertex(foreign, { properties: { a: 1 } }));
  expire({ store, session: new Session(store) }, store.ids.find(foreign), nowSeconds() + 9);
  assert.not(graph.hasVertex(foreign));
});

test("locks have any name", ({ graph }) => {
  assert.ok(graph.lock(foreign).writable());
});

test("other graphs are not divided", () => {
  const graph = makeGraph("other");
  assert.is(graph.createVertex(foreign), 1);
});

test.run();
