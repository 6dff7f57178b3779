// Replication throughput and cost against its targets: a provider program and a subscribing server,
// each with a transaction log on this disk. Rate at which the replica follows connecting calls, and
// CPU time of the log thread; latency of a call that is durable on both sides, against a bare
// flush; provider memory while a subscriber is stalled.
//
//   node replication.mjs [--rounds 5] [--arcs 100000] [--calls 200]

import {
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Graph, system } from "../dist/index.js";
import { median, percentile, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";

const FENCE_MS = 120_000;
const MIB = 2 ** 20;
const FLUSHED_BYTES = 4096;
const PLUGIN = `import type { PluginRequest } from "svc-server";

/** Something to serve. @plugin */
export function one(_request: PluginRequest): number {
  return 1;
}
`;

const { rounds, arcs, calls } = readOptions({ rounds: 5, arcs: 100_000, calls: 200 });
const project = makeProject({ "plugins/one.ts": PLUGIN });
build(project);
const port = await freePort();
const options = [
  "--root",
  join(project, "replica"),
  "--tx-port",
  `${port}`,
  "--durability",
  "async",
];
const replica = await startSvc(project, { options });
await system.initialize("bench", {
  root: join(project, "provider"),
  durability: "async",
  saveEvery: 0,
});
await system.attach(`svc://127.0.0.1:${port}`);
const graph = new Graph("bench");
try {
  const following = [];
  for (let round = -1; round < rounds; round++) following.push(await follow(round * arcs));
  const [calledMs, flushedMs] = await oneByOne();
  const grownMib = await standStill();
  const ratio = (name) => median(following.slice(1).map((sample) => sample[name]));
  const [p50, flush] = [percentile(calledMs, 0.5), percentile(flushedMs, 0.5)];
  printTargets([
    { label: "calls per second", value: ratio("rate"), unit: "thousand" },
    { label: "replica against the calls", value: ratio("pace"), unit: "of the rate", atLeast: 0.8 },
    { label: "log thread", value: ratio("thread"), unit: "of the writer's CPU", atMost: 0.2 },
    { label: "one flush, p50", value: flush, unit: "ms" },
    { label: "durable on both sides, p95", value: percentile(calledMs, 0.95), unit: "ms" },
    {
      label: "durable on both sides, p50",
      value: p50,
      unit: "ms",
      atMost: +(5 * flush + 1).toFixed(2),
    },
    { label: "subscriber stalls", value: grownMib, unit: "MiB", atMost: 64 },
  ]);
} finally {
  await system.unload();
  await replica.stop();
}

/** Measures the time of calls, and until the replica has made them durable. */
async function follow(from) {
  await system.fence(FENCE_MS);
  const [startedMs, before] = [performance.now(), threadsNs()];
  for (let n = from; n < from + arcs; n++) connect(n);
  const calledMs = performance.now() - startedMs;
  const writerNs = threadsNs().get(process.pid) - before.get(process.pid);
  await system.fence(FENCE_MS);
  const pace = calledMs / (performance.now() - startedMs);
  const others = [...threadsNs()].filter(([thread]) => thread !== process.pid);
  const spentNs = others.map(([thread, ns]) => ns - (before.get(thread) ?? 0));
  return { rate: arcs / calledMs, pace, thread: Math.max(...spentNs) / writerNs };
}

/** Alternates calls and bare flushes. */
async function oneByOne() {
  const folder = mkdtempSync(join(project, "flush-"));
  const file = openSync(join(folder, "file"), "w");
  const bytes = Buffer.alloc(FLUSHED_BYTES, 1);
  const [calledMs, flushedMs] = [[], []];
  for (let n = 0; n < calls; n++) {
    let startedMs = performance.now();
    graph.connect("one", ["has", 5, n], "other");
    await system.fence(FENCE_MS);
    calledMs.push(performance.now() - startedMs);
    startedMs = performance.now();
    writeSync(file, bytes, 0, FLUSHED_BYTES, n * FLUSHED_BYTES);
    fdatasyncSync(file);
    flushedMs.push(performance.now() - startedMs);
  }
  rmSync(folder, { recursive: true });
  return [calledMs, flushedMs];
}

/** Measures memory of calls that only change values while no subscriber reads. */
async function standStill() {
  for (let n = 0; n < arcs; n++) connect(n);
  await system.fence(FENCE_MS);
  process.kill(replica.pid, "SIGSTOP");
  try {
    const before = process.memoryUsage.rss();
    for (let round = 1; round <= rounds; round++) {
      for (let n = 0; n < arcs; n++) connect(n, round);
      await system.waitDurable();
    }
    return (process.memoryUsage.rss() - before) / MIB;
  } finally {
    process.kill(replica.pid, "SIGCONT");
    await system.fence(FENCE_MS);
  }
}

function connect(n, value = 0) {
  graph.connect(`from ${n % 1000}`.padEnd(11), ["to", 5, n + value], `to ${n}`.padEnd(11));
}

/** Returns the CPU time of each thread of this process. */
function threadsNs() {
  const spent = (thread) =>
    Number(readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1").split(" ")[0]);
  return new Map(readdirSync("/proc/self/task").map((thread) => [Number(thread), spent(thread)]));
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: free } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return free;
}
