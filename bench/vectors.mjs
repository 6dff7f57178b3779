// Vector search in this process: recall@10 against CPU time, for each precision of svc, usearch
// (float32 and int8), hnswlib, and faiss (one thread of Python). The truth is computed apart, in
// float64 from the float32 numbers. Probes are drawn from the same distributions, but are not in
// the graph.
//
//   node vectors.mjs [--vectors 20000] [--only normal,clusters] [--precisions int8,float32]
//     [--filters] [--binary] [--signs]
//
// `--filters` measures searches with a condition instead, at shares of 0.1 to 100 %. `--binary`
// compares the signs of the numbers by their Hamming distance, with usearch b1. `--signs` adds
// indexes of signs. The bytes of an index are those of its nodes and signs, not of the vectors.
// Peers run if they are installed (`npm install` here; PYTHON names the interpreter with faiss).

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Graph, S_SIM, system } from "../dist/index.js";
import { printTable } from "./lib/figures.mjs";

const { values: options } = parseArgs({
  options: {
    vectors: { type: "string", default: "20000" },
    only: { type: "string", default: "" },
    precisions: { type: "string", default: "int8,float32" },
    filters: { type: "boolean", default: false },
    binary: { type: "boolean", default: false },
    signs: { type: "boolean", default: false },
  },
});
const COUNT = Number(options.vectors);
const PROBES = 100;
const HITS = 10;
const EFS = [16, 32, 64, 128, 256];
const SHARES = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1];
const BUILD_EF = 100;
/** Time for which a search is repeated. */
const MEASURED_MS = 300;

/**
 * Loaded with `require`: the ES module of usearch searches a missing folder for the binary and
 * never returns.
 */
function peerIfInstalled(name) {
  try {
    return createRequire(import.meta.url)(name);
  } catch ({ message }) {
    console.log(`without ${name}: ${message.split("\n")[0]}`);
    return null;
  }
}
const usearch = peerIfInstalled("usearch");
const hnswlib = peerIfInstalled("hnswlib-node");

let state = 1;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const bell = () => random() + random() + random() + random() - 2;
const list = (length, make) => Array.from({ length }, (_, at) => make(at));

/** Returns a generator of vectors. */
const DISTRIBUTIONS = {
  normal: { length: 25, make: (length) => () => list(length, bell) },
  clusters: {
    length: 128,
    make(length) {
      const centers = list(300, () => list(length, bell));
      return () => {
        const center = centers[Math.floor(random() * centers.length)];
        return center.map((value) => value + bell() * 0.6);
      };
    },
  },
  outliers: {
    length: 384,
    make: (length) => {
      const factors = list(length, (at) => (at % 97 === 5 ? 20 : 1));
      const mix = rotation(length, 24);
      return () => mix().map((value, at) => value * factors[at]);
    },
  },
  lowrank: { length: 768, make: (length) => rotation(length, 40) },
  spectrum: {
    length: 1024,
    make(length) {
      const mix = rotation(length, 64);
      return () => mix().map((value, at) => (value + 0.1 * bell()) / Math.sqrt(1 + at / 32));
    },
  },
};

/** Returns a generator of vectors of few degrees of freedom, with noise. */
function rotation(length, rank) {
  const axes = list(rank, () => list(length, bell));
  return () => {
    const sums = list(length, () => 0.05 * bell());
    for (const axis of axes) {
      const weight = bell();
      for (let at = 0; at < length; at++) sums[at] += weight * axis[at];
    }
    return sums;
  };
}

const cpuUs = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Returns the CPU time per call, in microseconds. */
function measureUs(run) {
  for (let at = 0; at < PROBES; at++) run(at);
  let calls = 0;
  const begun = cpuUs();
  const until = performance.now() + MEASURED_MS;
  while (performance.now() < until) {
    for (let at = 0; at < PROBES; at++) run(at);
    calls += PROBES;
  }
  return (cpuUs() - begun) / calls;
}

/**
 * Scores of the best vectors of each probe, by cosine in float64 or the Hamming distance; and each
 * probe's own scorer.
 */
function computeTruth(rows, probes, length, accepts = () => true) {
  const norms = list(COUNT, (at) => norm(rows, at * length, length));
  return probes.map((probe) => {
    const probeNorm = norm(probe, 0, length);
    const score = (at) => {
      const row = rows.subarray(at * length, (at + 1) * length);
      if (options.binary) return -row.filter((bit, index) => bit !== probe[index]).length;
      let sum = 0;
      for (let index = 0; index < length; index++) sum += probe[index] * row[index];
      return sum / (probeNorm * norms[at]);
    };
    const scores = [];
    for (let at = 0; at < COUNT; at++) if (accepts(at)) scores.push(score(at));
    scores.sort((a, b) => b - a);
    return { score, least: scores[Math.min(HITS, scores.length) - 1] - 1e-12, scores };
  });
}

function norm(numbers, first, length) {
  let sum = 0;
  for (let at = first; at < first + length; at++) sum += numbers[at] ** 2;
  return Math.sqrt(sum);
}

/** Returns the share of the true best that a search finds. */
function measureRecall(truth, search) {
  let [matched, expected] = [0, 0];
  for (const [at, { score, least, scores }] of truth.entries()) {
    expected += Math.min(HITS, scores.length);
    matched += search(at).filter((row) => score(row) >= least).length;
  }
  return matched / expected;
}

const rowOf = ({ id }) => Number(id.slice(1));

async function fillGraph(name, precision, rows, length, signs = false) {
  const graph = new Graph(name);
  graph.setVectorSettings({ precision, measure: options.binary ? "hamming" : "cosine" });
  graph.index("property", { key: "n" });
  for (let at = 0; at < COUNT; at++) {
    const vector = rows.subarray(at * length, (at + 1) * length);
    graph.createVertex(`v${at}`, { vector, properties: { n: at } });
  }
  const vectorBytes = graph.getMemoryUsage("svc.vector.internal");
  graph.index("vectors", { length, ef: BUILD_EF, signs });
  // This thread sleeps meanwhile, so the CPU time is the builder's.
  const begun = cpuUs();
  while (graph.indexes()[0].indexed < COUNT) await new Promise((done) => setTimeout(done, 50));
  const buildUs = (cpuUs() - begun) / COUNT;
  await new Promise((done) => setTimeout(done, 300));
  const indexBytes = graph.getMemoryUsage("svc.vector.internal") - vectorBytes;
  return { graph, buildUs, bytes: [vectorBytes / COUNT, indexBytes / COUNT] };
}

/** Returns a row of the table: name, parameter, recall, time. */
function row(name, parameter, truth, search) {
  const recall = measureRecall(truth, search).toFixed(4);
  return [name, parameter, recall, measureUs(search).toFixed(1)];
}

async function measureOurs(name, precision, { rows, probes, truth, length }, signs = false) {
  const { graph, buildUs, bytes } = await fillGraph(name, precision, rows, length, signs);
  const title = `svc ${precision}${signs ? " signs" : ""}`;
  const sorted = { sortby: S_SIM, hits: HITS };
  const table = [];
  if (!signs) {
    table.push(row(title, "exact", truth, (at) => graph.nearest(probes[at]).map(rowOf)));
    const search = (at) => graph.vertices({ vector: probes[at], ...sorted });
    table.push(row(title, "S_SIM", truth, (at) => search(at).map((id) => rowOf({ id }))));
  }
  for (const ef of EFS) {
    const search = (at) => graph.nearest(probes[at], { approximate: { ef } }).map(rowOf);
    table.push(row(title, `ef ${ef}`, truth, search));
  }
  graph.erase();
  const sizes = bytes.map((each) => each.toFixed(0));
  return { table, build: [title, buildUs.toFixed(1), ...sizes] };
}

function measureUsearch(kind, { rows, probes, truth, length }) {
  const { Index, MetricKind, ScalarKind } = usearch;
  const settings = {
    ...{ dimensions: length, quantization: ScalarKind[kind] },
    metric: kind === "B1" ? MetricKind.Hamming : MetricKind.Cos,
    ...{ connectivity: 16, expansion_add: BUILD_EF },
  };
  const table = [];
  let buildUs = 0;
  for (const ef of EFS) {
    // The number of candidates cannot be changed later.
    const index = new Index({ ...settings, expansion_search: ef });
    const begun = cpuUs();
    for (let at = 0; at < COUNT; at++) {
      index.add(BigInt(at), rows.subarray(at * length, (at + 1) * length), 1);
    }
    buildUs = (cpuUs() - begun) / COUNT;
    const search = (at) => Array.from(index.search(probes[at], HITS, 1).keys, Number);
    table.push(row(`usearch ${kind}`, `ef ${ef}`, truth, search));
  }
  return { table, build: [`usearch ${kind}`, buildUs.toFixed(1), "", ""] };
}

function buildHnswlib({ rows, length }) {
  const index = new hnswlib.HierarchicalNSW("cosine", length);
  index.initIndex(COUNT, 16, BUILD_EF);
  const begun = cpuUs();
  for (let at = 0; at < COUNT; at++) {
    index.addPoint(Array.from(rows.subarray(at * length, (at + 1) * length)), at);
  }
  return { index, buildUs: (cpuUs() - begun) / COUNT };
}

function measureHnswlib(set) {
  const { index, buildUs } = buildHnswlib(set);
  const asked = set.probes.map((probe) => Array.from(probe));
  const table = EFS.map((ef) => {
    index.setEf(ef);
    return row(
      "hnswlib",
      `ef ${ef}`,
      set.truth,
      (at) => index.searchKnn(asked[at], HITS).neighbors,
    );
  });
  return { table, build: ["hnswlib", buildUs.toFixed(1), "", ""] };
}

/** Returns null if faiss is not installed. */
function measureFaiss({ rows, probes, truth, length }) {
  const folder = mkdtempSync(join(tmpdir(), "svc-faiss-"));
  const files = [join(folder, "rows"), join(folder, "probes")];
  try {
    writeFileSync(files[0], rows);
    writeFileSync(files[1], Buffer.concat(probes.map(({ buffer }) => Buffer.from(buffer))));
    const script = fileURLToPath(new URL("peers/vectors-faiss.py", import.meta.url));
    const args = [script, ...files, String(length), EFS.join(",")];
    const options = { encoding: "utf8", maxBuffer: 2 ** 28 };
    const run = spawnSync(process.env.PYTHON ?? "python3", args, options);
    if (run.status !== 0) {
      console.log(`without faiss: ${String(run.stderr).trim().split("\n").at(-1)}`);
      return null;
    }
    const { buildUs, results } = JSON.parse(run.stdout);
    const table = results.map(({ name, found, us }) => {
      const recall = measureRecall(truth, (at) => found[at]).toFixed(4);
      return ["faiss", name, recall, us.toFixed(1)];
    });
    return { table, build: ["faiss", buildUs.toFixed(1), "", ""] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Searches with a condition on an indexed property that a share of the vertices meets. */
async function measureFilters(name, set) {
  const { rows, probes, length } = set;
  const table = [];
  const peer = hnswlib === null ? null : buildHnswlib(set).index;
  for (const precision of options.precisions.split(",")) {
    const { graph } = await fillGraph(`${name}_${precision}`, precision, rows, length);
    for (const share of SHARES) {
      const limit = Math.ceil(COUNT * share);
      const truth = computeTruth(rows, probes, length, (at) => at < limit);
      const condition = { property: { n: { lt: limit } } };
      const search = (at) =>
        graph.nearest(probes[at], { condition, approximate: { ef: 64 } }).map(rowOf);
      table.push(row(`svc ${precision}`, `${share * 100} %`, truth, search));
      if (peer === null) continue;
      peer.setEf(64);
      const asked = probes.map((probe) => Array.from(probe));
      const like = (at) => peer.searchKnn(asked[at], HITS, (label) => label < limit).neighbors;
      table.push(row("hnswlib", `${share * 100} %`, truth, like));
    }
    graph.erase();
  }
  printTable([name, "share", "recall", "us"], table);
}

async function measureSet(name, { length, make }) {
  const numbers = make(length);
  const bit = (number) => Number(number > 0);
  const next = () => (options.binary ? numbers().map(bit) : numbers());
  const rows = new Float32Array(COUNT * length);
  for (let at = 0; at < COUNT; at++) rows.set(next(), at * length);
  const probes = list(PROBES, () => Float32Array.from(next()));
  const set = { rows, probes, length };
  if (options.filters) return measureFilters(name, set);
  set.truth = computeTruth(rows, probes, length);
  const results = [];
  for (const precision of options.precisions.split(",")) {
    results.push(await measureOurs(`${name}_${precision}`, precision, set));
    if (!options.signs) continue;
    results.push(await measureOurs(`${name}_${precision}_signs`, precision, set, true));
  }
  const kinds = options.binary ? ["B1"] : ["F32", "I8"];
  if (usearch !== null) for (const kind of kinds) results.push(measureUsearch(kind, set));
  if (hnswlib !== null && !options.binary) results.push(measureHnswlib(set));
  const faiss = options.binary ? null : measureFaiss(set);
  if (faiss !== null) results.push(faiss);
  console.log(`${name}: ${COUNT} vectors of ${length} components`);
  printTable(
    ["search", "", "recall", "us"],
    results.flatMap(({ table }) => table),
  );
  printTable(
    ["build", "us a vector", "bytes of vectors", "of index"],
    results.map(({ build }) => build),
  );
}

await system.initialize("vectors");
for (const [name, set] of Object.entries(DISTRIBUTIONS)) {
  if (options.only === "" || options.only.split(",").includes(name)) await measureSet(name, set);
}
await system.unload();
