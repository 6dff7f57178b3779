// One graph used by two executors at once: one reader, two readers, a reader beside a writer that
// never pauses, and that writer alone. Plugins read and write. The time that a thread waits for a
// core is excluded, because it depends on other work.
//
//   node graph-threads.mjs [--rounds 5] [--arcs 1000000] [--ms 1000]

import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { build, makeProject, NODE_TYPES } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";

const PLUGINS = `import { openSync, readSync } from "node:fs";
import type { int, PluginRequest } from "svc-server";
import { D_OUT, type Graph, M_INT, V_GTE } from "svc-server";

const BATCH = 64;
const SCHEDULED = openSync("/proc/thread-self/schedstat", "r");
const FIELDS = Buffer.alloc(64);

const random = (below: number): number => Math.floor(Math.random() * below);
const idOf = (vertex: number): string => \`v\${vertex}\`;

/** Returns milliseconds, without those in which this thread waited for a core. */
function ownMs(): number {
  const length = readSync(SCHEDULED, FIELDS, 0, FIELDS.length, 0);
  const [, waitedNs] = FIELDS.toString("latin1", 0, length).split(" ");
  return performance.now() - Number(waitedNs) / 1e6;
}

/** Repeats batches for a time; returns operations per second, and the longest batch in us. */
function repeat(ms: number, batch: () => void): [perSecond: number, longestUs: number] {
  const begunMs = ownMs();
  let batches = 0;
  let longestMs = 0;
  let now = begunMs;
  do {
    const before = now;
    batch();
    batches++;
    now = ownMs();
    if (now - before > longestMs) longestMs = now - before;
  } while (now - begunMs < ms);
  return [(1000 * BATCH * batches) / (now - begunMs), 1000 * longestMs];
}

/** Creates arcs whose degrees follow power laws. @plugin @graph bench */
export function fill(_request: PluginRequest, graph: Graph, arcs: int): number {
  const vertices = arcs / 10;
  for (let count = 0; count < arcs; count++) {
    const from = Math.floor(vertices * Math.random() ** 2);
    const to = Math.floor(vertices * Math.random() ** 3);
    graph.connect(idOf(from), ["knows", M_INT, random(1000)], idOf(to));
  }
  return graph.size;
}

/** Counts the arcs of random vertices. @plugin @graph bench */
export function read(_request: PluginRequest, graph: Graph, ms: int): [number, number] {
  const handles = graph.vertices({ fields: ["address"], result: "simple" });
  const query = graph.newNeighborhoodQuery(null, { arc: ["knows", D_OUT, M_INT, V_GTE, 500] });
  return repeat(ms, () => {
    for (let count = 0; count < BATCH; count++) {
      query.vertex = handles[random(handles.length)]!;
      query.count();
    }
  });
}

/** Creates and removes arcs, so that the graph does not grow. @plugin @graph bench */
export function write(_request: PluginRequest, graph: Graph, ms: int): [number, number] {
  const vertices = graph.order;
  return repeat(ms, () => {
    for (let count = 0; count < BATCH; count += 2) {
      const from = idOf(random(vertices));
      const to = idOf(random(vertices));
      graph.connect(from, ["passes", M_INT, 1], to);
      graph.disconnect(from, ["passes", D_OUT], to);
    }
  });
}
`;
/** Plugins that run at the same time. */
const RUNS = {
  "one reader": ["read"],
  "two readers": ["read", "read"],
  "reader and writer": ["read", "write"],
  "one writer": ["write"],
};

const { rounds, arcs, ms } = readOptions({ rounds: 5, arcs: 1_000_000, ms: 1000 });
const project = makeProject({ "plugins/graph.ts": PLUGINS, "tsconfig.json": NODE_TYPES });
build(project);
const server = await startSvc(project, { options: ["--executors", "2"] });
try {
  await call("fill", `arcs=${arcs}`);
  for (const plugins of Object.values(RUNS)) await run(plugins);
  report(await measure());
} finally {
  await server.stop();
}

async function call(plugin, query) {
  const url = `http://127.0.0.1:${server.port}/svc/plugin/${plugin}?${query}`;
  return JSON.parse(await request(url)).response;
}

/** @returns {Promise<{ perSecond: number, longestUs: number }[]>} for each plugin */
async function run(plugins) {
  const results = await Promise.all(plugins.map((plugin) => call(plugin, `ms=${ms}`)));
  return results.map(([perSecond, longestUs]) => ({ perSecond, longestUs }));
}

/** @returns {Promise<Map<string, object[][]>>} results of each round */
async function measure() {
  const samples = new Map(Object.keys(RUNS).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, plugins] of Object.entries(RUNS)) samples.get(name).push(await run(plugins));
  }
  return samples;
}

function report(samples) {
  const rows = Object.entries(RUNS).flatMap(([name, plugins]) => {
    const values = samples.get(name);
    return plugins.map((plugin, at) => {
      const perSecond = median(values.map((results) => results[at].perSecond));
      const longest = Math.max(...values.map((results) => results[at].longestUs));
      return [`${name}: ${plugin}`, (perSecond / 1000).toFixed(0), longest.toFixed(0)];
    });
  });
  printTable([`${arcs} arcs`, "thousands/s", "longest 64, us"], rows);
  const alone = samples.get("one reader").map(([reader]) => reader.perSecond);
  const ratio = (name, rateOf) =>
    median(samples.get(name).map((results, round) => rateOf(results) / alone[round]));
  const both = ratio("two readers", ([first, two]) => first.perSecond + two.perSecond);
  const beside = ratio("reader and writer", ([reader]) => reader.perSecond);
  printTargets([
    { label: "2 readers", value: both, unit: "x one", atLeast: 1.8 },
    { label: "reader during writes", value: beside, unit: "x alone", atLeast: 0.7 },
  ]);
}
