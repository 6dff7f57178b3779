// `timeout` with `limexec` aborts queries that would run for minutes, each with its message, and
// affects neither short queries nor those without `limexec`.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TRUSTED_QUERY_LIMITS } from "../../../../runtime/base/limits.js";
import { S_ID, S_SIM } from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { mergeHeads, showMerged } from "../../../../runtime/graph/api/merge-queries.js";
import { queryPartition } from "../../../../runtime/graph/api/partition-queries.js";
import { C_NONE, C_SCAN, D_OUT } from "../../../../runtime/graph/model/constants.js";
import {
  Deadline,
  limitQueries,
  NO_DEADLINE,
} from "../../../../runtime/graph/query/match/deadline.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("query limits");

/** Every vertex has an arc to every vertex, including itself. */
const VERTICES = 100;
const LIMIT = { timeout: 5, limexec: true };

function makeDense(): Graph {
  const graph = makeGraph("dense");
  const ids = Array.from({ length: VERTICES }, (_, number) => `v${number}`);
  for (const initial of ids) for (const terminal of ids) graph.connect(initial, "to", terminal);
  return graph;
}

const HUB = 20_000;

/** Arcs from a hub to each vertex, and back. */
function makeHub(): Graph {
  const graph = makeGraph("hub");
  for (let index = 0; index < HUB; index++) {
    graph.connect("hub", "to", `v${index}`);
    graph.connect(`v${index}`, "to", "hub");
  }
  return graph;
}

const dense = makeDense();
const hub = makeHub();

/** Number of levels below whose arcs are all visited: no vertex at their end matches. */
function deep(levels: number): object {
  if (levels === 0) return { virtual: true };
  return { arc: ["to", D_OUT], collect: C_SCAN, neighbor: deep(levels - 1) };
}

/** 10^12 arcs. */
const HOPELESS = deep(6);

const LONG: readonly (readonly [what: string, text: string, ask: () => unknown])[] = [
  [
    "neighborhood",
    "Execution timeout after 5 ms",
    () => dense.neighborhood("v0", { collect: C_NONE, neighbor: HOPELESS, ...LIMIT }),
  ],
  [
    "prepared neighborhood",
    "Execution timeout after 5 ms",
    () => dense.newNeighborhoodQuery("v0", { neighbor: HOPELESS }).execute(LIMIT),
  ],
  [
    "count",
    "Execution timeout after 5 ms",
    () => dense.newNeighborhoodQuery("v0", { neighbor: HOPELESS }).count(LIMIT),
  ],
  [
    "vertices",
    "Global search execution timeout after 5 ms",
    () => dense.vertices({ condition: HOPELESS, ...LIMIT }),
  ],
  [
    "arcs",
    "Global search execution timeout after 5 ms",
    () => dense.arcs({ condition: { traverse: { neighbor: HOPELESS } }, ...LIMIT }),
  ],
  [
    "aggregate",
    "Timeout during aggregation after 5 ms",
    () => dense.aggregate("v0", { neighbor: HOPELESS, ...LIMIT }),
  ],
  [
    "adjacent",
    "Timeout during adjacency check after 5 ms",
    () => dense.adjacent("v0", undefined, HOPELESS, LIMIT),
  ],
  [
    "terminals",
    "Execution timeout after 5 ms",
    () => dense.terminals("v0", { neighbor: HOPELESS, ...LIMIT }),
  ],
];

for (const [label, text, query] of LONG) {
  test(`${label}: aborts at its timeout`, () => {
    assert.throws(query, (error: unknown) => {
      if (!(error instanceof Error) || !("code" in error)) return false;
      assert.is(`${error.name} ${error.code}: ${error.message}`, `SearchError SVC2407: ${text}`);
      return true;
    });
  });
}

test("stops an unlimited repeat over a hub", () => {
  const graph = hub;
  const limits = { limexec: true, timeout: 0 } as const;
  const repeat = [1, null] as const;
  const calls: (() => unknown)[] = [
    () => graph.neighborhood("hub", { repeat, ...limits }),
    () => graph.neighborhood("hub", { repeat, hits: 5, sortby: S_ID, ...limits }),
    () => graph.newNeighborhoodQuery("v7", { repeat }).count(limits),
    () => graph.adjacent("hub", undefined, "nowhere", { repeat, ...limits }),
    () => graph.aggregate("hub", { repeat, ...limits }),
    () => graph.paths("hub", { neighbor: "nowhere", ...limits }),
    () => graph.vertices({ condition: { adjacent: { repeat, neighbor: "nowhere" } }, ...limits }),
    () => graph.components(limits),
  ];
  for (const call of calls) assert.throws(call, /(timeout|Timeout) .*after 0 ms/, String(call));
  assert.is(graph.neighborhood("hub", { repeat, hits: 5 }).length, 5);
  assert.is(graph.paths("hub", { hits: 5 }).length, 5);
  limitQueries({ timeoutMs: Number.POSITIVE_INFINITY, steps: 10_000 });
  try {
    const many = /visited more than 10000 arcs and vertices/;
    assert.throws(() => graph.neighborhood("hub", { repeat }), many);
    assert.throws(() => graph.paths("hub", { neighbor: "nowhere" }), many);
  } finally {
    limitQueries(null);
  }
  assert.is(graph.neighborhood("hub", { repeat, counts: true, hits: 0 }).counts.arcs, HUB + 1);
});

test("leaves no hits to the next query sorted by similarity", () => {
  const level = { arc: ["to", D_OUT], collect: true } as const;
  const query = { vector: [1, 2, 3], sortby: S_SIM };
  limitQueries({ timeoutMs: Number.POSITIVE_INFINITY, steps: 5000 });
  const runQuery = () => dense.neighborhood("v0", { ...query, ...level, neighbor: level, hits: 5 });
  try {
    assert.throws(runQuery, /visited more than 5000 arcs/);
  } finally {
    limitQueries(null);
  }
  assert.is(dense.neighborhood("v0", query).length, VERTICES);
});

test("limits of all queries of a thread apply regardless of their own", () => {
  assert.equal(TRUSTED_QUERY_LIMITS, { timeoutMs: 25_000, steps: Number.POSITIVE_INFINITY });
  limitQueries({ ...TRUSTED_QUERY_LIMITS, timeoutMs: 5 });
  try {
    for (const limits of [{}, { timeout: -1, limexec: false }, { timeout: 9, limexec: true }]) {
      const query = () => dense.neighborhood("v0", { neighbor: HOPELESS, ...limits });
      assert.throws(query, /Execution timeout after 5 ms/, JSON.stringify(limits));
    }
  } finally {
    limitQueries(null);
  }
});

test("returns partial hits of a limited search if allowed", () => {
  const graph = hub;
  const ownLimits = { limexec: true, timeout: 0, incomplete: true } as const;
  const repeat = [1, null] as const;
  const expectedPlan = (options: object) => ({ repeat, ...options, incomplete: true }) as const;
  const bounded = "Execution timeout after 0 ms";

  const result = graph.neighborhood(
    "hub",
    expectedPlan({ ...ownLimits, counts: true }),
  ) as unknown as {
    neighborhood: string[];
    counts: { arcs: number };
    bounded?: string;
  };
  assert.is(result.bounded, bounded);
  assert.is(result.counts.arcs, result.neighborhood.length);
  assert.ok(result.neighborhood.length > 0 && result.neighborhood.length <= HUB);
  assert.ok(result.neighborhood.every((id) => /^v\d+$/.test(id)));
  assert.is(new Set(result.neighborhood).size, result.neighborhood.length);

  const sorted = graph.neighborhood("hub", { repeat, hits: 2, sortby: S_ID, ...ownLimits });
  assert.is(sorted.bounded, bounded);
  assert.equal(sorted.neighborhood, ["v0", "v1"]);
  const groups = { mode: "count" } as const;
  const grouped = graph.neighborhood("hub", { repeat, aggregate: groups, hits: 3, ...ownLimits });
  assert.is(grouped.bounded, bounded);
  assert.is(grouped.neighborhood.length, 3);
  const condition = { adjacent: { repeat, neighbor: "nowhere" } };
  const emptyResult = graph.vertices({ condition, ...ownLimits });
  assert.equal(emptyResult, {
    vertices: [],
    bounded: "Global search execution timeout after 0 ms",
  });
  assert.is(graph.newNeighborhoodQuery("hub", expectedPlan({})).count(), HUB + 1);

  const paths = graph.paths("hub", { hits: -1, ...ownLimits });
  assert.is(paths.bounded, bounded);
  assert.ok(paths.paths.length > 0 && paths.paths.length <= HUB);
  const explained = graph.paths("hub", { neighbor: "nowhere", explain: true, ...ownLimits });
  assert.equal([explained.paths, explained.bounded], [[], bounded]);
  assert.ok(explained.explain!.looked > 0);
  const shortest = graph.shortestPaths("v1", "v2", { k: 5, ...ownLimits });
  assert.is(shortest.bounded, "Timeout during aggregation after 0 ms");
});

test("a complete search is not bounded", () => {
  const graph = hub;
  const whole = { incomplete: true, limexec: true, timeout: 60_000 } as const;
  assert.equal(graph.neighborhood("v7", whole), { neighborhood: ["hub"] });
  assert.equal(graph.paths("v7", { repeat: [1, 1], ...whole }), { paths: [["v7", "hub"]] });
  assert.equal(graph.vertices({ condition: "hub", incomplete: true }), { vertices: ["hub"] });
});

test("limits of all queries of a thread bound an incomplete result too", () => {
  const graph = hub;
  limitQueries({ timeoutMs: Number.POSITIVE_INFINITY, steps: 10_000 });
  try {
    const result = graph.neighborhood("hub", { repeat: [1, null], incomplete: true, hits: 5 });
    assert.is(result.neighborhood.length, 5);
    const whole = {
      repeat: [1, null],
      incomplete: true,
      counts: true,
      facets: { ".type": 1 },
    } as const;
    const { bounded = "", facets } = graph.neighborhood("hub", whole as object) as unknown as {
      bounded?: string;
      facets: object;
    };
    assert.match(bounded, /visited more than 10000 arcs and vertices/);
    assert.equal(Object.keys(facets), [".type"]);
  } finally {
    limitQueries(null);
  }
});

/** A query of one arc, whose result is complete. */
const WHOLE = {
  ...({ call: "neighborhood", anchor: "v7" } as const),
  options: { incomplete: true, hits: 3 },
};

test("an incomplete partition bounds the result of all partitions", () => {
  const options = { incomplete: true, limexec: true, timeout: 0, hits: 3 } as const;
  const query = (limit: number) =>
    queryPartition(hub, {
      ...({ call: "neighborhood", anchor: "hub" } as const),
      options: { repeat: [1, limit], ...options },
    })!;
  const [cut, whole] = [query(9), queryPartition(hub, WHOLE)!];
  assert.is(whole.head.bounded, null);
  for (const parts of [[cut], [whole, cut]]) {
    const { neighborhood, bounded } = showMerged(
      mergeHeads(parts.map(({ head }) => head)),
      cut.entries,
    ) as { neighborhood: string[]; bounded: string };
    assert.equal([neighborhood.length, bounded], [3, "Execution timeout after 0 ms"]);
  }
});

test("only a search's own limit ends it without an error", () => {
  const otherError = new RangeError("of another kind");
  const search = (): never => {
    throw otherError;
  };
  const deadline = new Deadline("neighborhood", 60_000);
  assert.throws(() => deadline.runSearch(search), /of another kind/);
  assert.throws(() => NO_DEADLINE.exceed("too many"), /too many/);
  assert.is(NO_DEADLINE.exceeded, null);
});

test("rejects incomplete results that other results depend on", () => {
  const limits = { incomplete: true } as const;
  const cursor = { ...limits, cursor: true } as const;
  assert.throws(() => dense.vertices(cursor), /incomplete pages have no cursor/);
  assert.throws(
    () => dense.neighborhood("v0", { ...limits, nest: 1 }),
    /incomplete is not for nested/,
  );
  assert.throws(() => dense.vertices({ incomplete: 1 as never }), /invalid incomplete parameter/);
  assert.throws(() => dense.adjacent("v0", "to", "v1", limits as object), /incomplete/);
});

test("keeps no state of an aborted query", () => {
  assert.throws(() => dense.neighborhood("v0", { neighbor: HOPELESS, ...LIMIT }));
  assert.is(dense.neighborhood("v0").length, VERTICES);
  assert.is(dense.vertices({ condition: { outdegree: VERTICES } }).length, VERTICES);
});

test("completes short queries even with a timeout of 0", () => {
  const noTimeout = { timeout: 0, limexec: true };
  assert.is(dense.neighborhood("v0", noTimeout).length, VERTICES);
  assert.is(dense.vertices(noTimeout).length, VERTICES);
  assert.is(dense.degree("v0", "to", noTimeout), 2 * VERTICES);
  assert.is(dense.adjacent("v0", "to", "v1", noTimeout), true);
});

test("does not limit a query without limexec, or with a timeout of -1", () => {
  // 10,000 arcs are more than are visited between two checks of the clock.
  const query = { arc: "to", collect: C_NONE, neighbor: { arc: ["to", D_OUT], collect: true } };
  for (const options of [{ timeout: 1 }, { timeout: -1, limexec: true }]) {
    assert.is(dense.neighborhood("v0", { ...query, ...options } as object).length, 10_000);
  }
});

test("stops when the page is full", () => {
  // A million arcs would have to be collected; the page is full after a few.
  const query = { collect: C_NONE, neighbor: { arc: "to", collect: true } } as const;
  const neighbor = { arc: ["to", D_OUT], collect: C_NONE, neighbor: query.neighbor };
  const page = { hits: 10, offset: 5, timeout: 0, limexec: true };
  assert.is(dense.neighborhood("v0", { ...query, neighbor, ...page } as object).length, 10);
  assert.is(dense.arcs({ hits: 3, timeout: 0, limexec: true }).length, 3);
});

test.run();
