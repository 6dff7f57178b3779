// Vectors of one graph used by two executors at once: one and two threads that search the index, a
// writer of arcs alone, and that writer while the index is rebuilt. As a baseline of the machine,
// the writer runs beside threads that take no lock: one searches, one reads memory, one calculates.
// Time that a thread waits for a core is not counted, but a writer waiting for the mutex while its
// holder has no core is; its rate by CPU time excludes that too.
//
//   node vector-threads.mjs [--rounds 3] [--vectors 30000] [--ms 1000]

import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { build, makeProject, NODE_TYPES } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";
import { TIMED } from "./lib/timed-plugins.mjs";

const PLUGINS = `${TIMED}
import { D_OUT, type Graph, type int, M_INT, type PluginRequest, type Vector } from "svc-server";

const LENGTH = 128;
const CENTERS = 500;

const bell = (): number => Math.random() + Math.random() + Math.random() - 1.5;
const some = (): number[] => Array.from({ length: LENGTH }, bell);
const centers = Array.from({ length: CENTERS }, some);
const near = (): number[] => {
  const center = centers[Math.floor(Math.random() * CENTERS)]!;
  return center.map((value) => value + bell() * 0.6);
};

/** Creates vertices with vectors. @plugin @graph bench */
export function fill(_request: PluginRequest, graph: Graph, vectors: int): number {
  for (let count = 0; count < vectors; count++) {
    graph.createVertex(\`v\${count}\`, { vector: near() });
  }
  return graph.order;
}

/** Creates or drops an index. @plugin @graph bench */
export function want(_request: PluginRequest, graph: Graph, isWanted: boolean): boolean {
  if (!isWanted) return graph.dropIndex("vectors", { length: LENGTH });
  graph.index("vectors", { length: LENGTH });
  return true;
}

/** Returns the number of vectors in the index. @plugin @graph bench */
export function indexed(_request: PluginRequest, graph: Graph): number {
  return graph.indexes()[0]?.indexed ?? 0;
}

/** @plugin @graph bench */
export function search(_request: PluginRequest, graph: Graph, ms: int): number[] {
  const probes: Vector[] = Array.from({ length: 200 }, () => graph.sim.newVector(near()));
  let at = 0;
  return repeat(ms, () => {
    graph.nearest(probes[at++ % probes.length]!, { approximate: { ef: 32 } });
  });
}

/** Creates and removes arcs, so that the graph does not grow. @plugin @graph bench */
export function write(_request: PluginRequest, graph: Graph, ms: int): number[] {
  const { order } = graph;
  const id = (): string => \`v\${Math.floor(Math.random() * order)}\`;
  return repeat(ms, () => {
    const [from, to] = [id(), id()];
    graph.connect(from, ["passes", M_INT, 1], to);
    graph.disconnect(from, ["passes", D_OUT], to);
  });
}

/** Calculates without accessing memory. @plugin */
export function spin(_request: PluginRequest, ms: int): number[] {
  let number = 1;
  return repeat(ms, () => {
    for (let turn = 0; turn < 10_000; turn++) number = (number * 48_271) % 2_147_483_647;
  });
}

const memory = new Float64Array(1 << 23);

/** Reads 64 MiB again and again. @plugin */
export function stream(_request: PluginRequest, ms: int): number[] {
  let from = 0;
  let sum = 0;
  return repeat(ms, () => {
    for (let at = from; at < from + 8192; at++) sum += memory[at]!;
    from = (from + 8192) % memory.length;
  });
}
`;

const { rounds, vectors, ms } = readOptions({ rounds: 3, vectors: 30_000, ms: 1000 });
const project = makeProject({ "plugins/vectors.ts": PLUGINS, "tsconfig.json": NODE_TYPES });
build(project);
const server = await startSvc(project, { options: ["--executors", "2"] });
try {
  await call("fill", `vectors=${vectors}`);
  report(await measure());
} finally {
  await server.stop();
}

async function call(plugin, query = "") {
  const url = `http://127.0.0.1:${server.port}/svc/plugin/${plugin}?${query}`;
  return JSON.parse(await request(url)).response;
}

function timed(plugin) {
  return call(plugin, `ms=${ms}`);
}

async function untilIndexed() {
  while ((await call("indexed")) < vectors) await new Promise((done) => setTimeout(done, 100));
}

/** Returns the calls per second of each run, by round. The first round is a warm-up run. */
async function measure() {
  const samples = new Map();
  for (let round = 0; round <= rounds; round++) {
    await call("want", "isWanted=false");
    const writer = await timed("write");
    await call("want", "isWanted=true");
    const beside = await timed("write");
    const isBuilt = (await call("indexed")) === vectors;
    if (isBuilt) console.log("the builder was done before the writer: more vectors, please");
    await untilIndexed();
    const oneThread = await timed("search");
    const [first, second] = await Promise.all([timed("search"), timed("search")]);
    const rates = {
      "one that searches": oneThread,
      "two that search": first.map((rate, at) => rate + second[at]),
      "a writer": writer,
      "beside the builder": beside,
    };
    for (const load of ["search", "stream", "spin"]) {
      [rates[`beside ${load}`]] = await Promise.all([timed("write"), timed(load)]);
    }
    if (round === 0) continue;
    for (const [name, rate] of Object.entries(rates)) {
      samples.set(name, [...(samples.get(name) ?? []), rate]);
    }
  }
  return samples;
}

/** @param {Map<string, [own: number, cpu: number][]>} samples */
function report(samples) {
  const ratio = (name, of, at) =>
    median(samples.get(name).map((rates, round) => rates[at] / samples.get(of)[round][at]));
  const rows = [...samples].map(([name, rates]) => {
    const figures = [0, 1].map((at) => median(rates.map((rate) => rate[at])).toFixed(0));
    const ofWriter = [0, 1].map((at) => ratio(name, "a writer", at).toFixed(2));
    return [name, ...figures, ...(name.startsWith("beside") ? ofWriter : ["", ""])];
  });
  const columns = ["per second", "per second of CPU time", "x alone", "x, CPU time"];
  printTable([`${vectors} vectors`, ...columns], rows);
  const two = ratio("two that search", "one that searches", 0);
  const beside = ratio("beside the builder", "a writer", 0);
  printTargets([
    { label: "2 search threads", value: two, unit: "x one", atLeast: 1.8 },
    { label: "writer during an index build", value: beside, unit: "x", atLeast: 0.9 },
  ]);
}
