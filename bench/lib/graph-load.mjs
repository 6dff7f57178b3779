// Loads a large graph once in this process: speed, garbage collections, memory, and speed of saving
// and loading.

import { spawnSync } from "node:child_process";
import { PerformanceObserver } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { printTable, printTargets } from "./figures.mjs";
import { ArcSource, ID_LENGTH, RELATIONSHIPS, verticesOf } from "./graph-data.mjs";
import { initialize, svc } from "./package.mjs";
import { residentMiB, threadSeconds } from "./process-figures.mjs";

const { Graph, M_FWDONLY, M_INT } = svc;
const REOPEN = fileURLToPath(new URL("graph-reopen.mjs", import.meta.url));
const NAMES = Array.from({ length: RELATIONSHIPS }, (_, number) => `rel${number}`);
/** Longest allowed pause, and arcs per measured interval. */
const PAUSE_MS = 5;
const LAP_ARCS = 64;
const MILLION = 1_000_000;
const OPEN_VERTICES = 100_000;
const SAVE_TIMEOUT_MS = 60_000;

/** Measures and prints everything for a number of arcs. */
export async function measureLoad(arcs) {
  const root = await initialize();
  const idle = await watched((lap) => fill({ connect() {} }, MILLION, M_INT, lap));
  const graph = new Graph("load");
  const load = await watched((lap) => fill(graph, arcs, M_INT, lap));
  const open = connectOpen(graph);
  const { name, order, size } = graph;
  const resident = residentMiB("self");
  const arcBytes = arcBytesOf(graph);
  const forwardOnly = new Graph("forward");
  fill(forwardOnly, MILLION, M_INT | M_FWDONLY, () => {});
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
      ["connect open vertices, thousands/s", (MILLION / open.seconds / 1000).toFixed(0)],
      ["resident MiB", resident.toFixed(0)],
      ["collections of garbage a million arcs", perMillion(load.collections)],
      ["the same without a graph", idle.collections],
      [`longest ${LAP_ARCS} arcs, ms of CPU`, longest(load)],
      ["the same without a graph", longest(idle)],
      ["stored MiB", (bytes / 2 ** 20).toFixed(0)],
      ["ms to save", (saved.seconds * 1000).toFixed(0)],
      ["ms to load", (reopened.seconds * 1000).toFixed(0)],
    ],
  );
  printTargets([
    {
      label: `${LAP_ARCS} arcs that take above ${PAUSE_MS} ms`,
      value: load.pauses.length,
      unit: "",
      atMost: 0,
    },
    {
      label: "connect open vertices",
      value: MILLION / open.seconds / 1e6,
      unit: "M/s",
      atLeast: 1.2,
    },
    { label: "arcs, both directions", value: arcBytes, unit: "bytes per arc", atMost: 34 },
    { label: "arcs, forward-only", value: forwardOnlyBytes, unit: "bytes per arc", atMost: 18 },
    { label: "save", value: bytes / saved.seconds / 1e9, unit: "GB/s", atLeast: 1 },
    { label: "load", value: bytes / reopened.seconds / 1e9, unit: "GB/s", atLeast: 1 },
  ]);
}

function longest({ pauses }) {
  return pauses.length === 0 ? `below ${PAUSE_MS}` : Math.max(...pauses).toFixed(1);
}

function fill(graph, arcs, modifier, lap) {
  const source = new ArcSource(verticesOf(arcs));
  for (let count = 0; count < arcs; count++) {
    source.next();
    const arc = [NAMES[source.relationship], modifier, source.value];
    graph.connect(idOf(source.from), arc, idOf(source.to));
    if (count % LAP_ARCS === 0) lap();
  }
}

/** Connects open vertices, which needs no id lookups. */
function connectOpen(graph) {
  const ids = Array.from({ length: OPEN_VERTICES }, () => graph.getVertexID());
  const vertices = [...new Set(ids)].map((id) => graph.openVertex(id));
  const any = (from) => vertices[(Math.imul(from, 0x9e3779b1) >>> 0) % vertices.length];
  const connected = timed(() => {
    for (let arc = 0; arc < MILLION; arc++) {
      graph.connect(any(2 * arc), ["open", M_INT, arc], any(2 * arc + 1));
    }
  });
  graph.closeAll();
  return connected;
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

/**
 * As `timed`, with the number of garbage collections and the long laps in milliseconds of CPU time;
 * the action calls `lap` repeatedly. Collections run without helper threads, so all their time is
 * counted.
 */
async function watched(action) {
  setFlagsFromString("--no-parallel-scavenge");
  let collections = 0;
  const note = (list) => {
    collections += list.getEntries().length;
  };
  const observer = new PerformanceObserver(note);
  observer.observe({ entryTypes: ["gc"] });
  const pauses = [];
  let before = process.cpuUsage();
  const lap = () => {
    const { user, system } = process.cpuUsage(before);
    if (user + system > 1000 * PAUSE_MS) pauses.push((user + system) / 1000);
    before = process.cpuUsage();
  };
  const { seconds } = timed(() => action(lap));
  await nextTurn();
  note({ getEntries: () => observer.takeRecords() });
  observer.disconnect();
  return { seconds, collections, pauses };
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
