// Vectors of one graph used from two executors at once: one thread that searches the index, two of
// them, a writer of arcs alone, while the index is built anew, and beside a thread that searches,
// which takes no lock: what that costs the writer is the machine's. Time in which a thread waits
// for a core does not count, but a writer does wait for whoever has the mutex and no core.
//
//   node vector-threads.mjs [--rounds 3] [--vectors 30000] [--ms 1000]

import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { build, makeProject, NODE_TYPES } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";

const PLUGINS = `import { openSync, readSync } from "node:fs";
import { D_OUT, type Graph, type int, M_INT, type PluginRequest, type Vector } from "svc-server";

const LENGTH = 128;
const CENTERS = 500;
const SCHEDULED = openSync("/proc/thread-self/schedstat", "r");
const FIELDS = Buffer.alloc(64);

/** Milliseconds in which this thread has had a core, or waited for something else than a core. */
function ownMs(): number {
  const length = readSync(SCHEDULED, FIELDS, 0, FIELDS.length, 0);
  const [, waitedNs] = FIELDS.toString("latin1", 0, length).split(" ");
  return performance.now() - Number(waitedNs) / 1e6;
}

/** Calls until the time is over: how many in a second. */
function repeat(ms: number, call: () => void): number {
  const begunMs = ownMs();
  let calls = 0;
  let now = begunMs;
  for (; now - begunMs < ms; now = ownMs()) {
    for (let count = 0; count < 16; count++) call();
    calls += 16;
  }
  return (1000 * calls) / (now - begunMs);
}

const bell = (): number => Math.random() + Math.random() + Math.random() - 1.5;
const some = (): number[] => Array.from({ length: LENGTH }, bell);
const centers = Array.from({ length: CENTERS }, some);
const near = (): number[] => {
  const center = centers[Math.floor(Math.random() * CENTERS)]!;
  return center.map((value) => value + bell() * 0.6);
};

/** Makes vertices with vectors. @plugin @graph bench */
export function fill(_request: PluginRequest, graph: Graph, vectors: int): number {
  for (let count = 0; count < vectors; count++) {
    graph.createVertex(\`v\${count}\`, { vector: near() });
  }
  return graph.order;
}

/** Asks for an index, or drops it. @plugin @graph bench */
export function want(_request: PluginRequest, graph: Graph, isWanted: boolean): boolean {
  if (!isWanted) return graph.dropIndex("vectors", { length: LENGTH });
  graph.index("vectors", { length: LENGTH });
  return true;
}

/** Vectors that the index leads to. @plugin @graph bench */
export function indexed(_request: PluginRequest, graph: Graph): number {
  return graph.indexes()[0]?.indexed ?? 0;
}

/** @plugin @graph bench */
export function search(_request: PluginRequest, graph: Graph, ms: int): number {
  const probes: Vector[] = Array.from({ length: 200 }, () => graph.sim.newVector(near()));
  let at = 0;
  return repeat(ms, () => {
    graph.nearest(probes[at++ % probes.length]!, { approximate: { ef: 32 } });
  });
}

/** Makes arcs and removes them again: the graph stays as it was. @plugin @graph bench */
export function write(_request: PluginRequest, graph: Graph, ms: int): number {
  const { order } = graph;
  const id = (): string => \`v\${Math.floor(Math.random() * order)}\`;
  return repeat(ms, () => {
    const [from, to] = [id(), id()];
    graph.connect(from, ["passes", M_INT, 1], to);
    graph.disconnect(from, ["passes", D_OUT], to);
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

/** Calls a second of each run, by rounds. The first round only warms up. */
async function measure() {
  const samples = { one: [], two: [], writer: [], beside: [], besideSearch: [] };
  for (let round = 0; round <= rounds; round++) {
    await call("want", "isWanted=false");
    const writer = await timed("write");
    await call("want", "isWanted=true");
    const beside = await timed("write");
    const isBuilt = (await call("indexed")) === vectors;
    if (isBuilt) console.log("the builder was done before the writer: more vectors, please");
    await untilIndexed();
    const one = await timed("search");
    const two = (await Promise.all([timed("search"), timed("search")])).reduce((a, b) => a + b);
    const [besideSearch] = await Promise.all([timed("write"), timed("search")]);
    if (round === 0) continue;
    for (const [name, rate] of Object.entries({ one, two, writer, beside, besideSearch })) {
      samples[name].push(rate);
    }
  }
  return samples;
}

function report({ one, two, writer, beside, besideSearch }) {
  const rows = Object.entries({ one, two, writer, beside, besideSearch });
  printTable(
    [`${vectors} vectors`, "a second"],
    rows.map(([name, rates]) => [name, median(rates).toFixed(0)]),
  );
  const ratio = (rates, of) => median(rates.map((rate, round) => rate / of[round]));
  const withoutLocks = ratio(besideSearch, writer).toFixed(2);
  console.log(`\na writer beside a thread that searches: ${withoutLocks} x alone\n`);
  printTargets([
    { what: "2 threads that search", value: ratio(two, one), unit: "x one", atLeast: 1.8 },
    { what: "a writer beside the builder", value: ratio(beside, writer), unit: "x", atLeast: 0.9 },
  ]);
}
