// Random and malformed queries through the public Graph: each returns a result or a documented
// error, and terminates. ROUNDS=n for more than the default, SEED=n to repeat a run.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../runtime/base/errors.js";
import type { Graph } from "../../runtime/graph/api/graph.js";
import { CapacityError, InternalError } from "../../runtime/graph/model/errors.js";
import type { ArcFilter } from "../../runtime/graph/query/parse/query-options.js";
import { makeShop } from "../runtime/graph/query/examples/shop.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";
import { mutateQuery, QUERIES, randomValue } from "./support/random-query.js";

const test = suite("query fuzz");
const ROUNDS = rounds(1);
const ANCHORS = ["ann", "bo", "dee", "nord", "lamp", "mug", "nobody", ""];
/** Limits expensive queries: nested conditions for all vertices found. */
const LIMIT = { timeout: 20, limexec: true };
/** Messages of JavaScript engines for bugs in a program. */
const DEFECT = new RegExp(
  [
    "Cannot (read|set|convert|destructure|mix|access|use)",
    "is not (a function|iterable|defined|an object)",
    "(?<!must be a number, not )undefined|before initialization|circular",
  ].join("|"),
);

type Call = (graph: Graph, id: string, options: never) => unknown;

/** Only the filter of arbitrary options. */
function toArcFilter(options: unknown): ArcFilter {
  const isObject = typeof options === "object" && options !== null;
  return (isObject ? Reflect.get(options, "arc") : options) as ArcFilter;
}

const CALLS: readonly (readonly [kind: keyof typeof QUERIES, name: string, call: Call])[] = [
  ["neighborhood", "neighborhood", (graph, id, options) => graph.neighborhood(id, options)],
  ["global", "vertices", (graph, _id, options) => graph.vertices(options)],
  ["global", "arcs", (graph, _id, options) => graph.arcs(options)],
  ["search", "search", (graph, id, options) => graph.search(`${id} no* -lam "mug"`, options)],
  ["aggregate", "aggregate", (graph, id, options) => graph.aggregate(id, options)],
  [
    "adjacent",
    "adjacent",
    (graph, id, options) => graph.adjacent(id, undefined, undefined, options),
  ],
  ["degree", "degree", (graph, id, options) => graph.degree(id, undefined, options)],
  ["list", "terminals", (graph, id, options) => graph.terminals(id, options)],
  ["list", "initials", (graph, id, options) => graph.initials(id, options)],
  ["degree", "arcValue", (graph, id, options) => graph.arcValue(id, toArcFilter(options), "lamp")],
];

/** A result as string, or the error; fails for errors that must never occur. */
function queryOutcome(run: () => unknown): "result" | "rejected" {
  try {
    JSON.stringify(run(), (_key, value) => (typeof value === "bigint" ? `${value}` : value));
    return "result";
  } catch (error) {
    if (!isDocumented(error)) throw error;
    return "rejected";
  }
}

function isDocumented(error: unknown): boolean {
  if (error instanceof InternalError || error instanceof CapacityError) return false;
  if (error instanceof TypeError) return !DEFECT.test(error.message.split("\n", 1)[0]!);
  return error instanceof SvcError;
}

interface Tally {
  results: number;
  rejected: number;
}

/** Calls with options, and names them on failure. */
function runQuery(name: string, call: Call, id: string, options: unknown, tally: Tally): void {
  try {
    const outcome = queryOutcome(() => call(shop, id, options as never));
    tally[outcome === "result" ? "results" : "rejected"]++;
  } catch (error) {
    const query = JSON.stringify(options)?.slice(0, 2000);
    console.log(`SEED=${SEED} ${name}(${JSON.stringify(id)}, ${query})`);
    throw error;
  }
}

const shop = makeShop();
shop.index("text", { keys: ["city", "size"] });

for (const [kind, name, call] of CALLS) {
  test(`${name}: handles valid and malformed queries`, () => {
    const random = new Random();
    const sound = { results: 0, rejected: 0 };
    const broken = { results: 0, rejected: 0 };
    for (let round = 0; round < 1000 * ROUNDS; round++) {
      const id = random.of(ANCHORS);
      const query = QUERIES[kind](random, 0) as object;
      runQuery(name, call, id, { ...query, ...LIMIT }, sound);
      const mutant = mutateQuery(random, query, 12);
      const isObject = typeof mutant === "object" && mutant !== null && !Array.isArray(mutant);
      runQuery(name, call, id, isObject ? { ...mutant, ...LIMIT } : mutant, broken);
    }
    // Otherwise all of them were rejected at the first keyword.
    for (const { results, rejected } of [sound, broken]) {
      // Few filters and ids lead to an arc that has a value.
      const minimum = name === "arcValue" ? 0 : 50;
      assert.ok(results >= minimum && rejected > 50, `${results} results, ${rejected} rejected`);
    }
  });
}

test("counts and executes prepared queries twice", () => {
  const random = new Random();
  const tally = { results: 0, rejected: 0 };
  const prepared: Call = (graph, id, options) => {
    const query = graph.newNeighborhoodQuery(id, options);
    return [query.execute(LIMIT), query.count(LIMIT), query.execute(LIMIT)];
  };
  const vertices: Call = (graph, _id, options) => {
    const query = graph.newVerticesQuery(options);
    return [query.execute(LIMIT), query.count(LIMIT), query.execute(LIMIT)];
  };
  const arcs: Call = (graph, _id, options) => {
    const query = graph.newArcsQuery(options);
    return [query.execute(LIMIT), query.count(LIMIT), query.execute(LIMIT)];
  };
  const adjacency: Call = (graph, id, options) => {
    const query = graph.newAdjacencyQuery(id, options);
    return [query.execute(LIMIT), query.execute(LIMIT)];
  };
  const aggregator: Call = (graph, id, options) => {
    const query = graph.newAggregatorQuery(id, options);
    return [query.execute(LIMIT), query.execute(LIMIT)];
  };
  for (let round = 0; round < 300 * ROUNDS; round++) {
    const id = random.of(ANCHORS);
    for (const [name, call, kind] of [
      ["newNeighborhoodQuery", prepared, "neighborhood"],
      ["newVerticesQuery", vertices, "global"],
      ["newArcsQuery", arcs, "global"],
      ["newAdjacencyQuery", adjacency, "adjacent"],
      ["newAggregatorQuery", aggregator, "aggregate"],
    ] as const) {
      const { hits, offset, ...query } = QUERIES[kind](random, 0) as Record<string, unknown>;
      runQuery(name, call, id, mutateQuery(random, query, 40), tally);
    }
  }
  assert.ok(tally.results > 50 && tally.rejected > 50);
});

test("accepts or rejects arbitrary options", () => {
  const random = new Random();
  const tally = { results: 0, rejected: 0 };
  for (let round = 0; round < 2000 * ROUNDS; round++) {
    const [, name, call] = random.of(CALLS);
    runQuery(name, call, random.of(ANCHORS), randomValue(random), tally);
  }
  assert.ok(tally.rejected > 0);
});

test("rejects or flattens endlessly nested conditions and filters", () => {
  const tally = { results: 0, rejected: 0 };
  const nest = (wrap: (inner: unknown) => unknown, depth: number): unknown => {
    let value: unknown = null;
    for (let level = 0; level < depth; level++) value = wrap(value);
    return value;
  };
  const wraps: ((inner: unknown) => unknown)[] = [
    (inner) => [false, inner],
    (inner) => [inner],
    (inner) => ({ neighbor: inner }),
    (inner) => ({ adjacent: { neighbor: inner } }),
    (inner) => ({ traverse: { neighbor: inner, collect: true } }),
    (inner) => ({ not: inner }),
    (inner) => [inner, inner],
  ];
  for (const wrap of wraps) {
    // The last one would double in size with each level.
    for (const depth of wrap === wraps.at(-1) ? [10] : [13, 14, 15, 100, 20_000]) {
      const value = nest(wrap, depth);
      for (const [name, options] of [
        ["neighbor", { neighbor: value, ...LIMIT }],
        ["arc", { arc: value, ...LIMIT }],
        ["collect", { collect: value, ...LIMIT }],
      ] as const) {
        try {
          const outcome = queryOutcome(() => shop.neighborhood("ann", options as never));
          tally[outcome === "result" ? "results" : "rejected"]++;
        } catch (error) {
          console.log(`${name} ${wrap.toString()} ${depth}`);
          throw error;
        }
      }
    }
  }
  assert.ok(tally.results > 0 && tally.rejected > 0);
});

test.run();
