// Graph operations next to their rate in the reference system, if it is known, scaled to this
// machine by a yardstick measured in the same minutes. 100,000 vertices, 1,000,000 random
// arcs; CPU time of the process including garbage collection, for the yardstick too. The second
// table shows how much of an operation is memory latency.
//
//   node reference.mjs [--rounds 3] [--ms 300] [--vertices 100000] [--arcs 1000000]

import { median, printTable } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { initialize, svc } from "./lib/package.mjs";
import { REFERENCE_RATES, REFERENCE_YARDSTICK, TARGET_SPEEDUPS } from "./lib/reference-rates.mjs";

const { D_OUT, F_AARC, Graph, M_FLT, M_INT, S_DEG, S_ID, S_RANK, S_VAL, V_GT } = svc;
const DEGREES = [10, 100, 10_000];
const LIST = 20_000;
const WARM_UPS = 5;
/** Number of vertices that are deleted again. */
const GONE = 2000;
const TEN = { hits: 10 };
/** Arcs of both levels, of the first, of each vertex on the second. */
const TWO_LEVELS = [
  ["103", 3, 100 / 3],
  ["980", 20, 48],
  ["100,110", 110, 100_000 / 110],
];
/** Share of a measurement before which the calls between two readings of the clock double. */
const DOUBLING = 1 / 8;
/** Few enough vertices for the L1 and L2 caches. */
const NEAR = 500;

const options = readOptions({ rounds: 3, ms: 300, vertices: 100_000, arcs: 1_000_000 });
const pairs = randomPairs();
const names = Array.from({ length: options.vertices }, (_, at) => `v${at}`);
const yardsticks = [mapOfMaps()];
await initialize();
const rates = new Map();
// Single measurements need warm code, as in a server that has run for a while, so smaller graphs
// are filled first and their results dropped. The first 20,000 calls take two to eight times as
// long, half of it in compiler threads.
for (let at = 0; at < WARM_UPS; at++) fill(new Graph(`warm_up_${at}`), LIST, LIST * 5);
rates.clear();
const graph = new Graph("reference");
fill(graph, options.vertices, options.arcs);
for (let round = 0; round < options.rounds; round++) {
  for (const [label, call] of operations()) record(label, ratePerSecond(call));
  yardsticks.push(mapOfMaps());
}
report();
reportMemory();
// To `guard.mjs`, in seconds.
process.send?.({
  yardstick: 1 / median(yardsticks),
  costs: Object.fromEntries([...rates].map(([label, values]) => [label, 1 / median(values)])),
});
await svc.system.unload();

function randomPairs() {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * options.vertices);
  };
  return Uint32Array.from({ length: 2 * options.arcs }, next);
}

/** Returns the CPU time of all threads of the process. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Inserts the same arcs into a Map of Maps; returns arcs per second. */
function mapOfMaps() {
  const map = new Map();
  const begun = cpuSeconds();
  for (let at = 0; at < pairs.length; at += 2) {
    const tail = names[pairs[at]];
    let arcs = map.get(tail);
    if (arcs === undefined) {
      arcs = new Map();
      map.set(tail, arcs);
    }
    arcs.set(names[pairs[at + 1]], pairs[at] & 1023);
  }
  return options.arcs / (cpuSeconds() - begun);
}

/** Operations measured while a graph is filled: once, or few enough times to be warm. */
function fill(graph, vertices, arcs) {
  const name = (at) => names[at % vertices];
  once("createVertex", vertices, (at) => graph.createVertex(names[at], "node"));
  once("connect by ids, random pairs", arcs, (at) => {
    const tail = pairs[2 * at];
    graph.connect(name(tail), ["to", M_INT, tail & 1023], name(pairs[2 * at + 1]));
  });
  const open = graph.newVertex("from open");
  once("connect from an open vertex", 50_000, (at) => {
    graph.connect(open, ["to", M_INT, at], name(at));
  });
  open.close();
  for (let round = 0; round < options.rounds; round++) {
    const vertex = graph.newVertex(`one ${round}`);
    const begun = cpuSeconds();
    graph.connect(vertex, ["to", M_INT, 1], names.slice(0, LIST));
    record("connect to a list of 20,000, each", LIST / (cpuSeconds() - begun));
    vertex.close();
    for (let at = 0; at < 20 * GONE; at++) {
      graph.connect(`gone${at % GONE}`, ["to", M_INT, 1], names[Math.floor(at / GONE)]);
    }
    once("delete a vertex of degree 20", GONE, (at) => graph.deleteVertex(`gone${at}`));
    for (let at = 0; at < 20 * GONE; at++) {
      graph.connect(`gone${at % GONE}`, ["to", M_INT, 1], name(pairs[at]));
    }
    const scattered = "delete a vertex of degree 20, random neighbors";
    once(scattered, GONE, (at) => graph.deleteVertex(`gone${at}`));
  }
  once("open, set 2 properties, close", 50_000, (at) => setTwoProperties(graph, name(at), at));
  once("disconnect", 50_000, (at) => graph.disconnect("from open", "to", name(at)));
  for (const degree of DEGREES) {
    for (let at = 0; at < degree; at++) {
      graph.connect(`d${degree}`, ["likes", M_FLT, ((at * 31) % 1000) / 1000], names[at]);
    }
  }
  for (const [count, wide, deep] of TWO_LEVELS) fillTwoLevels(graph, count, wide, deep);
  graph.define("known := 1+2*3");
}

function fillTwoLevels(graph, count, wide, deep) {
  for (let first = 0; first < wide; first++) {
    graph.connect(`two ${count}`, ["down", M_INT, 1], `${count}-${first}`);
    for (let at = Math.round(first * deep); at < Math.round((first + 1) * deep); at++) {
      graph.connect(`${count}-${first}`, ["down", M_INT, 1], names[at % LIST]);
    }
  }
}

/** Returns names of vertices in an order that caches cannot predict. */
function nameAmong(count) {
  let at = 0;
  return () => {
    at = (at + 7919) % count;
    return names[at];
  };
}

/** Returns lookups of one or two random vertices. */
function lookUps(count) {
  const name = nameAmong(count);
  return [
    ["open for reading, close", () => graph.openVertex(name(), "r").close()],
    ["degree(id)", () => graph.degree(name())],
    ["adjacent(id, id)", () => graph.adjacent(name(), null, name())],
  ];
}

/** Returns changes of one or two random vertices. */
function changes(count) {
  const name = nameAmong(count);
  return [
    ["connect by ids, random pairs", () => graph.connect(name(), ["to", M_INT, 1], name())],
    ["open, set 2 properties, close", () => setTwoProperties(graph, name(), 1)],
  ];
}

function setTwoProperties(graph, id, at) {
  const vertex = graph.openVertex(id);
  vertex.setProperty("price", at % 100);
  vertex.setProperty("stock", at % 7);
  vertex.close();
}

function operations() {
  return [
    ...lookUps(names.length),
    ...DEGREES.flatMap(neighborhoods),
    ...TWO_LEVELS.flatMap(([count]) => twoLevels(count)),
    ["vertices: 10 hits", () => graph.vertices(TEN)],
    ["vertices: of a type, 10 hits", () => graph.vertices({ ...TEN, condition: { type: "node" } })],
    ["vertices: by degree, 10 hits", () => graph.vertices({ ...TEN, sortby: S_DEG })],
    [
      "vertices: property, by id, 10 hits",
      () =>
        graph.vertices({ ...TEN, sortby: S_ID, condition: { property: { price: [V_GT, 50] } } }),
    ],
    ["vertices: all ids", () => graph.vertices()],
    ["arcs by value, 10 of 1,000,000", () => graph.arcs({ ...TEN, sortby: S_VAL })],
    ["evaluate 1+2*3", () => graph.evaluate("1+2*3")],
    ["evaluate a definition", () => graph.evaluate("known")],
  ];
}

function twoLevels(count) {
  const options = {
    arc: ["down", D_OUT],
    collect: svc.C_NONE,
    neighbor: { arc: ["down", D_OUT], collect: true },
  };
  const query = graph.newNeighborhoodQuery(`two ${count}`, options);
  const page = { ...options, ...TEN, counts: true };
  return [
    [`two levels, count of ${count}`, () => query.count()],
    [`two levels, 10 hits, counts of ${count}`, () => graph.neighborhood(`two ${count}`, page)],
  ];
}

function neighborhoods(degree) {
  const id = `d${degree}`;
  const sorted = { ...TEN, sortby: S_VAL };
  const row = (label, query) => [`neighborhood: ${label} (${degree})`, query];
  const ask = (label, query) => row(label, () => graph.neighborhood(id, query));
  return [
    ask("all, as text", undefined),
    ask("arcs as texts", { fields: F_AARC }),
    ask("all ids as lists", { result: "list" }),
    ask("10 hits", TEN),
    ask("by value, 10 hits", sorted),
    ask("arc value, 10 hits", { ...TEN, arc: ["likes", D_OUT, M_FLT, V_GT, 0.5] }),
    ask("expression, by value, 10 hits", { ...sorted, filter: ".arc.value > 0.5" }),
    ask("property, by value, 10 hits", {
      ...sorted,
      neighbor: { property: { price: [V_GT, 50] } },
    }),
    ask("rank, select, dict, 10 hits", {
      ...TEN,
      sortby: S_RANK,
      rank: "next['price'] * 2 + next.deg",
      select: "price; stock; half: next['price'] / 2",
      result: "dict",
    }),
    row("counts", counting(id)),
  ];
}

function counting(id) {
  const query = graph.newNeighborhoodQuery(id, {});
  return () => query.count();
}

function once(label, count, call) {
  const begun = cpuSeconds();
  for (let at = 0; at < count; at++) call(at);
  record(label, count / (cpuSeconds() - begun));
}

function ratePerSecond(call) {
  const begun = cpuSeconds();
  let count = 0;
  let seconds = 0;
  // A reading takes a microsecond, a quarter of the time of 16 short calls.
  for (let steps = 1; seconds < options.ms / 1000; ) {
    for (let step = 0; step < steps; step++) call();
    count += steps;
    seconds = cpuSeconds() - begun;
    if (seconds < (options.ms / 1000) * DOUBLING) steps *= 2;
  }
  return count / seconds;
}

function record(label, rate) {
  const values = rates.get(label);
  if (values === undefined) rates.set(label, [rate]);
  else values.push(rate);
}

function report() {
  const scale = median(yardsticks) / REFERENCE_YARDSTICK;
  console.log(
    `yardstick: ${Math.round(median(yardsticks))} arcs per second, ${scale.toFixed(2)}x\n`,
  );
  const rows = [...rates].map(([label, values]) => {
    const rate = median(values);
    const known = referenceRate(label);
    if (known === undefined) return [label, rate.toFixed(0), "", "", ""];
    const theirs = known * scale;
    const ratio = (rate / theirs).toFixed(2);
    return [label, rate.toFixed(0), theirs.toFixed(0), ratio, TARGET_SPEEDUPS[label] ?? ""];
  });
  printTable(["operation", "per second", "reference", "times as fast", "target"], rows);
}

/** Prints the cost of calls among all vertices, and among few, which are in the caches. */
function reportMemory() {
  console.log(`a dependent read of memory: ${readNs().toFixed(0)} ns\n`);
  const scale = median(yardsticks) / REFERENCE_YARDSTICK;
  const among = (count) => [...lookUps(count), ...changes(count)];
  const near = among(Math.min(NEAR, names.length));
  const rows = among(names.length).map(([label, far], at) => {
    const [farNs, nearNs] = [far, near[at][1]].map((call) => 1e9 / ratePerSecond(call));
    const share = `${Math.round(100 * (1 - nearNs / farNs))} %`;
    const theirs = 1e9 / (referenceRate(label) * scale);
    return [label, farNs.toFixed(0), nearNs.toFixed(0), share, theirs.toFixed(0)];
  });
  const headings = [`ns among ${names.length}`, `ns among ${NEAR}`, "memory", "reference"];
  printTable(["operation", ...headings], rows);
}

/** Returns the latency of a dependent read in 64 MiB. */
function readNs() {
  const next = Uint32Array.from({ length: 2 ** 24 }, (_, at) => at);
  let state = 1;
  // A single cycle through all words.
  for (let at = next.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const index = Math.floor((state / 2 ** 32) * at);
    [next[at], next[index]] = [next[index], next[at]];
  }
  const reads = 2 ** 21;
  const begun = cpuSeconds();
  let at = 0;
  for (let count = 0; count < reads; count++) at = next[at];
  const seconds = cpuSeconds() - begun;
  if (at === -1) throw new Error("the compiler must not leave it out");
  return (seconds * 1e9) / reads;
}

function referenceRate(label) {
  const [, name, degree] = /^(.*?)(?: \((\d+)\))?$/.exec(label);
  const known = REFERENCE_RATES[name];
  return degree === undefined ? known : known?.[DEGREES.indexOf(Number(degree))];
}
