// Prepared queries: reuse for many anchors and values, statistics of the last execution, and the
// cached result.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../../../../runtime/base/sort-constants.js";
import {
  D_IN,
  D_OUT,
  M_CNT,
  M_LSH,
  V_GTE,
  V_LTE,
  V_RANGE,
} from "../../../../../runtime/graph/model/constants.js";
import { ValueError } from "../../../../../runtime/graph/model/errors.js";
import { makeGraph } from "../../support/make-graph.js";
import { makeShop } from "../examples/shop.js";

const test = suite("prepared queries");

const BUYERS = { arc: ["bought", D_IN, M_CNT, V_GTE, 3], sortby: S_ID } as const;
const shop = makeShop();

test("accept an anchor as id, internal id, vertex or handle", () => {
  const query = shop.newNeighborhoodQuery(null, { arc: "knows", sortby: S_ID });
  assert.is(query.id, null);
  query.id = "ann";
  assert.equal(query.execute(), ["bo", "cy"]);
  const bo = shop.openVertex("bo", "r");
  query.id = bo;
  assert.is(query.id, bo.internalid);
  assert.equal(query.execute(), ["dee"]);
  query.vertex = bo.handle;
  assert.is(query.id, "bo");
  assert.is(query.vertex, bo.handle);
  assert.equal(query.execute(), ["dee"]);
  bo.close();
});

test("report an error and its reason without an anchor, or after its deletion", () => {
  const graph = makeGraph();
  const query = graph.newNeighborhoodQuery();
  const fails = (message: string, reason: number): void => {
    assert.throws(
      () => query.execute(),
      (error: unknown) => error instanceof Error && error.message.split("\n")[0] === message,
    );
    assert.is(query.error?.split("\n")[0], message);
    assert.is(query.reason, reason);
  };
  fails("No object : 'Unspecified object'", 65);
  query.id = "a";
  fails("Object does not exist: 'a'", 64);
  graph.createVertex("a");
  assert.equal(query.execute(), []);
  assert.is(query.error, null);
  assert.is(query.reason, 0);
  const a = graph.openVertex("a", "r");
  const { handle } = a;
  a.close();
  query.vertex = handle;
  graph.deleteVertex("a");
  graph.createVertex("b");
  // The new vertex may reuse the handle, but is another one.
  fails(`Object does not exist: '${handle}'`, 64);
});

test("accept a new value of the first filter", () => {
  const query = shop.newNeighborhoodQuery("lamp", BUYERS);
  assert.is(query.arcval, 3);
  assert.equal(query.execute(), ["bo"]);
  query.arcval = 2;
  assert.equal(query.execute(), ["ann", "bo"]);
  assert.equal(query.execute({ hits: 1, offset: 1 }), ["bo"]);
  assert.is(query.count(), 2);
  const otherQuery = shop.newNeighborhoodQuery("lamp", BUYERS);
  assert.equal(otherQuery.execute(), ["bo"], "queries do not share their values");
  const range = { arc: ["bought", D_IN, M_CNT, V_RANGE, [1, 4]] } as const;
  const aggregator = shop.newAggregatorQuery("lamp", range);
  assert.equal(aggregator.execute(), { neighbors: 1, arcs: 1, predicator_value: 2 });
  aggregator.arcval = [1, 5];
  assert.equal(aggregator.execute(), { neighbors: 2, arcs: 2, predicator_value: 7 });
});

test("reject a value for a filter without one", () => {
  const text = "query has no first-level arc filter";
  assert.throws(() => shop.newNeighborhoodQuery("ann").arcval, text);
  assert.throws(() => {
    shop.newAdjacencyQuery("ann").arcval = 1;
  }, text);
  const query = shop.newNeighborhoodQuery("ann", { arc: "bought" });
  const isValueError = (error: unknown): boolean =>
    error instanceof ValueError && error.code === "SVC2411";
  assert.throws(() => query.arcval, isValueError);
  assert.throws(() => query.arclsh, isValueError);
});

test("accept a new pattern of a filter", () => {
  const graph = makeGraph();
  graph.connect("a", ["like", M_LSH, 0b1111], "b");
  graph.connect("a", ["like", M_LSH, 0b1000_0000], "c");
  const arc = ["like", D_OUT, M_LSH, V_LTE, [0b1110, 1]] as const;
  const query = graph.newNeighborhoodQuery("a", { arc });
  assert.equal(query.arclsh, [0b1110, 1]);
  assert.equal(query.execute(), ["b"]);
  query.arclsh = [0b1000_0001, 1];
  assert.equal(query.execute(), ["c"]);
});

test("keep a cached result while graph, page, anchor and value are unchanged", () => {
  const graph = makeShop();
  const query = graph.newNeighborhoodQuery("lamp", BUYERS);
  const first = query.execute({ cache: 1 });
  assert.is(query.execute({ cache: 1 }), first);
  assert.is.not(query.execute(), first);
  assert.equal(query.execute({ cache: 1, hits: 0 }), []);
  assert.equal(query.execute({ cache: 1 }), ["bo"]);
  query.arcval = 2;
  assert.equal(query.execute({ cache: 1 }), ["ann", "bo"]);
  query.id = "tent";
  assert.equal(query.execute({ cache: 1 }), []);
  graph.connect("ann", ["bought", M_CNT, 9], "tent");
  assert.equal(query.execute({ cache: 1 }), ["ann"]);
});

test("report the operation count and duration of executions", () => {
  const graph = makeShop();
  const query = graph.newVerticesQuery({ condition: { type: "item" } });
  query.execute();
  const opid = query.opid;
  graph.createVertex("pot", "item");
  assert.is(query.execute().length, 5);
  assert.ok(query.opid > opid);
  assert.ok(query.texec > 0);
  assert.is(query.count(), 5);
});

test("find names that are defined later", () => {
  const graph = makeGraph();
  graph.createVertex("a");
  const condition = { type: "later", property: { later: "text" } };
  const around = graph.newNeighborhoodQuery("a", { arc: "later", neighbor: condition });
  const vertices = graph.newVerticesQuery({ condition });
  const arcs = graph.newArcsQuery({ condition: { arc: "later" } });
  assert.equal([around.count(), vertices.count(), arcs.count()], [0, 0, 0]);
  graph.createVertex("b", "later", { properties: { later: "text" } });
  graph.connect("a", "later", "b");
  assert.equal([around.execute(), vertices.execute()], [["b"], ["b"]]);
  // In both directions, as in every condition.
  assert.is(arcs.count(), 2);
});

test("accept a page per execution", () => {
  const text = "'hits' is an invalid keyword argument for this function";
  assert.throws(() => shop.newArcsQuery({ hits: 1 } as object), text);
  const query = shop.newArcsQuery();
  assert.throws(() => query.execute({ offset: -1 }), "offset cannot be negative");
  assert.throws(() => shop.newAdjacencyQuery("ann").execute({ hits: 1 } as object), text);
});

test.run();
