// Vertex conditions in all their forms, by the matching vertices of the shop.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../../../../runtime/base/sort-constants.js";
import {
  C_SCAN,
  D_ANY,
  D_IN,
  D_OUT,
  M_CNT,
  M_FLT,
  V_EQ,
  V_GT,
  V_GTE,
  V_LT,
  V_NEQ,
  V_NRANGE,
  V_RANGE,
} from "../../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../../support/make-graph.js";
import { makeShop } from "../examples/shop.js";

const test = suite("vertex conditions");
const shop = makeShop();
const ALL = ["ann", "bo", "cy", "dee", "lamp", "mug", "nord", "rope", "tent", "zig"];
const PERSONS = ["ann", "bo", "cy", "dee"];
const ITEMS = ["lamp", "mug", "rope", "tent"];

function findMatches(graph: typeof shop, condition: unknown): readonly string[] {
  return graph.vertices({ condition: condition as null, sortby: S_ID });
}

function leaves(condition: unknown, expected: readonly string[]): void {
  test(`${JSON.stringify(condition)}: ${expected.join(" ")}`, () => {
    assert.equal(findMatches(shop, condition), expected);
    // The same as a neighbor condition from a vertex that has arcs to all of them.
    const around = { arc: "all", neighbor: condition as null, sortby: S_ID };
    assert.equal(centered.neighborhood("center", around), expected);
    const ids = findMatches(shop, [false, condition]);
    const others = ALL.filter((id) => !expected.includes(id));
    assert.equal(ids, others, "negated");
  });
}

/** The shop, with a vertex that has an arc to each other one. */
const centered = makeShop();
for (const id of ALL) centered.connect("center", "all", id);

for (const any of [null, "*", {}, { id: null }, { type: "*" }, { virtual: false }, { id: "*" }]) {
  leaves(any, ALL);
}
leaves("ann", ["ann"]);
leaves("nobody", []);
leaves("n*", ["nord"]);
leaves(["ann", "tent", "nobody", "ann"], ["ann", "tent"]);
leaves({ id: ["ann", "b*"] }, ["ann"]);
leaves({ type: "person" }, PERSONS);
leaves({ type: [V_EQ, "item"] }, ITEMS);
leaves({ type: "never" }, []);
leaves({ type: null }, []);
leaves({ virtual: true }, []);
leaves({ type: "person", id: "a*" }, ["ann"]);
leaves([true, { type: "person" }], PERSONS);
leaves([false, [false, { type: "item" }]], ITEMS);
leaves({ property: { age: null } }, PERSONS);
leaves({ property: { city: "B*" } }, ["bo", "dee"]);
leaves({ property: { city: [V_NEQ, "Oslo"] } }, ["bo", "dee"]);
leaves({ property: { price: [V_RANGE, [7, 10]] } }, ["mug", "rope"]);
leaves({ property: { price: [V_NRANGE, [7, 100]] } }, ["tent"]);
leaves({ property: [false, { price: null }], type: [V_NEQ, "person"] }, ["nord", "zig"]);
leaves({ property: { age: [V_GT, 20], city: "Oslo" } }, ["ann", "cy"]);
leaves({ property: { never: null } }, []);
leaves({ abstime: { expires: [V_GTE, 4_102_444_799] } }, ALL);
leaves({ abstime: { created: 1 } }, ALL);
leaves({ reltime: { created: -3600 } }, ALL);
leaves({ reltime: { created: 3600 } }, []);
leaves({ reltime: [false, { modified: [V_LT, 3600] }] }, []);

test("match degrees of all arcs, and of filtered ones", () => {
  const expected: readonly (readonly [object, readonly string[]])[] = [
    [{ outdegree: [V_GTE, 4] }, ["ann", "bo", "cy"]],
    [{ indegree: 4 }, ["lamp", "rope", "tent"]],
    [{ degree: [V_RANGE, [1, 2]] }, ["mug", "nord", "zig"]],
    [{ outdegree: [V_NRANGE, [0, 4]] }, ["ann"]],
    [{ degree: ["knows", 2] }, ["ann", "bo", "cy", "dee"]],
    [{ degree: [["knows", D_IN], 2] }, ["dee"]],
    [{ indegree: ["bought", [V_GT, 1]] }, ["lamp"]],
    [{ outdegree: [["bought", D_OUT, M_CNT, V_GT, 1], 1] }, ["ann", "bo"]],
    [
      {
        degree: [
          [false, "knows"],
          [V_GTE, 4],
        ],
      },
      ["lamp", "rope", "tent"],
    ],
    [{ indegree: [null, 4] }, ["lamp", "rope", "tent"]],
  ];
  for (const [condition, ids] of expected) {
    assert.equal(findMatches(shop, condition), ids, JSON.stringify(condition));
  }
});

test("accept traverse and adjacent in full, in short and by their aliases", () => {
  const buyers = ["ann", "bo"];
  for (const condition of [
    { traverse: { arc: ["bought", D_OUT], neighbor: "lamp" } },
    { adjacent: { arc: ["bought", D_OUT], neighbor: "lamp" } },
    { arc: ["bought", D_OUT], neighbor: "lamp" },
    { has_arc: ["bought", D_OUT], has_neighbor: "lamp" },
    { has_arc: "bought", neighbor: ["lamp"] },
    { adjacent: ["bought", D_OUT], traverse: "lamp", type: "person" },
  ]) {
    assert.equal(findMatches(shop, condition), buyers, JSON.stringify(condition));
  }
  assert.equal(findMatches(shop, { adjacent: "dee" }), ["bo", "cy", "tent"]);
  assert.equal(findMatches(shop, { traverse: ["bo", "cy"] }).includes("dee"), true);
  assert.equal(findMatches(shop, { arc: ["rated", D_ANY, M_FLT, V_GTE, 4] }), ["ann", "lamp"]);
});

test("override the outcome with assert", () => {
  const condition = { arc: "never", assert: true, collect: C_SCAN };
  assert.equal(findMatches(shop, { traverse: condition }), ALL);
  assert.equal(findMatches(shop, { adjacent: { arc: "*", assert: 0 } }), []);
  assert.equal(findMatches(shop, { adjacent: { arc: "makes", assert: null } }).length, 6);
});

test("negate with not, also twice", () => {
  assert.equal(findMatches(shop, { not: { type: "person" } }).length, 6);
  assert.equal(findMatches(shop, { not: [false, "ann"] }), ["ann"]);
  assert.equal(findMatches(shop, { not: { not: "ann" } }), ["ann"]);
  assert.throws(
    () => findMatches(shop, { not: "ann", type: "person" }),
    "Invalid vertex condition: 'not'",
  );
});

test("accept vertices and internal ids as ids, and a star within an id", () => {
  const graph = makeGraph();
  graph.createVertex("a*");
  graph.createVertex("ab");
  graph.connect("ab", "to", "virtual");
  const star = graph.openVertex("a*", "r");
  assert.equal(findMatches(graph, star), ["a*"]);
  assert.equal(findMatches(graph, { id: star }), ["a*"]);
  assert.equal(findMatches(graph, star.internalid), ["a*"]);
  assert.equal(findMatches(graph, [star, "ab"]), ["a*", "ab"]);
  assert.equal(findMatches(graph, "a\\*"), ["a*"]);
  assert.equal(findMatches(graph, "a*"), ["a*", "ab"]);
  assert.equal(findMatches(graph, ["a*"]), ["a*"]);
  assert.equal(findMatches(graph, { virtual: true, type: null }), ["virtual"]);
  assert.equal(findMatches(graph, { degree: 0 }), ["a*"]);
  star.close();
});

test("ignore members of Object.prototype", () => {
  for (const text of ['{"__proto__": 1}', '{"constructor": 1}', '{"toString": null}']) {
    assert.throws(() => findMatches(shop, JSON.parse(text)), /^Invalid vertex condition: '/);
  }
});

test.run();
