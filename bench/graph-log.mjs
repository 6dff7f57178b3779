// Cost of the transaction log: connecting by string ids and creating vertices with two properties,
// with and without a log, alternating within one process, by its CPU time; bytes of log per call;
// speed of reading and of replaying a log. The log thread of a server is not included.
//
//   node graph-log.mjs [--rounds 15] [--arcs 20000]

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "../scripts/at-exit.mjs";
import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { importSources } from "./lib/sources.mjs";

const THREAD = 1;
const { rounds, arcs } = readOptions({ rounds: 15, arcs: 20_000 });
const svc = await importSources(
  "runtime/graph/api/graph.ts",
  "runtime/graph/changes/sessions/session.ts",
  "runtime/graph/store/graph-store.ts",
  "runtime/graph/memory/commit-clock.ts",
  "runtime/interconnect/interconnect.ts",
);
const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
atExit(() => rmSync(folder, { recursive: true, force: true }));

/** Opens a graph with or without a log; returns it with its flush function. */
function open(root, log) {
  const alone = {
    ip: null,
    txPort: null,
    attach: [],
    txKeyFile: null,
    publishStream: null,
    followStream: null,
  };
  const settings = { root, durability: log, readonly: false, graphs: {}, events: false, ...alone };
  const clock = new svc.CommitClock();
  const thread = new svc.Interconnect(THREAD + 1, { ...settings, saveEvery: 0 }, clock, () => {});
  const startedAt = process.cpuUsage();
  const request = { name: "g", path: "g", folder: join(root, "g"), isStorable: true };
  const { share } = thread.keep({ ...request, isLocal: false, isReadonly: false });
  const replayed = seconds(process.cpuUsage(startedAt));
  const store = svc.GraphStore.attach(share, THREAD);
  const graph = new svc.Graph({
    store,
    session: new svc.Session(store),
    path: null,
    isLocal: false,
  });
  return { graph, thread, replayed, flush: () => clock.wait(clock.nextFlush) };
}

function seconds({ user, system }) {
  return (user + system) / 1e6;
}

const STEPS = {
  connect: (graph, n) =>
    graph.connect(`from ${n % 1000}`.padEnd(11), ["to", 5, n], `to ${n}`.padEnd(11)),
  vertex: (graph, n) => graph.createVertex(`vertex ${n}`, { properties: { n, text: "some text" } }),
};

const opened = {
  off: open(join(folder, "off"), "off"),
  async: open(join(folder, "async"), "async"),
};
const written = { connect: 0, vertex: 0 };
const costs = { connect: { off: [], async: [] }, vertex: { off: [], async: [] } };
/** Calls per flush: about what the log thread commits as one group, 10 ms of calls. */
const SLICE = 4_000;
// The first change creates the log.
opened.async.graph.createVertex("first");
await opened.async.flush();
let next = 0;
for (let round = -2; round < rounds; round++) {
  for (const [step, run] of Object.entries(STEPS)) {
    const spent = { off: 0, async: 0 };
    const former = logBytes();
    for (let from = next; from < next + arcs; from += SLICE) {
      for (const log of (from / SLICE) % 2 === 0 ? ["off", "async"] : ["async", "off"]) {
        const { graph, flush } = opened[log];
        const before = process.cpuUsage();
        for (let n = from; n < from + SLICE; n++) run(graph, n);
        spent[log] += seconds(process.cpuUsage(before));
        if (log === "async") await flush();
      }
    }
    written[step] += logBytes() - former;
    // The first rounds are warm-up runs.
    if (round < 0) continue;
    for (const log of ["off", "async"]) costs[step][log].push(spent[log]);
  }
  next += arcs;
}
const bytes = logBytes();
await opened.async.thread.closeLog();
const again = open(join(folder, "async"), "async");
await again.thread.closeLog();

function logBytes() {
  const log = join(folder, "async", "_txlog");
  return readdirSync(log).reduce((sum, name) => sum + statSync(join(log, name)).size, 0);
}

function ratioOf(step) {
  return median(costs[step].off.map((cost, at) => costs[step].async[at] / cost));
}

function row(step) {
  const us = (list) => ((median(list) / arcs) * 1e6).toFixed(2);
  return [step, us(costs[step].off), us(costs[step].async)];
}

printTable(["µs of CPU per call", "log off", "log on"], [row("connect"), row("vertex")]);
const calls = next * 2;
const perCpu = (amount) => amount / again.replayed;
printTargets([
  { label: "connect: log / no log", value: ratioOf("connect"), unit: "x", atMost: 1.1 },
  { label: "vertex, 2 properties", value: ratioOf("vertex"), unit: "x", atMost: 1.2 },
  { label: "log of a connect", value: written.connect / next, unit: "bytes", atMost: 70 },
  { label: "log of a vertex, 2 properties", value: written.vertex / next, unit: "bytes" },
  { label: "replay", value: perCpu(bytes / 1e6), unit: "MB/s of CPU", atLeast: 150 },
  { label: "replay", value: perCpu(calls / 1e3), unit: "thousand calls/s" },
]);
