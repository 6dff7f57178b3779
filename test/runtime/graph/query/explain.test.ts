// Explanations of queries: the source of candidates, the number examined, and the duration.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
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
  assert.equal(explain.plan, [`all vertices: ${MANY + 1} candidates`, "as they come, all kept"]);
  assert.equal([explain.looked, explain.matched], [MANY, 1]);
  assert.ok(explain.time.total >= explain.time.search && explain.time.search > 0);
  graph.index("property", { key: "n" });
  const again = graph.vertices(query).explain;
  assert.equal(again.plan[0], "index: property n: 1 candidates");
  assert.equal([again.looked, again.matched], [1, 1]);
});

test("describes facets, groups, fusion and ignored words", ({ graph }) => {
  for (const [at, title] of ["red shoe", "red coat", "blue shoe"].entries()) {
    const id = `v${at}`;
    graph.createVertex(id, { properties: { title, n: at % 2 }, vector: [at, 1] });
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
  assert.equal(plan({ type: "few" }), ["list of a type: 10 candidates", "sorted, 5 at most kept"]);
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
  const [found, plan] = source({ or: any });
  assert.equal(found, "v0 v1 v2 v20 v3 v4 v5 v6 v7 v8 v9");
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

test("rejects calls that cannot be explained", ({ graph }) => {
  assert.throws(() => graph.vertices({ explain: 1 as never }), /invalid explain parameter/);
  assert.throws(() => graph.neighborhood("v0", { nest: 1, explain: true }), /not for nested/);
  assert.throws(() => graph.aggregate("v0", { explain: true } as never), /'explain' is an invalid/);
});

test.run();
