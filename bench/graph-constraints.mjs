// Cost of a unique constraint: CPU time of `createVertex` with a text, with and without it, in
// alternating runs. `node bench/graph-constraints.mjs [vertices] [rounds]`, after `npm run build`
// (default: 1,000,000 vertices, 5 rounds).

import { Graph, system } from "../dist/index.js";
import { median } from "./lib/figures.mjs";

const VERTICES = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 5);

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
    graph.createVertex(`person:${at}`, { type: "person", properties: { email: `p${at}@x.org` } });
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
  // The first round warms up.
  if (round < 0) continue;
  unique.push(isFirst ? first : second);
  without.push(isFirst ? second : first);
}
const ratios = unique.map((us, round) => us / without[round]);
const us = (values) => `${median(values).toFixed(3)} us`;
console.log(`createVertex: ${us(without)}, with a unique value: ${us(unique)}`);
const all = ratios.map((ratio) => ratio.toFixed(3));
console.log(`ratio: ${median(ratios).toFixed(3)} (target 1.05), ${all}`);
await system.unload();
