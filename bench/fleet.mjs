// Two levels of dispatchers above simulated back-ends. By default, 71 dispatchers have 71
// partitions with two replicas each: 5,041 partitions, 10,082 back-ends. A few processes simulate
// all of them: one answers for all back-ends, with an address for each, and each dispatcher of the
// lower level has several addresses. So each dispatcher has all connections of its level, and each
// request reaches all partitions. Under load, the process of one row of back-ends is killed,
// restarted, stopped and continued.
//
//   node fleet.mjs [--groups 71] [--width 71] [--processes 2] [--lost 100] [--ms 5000]

import { mkdtempSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { percentile, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { cpuUs, residentMiB } from "./lib/process-figures.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startPeer, startSvc } from "./lib/server.mjs";

const PLUGINS = `import { PluginResponse } from "svc-server";
import type { PluginRequest } from "svc-server";

/** Ten hits of a partition. @plugin @readonly */
export function list({ partition }: PluginRequest): PluginResponse {
  const response = new PluginResponse({ maxhits: 10 });
  for (let n = 0; n < 10; n++) response.append(partition * 10 + n, { n });
  return response;
}
`;
const PATH = "/svc/plugin/list";
const ROWS = 2;
const CHANNELS = 32;
const CONNECTIONS = 32;
/** During faults: requests refill the budget of retries. */
const CLIENTS = 4;
const POLL_MS = 50;
const WAIT_MS = 60_000;
const LOCAL = "127.0.0.1";

const { groups, width, processes, lost, ms } = readOptions({
  ...{ groups: 71, width: 71, processes: 2, lost: 100, ms: 5000 },
});
/** Dispatchers with lost back-ends: they have a process each, as in a system. */
const OWN = Math.ceil(lost / width);
const shared = Math.min(processes, Math.max(0, groups - OWN));
const running = new Set();
// Each process of a benchmark listens for its end.
process.setMaxListeners(0);
try {
  await measure();
} finally {
  for (const { pid } of running) signal(pid, "SIGCONT");
  await Promise.all([...running].map((server) => server.stop()));
}

async function measure() {
  const project = makeProject({ "plugins/plugins.ts": PLUGINS });
  build(project);
  const engine = ["--role", "engine", "--transport", "net", "--executors", "1"];
  const { port } = await serve(project, engine);
  const simulated = await simulate(port);
  let losing = await simulate(port);
  const lower = [];
  for (let process = 0; process < OWN + shared; process++) {
    const partitions = Array.from({ length: width }, (_, partition) =>
      Array.from({ length: ROWS }, (_, row) => {
        // The first row of the dispatchers with a process of their own.
        const isLost = row === 0 && process * width + partition < lost;
        const host = `127.${10 + process}.${row + 1}.${partition + 1}`;
        return { host, port: (isLost ? losing : simulated).port };
      }),
    );
    lower.push(await front(project, partitions));
  }
  const top = await front(
    project,
    Array.from({ length: groups }, (_, group) => [
      { host: `127.9.0.${group + 1}`, port: lower[processOf(group)].port },
    ]),
  );
  const pixels = lower.length * width * ROWS;
  reportStart(top, lower);
  const idle = await idleShare([top, ...lower]);
  const alone = await load(lower.at(-1), CONNECTIONS, [lower.at(-1)]);
  const whole = await load(top, 1, [top, ...lower]);
  reportRates(idle, alone, whole);
  const faults = [];
  const underFault = async (name, act) => {
    const asking = load(top, CLIENTS, [top]);
    await delay(ms / 4);
    const back = await act();
    faults.push([name, await asking, back]);
  };
  await underFault("killed", async () => {
    signal(losing.pid, "SIGKILL");
    await untilUp(lower, pixels - lost);
  });
  await underFault("started again", async () => {
    running.delete(losing);
    losing = await simulate(port, losing.port);
    return untilUp(lower, pixels);
  });
  await underFault("stopped", () => signal(losing.pid, "SIGSTOP"));
  await underFault("continued", () => {
    signal(losing.pid, "SIGCONT");
    return untilUp(lower, pixels);
  });
  reportFaults(faults);
}

/** Shared processes come after the processes that stand for one dispatcher each. */
function processOf(group) {
  return group < OWN ? group : OWN + (group % shared);
}

async function serve(project, options) {
  const args = [...options, "--root", mkdtempSync(join(project, "root-"))];
  return keep(await startSvc(project, { ip: "0.0.0.0", options: args }));
}

/** @param port 0: any */
async function simulate(enginePort, port = 0) {
  return keep(await startPeer("back-ends", undefined, [enginePort, port].map(String)));
}

function keep(server) {
  running.add(server);
  return server;
}

/** Starts a dispatcher, and waits until all of its back-ends are up. */
async function front(project, partitions) {
  const file = join(mkdtempSync(join(project, "matrix-")), "matrix.json");
  const rows = partitions[0].map(() => ({ channels: CHANNELS }));
  writeFileSync(file, JSON.stringify({ partitions, replicas: rows, options: { hedge: true } }));
  const startedMs = performance.now();
  const server = await serve(project, [
    ...["--role", "dispatcher", "--dispatcher", file, "--transport", "net", "--executors", "1"],
  ]);
  await untilUp([server], partitions.flat().length);
  return { ...server, startMs: performance.now() - startedMs, startUs: cpuUs(server.pid) };
}

/** @returns {Promise<number>} milliseconds until `count` back-ends are up */
async function untilUp(dispatchers, count) {
  const sinceMs = performance.now();
  for (;;) {
    const found = await Promise.all(
      dispatchers.map(async ({ port }) => {
        const { text } = await ask(port + 1, "/svc/matrix");
        return JSON.parse(text).response.flat();
      }),
    );
    const up = found.flat().filter(({ state }) => state === "up").length;
    const waitedMs = performance.now() - sinceMs;
    if (up === count) return waitedMs;
    if (waitedMs > WAIT_MS) throw new Error(`only ${up} of ${count} back-ends are up`);
    await delay(POLL_MS);
  }
}

/** Returns the share of a core that each process uses without requests. */
async function idleShare(servers) {
  const before = servers.map(({ pid }) => cpuUs(pid));
  const sinceMs = performance.now();
  await delay(ms);
  const us = (performance.now() - sinceMs) * 1000;
  return servers.map(({ pid }, at) => (cpuUs(pid) - before[at]) / us);
}

/** Sends requests without pause on some connections, and counts the CPU time of processes. */
async function load({ port }, connections, servers) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  for (let warm = 0; warm < 3; warm++) await ask(port, PATH, agent);
  const before = servers.map(({ pid }) => cpuUs(pid));
  const latencies = [];
  let failed = 0;
  const untilMs = performance.now() + ms;
  const client = async () => {
    while (performance.now() < untilMs) {
      const sinceMs = performance.now();
      const { status } = await ask(port, PATH, agent);
      if (status !== 200) failed++;
      latencies.push(performance.now() - sinceMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  const us = servers.map(({ pid }, at) => (cpuUs(pid) - before[at]) / latencies.length);
  const [p50, slowest] = [percentile(latencies, 0.5), Math.max(...latencies)];
  return { count: latencies.length, failed, us, p50, most: slowest };
}

function ask(port, path, agent) {
  return new Promise((resolve, reject) => {
    get({ host: LOCAL, port, path, agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    }).on("error", reject);
  });
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

function reportStart(top, lower) {
  const row = (name, backEnds, { startMs, startUs, pid }) => {
    const [s, cpu] = [startMs / 1000, startUs / 1e6].map((value) => value.toFixed(2));
    return [name, backEnds, s, cpu, residentMiB(pid).toFixed(0)];
  };
  printTable(
    ["start", "back-ends", "s until all are up", "CPU s", "MiB"],
    [row("upper level", groups, top), row("lower level", width * ROWS, lower[0])],
  );
}

function reportRates([idleTop, ...idleLower], alone, whole) {
  const percent = (share) => (100 * share).toFixed(2);
  const [top, ...lower] = whole.us;
  const sum = lower.reduce((total, us) => total + us, 0);
  const perPartition = (us, count) => (us / count).toFixed(1);
  printTable(
    ["", "idle: % of a core", "us a partition, 32 connections", "us a partition, one request"],
    [
      ["upper level", percent(idleTop), "", perPartition(top, groups)],
      [
        "lower level",
        percent(Math.max(...idleLower)),
        perPartition(alone.us[0], width),
        perPartition(sum, groups * width),
      ],
    ],
  );
  const { p50, most, count, failed } = whole;
  const texts = [p50, most].map((ms) => ms.toFixed(0));
  printTable(
    ["requests to all partitions", "failed", "p50 ms", "slowest"],
    [[count, failed, ...texts]],
  );
  printTargets([
    { label: "lower level, 32 connections", value: alone.us[0] / width, unit: "us a partition" },
  ]);
}

function reportFaults(faults) {
  const rows = faults.map(([name, { count, failed, p50, most }, backMs]) => {
    const back = backMs === undefined ? "" : (backMs / 1000).toFixed(1);
    return [name, count, failed, p50.toFixed(0), most.toFixed(0), back];
  });
  const label = `${lost} back-ends`;
  printTable([label, "requests", "failed", "p50 ms", "slowest", "s until all are up"], rows);
  const failed = faults.reduce((sum, [, fault]) => sum + fault.failed, 0);
  printTargets([{ label: "failed requests", value: failed, unit: "", atMost: 0 }]);
}
