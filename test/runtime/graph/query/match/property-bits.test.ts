// Conditions on properties of many heads: bits remembered from query to query follow each change.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../../runtime/graph/api/graph.js";
import { makeGraph } from "../../support/make-graph.js";

const test = suite<{ graph: Graph; values: Map<string, number> }>("property bits");
/** More than are tested before bits are remembered, and than a scan tests at once. */
const COUNT = 2200;
const LIMIT = 30;
/** One of this number of vertices has another type. */
const RARE = 7;

test.before.each((context) => {
  const graph = makeGraph();
  const values = new Map<string, number>();
  for (let index = 0; index < COUNT; index++) {
    const type = index % RARE === 0 ? "rare" : "frequent";
    graph.createVertex(`v${index}`, { type, properties: { n: index % 60 } });
    values.set(`v${index}`, index % 60);
    graph.connect("hub", "to", `v${index}`);
    // Leaves a handle between others that no vertex has.
    if (index === 0) graph.createVertex("gone");
  }
  graph.deleteVertex("gone");
  Object.assign(context, { graph, values });
});

function expectMatches(graph: Graph, values: Map<string, number>): void {
  const below = { property: { n: { lt: LIMIT } } };
  for (const isBelow of [true, false]) {
    const neighbor = isBelow ? below : { property: [false, { n: { lt: LIMIT } }] };
    const neighbors = graph.neighborhood("hub", {
      arc: "to",
      neighbor: neighbor as typeof below,
    }) as string[];
    const expected = [...values].filter(([, value]) => value < LIMIT === isBelow);
    assert.equal(neighbors.sort(), expected.map(([id]) => id).sort());
    // As a scan of all vertices; the hub has no such property.
    const named = { id: "v*", ...(neighbor as typeof below) };
    const scanned = graph.vertices({ condition: named });
    assert.equal(scanned.sort(), neighbors);
    const ofNeighbors = graph.vertices({ condition: neighbor as typeof below });
    assert.equal(ofNeighbors.length, neighbors.length + (isBelow ? 0 : 1));
    for (const type of ["rare", "frequent"]) {
      const condition = { type, ...(neighbor as typeof below) };
      const idsOfType = new Set(graph.vertices({ condition: { type } }));
      const ofType = neighbors.filter((id) => idsOfType.has(id));
      assert.equal(graph.vertices({ condition, sortby: S_ID }), ofType);
      assert.equal(graph.newVerticesQuery({ condition }).count(), ofType.length);
      assert.is(graph.vertices({ condition, hits: 40 }).length, Math.min(40, ofType.length));
    }
  }
}

test("follow changes between queries", ({ graph, values }) => {
  const set = (id: string, value: number): void => {
    values.set(id, value);
    graph.createVertex(id, { properties: { n: value } });
    expectMatches(graph, values);
  };
  expectMatches(graph, values);
  expectMatches(graph, values);
  set("v3", 99);
  set("v2199", 1);
  graph.deleteVertex("v5");
  graph.createVertex("v5", { properties: { n: 0 } });
  graph.connect("hub", "to", "v5");
  values.set("v5", 0);
  expectMatches(graph, values);
  // Beyond the groups that are known so far.
  for (let index = COUNT; index < COUNT + 200; index++) {
    graph.createVertex(`v${index}`, { properties: { n: index % 60 } });
    graph.connect("hub", "to", `v${index}`);
    values.set(`v${index}`, index % 60);
  }
  expectMatches(graph, values);
});

test("follow changes under way, and forget what is rolled back", ({ graph, values }) => {
  expectMatches(graph, values);
  const changed = new Map(values);
  const fails = (): void =>
    graph.batch(() => {
      for (const id of ["v1", "v2140"]) {
        graph.createVertex(id, { properties: { n: 99 - changed.get(id)! } });
        changed.set(id, 99 - changed.get(id)!);
        expectMatches(graph, changed);
      }
      throw new Error("roll back");
    });
  assert.throws(fails, /roll back/);
  expectMatches(graph, values);
});

test.run();
