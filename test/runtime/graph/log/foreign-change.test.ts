// Changes of vertices and arcs are foreign if another group owns them. Anchors and locks exist in
// every group.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installSlots, threadSlots } from "../../../../runtime/base/instance-slots.js";
import { divideSlots } from "../../../../runtime/base/slot-map.js";
import { isForeignChange } from "../../../../runtime/graph/log/foreign-change.js";
import type { GraphChange } from "../../../../runtime/graph/log/graph-change.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { loggedStore } from "../support/logged-graph.js";
import { openStore } from "../support/make-graph.js";
import { SLOT_PLAN } from "../support/slot-plan.js";

interface Context {
  store: GraphStore;
  own: string;
  foreign: string;
  /** Anchors whose ids are in slots of this group, and of the other one. */
  anchors: readonly [string, string];
}

const test = suite<Context>("foreign changes");
const HEAD = { position: "p", at: 1 };
const ARC = { ...HEAD, relationship: "r", modifier: "M_INT" };

test.before.each((context) => {
  installSlots({ ...SLOT_PLAN, map: divideSlots(16, 2) });
  context.store = loggedStore();
  const ids = Array.from({ length: 100 }, (_, n) => `v${n}`);
  const slots = threadSlots()!;
  const [own, anchor] = ids.filter((id) => slots.ownsKey(id));
  const [foreign, foreignAnchor] = ids.filter((id) => !slots.ownsKey(id));
  Object.assign(context, { own, foreign, anchors: [anchor, foreignAnchor] });
  const graph = openStore(context.store);
  for (const id of context.anchors) graph.createVertex(id, { type: "kind" });
  graph.closeAll();
});
test.after.each(() => installSlots(null));

test("of vertices are those of other slots", ({ store, own, foreign }) => {
  const isForeign = (id: string, type: string | null) =>
    isForeignChange(store, { ...HEAD, kind: "vertexDeleted", id, type });
  assert.equal([isForeign(own, "thing"), isForeign(own, null)], [false, false]);
  assert.equal([isForeign(foreign, "thing"), isForeign(foreign, null)], [true, true]);
  assert.equal([isForeign(foreign, "kind"), isForeign(foreign, "lock_")], [false, false]);
});

test("of arcs are those of other slots' initials, or of an anchor's terminals", (context) => {
  const { store, own, foreign, anchors } = context;
  const isForeign = (initial: string, terminal: string) => {
    const change = { ...ARC, kind: "arcRemoved", initial, terminal } satisfies GraphChange;
    return isForeignChange(store, change);
  };
  assert.equal([isForeign(own, foreign), isForeign(foreign, own)], [false, true]);
  for (const [at, anchor] of anchors.entries()) {
    assert.equal([isForeign(anchor, own), isForeign(anchor, foreign)], [false, true]);
    assert.is(isForeign(anchor, anchors[1 - at]!), false);
  }
});

test("of a deleted anchor are foreign in all groups but that of its id", (context) => {
  const { store, own, anchors } = context;
  const graph = openStore(store);
  for (const id of anchors) graph.deleteVertex(id);
  graph.closeAll();
  const isForeign = (initial: string) =>
    isForeignChange(store, { ...ARC, kind: "arcRemoved", initial, terminal: own });
  assert.equal(anchors.map(isForeign), [false, true]);
});

test("are unknown to a truncation, and to a graph without slots", ({ store, foreign }) => {
  assert.is(isForeignChange(store, { ...HEAD, kind: "truncated", type: null }), false);
  installSlots(null);
  const change = { ...HEAD, kind: "vertexCreated", id: foreign, type: null } as const;
  assert.is(isForeignChange(loggedStore(), change), false);
});

test.run();
