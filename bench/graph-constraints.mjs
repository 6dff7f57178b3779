// Cost of a unique constraint: CPU time of `createVertex` with and without it, in alternating runs,
// after `npm run build`.
//
//   node bench/graph-constraints.mjs [vertices] [rounds] [values]
//
// Default: 1,000,000 vertices, 5 rounds, values `texts`. `shared` are texts that a second property
// has, too, and `numbers` are random. Prints the time of a dependent random read, too: each
// unique value in the hash table needs one, as numbers and texts that occur elsewhere do.

import { Graph, system } from "../dist/index.js";
import { median } from "./lib/figures.mjs";

const VERTICES = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 5);
/** Properties of the vertex with a number. */
const VALUES = {
  texts: (at) => ({ email: `p${at}@x.org` }),
  shared: (at) => ({ name: `p${at}@x.org`, email: `p${at}@x.org` }),
  numbers: (at) => ({ email: Math.imul(at, 0x9e37_79b1) >>> 0 }),
};
const propertiesOf = VALUES[process.argv[4] ?? "texts"];
const READS = 400_000;
const READ_ROUNDS = 7;

const cpuUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Returns the CPU time per vertex, in microseconds. */
function measure(round, isConstrained) {
  const graph = new Graph(`g${round + 1}_${isConstrained}`);
  if (isConstrained) graph.constrain({ type: "person", key: "email", unique: true });
  const begun = cpuUs();
  for (let at = 0; at < VERTICES; at++) {
    graph.createVertex(`person:${at}`, { type: "person", properties: propertiesOf(at) });
  }
  const us = (cpuUs() - begun) / VERTICES;
  graph.erase();
  return us;
}

await system.initialize("bench", { durability: "off" });
const without = [];
const unique = [];
for (let round = -1; round < ROUNDS; round++) {
  const isFirst = round % 2 === 0;
  const first = measure(round, isFirst);
  const second = measure(round, !isFirst);
  // The first round is a warm-up run.
  if (round < 0) continue;
  unique.push(isFirst ? first : second);
  without.push(isFirst ? second : first);
}
/** Returns the nanoseconds of a random read whose address depends on the read before. */
function readNs(words) {
  const next = Uint32Array.from({ length: words }, (_, at) => at);
  for (let last = words - 1; last > 0; last--) {
    const otherIndex = Math.floor(Math.random() * last);
    [next[last], next[otherIndex]] = [next[otherIndex], next[last]];
  }
  let at = 0;
  const times = Array.from({ length: READ_ROUNDS }, () => {
    const begun = cpuUs();
    for (let count = 0; count < READS; count++) at = next[at];
    return ((cpuUs() - begun) * 1000) / READS;
  });
  return at < words ? median(times) : 0;
}

const ratios = unique.map((us, round) => us / without[round]);
const us = (values) => `${median(values).toFixed(3)} us`;
console.log(`createVertex: ${us(without)}, with a unique value: ${us(unique)}`);
const columns = ratios.map((ratio) => ratio.toFixed(3));
console.log(`ratio: ${median(ratios).toFixed(3)} (target 1.05), ${columns}`);
// A table has at least 4/3 slots of two words for each value.
const words = 2 ** Math.ceil(Math.log2((VERTICES * 8) / 3));
console.log(`a random read of ${(words * 4) / 2 ** 20} MiB: ${readNs(words).toFixed(0)} ns`);
await system.unload();
