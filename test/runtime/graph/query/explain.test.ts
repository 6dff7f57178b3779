// Explanations of queries: the source of candidates, the number examined, and the duration.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID, S_SIM } from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { D_OUT } from "../../../../runtime/graph/model/constants.js";
import type { NearestOptions } from "../../../../runtime/graph/query/calls/nearest.js";
import type { Explanation } from "../../../../runtime/graph/query/render/typed-results.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite<{ graph: Graph }>("explanations");
const MANY = 1000;

test.before.each((context) => {
  context.graph = makeGraph();
  for (let n = 0; n < MANY; n++) {
    context.graph.createVertex(`v${n}`, { type: n < 10 ? "few" : "many", properties: { n } });
  }
  context.graph.connect("v0", "to", "v1");
  context.graph.connect("v0", "to", "v2");
});

test("counts all vertices as candidates without an index, and the indexed ones with one", ({
  graph,
}) => {
  const query = { condition: { property: { n: 7 } }, explain: true } as const;
  const { vertices, explain } = graph.vertices(query);
  assert.equal(vertices, ["v7"]);
  assert.equal(explain.plan, [
    `all vertices: ${MANY + 1} candidates`,
    "tested: property n",
    "no index: property n",
    "as they come, all kept",
  ]);
  assert.equal([explain.looked, explain.matched], [MANY, 1]);
  assert.ok(explain.time.total >= explain.time.search && explain.time.search > 0);
  graph.index("property", { key: "n" });
  const unknown = { condition: { property: { m: 1 } }, explain: true } as const;
  const noCandidates = "index: property m, which no vertex has: 0 candidates";
  assert.is(graph.vertices(unknown).explain.plan[0], noCandidates);
  const again = graph.vertices(query).explain;
  assert.equal(again.plan.slice(0, -1), ["index: property n: 1 candidates", "tested: property n"]);
  assert.equal([again.looked, again.matched], [1, 1]);
});

test("scans all vertices instead of the list of a frequent type, unless for a page", ({
  graph,
}) => {
  const explainSource = (type: string, options: object): string => {
    const condition = { type, property: { n: { gt: 3 } } };
    return graph.vertices({ condition, explain: true, ...options }).explain.plan[0]!;
  };
  const [allPlan, few, many] = [
    `all vertices: ${MANY + 1}`,
    "list of a type: 10",
    "list of a type: 990",
  ];
  assert.is(explainSource("many", { sortby: S_ID, hits: 5 }), `${allPlan} candidates`);
  assert.is(explainSource("many", { hits: 5 }), `${many} candidates`);
  assert.is(explainSource("few", { sortby: S_ID, hits: 5 }), `${few} candidates`);
});

test("describes facets, groups, fusion and ignored words", ({ graph }) => {
  for (const [index, title] of ["red shoe", "red coat", "blue shoe"].entries()) {
    const id = `v${index}`;
    graph.createVertex(id, { properties: { title, n: index % 2 }, vector: [index, 1] });
  }
  graph.index("text", { keys: ["title"] });
  const options = { facets: { n: 5, low: { property: "n", ranges: [1] } }, groupBy: "n" } as const;
  const { explain } = graph.search("red", { ...options, explain: true });
  assert.equal(explain.plan.slice(3), [
    "facet 'n': 2 values of 2 hits",
    "facet 'low': 2 values of 2 hits",
    "groups: 2 of 2 hits",
    "sorted, 10 at most kept",
  ]);
  assert.equal(explain.plan.slice(0, 3), [
    "texts: 3 in 0 segments, 3 of them pending",
    "documents that have each word: 2",
    "blocks of documents: 0 of 0 decoded",
  ]);
  const condition = { property: { n: 1 } };
  const fused = { vector: [1, 1], fuse: true, explain: true, condition } as const;
  assert.equal(graph.search("red", fused).explain.plan.slice(3), [
    "condition: tested for each match",
    "tested: property n",
    "fused: 1 by text and 1 by vector to 1",
    "sorted, 10 at most kept",
  ]);
  const long = "red ".repeat(40);
  const bounded = graph.search(long, { explain: true }) as { bounded?: string };
  assert.is(bounded.bounded, "only 1000 characters and 32 words are searched");
  assert.not("bounded" in graph.search("red", { explain: true }));
});

test("names lists of types and ids", ({ graph }) => {
  const plan = (condition: object | string) =>
    graph.vertices({ condition: condition as never, hits: 5, sortby: S_ID, explain: true }).explain
      .plan;
  const ofType = ["list of a type: 10 candidates", "tested: type 'few'"];
  assert.equal(plan({ type: "few" }), [...ofType, "sorted, 5 at most kept"]);
  assert.equal(plan({ id: ["v1", "v2"] })[0], "ids: 2 candidates");
  graph.index("ids");
  assert.equal(plan("v99*")[0], "index: prefix of ids: 11 candidates");
});

test("starts at named neighbors and joins the sources of `or`", ({ graph }) => {
  const source = (condition: object) => {
    const { vertices, explain } = graph.vertices({ condition, sortby: S_ID, explain: true });
    return [vertices.join(" "), explain.plan[0], explain.looked];
  };
  const to = (neighbor: string | string[]) => ({ adjacent: { arc: "to", neighbor } });
  assert.equal(source(to("v1")), ["v0", "arcs of named vertices: 1 candidates", 2]);
  assert.equal(source({ and: [to("v1"), to("v2")] })[1], "arcs of named vertices: 1 candidates");
  graph.index("property", { key: "n" });
  assert.equal(source({ property: { n: { in: [3, 4, 3] } } }), [
    ...["v3 v4", "index: property n: 2 candidates", 2],
  ]);
  const label = "any of: arcs of named vertices; index: property n; ids; list of a type";
  const any = [to(["v1", "v2"]), { property: { n: 20 } }, "v0", { type: "few" }];
  const [matches, plan] = source({ or: any });
  assert.equal(matches, "v0 v1 v2 v20 v3 v4 v5 v6 v7 v8 v9");
  assert.is(plan, `${label}: 11 candidates`);
  assert.match(source({ or: [...any, { virtual: true }] })[1] as string, /^all vertices/);
  assert.match(source({ or: [{ not: to("v1") }] })[1] as string, /^all vertices/);
});

test("describes traversals, with counts and times", ({ graph }) => {
  const options = { arc: "to", counts: true, explain: true } as const;
  const { neighborhood, counts, explain } = graph.neighborhood("v0", options);
  assert.equal(neighborhood, ["v1", "v2"]);
  assert.equal(counts, { neighbors: 2, arcs: 2 });
  assert.equal(explain.plan, ["out arcs 'to' of one vertex", "as they come, all kept"]);
  assert.ok(explain.looked >= 2);
  const arcs = graph.arcs({ explain: true, hits: 1 });
  assert.equal(arcs.explain.plan[0], `tails: all vertices: ${MANY + 1} candidates`);
  assert.equal(Object.keys(arcs), ["arcs", "explain"]);
});

test("names what a condition tests, and what has no index", ({ graph }) => {
  const lines = (condition: object | string) =>
    graph.vertices({ condition: condition as never, explain: true }).explain.plan.slice(1, -1);
  assert.equal(lines({ type: "few", degree: { gt: 0 }, id: ["v1", "v2"] }), [
    "tested: type 'few', degree, 2 ids",
  ]);
  assert.equal(lines({ and: [{ property: { n: 1 } }, { not: { type: "few" } }] }), [
    "tested: property n, all of (not (type 'few'))",
    "no index: property n",
  ]);
  assert.equal(lines({ or: [{ virtual: true }, { property: { n: 1, m: 2 } }] }), [
    "tested: any of (virtual; properties n, m)",
  ]);
  assert.equal(lines({ adjacent: { arc: "to", neighbor: { type: "many" } } }), [
    "tested: adjacent (all arcs 'to', neighbor type 'many')",
  ]);
  assert.equal(lines({ traverse: { arc: ["to", D_OUT], repeat: [1, null], filter: "true" } }), [
    "tested: traverse (out arcs 'to', 1 or more arcs, each vertex once, filter)",
  ]);
  assert.equal(lines({ outdegree: [{ rel: "to" }, 2], filter: "true", reltime: { created: 0 } }), [
    "tested: number of out arcs 'to', times, filter",
  ]);
  assert.equal(lines("v99*"), ["tested: prefix of ids", "no index: prefix of ids"]);
  assert.equal(lines([false, { property: { n: 1 } }] as never), ["tested: not (property n)"]);
});

test("describes the steps of each traversal", ({ graph }) => {
  const few = { type: "few" } as const;
  const walk = { arc: "to", repeat: [1, 3], through: few, neighbor: few } as const;
  const steps = [
    "out arcs 'to' of one vertex",
    "1 to 3 arcs, each vertex once",
    "through: type 'few'",
    "neighbor: type 'few'",
  ];
  const plan = (explained: { explain: Explanation }) => explained.explain.plan;
  assert.equal(plan(graph.neighborhood("v0", { ...walk, explain: true })).slice(0, -1), steps);
  const adjacent = graph.adjacent("v0", "to", few, { explain: true });
  assert.is(adjacent.adjacent, true);
  assert.equal(plan(adjacent), [steps[0], "neighbor: type 'few'", "until the first"]);
  assert.is(adjacent.explain.matched, 1);
  const { aggregation, explain } = graph.aggregate("v0", { ...walk, explain: true });
  assert.equal(aggregation, { neighbors: 2, arcs: 2 });
  assert.equal([explain.plan, explain.matched], [[...steps, "summed"], 2]);
  const nested = graph.neighborhood("v0", { arc: "to", nest: 2, explain: true });
  assert.is(nested.neighborhood.length, 2);
  assert.equal(plan(nested)[0], steps[0]);
  assert.equal(Object.keys(nested), ["neighborhood", "explain"]);
});

test("describes degrees and lists", ({ graph }) => {
  const degree = graph.degree("v0", ["to", D_OUT], { explain: true });
  assert.equal([degree.degree, degree.explain.plan], [2, ["out arcs 'to' of one vertex"]]);
  const degrees = graph.degree("v0", undefined, { explain: true });
  assert.equal(degrees.explain.plan, ["all arcs of one vertex", "from counters"]);
  const { terminals, explain } = graph.terminals("v0", { explain: true });
  assert.equal(terminals.sort(), ["v1", "v2"]);
  assert.equal(explain.plan, ["out arcs of one vertex", "as they come, all kept"]);
  assert.equal(graph.initials("v1", { explain: true }).initials, ["v0"]);
  assert.is(graph.outarcs("v0", { explain: true }).outarcs.length, 2);
  assert.equal(graph.inarcs("v2", { explain: true }).explain.plan[0], "in arcs of one vertex");
  const vertex = graph.getVertex("v0");
  assert.is(vertex.degree("to", { explain: true }).explain.matched, 2);
  assert.is(vertex.adjacent("to", "v1", { explain: true }).adjacent, true);
  assert.equal(Object.keys(vertex.terminals({ explain: true })), ["terminals", "explain"]);
  assert.is(vertex.outarcs({ explain: true }).explain.matched, 2);
});

test("describes paths", ({ graph }) => {
  graph.connect("v1", "to", "v3");
  graph.connect("v2", "to", "v3");
  const shortest = graph.shortestPath("v0", "v3", { arc: "to", maxDepth: 5, explain: true });
  assert.is(shortest.shortestPath?.cost, 2);
  assert.equal(shortest.explain.plan, [
    "out arcs 'to': fewest arcs, from both ends",
    "5 arcs at most",
  ]);
  assert.ok(shortest.explain.looked >= 2);
  const through = { type: "many" } as const;
  const noPath = graph.shortestPath("v0", "v3", { through, weighted: true, explain: true });
  assert.equal([noPath.shortestPath, noPath.explain.matched], [null, 0]);
  assert.equal(noPath.explain.plan, [
    "out arcs: least sum of weights, from the start",
    "through: type 'many'",
  ]);
  const shortestPaths = graph.shortestPaths("v0", "v3", { weighted: "1", k: 5, explain: true });
  assert.equal([shortestPaths.shortestPaths.length, shortestPaths.explain.matched], [2, 2]);
  assert.equal(shortestPaths.explain.plan, [
    "out arcs: best first, by the least cost to the goals",
    "weights: an expression",
    "5 at most kept",
  ]);
  const ends = graph.paths("v0", { repeat: [2, null], neighbor: "v3", explain: true });
  assert.equal(ends.paths.length, 1);
  assert.equal(ends.explain.plan, [
    "out arcs of one vertex",
    "2 or more arcs, each vertex once",
    "neighbor: id",
    "shortest first, 1000 at most kept",
  ]);
});

test("describes algorithms, also in the background", async ({ graph }) => {
  const read = `${MANY} vertices and 2 arcs read: out arcs 'to'`;
  const { components, explain } = graph.components({ arc: "to", hits: 1, explain: true });
  assert.is(components[0]?.length, 3);
  assert.equal(explain.plan, [read, `${MANY - 2} components`]);
  const ranks = graph.pageRank({ arc: "to", hits: 2, from: ["v0"], explain: true });
  assert.is(ranks.pageRank.length, 2);
  assert.equal(ranks.explain.plan, [read, "20 rounds, restarts at 1 vertices"]);
  const same = await graph.pageRankAsync({ arc: "to", hits: 2, from: ["v0"], explain: true });
  assert.equal([same.pageRank, same.explain.plan], [ranks.pageRank, ranks.explain.plan]);
  const async = await graph.componentsAsync({ arc: "to", hits: 1, explain: true });
  assert.equal(async.components, components);
  const walks = graph.randomWalks("v0", { walks: 3, steps: 4, explain: true });
  assert.is(walks.explain.matched, 3);
  assert.equal(walks.explain.plan, ["out arcs of one vertex", "4 arcs at most, one at random"]);
  const shared = graph.coOccurrence("v0", { explain: true });
  assert.equal(shared.coOccurrence, []);
  assert.equal(shared.explain.plan[0], "out arcs of one vertex, and back from each head");
});

test("describes searches for the nearest vectors", ({ graph }) => {
  for (let n = 0; n < 300; n++) {
    graph.createVertex(`n${n}`, { type: n < 3 ? "rare" : "often", vector: [n, 1, 2] });
  }
  const plan = (options: NearestOptions) => {
    const { nearest, explain } = graph.nearest([1, 1, 1], { ...options, explain: true });
    return [nearest.length, explain.plan] as const;
  };
  assert.equal(plan({ hits: 2 }), [
    2,
    ["nearest vectors: all vectors: 300 candidates", "2 at most kept"],
  ]);
  assert.equal(plan({ condition: { type: "rare" }, hits: -1 }), [
    3,
    ["nearest vectors: list of a type: 3 candidates", "tested: type 'rare'", "all kept"],
  ]);
  assert.equal(plan({ condition: ["n1", "n2"] })[1][0], "nearest vectors: ids: 2 candidates");
  const sorted = { vector: [1, 1, 1], sortby: S_SIM, hits: 2, explain: true } as const;
  assert.equal(
    graph.vertices(sorted).explain.plan[0],
    "nearest vectors: all vectors: 300 candidates",
  );
});

test("explains prepared queries with entries and sums", ({ graph }) => {
  const around = graph.newNeighborhoodQuery("v0", { arc: "to", explain: true });
  assert.equal(around.execute().explain.matched, 2);
  const sums = graph.newAggregatorQuery("v0", { arc: "to", explain: true });
  assert.is(sums.execute().explain.matched, 2);
  const options = { explain: true } as never;
  assert.throws(() => graph.newAdjacencyQuery("v0", options), /'explain' is an invalid/);
});

test("rejects an option that is neither true nor false", ({ graph }) => {
  const options = { explain: 1 } as never;
  const calls: (() => unknown)[] = [
    () => graph.vertices(options),
    () => graph.neighborhood("v0", { nest: 1, explain: 1 as never }),
    () => graph.adjacent("v0", "to", "v1", options),
    () => graph.degree("v0", "to", options),
    () => graph.terminals("v0", options),
    () => graph.shortestPath("v0", "v1", options),
    () => graph.paths("v0", options),
    () => graph.components(options),
    () => graph.randomWalks("v0", options),
    () => graph.nearest([1, 1], options),
  ];
  for (const call of calls) assert.throws(call, /invalid explain parameter/);
});

test.run();
