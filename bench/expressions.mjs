// Expressions in queries over 10,000 and 100 arcs of one vertex: filters, ranking, memory, and
// literals that differ between queries; two levels, a scan, and a single evaluation. CPU time, next
// to the design's numbers for the reference system.
//
//   node expressions.mjs [--rounds 5] [--ms 300]

import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { initialize, svc } from "./lib/package.mjs";
import { threadSeconds } from "./lib/process-figures.mjs";

const { D_OUT, Graph, M_FLT, S_ID, S_RANK, S_VAL, V_GT } = svc;
/** CPU us of the reference's one-shot queries, by the design's names. */
const REFERENCE = new Map([
  ["100: filter value", 13.5],
  ["100: filter property", 17.7],
  ["100: rank, select, dict", 27.6],
  ["100: memory: sum and count", 12],
  ["10000: filter value", 498],
  ["10000: filter property", 4571],
  ["10000: rank, select, dict", 5456],
  ["10000: memory: sum and count", 429],
  ["100: collect", 17.5],
  ["10000: collect", 566],
  ["two levels of 10,000 arcs", 648],
  ["scan of 50,000 vertices", 3615],
  ["evaluate, known text", 3.6],
]);
/** Target speedup of each query. */
const TARGETS = new Map([
  ["100: filter value", 1.5],
  ["100: filter property", 1.7],
  ["100: rank, select, dict", 1.3],
  ["100: memory: sum and count", 1.5],
  ["10000: filter value", 1.8],
  ["10000: filter property", 5],
  ["10000: rank, select, dict", 5],
  ["10000: memory: sum and count", 2],
  ["10000: collect", 1.1],
  ["two levels of 10,000 arcs", 2],
  ["scan of 50,000 vertices", 2],
  ["evaluate, known text", 5],
]);
const TEN = { hits: 10 };
const SORTED = { ...TEN, sortby: S_VAL };

const { rounds, ms } = readOptions({ rounds: 5, ms: 300 });
await initialize();
const graph = new Graph("expressions");
for (const degree of [100, 10_000]) connectMany(degree);
let literal = 0;
const queries = new Map([...[100, 10_000].flatMap(queriesOf), ...otherQueries()]);
report(measure());
await svc.system.unload();

function connectMany(degree) {
  for (let to = 0; to < degree; to++) {
    const id = `item${to}`;
    const properties = { price: (to * 7) % 100, cat: `cat${to % 20}` };
    if (!graph.hasVertex(id)) graph.createVertex(id, { properties });
    graph.connect(`d${degree}`, ["likes", M_FLT, ((to * 31) % 1000) / 1000], id);
  }
}

function queriesOf(degree) {
  const id = `d${degree}`;
  const ask = (options) => () => graph.neighborhood(id, options);
  const rank = "next['price'] * 2 + next.deg";
  const select = "price; cat; half: next['price'] / 2";
  const arc = ["likes", D_OUT, M_FLT, V_GT, 0.5];
  const memory = { filter: "add(R1,.arc.value); count(R2); 0", hits: 0 };
  const changing = () => {
    literal += 1e-7;
    return graph.neighborhood(id, { ...SORTED, filter: `.arc.value > ${0.5 + literal}` });
  };
  return [
    [`${degree}: arc condition`, ask({ ...SORTED, arc })],
    [`${degree}: filter value`, ask({ ...SORTED, filter: ".arc.value > 0.5" })],
    [`${degree}: filter value, new literals`, changing],
    [`${degree}: filter property`, ask({ ...SORTED, filter: "next['price'] > 50" })],
    [`${degree}: filter text`, ask({ ...SORTED, filter: "next['cat'] == 'cat7'" })],
    [`${degree}: rank`, ask({ ...TEN, sortby: S_RANK, rank })],
    [
      `${degree}: rank, select, dict`,
      ask({ ...TEN, sortby: S_RANK, rank, select, result: "dict" }),
    ],
    [`${degree}: memory: sum and count`, ask(memory)],
    [`${degree}: collect`, ask({ ...SORTED, filter: "collect(.arc.value * 10)" })],
  ];
}

/** Two levels of 100 arcs each, all vertices, and a single evaluation. */
function otherQueries() {
  for (let middle = 0; middle < 100; middle++) {
    graph.connect("top", ["leads", M_FLT, (middle % 10) / 10], `middle${middle}`);
    for (let below = 0; below < 100; below++) {
      const to = `item${(middle * 100 + below) % 10_000}`;
      graph.connect(`middle${middle}`, ["leads", M_FLT, ((below * 31) % 100) / 100], to);
    }
  }
  const scanGraph = new Graph("scan");
  for (let at = 0; at < 50_000; at++) {
    scanGraph.createVertex(`v${at}`, { properties: { price: (at * 7) % 100 } });
  }
  const arc = ["leads", D_OUT, M_FLT];
  const traverse = { arc, filter: "prev.arc.value * next.arc.value > 0.5", collect: true };
  const levels = { ...SORTED, arc, collect: false, neighbor: { traverse } };
  const scan = { ...TEN, condition: { filter: "vertex['price'] > 98" }, sortby: S_ID };
  return [
    ["two levels of 10,000 arcs", () => graph.neighborhood("top", levels)],
    ["scan of 50,000 vertices", () => scanGraph.vertices(scan)],
    ["evaluate, known text", () => graph.evaluate("1 + 2 * 3")],
  ];
}

/** @returns {Map<string, number>} CPU us per query, medians over the rounds */
function measure() {
  const times = new Map([...queries.keys()].map((name) => [name, []]));
  for (const query of queries.values()) cpuMicroseconds(query);
  for (let round = 0; round < rounds; round++) {
    for (const [name, query] of queries) times.get(name).push(cpuMicroseconds(query));
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

function cpuMicroseconds(query) {
  const begun = threadSeconds();
  const end = performance.now() + ms;
  let count = 0;
  for (; performance.now() < end; count++) query();
  return ((threadSeconds() - begun) / count) * 1e6;
}

function report(times) {
  const rows = [...times].map(([name, time]) => {
    const reference = REFERENCE.get(name);
    const ratio = reference === undefined ? "" : (reference / time).toFixed(1);
    return [name, time.toFixed(1), reference === undefined ? "" : String(reference), ratio];
  });
  printTable(["one-shot query", "us", "reference", "times as fast"], rows);
  const ratio = (of, to) => times.get(of) / times.get(to);
  printTargets([
    {
      label: "new literals / a repeated text, 10,000 arcs",
      value: ratio("10000: filter value", "10000: filter value, new literals"),
      atLeast: 0.8,
      unit: "x",
    },
    ...[...TARGETS].map(([name, atLeast]) => ({
      label: `${name}, against the reference`,
      value: REFERENCE.get(name) / times.get(name),
      atLeast,
      unit: "x",
    })),
    {
      label: "filter / the same arc condition, 10,000 arcs",
      value: ratio("10000: arc condition", "10000: filter value"),
      atLeast: 0.6,
      unit: "x",
    },
  ]);
}
