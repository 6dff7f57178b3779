// Complete queries with results: arcs of one vertex, filtered and sorted for the best ten, and two
// levels with 10,000 arcs.
//
//   node graph-queries.mjs [--rounds 5] [--ms 500]

import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { initialize, svc } from "./lib/package.mjs";
import { threadSeconds } from "./lib/process-figures.mjs";

const { C_NONE, D_OUT, Graph, M_INT, S_VAL, V_GTE } = svc;
const DEGREES = [10, 100, 1000, 10_000];
/** Arcs of each vertex on the second level. */
const FAN_OUT = 100;
const VALUES = 1000;
const HALF = ["likes", D_OUT, M_INT, V_GTE, VALUES / 2];
const BEST_TEN = { fields: ["id", "value"], result: "list", sortby: S_VAL };
const TEN = { hits: 10 };

const { rounds, ms } = readOptions({ rounds: 5, ms: 500 });
await initialize();
const graph = new Graph("queries");
for (const degree of DEGREES) connectMany(`d${degree}`, degree, "item");
connectMany("root", FAN_OUT, "middle");
for (let middle = 0; middle < FAN_OUT; middle++) {
  connectMany(`middle${middle}`, FAN_OUT, `item${middle}-`);
}
const neighbor = { arc: HALF, collect: true };
const deep = { arc: ["likes", D_OUT], collect: C_NONE, neighbor };
const queries = new Map([
  ...DEGREES.map((degree) => {
    const query = graph.newNeighborhoodQuery(`d${degree}`, { ...BEST_TEN, arc: HALF });
    return [`degree ${degree}: filter, sort, 10 hits`, () => query.execute(TEN)];
  }),
  ["two levels, 10,000 arcs: filter, sort, 10 hits", preparedDeep(BEST_TEN, TEN)],
  ["two levels, 10,000 arcs: filter, all ids", preparedDeep({}, {})],
]);
report(measure());
await svc.system.unload();

function connectMany(from, count, prefix) {
  for (let to = 0; to < count; to++) {
    const value = Math.imul(to, 0x9e3779b1) >>> 0;
    graph.connect(from, ["likes", M_INT, value % VALUES], `${prefix}${to}`);
  }
}

function preparedDeep(result, execute) {
  const query = graph.newNeighborhoodQuery("root", { ...deep, ...result });
  return () => query.execute(execute);
}

/** @returns {Map<string, number>} queries per second, medians over the rounds */
function measure() {
  const rates = new Map([...queries.keys()].map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, query] of queries) rates.get(name).push(ratePerSecond(query));
  }
  return new Map([...rates].map(([name, values]) => [name, median(values)]));
}

function ratePerSecond(query) {
  const begun = threadSeconds();
  const end = performance.now() + ms;
  let count = 0;
  for (; performance.now() < end; count++) query();
  return count / (threadSeconds() - begun);
}

function report(rates) {
  const rows = [...rates].map(([name, rate]) => {
    return [name, rate.toFixed(0), ((1 / rate) * 1e6).toFixed(1)];
  });
  printTable(["prepared query", "queries/s", "us"], rows);
  const label = "two levels, 10,000 arcs: filter, sort, 10 hits";
  printTargets([{ label, value: 1000 / rates.get(label), atMost: 1, unit: "ms" }]);
}
