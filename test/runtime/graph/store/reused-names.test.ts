// Codes of unused names: they are reassigned when none is left, and concurrent readers never
// confuse two names.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import type { NameEnumeration } from "../../../../runtime/graph/store/names.js";
import { comparable } from "../../../property/support/comparable.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, replayTo } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  store: GraphStore;
  attached: GraphStore;
  graph: Graph;
}

const test = suite<Context>("reused name codes");
const OTHER_THREAD = TEST_THREAD + 1;
const TYPES = 208;

test.before.each((context) => {
  context.store = GraphStore.create("test", TEST_THREAD);
  context.attached = GraphStore.attach(context.store.share, OTHER_THREAD);
  context.graph = openStore(context.store);
});

test.after.each(({ store }) => checkStore(store));

/** Defines names until all codes are used. */
function exhaust(store: GraphStore, names: NameEnumeration): void {
  store.writer.mutate(() => {
    for (let name = 0; names.count(names.nextCode) === 0; name++) {
      if (names.nameOf(names.nextCode) !== "") break;
      names.define(`n${name}`);
    }
  });
}

test("allow types to come and go without end", ({ graph, attached }) => {
  graph.createVertex("kept", { type: "kept" });
  for (let name = 0; name < 3 * TYPES; name++) {
    graph.createVertex("v", { type: `type${name}` });
    assert.is(
      attached.types.nameOf(attached.vertices.typeOf(attached.ids.find("v"))),
      `type${name}`,
    );
    assert.equal(openStore(attached).verticesType(`type${name}`), ["v"]);
    graph.deleteVertex("v");
  }
  // A vertex was created and deleted after the last definition.
  assert.is(attached.namesLostCount, attached.operationCount - 2);
  assert.equal(Object.keys(graph.vertexTypes()), ["kept"]);
  assert.equal(graph.verticesType("kept"), ["kept"]);
  assert.equal(graph.verticesType("type0"), []);
});

test("allow keys and relationships to come and go without end", ({ graph, store, attached }) => {
  exhaust(store, store.keys);
  exhaust(store, store.relationships);
  const vertex = graph.newVertex("v", { properties: { kept: 1 } });
  graph.connect("v", "kept", "w");
  for (let name = 0; name < 50; name++) {
    vertex.setProperty(`key${name}`, name);
    graph.connect("v", `rel${name}`, "w");
    assert.equal(attached.properties.all(vertex.handle), { kept: 1, [`key${name}`]: name });
    assert.equal(openStore(attached).neighborhood("v", { arc: `rel${name}` }), ["w"]);
    vertex.removeProperty(`key${name}`);
    graph.disconnect("v", `rel${name}`);
  }
  vertex.close();
  assert.equal(Object.keys(graph.relationships()), ["kept"]);
});

test("never come from names in use or the one defined last", ({ store }) => {
  const { types, writer } = store;
  exhaust(store, types);
  writer.mutate(() => {
    types.addCount(32, 1);
    assert.is(types.define("a"), 33);
    assert.is(types.define("b"), 34);
    types.addCount(32, -1);
    assert.is(types.define("c"), 32);
    for (let code = 32; code < 32 + TYPES; code++) types.addCount(code, 1);
  });
  assert.throws(() => writer.mutate(() => types.define("more")), /exhausted/);
  assert.is(types.nameOf(33), "a");
  writer.mutate(() => {
    for (let code = 32; code < 32 + TYPES; code++) types.addCount(code, -1);
  });
});

test("return to their previous name when a definition is rolled back", ({ store, attached }) => {
  exhaust(store, store.types);
  assert.is(attached.types.codeOf("n0"), 32);
  assert.throws(() =>
    store.writer.mutate(() => {
      assert.is(store.types.define("wrong"), 32);
      throw new Error("undo");
    }),
  );
  for (const { types } of [store, attached]) {
    assert.equal([types.codeOf("n0"), types.codeOf("wrong"), types.nameOf(32)], [32, 0, "n0"]);
  }
});

test("do not mix vertices of two names in a concurrent query", ({ store, attached, graph }) => {
  graph.createVertex("old", { type: "first" });
  exhaust(store, store.types);
  const { typeLists } = store;
  const copyBefore = typeLists.copyBefore.bind(typeLists);
  let copies = 0;
  typeLists.copyBefore = (...args) => {
    if (copies++ === 0) {
      const changing = openStore(attached);
      changing.deleteVertex("old");
      // Never-used names come first, then the one that the query looks for.
      for (let name = 0; name < TYPES; name++)
        changing.createVertex(`${name}`, { type: `m${name}` });
      assert.is(attached.types.codeOf("first"), 0);
    }
    return copyBefore(...args);
  };
  assert.equal(graph.vertices({ condition: { type: "first" } }), []);
  assert.ok(copies > 0);
});

test("are the same on replicas, even for locked vertices", () => {
  const store = loggedStore();
  const copy = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const heldVertex = graph.newVertex("held", { type: "held" });
  graph.deleteVertex("held");
  for (let name = 0; name < 2 * TYPES; name++) {
    graph.createVertex("v", { type: `type${name}` });
    graph.deleteVertex("v");
  }
  heldVertex.close();
  replayTo(store, copy);
  checkStore(copy);
  assert.equal(comparable(copy), comparable(store));
  assert.equal(copy.types.codeOf("type400"), store.types.codeOf("type400"));
});

test.run();
