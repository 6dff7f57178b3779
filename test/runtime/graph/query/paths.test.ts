// Rules of several arcs and paths: results, limits, and rejected options.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_ID } from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { D_OUT, M_INT, V_DYN_GT } from "../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("paths of several arcs");

/** A chart of three levels, with a ring through two of its vertices. */
function makeChart(): Graph {
  const graph = makeGraph();
  for (const id of ["ann", "bob", "cee", "dan", "eve"]) graph.createVertex(id, "person");
  for (const [chief, ...others] of [
    ["ann", "bob", "cee"],
    ["bob", "dan"],
    ["dan", "eve", "ann"],
  ]) {
    for (const member of others) graph.connect(chief!, ["leads", M_INT, others.length], member);
  }
  return graph;
}

const LEADS = { rel: "leads" };

test("entries are the last arcs of the paths, with their distance", () => {
  const graph = makeChart();
  const neighbors = graph.neighborhood("ann", {
    ...{ arc: LEADS, repeat: [2, null], fields: ["anchor", "id", "value"], result: "dict" },
    ...{ sortby: S_ID },
  } as never) as unknown;
  assert.equal(neighbors, [
    { anchor: "dan", arc: { value: 2 }, distance: 3, id: "ann" },
    { anchor: "bob", arc: { value: 1 }, distance: 2, id: "dan" },
    { anchor: "dan", arc: { value: 2 }, distance: 3, id: "eve" },
  ]);
});

test("a cycle is a path back to the start", () => {
  const graph = makeChart();
  const ring = { arc: LEADS, neighbor: "ann" };
  assert.equal(graph.paths("ann", ring), [["ann", "bob", "dan", "ann"]]);
  assert.equal(graph.paths("cee", ring), []);
  assert.is(graph.adjacent("ann", "leads", "ann", { repeat: [1, 2] }), false);
  assert.is(graph.adjacent("ann", "leads", "ann", { repeat: [1, 3] }), true);
});

test("a cycle that is too short does not hide longer ones", () => {
  const graph = makeChart();
  graph.connect("ann", "leads", "ann");
  graph.connect("bob", "leads", "ann");
  const ring = { arc: LEADS, repeat: [3, 6], neighbor: "ann" } as const;
  assert.equal(graph.paths("ann", ring), [["ann", "bob", "dan", "ann"]]);
  assert.equal(graph.neighborhood("ann", ring), ["ann"]);
  assert.is(graph.adjacent("ann", "leads", "ann", { repeat: [4, 6] }), false);
  assert.equal(graph.paths("ann", { ...ring, repeat: [1, 6] }), [["ann", "ann"]]);
});

test("rules continue at the ends of other rules", () => {
  const graph = makeChart();
  const neighbors = graph.neighborhood("ann", {
    ...{ arc: LEADS, repeat: [2, 2], collect: false, fields: ["id"], result: "dict" },
    neighbor: { traverse: { arc: ["leads", D_OUT], collect: true, repeat: [1, 1] } },
  } as never) as unknown as { id: string; distance: number }[];
  assert.equal(neighbors.map(({ id }) => id).sort(), ["ann", "eve"]);
});

test("expressions see the arc before, and the distance", () => {
  const graph = makeChart();
  const around = (filter: string) =>
    graph.neighborhood("ann", { arc: LEADS, repeat: [1, null], filter, sortby: S_ID });
  assert.equal(around("next.arc.dist < 3"), ["bob", "cee", "dan"]);
  assert.equal(around("next.arc.value == 2"), ["bob", "cee"]);
});

test("an unlimited search ends at its time limit", () => {
  const graph = makeGraph();
  for (let from = 0; from < 300; from++) {
    for (let to = 0; to < 300; to++) graph.connect(`v${from}`, "to", `v${to}`);
  }
  const limits = { limexec: true, timeout: 0 };
  const repeat = [1, null] as const;
  assert.throws(() => graph.neighborhood("v0", { repeat, ...limits }), /Execution timeout/);
  assert.throws(() => graph.paths("v0", { neighbor: "none", ...limits }), /Execution timeout/);
  const many = { k: 1_000_000, ...limits };
  assert.throws(() => graph.shortestPaths("v0", "v1", many), /Timeout/);
  assert.is(graph.paths("v0", { hits: 5 }).length, 5);
});

test("rejects what depends on single arcs, and invalid ranges", () => {
  const graph = makeChart();
  const rejects = (options: object, message: RegExp) =>
    assert.throws(() => graph.neighborhood("ann", options as never), message);
  rejects({ repeat: [0, 2] }, /repeat must be the least and the most arcs/);
  rejects({ repeat: [3, 2] }, /repeat must be/);
  rejects({ repeat: 3 }, /repeat must be/);
  // A forgotten limit is not "no limit".
  for (const repeat of [[1], [1, undefined]]) rejects({ repeat }, /repeat must be/);
  rejects({ repeat: [1, 2, 3] }, /repeat must be/);
  rejects({ through: { type: "person" } }, /through needs repeat/);
  rejects({ repeat: [1, 2], collect: null }, /collects the arcs that it follows/);
  rejects({ repeat: [1, 2], nest: 1 }, /nested entries are one arc apart/);
  rejects(
    {
      neighbor: { traverse: { arc: ["leads", D_OUT, M_INT, V_DYN_GT, 1], repeat: [1, 2] } },
    },
    /compares no arc with the one before/,
  );
  assert.throws(() => graph.shortestPath("ann", "eve", { maxDepth: -1 }), /invalid maxDepth/);
  assert.throws(() => graph.shortestPaths("ann", "eve", { k: 0 }), /invalid k/);
  assert.throws(() => graph.paths("ann", { hits: 1.5 }), /invalid hits/);
});

test("finds a path to the nearest of several vertices", () => {
  const graph = makeChart();
  assert.equal(graph.shortestPath("bob", ["ann", "dan"]), { path: ["bob", "dan"], cost: 1 });
  assert.is(graph.shortestPath("bob", ["cee"], { maxDepth: 2 }), null);
  assert.is(graph.shortestPath("ann", [], {}), null);
});

test("expressions as weights are validated", () => {
  const graph = makeChart();
  const weighted = (text: string) =>
    graph.shortestPath("ann", "eve", { arc: LEADS, weighted: text });
  assert.is(weighted("1 / next.arc.value")?.cost, 0.5 + 1 + 0.5);
  assert.is(weighted("1")?.cost, 3);
  for (const text of ["-1", "0 - next.arc.value"]) {
    assert.throws(() => weighted(text), /non-negative arc weights, finite numbers; got/, text);
    const pathsFound = () =>
      graph.shortestPaths("ann", "eve", { arc: LEADS, weighted: text, k: 2 });
    assert.throws(pathsFound, /non-negative arc weights/);
  }
  for (const text of ["next.arc.", "mcull(1, 2)"]) {
    assert.throws(() => weighted(text), /weighted|mcull|expected|syntax/i, text);
  }
});

test("searches with too many paths fail", () => {
  const graph = makeGraph();
  const layers = 30;
  for (let layer = 0; layer < layers; layer++) {
    for (const from of ["a", "b", "c"]) {
      for (const to of ["a", "b", "c"]) {
        graph.connect(`${from}${layer}`, ["to", M_INT, 1], `${to}${layer + 1}`);
      }
    }
  }
  const many = () => graph.shortestPaths("a0", `a${layers}`, { hits: -1 });
  assert.throws(many, /more than 2,000,000 beginnings of paths/);
  const limited = { hits: -1, timeout: 50, limexec: true };
  assert.throws(() => graph.shortestPaths("a0", `a${layers}`, limited), /after 50 ms/);
});

test.run();
