// Rejected queries: unknown and unsupported options by name, and malformed filters, conditions,
// orders, fields and selections with the documented messages.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ASC } from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import * as C from "../../../../runtime/graph/model/constants.js";
import { makeShop } from "./examples/shop.js";

const test = suite("rejected queries");
const shop = makeShop();

type Call = (graph: Graph, options: never) => unknown;

const CALLS = new Map<string, Call>([
  ["neighborhood", (graph, options) => graph.neighborhood("ann", options)],
  ["vertices", (graph, options) => graph.vertices(options)],
  ["arcs", (graph, options) => graph.arcs(options)],
  ["adjacent", (graph, options) => graph.adjacent("ann", undefined, undefined, options)],
  ["aggregate", (graph, options) => graph.aggregate("ann", options)],
  ["degree", (graph, options) => graph.degree("ann", undefined, options)],
  ["terminals", (graph, options) => graph.terminals("ann", options)],
  ["initials", (graph, options) => graph.initials("ann", options)],
  ["outarcs", (graph, options) => graph.outarcs("ann", options)],
  ["newNeighborhoodQuery", (graph, options) => graph.newNeighborhoodQuery("ann", options)],
  ["newVerticesQuery", (graph, options) => graph.newVerticesQuery(options)],
  ["newArcsQuery", (graph, options) => graph.newArcsQuery(options)],
  ["newAdjacencyQuery", (graph, options) => graph.newAdjacencyQuery("ann", options)],
  ["newAggregatorQuery", (graph, options) => graph.newAggregatorQuery("ann", options)],
]);

function assertRefused(name: string, options: unknown, error: string, message: string): void {
  test(`rejects ${name}(${JSON.stringify(options)}): ${message}`, () => {
    assert.throws(
      () => CALLS.get(name)!(shop, options as never),
      (thrown: unknown) => {
        if (!(thrown instanceof Error)) return false;
        // The position follows; expressions add their text, which is compared, too.
        const problem = message.includes("\n") ? thrown.message : thrown.message.split("\n")[0];
        assert.is(`${thrown.name}: ${problem}`, `${error}: ${message}`);
        return true;
      },
    );
  });
}

for (const name of ["neighborhood", "newNeighborhoodQuery", "vertices", "arcs"]) {
  assertRefused(name, { vector: ["x"] }, "TypeError", "vector[0] must be a number, not string");
}
assertRefused("arcs", { approximate: true }, "QueryError", "approximate is for vertices alone");
const AGGREGATES: readonly (readonly [unknown, string])[] = [
  [5, "aggregate must be dict"],
  [[], "aggregate must be dict"],
  [{ mode: "toString" }, "Invalid aggregation mode: 'toString'"],
  [{ hits: 1 }, "Invalid aggregation argument"],
  [{ deephits: "x" }, "Invalid aggregation argument: deephits must be an integer"],
  [{ arc: C.D_OUT }, "Invalid aggregation argument: groups of arcs have no direction"],
];
for (const [aggregate, message] of AGGREGATES) {
  assertRefused("neighborhood", { aggregate }, "QueryError", message);
}
assertRefused("neighborhood", { nest: -1 }, "QueryError", "invalid nest parameter");
assertRefused(
  "neighborhood",
  { nest: 15 },
  "QueryError",
  "Vertex condition recursion limit reached",
);
assertRefused(
  "neighborhood",
  { nest: 1, nestedHits: "x" },
  "QueryError",
  "invalid nestedHits parameter",
);
assertRefused(
  "neighborhood",
  { nest: 1, aggregate: {} },
  "QueryError",
  "groups of arcs cannot be nested",
);
const NOT_NAMED = "nest: conditions are those with names";
assertRefused("neighborhood", { nest: 1, neighbor: [false, "bo"] }, "QueryError", NOT_NAMED);
const NO_PREVIOUS = "Invalid arc: there is no previous arc to compare with on this level";
const DYNAMIC = ["knows", C.D_OUT, C.M_INT, C.V_DYN_LT];
assertRefused("neighborhood", { arc: DYNAMIC }, "QueryError", NO_PREVIOUS);
assertRefused("vertices", { condition: { traverse: { arc: DYNAMIC } } }, "QueryError", NO_PREVIOUS);
assertRefused("degree", { arc: DYNAMIC }, "QueryError", NO_PREVIOUS);

/** Options that are expressions, by the calls that accept them. */
const ANCHORED = ["pre", "filter", "post"];
const EXPRESSIONS: Record<string, readonly string[]> = {
  neighborhood: [...ANCHORED, "rank"],
  newNeighborhoodQuery: [...ANCHORED, "rank"],
  ...{ vertices: ["rank"], arcs: ["rank"], newVerticesQuery: ["rank"], newArcsQuery: ["rank"] },
  ...{ adjacent: ANCHORED, newAdjacencyQuery: ANCHORED },
  ...{ aggregate: ANCHORED, newAggregatorQuery: ANCHORED },
  ...{ terminals: [...ANCHORED, "rank"], initials: [...ANCHORED, "rank"], degree: ["filter"] },
};
const BROKEN = "Syntax error [ expected operand ] at pos=4 (''): 1 +<<<ERROR>>>\n  1 +\n     ^";
for (const [name, options] of Object.entries(EXPRESSIONS)) {
  for (const option of options) {
    assertRefused(name, { [option]: "1 +" }, "QueryError", BROKEN);
    assertRefused(name, { [option]: 5 }, "QueryError", `${option}: expected an expression string`);
  }
}
for (const name of ["neighborhood", "vertices", "arcs", "adjacent", "aggregate", "terminals"]) {
  assertRefused(name, { memory: 2 }, "ValueError", "size must be at least 4");
  assertRefused(name, { memory: "x" }, "TypeError", "memory must be a Memory or a number");
}

test("accept explicit defaults for omitted options", () => {
  const evaluator = {
    ...{ pre: null, filter: null, post: null, rank: null, memory: 4 },
    vector: [],
  };
  const emptyEvaluator = {
    ...evaluator,
    ...{ aggregate: null, nest: 0, nestedHits: -1 },
  } as object;
  assert.equal(shop.neighborhood("ann", emptyEvaluator), shop.neighborhood("ann"));
});

for (const name of CALLS.keys()) {
  const message = "'no' is an invalid keyword argument for this function";
  assertRefused(name, { no: 1 }, "TypeError", message);
  assertRefused(name, 5, "TypeError", "options must be an object");
  assertRefused(name, ["arc"], "TypeError", "options must be an object");
  test(`${name}: accepts null as no options`, () => {
    assert.not.throws(() => CALLS.get(name)!(shop, null as never));
  });
}

/** Expressions and vectors within conditions, selections and orders. */
const INSIDE = [
  { filter: "1 +" },
  { post: "1 +" },
  { traverse: { filter: "1 +" } },
  { adjacent: { filter: "1 +" } },
];
for (const condition of INSIDE) {
  assertRefused("vertices", { condition }, "QueryError", BROKEN);
  assertRefused("neighborhood", { neighbor: condition }, "QueryError", BROKEN);
}
const SIMILAR = { similarity: { score: 0.5 } };
const WITHOUT_VECTOR = "Invalid similarity condition: vector is required";
assertRefused("vertices", { condition: SIMILAR }, "QueryError", WITHOUT_VECTOR);
assertRefused(
  "vertices",
  { select: "age; a: 1 +" },
  "QueryError",
  "Syntax error [ expected operand ] at pos=12 (''): age; a: 1 +<<<ERROR>>>\n" +
    "  age; a: 1 +\n             ^",
);

/** Malformed parts of queries. */
const NEEDS_MODIFIER = "Invalid arc: value condition not supported without modifier";
const ARC_TEXTS: readonly (readonly [unknown, string])[] = [
  [4, "Invalid arc direction"],
  [["knows", 9], "Invalid arc direction"],
  [["knows", C.D_OUT, 3], "Invalid arc modifier"],
  [["knows", C.D_OUT, C.M_INT, 5, 1], "Invalid arc value comparison code"],
  [["knows", C.D_OUT, C.M_INT, C.V_GT], "Arc comparator requires value"],
  [["knows", C.D_OUT, C.M_INT, C.V_GT, 1, 2], "Invalid arc: too many values"],
  [["knows", C.D_OUT, null, C.V_GT, 1], NEEDS_MODIFIER],
  [[false], "Invalid arc"],
  [
    { relationship: "knows" },
    "Invalid arc: 'relationship' is not one of rel, dir, mod, cond, value",
  ],
  [[{}], "Invalid arc"],
];
for (const [arc, message] of ARC_TEXTS)
  assertRefused("neighborhood", { arc }, "QueryError", message);
assertRefused("neighborhood", { arc: "a b" }, "SearchError", "invalid relationship: 'a b'");

const CONDITION_TEXTS: readonly (readonly [unknown, string])[] = [
  [{ foo: 1 }, "Invalid vertex condition: 'foo'"],
  [{ adjacent: { x: 1 } }, "Invalid adjacency condition parameter: 'x'"],
  [{ traverse: { x: 1 } }, "Invalid recursive traversal parameter: 'x'"],
  [{ arc: "knows", traverse: { arc: "knows" } }, "traverse arc re-definition"],
  [{ neighbor: "bo", traverse: { neighbor: "bo" } }, "traverse neighbor re-definition"],
  [{ collect: true, traverse: { collect: true } }, "traverse collect re-definition"],
  [{ has_arc: "knows", adjacent: { arc: "knows" } }, "adjacent arc re-definition"],
  ["a*n", "Unsupported wildcard: a*n"],
  [{ property: 5 }, "invalid property condition, must be { key: <value condition>, ... }"],
  [{ property: { age: [1, 2, 3] } }, "condition must be 2-tuple"],
  [{ property: { age: [3, 5] } }, "invalid value comparison code"],
  [{ property: { age: [C.V_RANGE, 5] } }, "range comparison requires value tuple (min, max)"],
  [{ degree: [C.V_GT, -1] }, "Invalid degree condition: must be integer >= 0"],
  [{ indegree: [["knows", C.D_OUT], 1] }, "Arc direction mismatch for degree condition"],
  [{ traverse: { assert: "yes" } }, "assert must be boolean, integer or null"],
];
for (const [condition, message] of CONDITION_TEXTS) {
  assertRefused("vertices", { condition }, "QueryError", message);
}
assertRefused(
  "vertices",
  { condition: { type: "a*" } },
  "SearchError",
  "invalid vertex type: 'a*'",
);

test("allow conditions nested 14 levels deep, not 15", () => {
  const nest = (levels: number): object =>
    levels === 0 ? {} : { traverse: { neighbor: nest(levels - 1) } };
  assert.not.throws(() => shop.vertices({ condition: nest(14) }));
  assert.throws(
    () => shop.vertices({ condition: nest(15) }),
    /^Vertex condition recursion limit reached$/m,
  );
});

const RESULT_TEXTS: readonly (readonly [object, string])[] = [
  [{ sortby: S_ASC }, "invalid sortby parameter"],
  [{ sortby: "S_ID" }, "invalid sortby parameter"],
  [{ fields: 2 ** 30 }, "invalid fields parameter"],
  [{ fields: ["nothing"] }, "invalid fields parameter: 'nothing'"],
  [{ result: 1 }, "invalid result parameter"],
  [{ result: "xml" }, "invalid result parameter"],
  [{ counts: 1 }, "invalid counts parameter"],
  [{ hits: 1.5 }, "invalid hits parameter"],
  [{ offset: "1" }, "invalid offset parameter"],
  [{ timeout: "1" }, "invalid timeout parameter"],
  [{ limexec: 1 }, "invalid limexec parameter"],
  [{ select: 5 }, "select must be string"],
  [{ select: " " }, "one or more property fields required"],
  [{ select: ".nothing" }, "undefined attribute: '.nothing'"],
  [{ select: "a b" }, "property select syntax error: 'a b', expected ',' or ';'"],
  [{ select: "a ? b" }, "property select syntax error: 'b', expected ',' or ';'"],
];
for (const [options, message] of RESULT_TEXTS) {
  assertRefused("neighborhood", options, "QueryError", message);
  assertRefused("vertices", options, "QueryError", message);
}
assertRefused("degree", { timeout: "1" }, "QueryError", "invalid timeout parameter");
assertRefused("adjacent", { limexec: 1 }, "QueryError", "invalid limexec parameter");

test.run();
