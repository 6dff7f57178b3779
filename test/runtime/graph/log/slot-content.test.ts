// Content of slots passes from one graph to another with all attributes, whatever codes their names
// have there, and nothing stays behind.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  installSlots,
  publishSlots,
  threadSlots,
} from "../../../../runtime/base/instance-slots.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { expire } from "../../../../runtime/graph/changes/expire.js";
import { Session } from "../../../../runtime/graph/changes/sessions/session.js";
import { GraphSlots } from "../../../../runtime/graph/log/slot-content.js";
import { Header, ReadonlyBy } from "../../../../runtime/graph/memory/layout.js";
import {
  D_OUT,
  M_CNT,
  M_FLT,
  M_FWDONLY,
  M_INT,
} from "../../../../runtime/graph/model/constants.js";
import { OwnerError } from "../../../../runtime/graph/model/errors.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, replayTo, takeUnits } from "../support/logged-graph.js";
import { openStore } from "../support/make-graph.js";
import { ALL_SLOTS, SLOT_PLAN } from "../support/slot-plan.js";

const test = suite<{ stores: GraphStore[]; graphs: Graph[] }>("content of slots");

test.before.each((context) => {
  installSlots(SLOT_PLAN);
  context.stores = [loggedStore(), loggedStore()];
  context.graphs = context.stores.map((store) => openStore(store));
});
test.after.each(({ stores, graphs }) => {
  installSlots(null);
  for (const graph of graphs) graph.closeAll();
  for (const store of stores) checkStore(store);
});

function fill(graph: Graph): void {
  graph.createVertex("all", { type: "kind", properties: { of: "anchor" } });
  graph.createVertex("sub", { type: "kind" });
  graph.connect("all", ["over", M_INT, 3], "sub");
  for (let n = 0; n < 60; n++) {
    const id = n % 7 === 0 ? `ö${n}` : `v${n}`;
    const properties = {
      n,
      half: n / 2,
      text: "x".repeat(n),
      list: [1, n],
      bytes: new Uint8Array(n),
    };
    graph.createVertex(id, { type: n % 2 === 0 ? "even" : "odd", properties });
    const vertex = graph.openVertex(id);
    if (n % 3 === 0) vertex.setVector([n, 1, 2]);
    if (n % 5 === 0) vertex.setExpiration(2_000_000_000 + n);
    if (n % 5 === 0) vertex.setRank(2, n);
    vertex.close();
    graph.connect(id, ["next", M_FLT, n / 3], `w${n % 9}`);
    graph.connect(id, "in", "all");
    graph.count(id, "seen", "all", n + 1);
    if (n % 2 === 0) graph.connect("all", ["has", M_INT, n], id);
    else graph.connect("sub", ["only", M_INT | M_FWDONLY, n] as never, `f${n}`);
  }
  graph.deleteVertex("v1");
}

function setNumber(graph: Graph, id: string): void {
  const vertex = graph.openVertex(id);
  try {
    vertex.setProperty("n", 99);
  } finally {
    vertex.close();
  }
}

function listDigests(slots: GraphSlots): string[] {
  const { contents } = slots.encode(ALL_SLOTS, Number.POSITIVE_INFINITY);
  return contents.map(({ digest }) => digest);
}

test("moves with all attributes", ({ stores, graphs }) => {
  const [source, target] = stores.map((store) => new GraphSlots(store, threadSlots()!));
  const [from, to] = graphs;
  fill(from!);
  // The same names get other codes.
  to!.createVertex("first", { type: "odd", properties: { text: 1, n: 2 } });
  to!.connect("first", "seen", "first");
  to!.deleteVertex("first");
  const before = listDigests(source!);
  const anchors = source!.encodeAnchors();
  target!.write(anchors.words, anchors.names);
  const encoded = source!.encode(ALL_SLOTS, Number.POSITIVE_INFINITY);
  for (const { words } of encoded.contents) target!.write(words, encoded.names);
  assert.equal(listDigests(target!), before);
  assert.is(to!.size, from!.size);
  assert.equal(to!.getVertex("v4").properties, from!.getVertex("v4").properties);
  assert.is(to!.getVertex("v5").tmx, 2_000_000_005);
  assert.is(to!.getVertex("v5").tmc, from!.getVertex("v5").tmc);
  assert.equal(to!.getVertex("v3").vector, from!.getVertex("v3").vector);
  const arc = ["seen", D_OUT, M_CNT] as never;
  assert.is(to!.arcValue("v4", arc, "all"), from!.arcValue("v4", arc, "all"));
  // Replicas follow.
  const replica = loggedStore();
  replayTo(stores[1]!, replica);
  assert.is(replica.size, stores[1]!.size);
  assert.is(replica.operationCount, stores[1]!.operationCount);
  assert.equal(listDigests(new GraphSlots(replica, threadSlots()!)), before);
  // One half leaves, then the rest.
  source!.remove(ALL_SLOTS.slice(0, 8));
  assert.equal(listDigests(source!).slice(8), before.slice(8));
  source!.remove(ALL_SLOTS);
  assert.equal(from!.vertices({ condition: { virtual: false } }), ["all", "sub"]);
  assert.is(from!.size, 1);
  assert.is(
    [...source!.count()].reduce((sum, count) => sum + count, 0),
    0,
  );
});

test("a digest reveals each difference", ({ stores, graphs }) => {
  const [source] = stores.map((store) => new GraphSlots(store, threadSlots()!));
  const graph = graphs[0]!;
  fill(graph);
  let before = listDigests(source!).join();
  for (const change of [
    () => graph.connect("v2", ["next", M_FLT, 9], "w2"),
    () => graph.disconnect("v2", "in", "all"),
    () => graph.disconnect("all", "has", "v2"),
    () => setNumber(graph, "v2"),
    () => graph.deleteVertex("v4"),
  ]) {
    change();
    const after = listDigests(source!).join();
    assert.is.not(after, before, String(change));
    before = after;
  }
});

test("rejects corrupt content", ({ stores, graphs }) => {
  const [source, target] = stores.map((store) => new GraphSlots(store, threadSlots()!));
  fill(graphs[0]!);
  const { contents, names } = source!.encode(ALL_SLOTS, Number.POSITIVE_INFINITY);
  const { words } = contents.find((content) => content.words.length > 0)!;
  for (let index = 0; index < Math.min(words.length, 200); index++) {
    const damagedWords = words.slice();
    damagedWords[index] = 0xffff_ffff;
    try {
      target!.write(damagedWords, names);
    } catch (error) {
      assert.match((error as Error).name, /Error$/, `word ${index}: ${error}`);
      assert.not.match((error as Error).name, /RangeError|^TypeError/, `word ${index}: ${error}`);
    }
  }
  assert.throws(() => target!.write(words.slice(0, -1), names));
  assert.throws(() => target!.write(words, []));
});

test("a replica keeps its content: its leader may have been replaced", ({ stores, graphs }) => {
  const [source, target] = stores.map((store) => new GraphSlots(store, threadSlots()!));
  fill(graphs[0]!);
  const before = listDigests(source!);
  const { contents, names } = source!.encode(ALL_SLOTS, Number.POSITIVE_INFINITY);
  for (const store of stores) store.setReadonlyBy(ReadonlyBy.Replica, true);
  assert.throws(() => source!.remove(ALL_SLOTS), /readonly/i);
  for (const { words } of contents) {
    if (words.length > 0) assert.throws(() => target!.write(words, names), /readonly/i);
  }
  assert.equal(listDigests(source!), before);
  assert.is(graphs[1]!.order, 0);
  for (const store of stores) store.setReadonlyBy(ReadonlyBy.Replica, false);
});

test("slots that were given away reject changes", ({ graphs }) => {
  const graph = graphs[0]!;
  fill(graph);
  const held = [threadSlots()!.of("v2")];
  publishSlots({ ...SLOT_PLAN, held, isMoving: true });
  for (const change of [
    () => setNumber(graph, "v2"),
    () => graph.deleteVertex("v2"),
    () => graph.connect("v2", "in", "all"),
    () => graph.disconnect("v2", "in", "all"),
    () => graph.disconnect("all", "has", "v2"),
    () => graph.deleteVertex("all"),
    () => graph.truncate(),
  ]) {
    assert.throws(change, (error: unknown) => error instanceof OwnerError, String(change));
  }
  const missingId = ["v4", "v6", "v8"].find((id) => !held.includes(threadSlots()!.of(id)))!;
  assert.is(graph.disconnect(missingId, "in", "all"), 1);
  graph.createVertex("lone", { type: "kind" });
  graph.connect("lone", ["has", M_INT, 1], missingId);
  assert.is(graph.deleteVertex("lone"), 1);
  publishSlots(SLOT_PLAN);
  assert.is(graph.disconnect("v2", "in", "all"), 1);
});

/** Runs an act of another session when the store gives its mutex back for the first time. */
function afterReading({ writer }: GraphStore, act: () => void): void {
  const end = writer.end;
  writer.end = () => {
    end.call(writer);
    Reflect.deleteProperty(writer, "end");
    act();
  };
}

test("a vertex that gets the handle of a listed one stays", ({ stores, graphs }) => {
  const [store] = stores;
  const [graph] = graphs;
  const slots = new GraphSlots(store!, threadSlots()!);
  const otherGraph = openStore(store!);
  const ids = Array.from({ length: 40 }, (_, n) => `v${n}`);
  const idSlot = (id: string): number => threadSlots()!.of(id);
  const removedSlot = idSlot("v0");
  const stays = ids.find((id) => idSlot(id) !== removedSlot)!;
  graph!.createVertex("all", { type: "kind" });
  graph!.createVertex("v0", { type: "thing" });
  const leaving = graph!.openVertex("v0");
  leaving.setExpiration(2_000_000_000);
  leaving.close();
  graph!.connect("all", ["has", M_INT, 1], "v0");
  // The listed vertex expires, and another one gets its handle, and an arc of the same anchor.
  afterReading(store!, () => {
    const handle = store!.ids.find("v0");
    const access = { store: store!, session: new Session(store!) };
    otherGraph.disconnect("all", "has", "v0");
    assert.is(expire(access, handle, store!.vertices.expiresAt(handle)).vertices, 1);
    otherGraph.createVertex(stays, { type: "thing" });
    otherGraph.connect("all", ["has", M_INT, 2], stays);
    assert.is(store!.ids.find(stays), handle, "the handle is not reused");
  });
  slots.remove([removedSlot]);
  otherGraph.closeAll();
  assert.equal(graph!.vertices({ condition: { virtual: false } }).sort(), ["all", stays]);
  assert.is(graph!.arcValue("all", ["has", D_OUT, M_INT] as never, stays), 2);
  // The index knows the slot of the new vertex, too.
  assert.is(slots.count()[idSlot(stays)], 1);
  slots.remove([idSlot(stays)]);
  assert.equal(graph!.vertices(), ["all"]);
});

test("arcs that only an anchor lists stay with a reused handle", ({ stores, graphs }) => {
  const [store] = stores;
  const [graph] = graphs;
  const slots = new GraphSlots(store!, threadSlots()!);
  const otherGraph = openStore(store!);
  const idSlot = (id: string): number => threadSlots()!.of(id);
  const stays = ["w1", "w2", "w3"].find((id) => idSlot(id) !== idSlot("v0"))!;
  const arc = ["only", M_INT | M_FWDONLY, 1] as never;
  graph!.createVertex("all", { type: "kind" });
  graph!.connect("all", arc, "v0");
  afterReading(store!, () => {
    otherGraph.disconnect("all", "only", "v0");
    otherGraph.connect("all", arc, stays);
  });
  slots.remove([idSlot("v0")]);
  otherGraph.closeAll();
  assert.is(graph!.size, 1);
});

test("vertices are removed however many were created since", ({ stores, graphs }) => {
  const [store] = stores;
  const [graph] = graphs;
  const slots = new GraphSlots(store!, threadSlots()!);
  graph!.createVertex("old");
  store!.memory.header.words[Header.VertexSerial]! += 2 ** 31;
  graph!.createVertex("new");
  slots.remove(ALL_SLOTS);
  assert.equal(graph!.vertices(), []);
});

test("vertices with more arcs than fit a transaction are removed", ({ stores, graphs }) => {
  const smallStore = loggedStore(2 ** 18);
  const graph = openStore(smallStore);
  stores.push(smallStore);
  graphs.push(graph);
  const slots = new GraphSlots(smallStore, threadSlots()!);
  // Virtual, so that each of its arcs is removed by itself.
  const hub = "h".repeat(4000);
  for (let n = 0; n < 160; n++) {
    graph.createVertex(`a${n}`, { type: "kind" });
    graph.connect(`a${n}`, "has", hub);
    graph.connect(hub, "in", `a${n}`);
    takeUnits(smallStore);
  }
  slots.remove(ALL_SLOTS);
  assert.equal([graph.size, graph.order], [0, 160]);
});

test.run();
