// Loads a large graph once, in this process: how fast, which collections of garbage there are
// meanwhile, what it takes in memory, and how fast it is stored and loaded again.

import { spawnSync } from "node:child_process";
import { PerformanceObserver } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { printTable, printTargets } from "./figures.mjs";
import { ArcSource, ID_LENGTH, RELATIONSHIPS, verticesOf } from "./graph-data.mjs";
import { initialize, svc } from "./package.mjs";
import { residentMiB, threadSeconds } from "./process-figures.mjs";

const { Graph, M_FWDONLY, M_INT } = svc;
const REOPEN = fileURLToPath(new URL("graph-reopen.mjs", import.meta.url));
const NAMES = Array.from({ length: RELATIONSHIPS }, (_, number) => `rel${number}`);
/** Longest collection of garbage that may be due to the graph. */
const GC_MS = 5;
const MILLION = 1_000_000;
const SAVE_TIMEOUT_MS = 60_000;

/** Measures all of it with so many arcs, and prints it. */
export async function measureLoad(arcs) {
  const root = await initialize();
  const idle = await watched(() => fill({ connect() {} }, MILLION, M_INT));
  const graph = new Graph("load");
  const load = await watched(() => fill(graph, arcs, M_INT));
  const { name, order, size } = graph;
  const resident = residentMiB("self");
  const arcBytes = arcBytesOf(graph);
  const forwardOnly = new Graph("forward");
  fill(forwardOnly, MILLION, M_INT | M_FWDONLY);
  const forwardOnlyBytes = arcBytesOf(forwardOnly);
  const saved = timed(() => graph.save(SAVE_TIMEOUT_MS, true));
  const bytes = saved.result * 8;
  const perMillion = (count) => ((count / arcs) * MILLION).toFixed(0);
  await svc.system.unload();
  const reopened = reopen(root, { name, order, size });
  printTable(
    ["figure", "value"],
    [
      ["vertices", order],
      ["arcs", size],
      ["connect by string ids, thousands/s", (arcs / load.seconds / 1000).toFixed(0)],
      ["resident MiB", resident.toFixed(0)],
      ["collections of garbage a million arcs", perMillion(load.collections.length)],
      [`those above ${GC_MS} ms`, perMillion(load.collections.filter(isLong).length)],
      ["the same without a graph", idle.collections.length],
      [`those above ${GC_MS} ms`, idle.collections.filter(isLong).length],
      ["stored MiB", (bytes / 2 ** 20).toFixed(0)],
      ["ms to save", (saved.seconds * 1000).toFixed(0)],
      ["ms to load", (reopened.seconds * 1000).toFixed(0)],
    ],
  );
  printTargets([
    {
      what: `collections of garbage above ${GC_MS} ms`,
      value: load.collections.filter(isLong).length,
      unit: "",
      atMost: 0,
    },
    { what: "arcs, both directions", value: arcBytes, unit: "bytes an arc", atMost: 34 },
    { what: "arcs, forward-only", value: forwardOnlyBytes, unit: "bytes an arc", atMost: 18 },
    { what: "save", value: bytes / saved.seconds / 1e9, unit: "GB/s", atLeast: 1 },
    { what: "load", value: bytes / reopened.seconds / 1e9, unit: "GB/s", atLeast: 1 },
  ]);
}

function isLong(ms) {
  return ms > GC_MS;
}

function fill(graph, arcs, modifier) {
  const source = new ArcSource(verticesOf(arcs));
  for (let count = 0; count < arcs; count++) {
    source.next();
    const arc = [NAMES[source.relationship], modifier, source.value];
    graph.connect(idOf(source.from), arc, idOf(source.to));
  }
}

function idOf(vertex) {
  return `v${String(vertex).padStart(ID_LENGTH - 1, "0")}`;
}

function arcBytesOf(graph) {
  return graph.getMemoryUsage("svc.vertex.arcvector") / graph.size;
}

function timed(action) {
  const begun = threadSeconds();
  const result = action();
  return { result, seconds: threadSeconds() - begun };
}

/** As `timed`, with the milliseconds that each collection of garbage took. */
async function watched(action) {
  const collections = [];
  const note = (list) => collections.push(...list.getEntries().map((entry) => entry.duration));
  const observer = new PerformanceObserver(note);
  observer.observe({ entryTypes: ["gc"] });
  const { seconds } = timed(action);
  await nextTurn();
  note({ getEntries: () => observer.takeRecords() });
  observer.disconnect();
  return { seconds, collections };
}

/** Opens the stored graph in another process. */
function reopen(root, { name, order, size }) {
  const { stdout } = spawnSync(process.execPath, [REOPEN, root, name], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const reopened = JSON.parse(stdout);
  if (reopened.order === order && reopened.size === size) return reopened;
  throw new Error(`loaded ${reopened.order} vertices and ${reopened.size} arcs`);
}
