// Ranking of vertices within two hops: relationship, property filter, similarity and formula, over
// 12,000 vertices with several kinds of properties; compared with Maps in this process. Also arcs
// of 100 neighbors, filtered by a property or collected in a heap. CPU time.
//
//   node ranking.mjs [--rounds 3] [--ms 300]

import { parseArgs } from "node:util";
import { D_OUT, Graph, M_INT, S_RANK, S_SIM, S_VAL, system } from "../dist/index.js";
import { printTable } from "./lib/figures.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    ms: { type: "string", default: "300" },
  },
});
const VERTICES = 12_000;
const DEGREE = 40;
const LENGTH = 64;
const PROBES = 100;

let state = 1;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

const cpuUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Returns the lower quartile of the CPU time per call, in microseconds. */
function measureUs(run) {
  const times = [];
  const until = performance.now() + Number(options.ms);
  while (performance.now() < until || times.length < 6) {
    const begun = cpuUs();
    for (let at = 0; at < PROBES; at++) run(at);
    times.push((cpuUs() - begun) / PROBES);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 4)];
}

await system.initialize("ranking");
const graph = new Graph("items");
const items = new Map();
for (let at = 0; at < VERTICES; at++) {
  const vector = Float32Array.from({ length: LENGTH }, () => random() * 2 - 1);
  const properties = {
    ...{ price: random() * 100, stock: at % 7, name: `name ${at % 50}` },
    ...{ isNew: at % 2 === 0, text: `${at} `.padEnd(20, "text ") },
  };
  graph.createVertex(`v${at}`, { type: at % 3 ? "item" : "other", vector, properties });
  items.set(`v${at}`, { vector, price: properties.price, arcs: new Map() });
}
for (const [id, { arcs }] of items) {
  while (arcs.size < DEGREE) arcs.set(`v${Math.floor(random() * VERTICES)}`, random() * 100);
  for (const [head, value] of arcs) graph.connect(id, ["to", M_INT, value], head);
}
for (let at = 0; at < 100; at++) graph.connect("hub", ["has", M_INT, at], `v${at * 7}`);

const probes = Array.from({ length: PROBES }, (_, at) => items.get(`v${at}`).vector);
const affordable = { property: { price: { lt: 30 } } };
const twoHops = (at, condition, more) =>
  graph.neighborhood(`v${at}`, {
    ...{ arc: ["to", D_OUT], collect: false, hits: 10, ...more },
    neighbor: { traverse: { arc: ["to", D_OUT], collect: true, neighbor: condition } },
  });

function rankMaps(at) {
  const probe = probes[at];
  const best = [];
  for (const head of items.get(`v${at}`).arcs.keys()) {
    for (const end of items.get(head).arcs.keys()) {
      const { price, vector } = items.get(end);
      if (price >= 30) continue;
      let [sum, own, others] = [0, 0, 0];
      for (let index = 0; index < LENGTH; index++) {
        sum += probe[index] * vector[index];
        own += probe[index] ** 2;
        others += vector[index] ** 2;
      }
      best.push([end, 1 + sum / Math.sqrt(own * others)]);
    }
  }
  return best.sort((a, b) => b[1] - a[1]).slice(0, 10);
}

const formula = { rank: "1 + cosine(vector, next.vector)", sortby: S_RANK };
const CASES = {
  "two hops: by value": (at) => twoHops(at, {}, { sortby: S_VAL }),
  "two hops: property, by value": (at) => twoHops(at, affordable, { sortby: S_VAL }),
  "two hops: property, by similarity": (at) =>
    twoHops(at, affordable, { vector: probes[at], sortby: S_SIM }),
  "two hops: property, by formula": (at) =>
    twoHops(at, affordable, { vector: probes[at], ...formula }),
  "two hops: property, by formula, in Maps": rankMaps,
  "100 arcs: by value": () => graph.neighborhood("hub", { arc: "has", hits: 10, sortby: S_VAL }),
  "100 arcs: property, by value": () =>
    graph.neighborhood("hub", { arc: "has", neighbor: affordable, hits: 10, sortby: S_VAL }),
  "100 arcs: by formula, with an item": () =>
    graph.neighborhood("hub", {
      ...{ arc: "has", rank: "next['price'] + 1", sortby: S_RANK, hits: 100, select: "price" },
    }),
  "100 arcs: the ten greatest in a heap": () =>
    graph.neighborhood("hub", {
      ...{ arc: "has", pre: "mheapinit(0, 10)", memory: 16, hits: 1 },
      filter: "mheappushmin(0, 10, next.arc.value)",
    }),
};

const table = [];
for (let round = 0; round < Number(options.rounds); round++) {
  for (const [name, run] of Object.entries(CASES)) {
    const us = measureUs(run);
    const row = table.find(([known]) => known === name);
    if (row === undefined) table.push([name, us]);
    else row[1] = Math.min(row[1], us);
  }
}
printTable(
  ["query", "us"],
  table.map(([name, us]) => [name, us.toFixed(1)]),
);
await system.unload();
