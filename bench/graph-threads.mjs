// One graph used from two executors at once: one reader alone, two readers, a reader beside a
// writer that never rests, and that writer alone. Reading and writing is the work of plugins.
//
//   node graph-threads.mjs [--rounds 5] [--arcs 1000000] [--ms 1000]

import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";

const PLUGINS = `import type { int, PluginRequest } from "svc-server";
import { D_OUT, type Graph, M_INT, V_GTE } from "svc-server";

const random = (below: number): number => Math.floor(Math.random() * below);
const idOf = (vertex: number): string => \`v\${vertex}\`;

/** Makes arcs whose ends follow power laws. @plugin @graph bench */
export function fill(_request: PluginRequest, graph: Graph, arcs: int): number {
  const vertices = arcs / 10;
  for (let count = 0; count < arcs; count++) {
    const from = Math.floor(vertices * Math.random() ** 2);
    const to = Math.floor(vertices * Math.random() ** 3);
    graph.connect(idOf(from), ["knows", M_INT, random(1000)], idOf(to));
  }
  return graph.size;
}

/** Counts arcs of one vertex after the other. @plugin @graph bench */
export function read(_request: PluginRequest, graph: Graph, ms: int): [number, number] {
  const handles = graph.vertices({ fields: ["address"], result: "simple" });
  const query = graph.newNeighborhoodQuery(null, { arc: ["knows", D_OUT, M_INT, V_GTE, 500] });
  const end = performance.now() + ms;
  let queries = 0;
  let longestMs = 0;
  for (let now = performance.now(); now < end; queries++) {
    query.vertex = handles[random(handles.length)]!;
    query.count();
    const before = now;
    now = performance.now();
    if (now - before > longestMs) longestMs = now - before;
  }
  return [queries, longestMs * 1000];
}

/** Makes arcs and removes them again: the graph stays as it was. @plugin @graph bench */
export function write(_request: PluginRequest, graph: Graph, ms: int): [number, number] {
  const vertices = graph.order;
  const end = performance.now() + ms;
  let changes = 0;
  for (; performance.now() < end; changes += 2) {
    const from = idOf(random(vertices));
    const to = idOf(random(vertices));
    graph.connect(from, ["passes", M_INT, 1], to);
    graph.disconnect(from, ["passes", D_OUT], to);
  }
  return [changes, 0];
}
`;
/** What runs at once, by the names of the plugins. */
const RUNS = {
  "one reader": ["read"],
  "two readers": ["read", "read"],
  "reader and writer": ["read", "write"],
  "one writer": ["write"],
};

const { rounds, arcs, ms } = readOptions({ rounds: 5, arcs: 1_000_000, ms: 1000 });
const project = makeProject({ "plugins/graph.ts": PLUGINS });
build(project);
const server = await startSvc(project, {
  options: ["--executors", "2", "--root", `${project}/data`],
});
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

/** @returns {Promise<{ done: number, longestUs: number }[]>} of each plugin */
async function run(plugins) {
  const results = await Promise.all(plugins.map((plugin) => call(plugin, `ms=${ms}`)));
  return results.map(([done, longestUs]) => ({ done, longestUs }));
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
  const perSecond = (results) => median(results) / (ms / 1000) / 1000;
  const rows = Object.entries(RUNS).flatMap(([name, plugins]) => {
    const all = samples.get(name);
    return plugins.map((plugin, at) => {
      const rate = perSecond(all.map((results) => results[at].done)).toFixed(0);
      const longest = Math.max(...all.map((results) => results[at].longestUs));
      return [`${name}: ${plugin}`, rate, plugin === "read" ? longest.toFixed(0) : ""];
    });
  });
  printTable([`${arcs} arcs`, "thousands/s", "longest us"], rows);
  const alone = samples.get("one reader").map(([reader]) => reader.done);
  const ratio = (name, doneOf) =>
    median(samples.get(name).map((results, round) => doneOf(results) / alone[round]));
  const both = ratio("two readers", ([one, two]) => one.done + two.done);
  const beside = ratio("reader and writer", ([reader]) => reader.done);
  printTargets([
    { what: "2 readers", value: both, unit: "x one", atLeast: 1.8 },
    { what: "a reader beside a writer", value: beside, unit: "x alone", atLeast: 0.7 },
  ]);
}
