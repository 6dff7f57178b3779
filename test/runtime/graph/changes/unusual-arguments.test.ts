// Unusual but valid arguments, and garbage: each is handled as documented, or rejected with an
// error that names the allowed values.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Graph } from "../../../../runtime/graph/api/graph.js";
import { freezeClock, unfreezeClock } from "../../../../runtime/graph/memory/time.js";
import {
  D_OUT,
  M_AUTOTM,
  M_LSH,
  M_TMC,
  M_TMM,
  M_TMX,
  V_NRANGE,
  V_RANGE,
} from "../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ store: GraphStore; graph: Graph }>("odd arguments");

test.before.each((context) => {
  context.store = GraphStore.create("test", TEST_THREAD);
  context.graph = openStore(context.store);
});

test.after.each(({ graph, store }) => {
  graph.closeAll();
  checkStore(store);
});

test("accepts an internal id instead of an id", ({ graph }) => {
  graph.connect("a", "r", "b");
  const [a, b] = ["a", "b"].map((id) => {
    using vertex = graph.openVertex(id, "r");
    return vertex.internalid;
  }) as [string, string];
  assert.is(graph.hasVertex(a), true);
  assert.is(graph.connect(a, "s", b), 1);
  assert.equal(graph.neighborhood(a, { arc: "s" }), ["b"]);
  assert.is(graph.arcValue(a, "r", b), graph.arcValue("a", "r", "b"));
  assert.is(graph.disconnect(a, "s", b), 1);
  using vertex = graph.openVertex(a);
  assert.is(vertex.id, "a");
  vertex.close();
  assert.is(graph.deleteVertex(a), 1);
  assert.is(graph.order, 0);
});

test("creates an untyped vertex from a virtual one with a previous type", ({ graph }) => {
  graph.createVertex("a", { type: "thing" });
  graph.connect("b", "r", "a");
  graph.deleteVertex("a");
  {
    using opened = graph.openVertex("a");
    assert.equal([opened.type, opened.virtual], ["thing", false]);
  }
  graph.deleteVertex("a");
  assert.is(graph.createVertex("a"), 1);
  using reopenedVertex = graph.openVertex("a", "r");
  assert.is(reopenedVertex.type, "__vertex__");
  assert.equal(graph.verticesType("thing"), []);
});

test("makes vertices real when connecting to a list, not to a single one", ({ graph }) => {
  graph.connect("x", "r", "a");
  graph.connect("x", "r", "b");
  assert.is(graph.connect("x", "s", ["a"]), 1);
  assert.equal(graph.vertices({ condition: { virtual: true } }), ["b"]);
  // They are acquired even if the condition is not met.
  assert.is(graph.connect("x", "s", ["b"], { condition: "none" }), 0);
  assert.equal(graph.vertices({ condition: { virtual: true } }), []);
});

test("keeps given times together with automatic ones of M_AUTOTM", ({ graph }) => {
  assert.is(graph.connect("x", ["a", M_TMX | M_AUTOTM, 4_000_000_000], "y"), 3);
  assert.is(graph.arcValue("x", ["a", D_OUT, M_TMX], "y"), 4_000_000_000);
  assert.is(graph.connect("x", ["b", M_TMM | M_AUTOTM, 1000], "y"), 2);
  assert.is(graph.arcValue("x", ["b", D_OUT, M_TMM], "y"), 1000);
  assert.is(graph.connect("x", ["c", M_TMC | M_AUTOTM, 1000], "y"), 2);
  assert.is(graph.arcValue("x", ["c", D_OUT, M_TMC], "y"), 1000);
  assert.throws(
    () => graph.connect("x", ["d", M_TMX, 4_000_000_000], "y", { lifespan: 9 }),
    /automatic/,
  );
});

test("compares M_LSH patterns by distance or equality only", ({ graph }) => {
  for (const [id, bits] of [
    ["a", 5],
    ["b", 0xf000_0000],
  ] as const) {
    graph.connect("x", ["l", M_LSH, bits], id);
  }
  const listWarnings = (code: number) =>
    graph.neighborhood("x", { arc: ["l", D_OUT, M_LSH, code, [1, 9]] });
  assert.throws(
    () => listWarnings(V_RANGE),
    /Invalid arc value comparison code\n {2}arc\[3\] is 16/,
  );
  assert.throws(
    () => listWarnings(V_NRANGE),
    /expected: V_LTE and V_GT for distances, V_EQ, V_NEQ$/,
  );
});

test("rejects conditions on keys that no property can have", ({ graph }) => {
  graph.createVertex("a", { properties: { k: 1 } });
  for (const key of ["9k", "_k", "9 k"]) {
    const condition = { property: { [key]: 1 } };
    assert.throws(
      () => graph.vertices({ condition }),
      (error: Error) =>
        error.message.startsWith(`invalid property key: '${key}'\n  condition.property`) &&
        error.message.endsWith("expected: a letter, then letters, digits and _.#$%@"),
    );
  }
});

test("rejects creating vertices of the default type by name", ({ graph }) => {
  assert.throws(() => graph.createVertex("a", { type: "__vertex__" }), /invalid vertex type/);
  assert.is(graph.order, 0);
  using vertex = graph.newVertex("a", { type: "t" });
  vertex.setType("__vertex__");
  assert.is(graph.order, 1);
  assert.equal(graph.verticesType("__vertex__"), ["a"]);
});

test("removes all or some of thousands of arcs between two vertices", ({ graph, store }) => {
  const ARCS = 3000;
  for (let arc = 0; arc < ARCS; arc++) graph.connect("x", [`r${arc}`, M_TMC, arc], "y");
  assert.is(graph.disconnect("x", ["r5"], "y"), 1);
  checkStore(store);
  assert.is(graph.disconnect("x", undefined, "y"), ARCS - 1);
  assert.is(graph.size, 0);
});

test("truncates long names in errors", ({ graph }) => {
  const long = "x".repeat(10_000);
  for (const fail of [
    () => graph.openVertex(long),
    () => graph.neighborhood(long),
    () => graph.connect("a", ["r", M_TMC, 1], `${long}\u0001`),
    () => graph.createVertex("a", { type: `${long} ` }),
  ]) {
    assert.throws(
      fail,
      (error: Error) => error.message.length < 250 && /x{90}/.test(error.message),
    );
  }
});

const GARBAGE: readonly unknown[] = [
  ...[undefined, null, true, Number.NaN, -1, 2 ** 40, 1.5, [1], {}, () => 1, Symbol("s")],
  Object.assign(Object.create(null), { a: 1 }),
];
const CALLS = [
  ...["hasVertex", "getVertexID", "openVertex", "openVertices", "createVertex", "newVertex"],
  ...["deleteVertex", "connect", "disconnect", "count", "neighborhood", "adjacent", "degree"],
  ...["arcValue", "terminals", "enumRelationship", "enumVertexType", "enumKey", "relationship"],
  ...["vertexType", "key", "evaluate", "define", "aggregate", "inarcs", "verticesType"],
];
/** Messages of JavaScript engines for unexpected values. */
const INTERNAL = /Cannot (read|destructure|convert)|is not (a function|iterable)|undefined \(/;

test("names the argument for garbage in any position", ({ graph }) => {
  const calls = graph as unknown as Record<string, (...args: unknown[]) => unknown>;
  graph.createVertex("a");
  for (const name of CALLS) {
    for (const garbage of GARBAGE) {
      for (const args of [[garbage], ["a", garbage], [garbage, garbage], ["a", "r", garbage]]) {
        try {
          calls[name]!.call(graph, ...args);
        } catch (error) {
          const { message } = error as Error;
          const shown = `${name}(${args.map((arg) => typeof arg)}): ${message}`;
          assert.ok(!INTERNAL.test(message) && message.length < 400, shown);
        }
        graph.closeAll();
      }
    }
  }
});

test("applies the time limit of a query to rendering its result", ({ graph }) => {
  for (let name = 0; name < 1000; name++) graph.createVertex(`v${name}`);
  const fields = ["id", "properties"] as const;
  const limit = { limexec: true, timeout: 0 };
  assert.is(graph.vertices({ ...limit, fields, hits: 100 }).length, 100);
  assert.throws(() => graph.vertices({ ...limit, fields }), /execution timeout after 0 ms/);
});

test("distinguishes numeric addresses from string ids", ({ graph }) => {
  graph.createVertex("a");
  const open = graph.openVertex as (id: unknown) => unknown;
  for (const id of [[1], ["a"], null, {}]) {
    assert.throws(() => open.call(graph, id), /an id or an address is required/);
  }
  const vertex = graph.openVertex("a");
  const setType = vertex.setType as (type: unknown) => void;
  for (const type of [["t"], 5, {}]) {
    assert.throws(() => setType.call(vertex, type), /a type is a text/);
  }
});

/** Calls with one garbage argument, on a graph of two vertices and an arc. */
const TYPED_CALLS: readonly ((graph: Graph, garbage: never) => unknown)[] = [
  (graph, argument) => graph.closeVertex(argument),
  (graph, argument) => graph.closeVertices([argument]),
  (graph, argument) => graph.escalateVertex(argument),
  (graph, argument) => graph.relaxVertex(argument),
  (graph, argument) => graph.synchronized(argument),
  (graph, argument) => graph.createVertex("z", "t", argument),
  (graph, argument) => graph.createVertex("z", { properties: argument }),
  (graph, argument) => graph.createVertex("z", { lifespan: argument }),
  (graph, argument) => graph.newVertex("z", "t", argument),
  (graph, argument) => graph.connect("a", "r", "b", argument),
  (graph, argument) => graph.connectMany("a", [["r", "b"]], argument),
  (graph, argument) => graph.disconnect("a", "r", "b", argument),
  (graph, argument) => graph.deleteVertex("a", argument),
  (graph, argument) => graph.openVertex("a", "a", argument),
  (graph, argument) => graph.lock(argument),
  (graph, argument) => graph.orderOf(argument),
  (graph, argument) => graph.truncate(argument),
  (graph, argument) => graph.getOpenVertices(argument),
  (graph, argument) => graph.vertexIdByAddress(argument),
  (graph, argument) => graph.enumRelationship("s", argument),
  (graph, argument) => graph.getMemoryUsage(argument),
  (graph, argument) => graph.getDefinition(argument),
  (graph, argument) => graph.evaluate("1", argument),
  (graph, argument) => graph.evaluate("1", { vector: argument }),
  (graph, argument) => graph.degree("a", "r", argument),
  (graph, argument) => graph.adjacent("a", "r", "b", argument),
  (graph, argument) => graph.disconnect("a", argument),
  (graph, argument) => graph.vertices({ condition: argument }),
  (graph, argument) => graph.vertices({ condition: { id: [argument] } }),
  (graph, argument) => graph.vertices({ condition: { property: { age: { in: [argument] } } } }),
  (graph, argument) => graph.vertices({ condition: { property: argument } }),
  (graph, argument) => graph.vertices({ result: argument }),
  (graph, argument) => graph.vertices({ sortby: argument }),
  (graph, argument) => graph.pageRank({ damping: argument }),
  (graph, argument) => graph.openVertex("a").getProperty(argument),
  (graph, argument) => graph.openVertex("a").hasProperty(argument),
  (graph, argument) => graph.openVertex("a").removeProperty(argument),
  (graph, argument) => graph.openVertex("a").setProperties(argument),
  (graph, argument) => graph.openVertex("a").incProperty("age", argument),
  (graph, argument) => graph.openVertex("a").setRank(argument),
  (graph, argument) => graph.openVertex("a").escalate(argument),
];

/** Values that none of them accepts. */
const STRANGE = [
  Symbol("garbage"),
  Object.assign(Object.create(null), { "9 garbage": Symbol("garbage") }),
  new Map([["rel", "r"]]),
  Promise.resolve({}),
  [Symbol("garbage")],
];

test("rejects garbage with the allowed values and changes nothing", ({ graph }) => {
  graph.connect("a", "r", "b");
  graph.createVertex("a", { properties: { age: 1 } });
  for (const [index, call] of TYPED_CALLS.entries()) {
    for (const [position, garbage] of STRANGE.entries()) {
      let error: unknown = null;
      try {
        call(graph, garbage as never);
      } catch (thrown) {
        error = thrown;
      }
      graph.closeAll();
      const label = `call ${index}, garbage ${position}: ${error}`;
      assert.ok(error instanceof Error, label);
      assert.not.match(
        error.message,
        /Cannot (read|convert)|is not a function|not iterable/,
        label,
      );
      assert.equal([graph.order, graph.size], [2, 1], label);
    }
  }
});

test("rejects invalid options of asynchronous calls", async ({ graph }) => {
  for (const options of [1, "x".repeat(1000), new Map()]) {
    const error = await graph.newVertexAsync("z", "t", options as never).catch((e) => e);
    assert.match(String(error), /TypeError: options must be an object/);
  }
  assert.is(graph.order, 0);
});

test("rejects unknown option names", ({ graph }) => {
  for (const call of [
    () => graph.createVertex("z", { lifespam: 1 } as never),
    () => graph.connect("a", "r", "b", { lifespam: 1 } as never),
    () => graph.evaluate("1", { vertex: "a" } as never),
    () => graph.vertices({ vertex: "a" } as never),
    () => graph.index("property", { key: "k", unique: true } as never),
    () => graph.index("vectors", { length: 3, space: "cosine" } as never),
    () => graph.dropIndex("vectors", { length: 3, ef: 9 } as never),
    () => graph.dropIndex("text", { names: "t" } as never),
    () => graph.view(() => 1, { foo: 1 } as never),
    () => new Graph("z", { foo: 1 } as never),
  ]) {
    assert.throws(call, /is an invalid keyword argument.*\n {2}\w+ is .*; expected: \w/);
  }
  const weights = { keys: { title: { weight: 2 } } } as never;
  assert.throws(() => graph.index("text", weights), /keys\.title is \{.*; expected: \{ boost \}/);
  const approximate = { k: 1 } as never;
  assert.throws(() => graph.nearest([1], { approximate }), /is \{k: 1\}; expected: true, \{ ef/);
  const ids = graph.index.bind(graph) as (kind: string, options: object) => void;
  assert.throws(() => ids("ids", { foo: 1 }), /invalid keyword.*\n {2}foo is 1; expected: no opt/);
  assert.is(graph.order, 0);
  assert.equal(graph.propertyIndexes(), []);
});

test("rejects further arguments", async ({ graph }) => {
  graph.createVertex("a");
  const further = { foo: 1 } as never;
  for (const call of [
    () => graph.createVertices(["b"], further),
    () => graph.batch(() => graph.createVertex("b"), further),
    () => graph.openVertex("a", "r", 0, further),
    () => graph.openVertices(["a"], "r", 0, further),
    () => graph.getVertex("a", further),
    () => graph.deleteVertex("a", 0, further),
    () => graph.verticesType("t", further),
    () => graph.truncate("t", further),
    () => graph.save(0, false, further),
  ]) {
    assert.throws(call, /too many arguments.*\n {2}given \{foo: 1\}; expected: nothing after/);
  }
  for (const promise of [
    graph.openVertexAsync("a", "r", 0, further),
    graph.openVerticesAsync(["a"], "r", 0, further),
  ]) {
    assert.match(String(await promise.catch((error) => error)), /too many arguments/);
  }
  assert.throws(() => graph.save({ force: true } as never), /a timeout is a number/);
  assert.is(graph.order, 1);
  assert.equal(graph.getOpenVertices(), []);
});

test("creates a vertex at one second, and releases the clock if that fails", ({ graph }) => {
  const { now } = Date;
  let seconds = 2e9;
  Date.now = () => seconds++ * 1000;
  try {
    graph.createVertex("a", { type: "t", lifespan: 9, properties: { one: 1, two: 2 } });
  } finally {
    Date.now = now;
  }
  assert.throws(() => graph.createVertex("a", { type: "other" }), /Type mismatch/);
  assert.is(freezeClock(), true);
  unfreezeClock();
  using vertex = graph.openVertex("a", "r");
  assert.is(vertex.tmm, vertex.tmc);
  assert.is(vertex.tmx, vertex.tmc + 9);
});

test("names the property that is invalid", ({ graph }) => {
  const create = (properties: object) => () => graph.createVertex("a", { properties } as object);
  assert.throws(create({ "a b": 1 }), /properties\["a b"\] is/);
  assert.throws(create({ a: 2 ** 60 }), /properties\.a is/);
  assert.throws(create({ "*a": () => 1 }), /properties\["\*a"\] is/);
  assert.is(graph.order, 0);
});

test.run();
