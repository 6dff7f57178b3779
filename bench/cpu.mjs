// CPU-heavy plugins: throughput with one and two executors, and latency of other requests while one
// plugin uses the CPU for two seconds.
//
//   node cpu.mjs [--rounds 5] [--seconds 4]

import { median, percentile, printOtherWork, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { probe, request } from "./lib/probe.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";
import { load, requireWrk } from "./lib/wrk.mjs";

const PLUGINS = `import type { int, PluginRequest } from "svc-server";

/** A fixed amount of work. @plugin */
export function work(_request: PluginRequest, steps: int): number {
  let x = 1;
  for (let step = 0; step < steps; step++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

/** Uses the CPU for a time. @plugin */
export function burn(_request: PluginRequest, ms: int): null {
  const end = Date.now() + ms;
  let now = 0;
  do now = Date.now();
  while (now < end);
  return null;
}
`;
const WORK_MS = 20;
const BURN_MS = 2000;
const WORKING_CLIENTS = 8;
/** Endpoints that must respond meanwhile: path and port offset. */
const WATCHED = [
  ["/svc/hc", 0],
  ["/svc/hc", 1],
  ["/svc/status", 1],
  ["/svc/builtin/metrics", 1],
  ["/svc/nodestat", 1],
  ["/svc/inspect?level=3", 1],
  ["/svc/storage", 1],
];

requireWrk();
const { rounds, seconds } = readOptions({ rounds: 5, seconds: 4 });
const project = makeProject({ "plugins/cpu.ts": PLUGINS });
build(project);
const engine = await startSvc(project, { options: ["--executors", "1"] });
const two = await startSvc(project, { options: ["--executors", "2"] });
try {
  const scaling = await measureScaling();
  const alone = await measureBurn(engine, WATCHED);
  const shared = await measureBurn(two, [...WATCHED, ["/svc/plugin/work?steps=1", 0]]);
  printTargets([
    { label: "2 executors", value: scaling, unit: "x one", atLeast: 1.8 },
    {
      label: "1 executor is busy: p99 of the slowest service",
      value: alone,
      atMost: 10,
      unit: "ms",
    },
    {
      label: "2 executors, 1 is busy: the same, and plugins",
      value: shared,
      atMost: 10,
      unit: "ms",
    },
  ]);
} finally {
  await Promise.all([engine.stop(), two.stop()]);
}

function url({ port }, [path, offset]) {
  return `http://127.0.0.1:${port + offset}${path}`;
}

async function measureScaling() {
  const path = `/svc/plugin/work?steps=${await stepsOf(WORK_MS)}`;
  const samples = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const [at, server] of [engine, two].entries()) {
      samples[at].push(await load(server, { path, connections: WORKING_CLIENTS, seconds }));
    }
  }
  const perSecond = samples.map((list) => list.map((sample) => sample.perSecond));
  const rows = perSecond.map((values, at) => [at + 1, median(values).toFixed(1)]);
  printTable([`executors, ${WORK_MS} ms of work a request`, "requests/s"], rows);
  printOtherWork(samples.flat());
  return median(perSecond[1].map((value, at) => value / perSecond[0][at]));
}

/** Returns the steps of `work` that take this long on this machine. */
async function stepsOf(ms) {
  const steps = 2_000_000;
  const times = [];
  for (let count = 0; count < 20; count++) {
    const startedMs = performance.now();
    await request(url(engine, [`/svc/plugin/work?steps=${steps}`, 0]));
    times.push(performance.now() - startedMs);
  }
  return Math.round((steps / Math.min(...times)) * ms);
}

/** @returns the highest 99th percentile in milliseconds, medians over the rounds */
async function measureBurn(server, watched) {
  const slowest = watched.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const probes = watched.map((path) => probe(url(server, path)));
    await request(url(server, [`/svc/plugin/burn?ms=${BURN_MS}`, 0]));
    for (const [at, { stop }] of probes.entries()) {
      slowest[at].push(percentile(await stop(), 0.99));
    }
  }
  const executors = server === engine ? 1 : 2;
  const rows = watched.map(([path, offset], at) => {
    const port = offset === 0 ? "main" : "admin";
    return [`${path} (${port})`, median(slowest[at]).toFixed(2)];
  });
  printTable([`during a burn of ${BURN_MS} ms, ${executors} executor(s)`, "p99 ms"], rows);
  return Math.max(...slowest.map(median));
}
