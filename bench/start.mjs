// Start and memory of `svc serve`: time from the command to the first response, resident memory
// when idle, and memory growth over many requests.
//
//   node start.mjs [--rounds 5] [--requests 10000000]

import { setTimeout as delay } from "node:timers/promises";
import { median, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { residentMiB } from "./lib/process-figures.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";
import { load, requireWrk } from "./lib/wrk.mjs";

const PLUGIN = `import type { PluginRequest, str } from "svc-server";

/**
 * Greets.
 *
 * @plugin
 * @readonly
 * @example ?name=you
 */
export function hello(_request: PluginRequest, name: str = "world"): string {
  return \`Hello, \${name}!\`;
}
`;
const PATH = "/svc/plugin/hello?name=you";
/** As on a machine without hyper-express. */
const NET = { options: ["--transport", "net"] };
const COLD = { options: [...NET.options, "--no-warm-up"] };
const IDLE_MS = 2000;
const CONNECTIONS = 32;
const STEP_SECONDS = 5;
/** Share of the requests during which the heap reaches its size. */
const WARM_UP_SHARE = 0.2;
/** Noise of garbage collection: allowed difference of two peaks of a constant heap. */
const NOISE_MIB = 10;

requireWrk();
const { rounds, requests } = readOptions({ rounds: 5, requests: 10_000_000 });
const project = makeProject({ "plugins/hello.ts": PLUGIN });
build(project);
const starts = await measureStarts();
const firstSecond = { warm: await measureFirstSecond(NET), cold: await measureFirstSecond(COLD) };
const server = await startSvc(project, NET);
try {
  const growth = await measureGrowth(server);
  printTargets([
    { label: "start to first response, median", value: starts.ms, atMost: 300, unit: "ms" },
    {
      label: "first second, share of the warm rate",
      value: firstSecond.warm,
      atLeast: 0.8,
      unit: "x",
    },
    { label: "the same with --no-warm-up", value: firstSecond.cold, unit: "x" },
    { label: "idle resident memory", value: starts.mib, atMost: 100, unit: "MiB" },
    {
      label: `growth over ${requests} requests`,
      value: growth,
      atMost: NOISE_MIB,
      unit: "MiB",
    },
  ]);
} finally {
  await server.stop();
}

async function measureStarts() {
  const times = [];
  const memory = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    const started = await startSvc(project, COLD);
    await request(`http://127.0.0.1:${started.port}${PATH}`);
    times.push(performance.now() - startedMs);
    await delay(IDLE_MS);
    memory.push(residentMiB(started.pid));
    await started.stop();
  }
  return { ms: median(times), mib: median(memory) };
}

/** @returns rate of the first second in service relative to the fifth; median of the rounds */
async function measureFirstSecond(how) {
  const shares = [];
  for (let round = 0; round < rounds; round++) {
    const started = await startSvc(project, how);
    const rates = [];
    for (let second = 0; second < 5; second++) {
      const { perSecond } = await load(started, {
        path: PATH,
        connections: CONNECTIONS,
        seconds: 1,
      });
      rates.push(perSecond);
    }
    shares.push(rates[0] / rates.at(-1));
    await started.stop();
  }
  return median(shares);
}

/** @returns MiB by which the peak of the second half exceeds that of the first, after warm-up */
async function measureGrowth(running) {
  const samples = [];
  let done = 0;
  while (done < requests) {
    const result = await load(running, {
      path: PATH,
      connections: CONNECTIONS,
      seconds: STEP_SECONDS,
    });
    done += result.requests;
    samples.push({ done, mib: residentMiB(running.pid) });
  }
  const rows = samples.map((sample) => [sample.done, sample.mib.toFixed(1)]);
  printTable(["requests so far", "resident MiB"], rows);
  const warm = samples.filter((sample) => sample.done > requests * WARM_UP_SHARE);
  const half = Math.ceil(warm.length / 2);
  const peak = (list) => Math.max(...list.map((sample) => sample.mib));
  return peak(warm.slice(-half)) - peak(warm.slice(0, half));
}
