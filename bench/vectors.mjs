// Vectors of a graph in this process: creation, exact search, index search with recall and memory,
// by CPU time, next to usearch with int8 if that is installed (`npm install` here). Run it with
// `node bench/vectors.mjs [vectors] [length ...]`, after `npm run build`; default: 100,000 vectors
// of 128 and of 384 components.

import { createRequire } from "node:module";
import { Graph, S_SIM, system } from "../dist/index.js";

const [VECTORS = 100_000, ...given] = process.argv.slice(2).map(Number);
const LENGTHS = given.length > 0 ? given : [128, 384];
const usearch = peerIfInstalled();
const CENTERS = 1000;
const PROBES = 200;

/**
 * Loaded with `require`: its ES module searches a missing folder for the binary and never returns.
 */
function peerIfInstalled() {
  try {
    return createRequire(import.meta.url)("usearch");
  } catch ({ message }) {
    console.log(`without usearch: ${message}`);
    return null;
  }
}

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

/** Returns the CPU time per run, in microseconds. */
function timed(name, runs, run) {
  const begun = cpuMs();
  for (let index = 0; index < runs; index++) run(index);
  const us = ((cpuMs() - begun) / runs) * 1000;
  console.log(`${name.padEnd(40)}${us.toFixed(1).padStart(10)} us`);
  return us;
}

function measure(length) {
  console.log(`\n${VECTORS} vectors of ${length} components`);
  const made = usearch === null ? null : new Float32Array(VECTORS * length);
  const graph = new Graph(`vectors${length}`);
  const centers = Array.from({ length: CENTERS }, () => Array.from({ length }, bell));
  const next = () => centers[Math.floor(random() * CENTERS)].map((value) => value + bell() * 0.6);
  const some = Array.from({ length: 2000 }, next);
  for (let index = 0; index < VECTORS; index++) {
    const vector = next();
    made?.set(vector, index * length);
    graph.createVertex(`v${index}`, { vector });
  }
  const vertex = graph.openVertex("v0");
  timed("setVector", 20_000, (index) => vertex.setVector(some[index % some.length]));
  if (made !== null) vertex.setVector([...made.subarray(0, length)]);
  vertex.close();
  const probes = Array.from({ length: PROBES }, next);
  const exact = probes.map((probe) => graph.nearest(probe).map(({ id }) => id));
  const scan = timed("nearest, exact", PROBES, (index) => graph.nearest(probes[index]));
  const gbps = (VECTORS * (length + 32)) / scan / 1000;
  console.log(`${"  memory read".padEnd(40)}${gbps.toFixed(1).padStart(10)} GB/s`);
  timed("vertices by S_SIM", PROBES, (index) =>
    graph.vertices({ vector: probes[index], sortby: S_SIM, hits: 10 }),
  );
  return { graph, length, probes, exact, scan, made };
}

async function measureIndex({ graph, length, probes, exact, scan, made }) {
  graph.index("vectors", { length });
  // This thread sleeps meanwhile, so the CPU time is the builder's.
  const begun = cpuMs();
  while (graph.indexes()[0].indexed < VECTORS) await new Promise((done) => setTimeout(done, 100));
  const buildUs = ((cpuMs() - begun) / VECTORS) * 1000;
  console.log(
    `${"index, built by another thread".padEnd(40)}${buildUs.toFixed(1).padStart(10)} us`,
  );
  await new Promise((done) => setTimeout(done, 300));
  const bytes = graph.getMemoryUsage("svc.vector.internal") / VECTORS;
  console.log(`${"memory with the index".padEnd(40)}${bytes.toFixed(1).padStart(10)} bytes`);
  const ours = [];
  for (const ef of [16, 32, 64, 128]) {
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
    ours.push({ recall: Number(recall), us });
  }
  if (made !== null) comparePeer({ length, probes, exact, made }, { buildUs, ours });
}

/** The same vectors and probes with usearch: int8, one thread, equal links and candidates. */
function comparePeer({ length, probes, exact, made }, { buildUs, ours }) {
  const { Index, MetricKind, ScalarKind } = usearch;
  const index = new Index({
    ...{ dimensions: length, metric: MetricKind.Cos, quantization: ScalarKind.I8 },
    ...{ connectivity: 16, expansion_add: 100, expansion_search: 64 },
  });
  const peerBuild = timed("usearch int8, built", VECTORS, (at) =>
    index.add(BigInt(at), made.subarray(at * length, (at + 1) * length), 1),
  );
  const asked = probes.map((probe) => Float32Array.from(probe));
  const found = asked.map((probe) => [...index.search(probe, 10, 1).keys].map((key) => `v${key}`));
  const hits = found.reduce((sum, ids, at) => {
    return sum + exact[at].filter((id) => ids.includes(id)).length;
  }, 0);
  const recall = hits / (PROBES * 10);
  const us = timed("usearch int8, ef 64", PROBES * 5, (at) =>
    index.search(asked[at % PROBES], 10, 1),
  );
  const like = ours.find((one) => one.recall >= recall) ?? ours.at(-1);
  console.log(`  recall ${recall.toFixed(4)}`);
  console.log(`  ours at recall ${like.recall}: ${(us / like.us).toFixed(2)} times as fast`);
  console.log(`  ours builds in ${(buildUs / peerBuild).toFixed(2)} of its time`);
}

await system.initialize("vectors");
for (const length of LENGTHS) await measureIndex(measure(length));
await system.unload();
