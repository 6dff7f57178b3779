// Vectors of a graph in this process: making them, looking at all of them, an index of them, by CPU
// time. `node bench/vectors.mjs [vectors]`, after `npm run build`; 100,000 unless given.

import { Graph, S_SIM, system } from "../dist/index.js";

const VECTORS = Number(process.argv[2] ?? 100_000);
const LENGTHS = [128, 384];
const CENTERS = 1000;
const PROBES = 200;

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
let state = 1;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const bell = () => random() + random() + random() + random() - 2;

/** CPU time of one of so many runs, in microseconds. */
function timed(name, runs, run) {
  const begun = cpuMs();
  for (let index = 0; index < runs; index++) run(index);
  const us = ((cpuMs() - begun) / runs) * 1000;
  console.log(`${name.padEnd(40)}${us.toFixed(1).padStart(10)} us`);
  return us;
}

function measure(length) {
  console.log(`\n${VECTORS} vectors of ${length} components`);
  const graph = new Graph(`vectors${length}`);
  const centers = Array.from({ length: CENTERS }, () => Array.from({ length }, bell));
  const next = () => centers[Math.floor(random() * CENTERS)].map((value) => value + bell() * 0.6);
  const some = Array.from({ length: 2000 }, next);
  for (let index = 0; index < VECTORS; index++) graph.createVertex(`v${index}`, { vector: next() });
  const vertex = graph.openVertex("v0");
  timed("setVector", 20_000, (index) => vertex.setVector(some[index % some.length]));
  vertex.close();
  const probes = Array.from({ length: PROBES }, next);
  const exact = probes.map((probe) => graph.nearest(probe).map(({ id }) => id));
  const scan = timed("nearest, exact", PROBES, (index) => graph.nearest(probes[index]));
  const gbps = (VECTORS * (length + 32)) / scan / 1000;
  console.log(`${"  memory read".padEnd(40)}${gbps.toFixed(1).padStart(10)} GB/s`);
  timed("vertices by S_SIM", PROBES, (index) =>
    graph.vertices({ vector: probes[index], sortby: S_SIM, hits: 10 }),
  );
  return { graph, length, probes, exact, scan };
}

async function measureIndex({ graph, length, probes, exact, scan }) {
  graph.index("vectors", { length });
  const begun = performance.now();
  while (graph.indexes()[0].indexed < VECTORS) await new Promise((done) => setTimeout(done, 100));
  const buildUs = ((performance.now() - begun) / VECTORS) * 1000;
  console.log(
    `${"index, built by another thread".padEnd(40)}${buildUs.toFixed(1).padStart(10)} us`,
  );
  await new Promise((done) => setTimeout(done, 300));
  for (const ef of [16, 32, 64]) {
    let found = 0;
    for (const [index, probe] of probes.entries()) {
      const ids = new Set(graph.nearest(probe, { approximate: { ef } }).map(({ id }) => id));
      found += exact[index].filter((id) => ids.has(id)).length;
    }
    const us = timed(`nearest, ef ${ef}`, PROBES * 5, (index) =>
      graph.nearest(probes[index % PROBES], { approximate: { ef } }),
    );
    const recall = (found / (PROBES * 10)).toFixed(4);
    console.log(`  recall ${recall}, ${(scan / us).toFixed(1)} times as fast as exact`);
  }
}

await system.initialize("vectors");
for (const length of LENGTHS) await measureIndex(measure(length));
await system.unload();
