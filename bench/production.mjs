// Production features against release targets: cost of logs, metrics and traces on a trivial
// endpoint; a 2x2 matrix with a replica that answers only health checks; queries beside feeders
// that wait for the primary row; cost of a partition for the dispatcher. Variants alternate within
// a round, and ratios are of one round.
//
//   node production.mjs [--rounds 5] [--seconds 2] [--clients 8]

import { mkdtempSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { median, percentile, printOtherWork, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { build, makeProject, NODE_TYPES } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";
import { load, requireWrk } from "./lib/wrk.mjs";

const PLUGINS = `import { setTimeout as sleep } from "node:timers/promises";
import { type int, PluginRequest, PluginResponse, plugin } from "svc-server";

/** Doubles. @plugin */
export function double(_request: PluginRequest, n: int): number {
  return n * 2;
}

/** Responds after a delay, or never if the server is set up so. @plugin @readonly */
export async function find({ partition }: PluginRequest): Promise<PluginResponse> {
  if (process.env.BENCH_HANGS === "1") await new Promise(() => {});
  await sleep(5);
  const response = new PluginResponse({ maxhits: 10 });
  response.append(partition, null);
  return response;
}

/** Ten entries. @plugin @readonly */
export function list({ partition }: PluginRequest): PluginResponse {
  const response = new PluginResponse({ maxhits: 10 });
  for (let n = 0; n < 10; n++) response.append(partition * 10 + n, { n });
  return response;
}

/** Ingests data, one request at a time. @plugin */
export async function load(_request: PluginRequest): Promise<PluginResponse> {
  await sleep(50);
  return new PluginResponse();
}

/** Routes requests to the primary row. */
export const feed = plugin.pre({ name: "feed" }, (_request: PluginRequest): PluginRequest => {
  const forwarded = new PluginRequest("load");
  forwarded.primary = 1;
  return forwarded;
});
`;
const DOUBLE = "/svc/plugin/double?n=123";
const FIND = "/svc/plugin/find";
const LIST = "/svc/plugin/list";
const FEED = "/svc/plugin/feed";
const FEEDERS = 16;
const TIMEOUT_MS = 1000;
const WIDTH = 8;

requireWrk();
const { rounds, seconds, clients } = readOptions({ rounds: 5, seconds: 2, clients: 8 });
const project = makeProject({ "plugins/plugins.ts": PLUGINS, "tsconfig.json": NODE_TYPES });
build(project);
const running = [];
const samples = [];
const targets = [];
try {
  await measureTrivial();
  await measureZombie();
  await measureFeeders();
  await measureWidth();
  printOtherWork(samples);
  printTargets(targets);
} finally {
  await stopAll();
}

async function start(name, options) {
  const words = ["--transport", "net", "--executors", "1"];
  const root = mkdtempSync(join(project, `${name}-`));
  const server = await startSvc(project, { options: [...words, "--root", root, ...options] });
  running.push(server);
  return server;
}

async function stopAll() {
  await Promise.all(running.splice(0).map((server) => server.stop()));
}

function engine(hangs = false) {
  process.env.BENCH_HANGS = hangs ? "1" : "0";
  return start("engine", ["--role", "engine"]);
}

/** @param partitions servers by partition, then replica */
function front(partitions, options, rows = partitions[0].map(() => ({}))) {
  const config = {
    partitions: partitions.map((row) => row.map(({ port }) => ({ host: "127.0.0.1", port }))),
    replicas: rows,
    options,
  };
  const file = join(mkdtempSync(join(project, "matrix-")), "dispatcher.json");
  writeFileSync(file, JSON.stringify(config));
  return start("dispatcher", ["--role", "dispatcher", "--dispatcher", file]);
}

/**
 * Logs at `info` with metrics scraped every second, against neither; then traces without a
 * collector. With tracing off, a request is only checked for a trace; here the header is parsed and
 * sampling is decided too, so the measured cost is an upper bound.
 */
async function measureTrivial() {
  const bare = await start("bare", ["--log-level", "error"]);
  const seen = await start("seen", ["--log-level", "info"]);
  const tracing = ["--collector", "http://127.0.0.1:9", "--trace-sample-every", "1000000"];
  const armed = await start("armed", ["--log-level", "error", ...tracing]);
  const shares = { seen: [], armed: [] };
  const servers = Object.entries({ bare, seen, armed });
  for (let round = 0; round <= rounds; round++) {
    const costs = {};
    const reader = setInterval(() => {
      request(`http://127.0.0.1:${seen.port + 1}/metrics`).catch(() => {});
    }, 1000);
    for (const [name, server] of servers) {
      const sample = await load(server, { path: DOUBLE, connections: 32, seconds });
      samples.push(sample);
      costs[name] = sample.cpuUs;
    }
    clearInterval(reader);
    // Rotates the order, since the first variant runs right after other work.
    servers.push(servers.shift());
    // The first round is a warm-up run.
    if (round === 0) continue;
    shares.seen.push(costs.bare / costs.seen);
    shares.armed.push(costs.bare / costs.armed);
  }
  await stopAll();
  const unit = "x without";
  const seenShare = median(shares.seen);
  targets.push({ label: "trivial endpoint, logs, metrics", value: seenShare, unit, atLeast: 0.97 });
  const armedShare = median(shares.armed);
  targets.push({ label: "traces, none recorded", value: armedShare, unit, atLeast: 0.99 });
}

async function measureZombie() {
  const [zombie, well, ...others] = [await engine(true), await engine()];
  others.push(await engine(), await engine(), await engine());
  const options = { timeout: TIMEOUT_MS, hedge: true };
  const partitions = [[well, others[0]], others.slice(1)];
  const healthy = await front(partitions, options);
  const sick = await front([[zombie, others[0]], partitions[1]], options);
  await ask(healthy.port, FIND, seconds);
  // Wait until the first timeout has passed, and the requests caught by it.
  await ask(sick.port, FIND, (2 * TIMEOUT_MS) / 1000 + seconds);
  const ratios = [];
  const rows = [];
  const totals = { failed: 0, asked: 0 };
  for (let round = 0; round < rounds; round++) {
    const healthyRun = await ask(healthy.port, FIND, seconds);
    const sickRun = await ask(sick.port, FIND, seconds);
    ratios.push(sickRun.p99Ms / healthyRun.p99Ms);
    totals.failed += sickRun.failed;
    totals.asked += sickRun.asked;
    for (const [name, figures] of Object.entries({ healthy: healthyRun, zombie: sickRun })) {
      const { asked, failed, p50Ms, p99Ms } = figures;
      rows.push([name, asked, failed, p50Ms.toFixed(1), p99Ms.toFixed(1)]);
    }
  }
  await stopAll();
  printTable(["2x2", "requests", "failed", "p50 ms", "p99 ms"], rows);
  const failed = (100 * totals.failed) / totals.asked;
  targets.push({ label: "2x2, a zombie: failed requests", value: failed, unit: "%", atMost: 1 });
  targets.push({ label: "its p99", value: median(ratios), unit: "x healthy", atMost: 1.5 });
}

async function measureFeeders() {
  const engines = [await engine(), await engine(), await engine(), await engine()];
  const partitions = [engines.slice(0, 2), engines.slice(2)];
  const rows = [{ channels: 1, primary: true }, { channels: 32 }];
  const { port } = await front(partitions, {}, rows);
  await ask(port, FIND, seconds);
  const ratios = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await ask(port, FIND, seconds);
    const feeding = ask(port, FEED, seconds + 1, FEEDERS);
    const beside = await ask(port, FIND, seconds);
    const { asked, failed } = await feeding;
    if (failed > 0 || beside.failed > 0) throw new Error(`${failed} of ${asked} feeds failed`);
    ratios.push(beside.p50Ms / alone.p50Ms);
  }
  await stopAll();
  const label = "p50 of queries beside feeders";
  targets.push({ label, value: median(ratios), unit: "x without", atMost: 1.2 });
}

async function measureWidth() {
  // Each process serves several partitions: one process per partition would wait for a core.
  const engines = [await engine(), await engine()];
  const partitions = Array.from({ length: WIDTH }, (_, at) => [engines[at % engines.length]]);
  const server = await front(partitions, {});
  const costs = [];
  for (let round = 0; round <= rounds; round++) {
    const sample = await load(server, { path: LIST, connections: 32, seconds });
    if (round === 0) continue;
    samples.push(sample);
    costs.push(sample.cpuUs / WIDTH);
  }
  await stopAll();
  const label = `front CPU a partition, width ${WIDTH}`;
  targets.push({ label, value: median(costs), unit: "us", atMost: 30 });
}

/** Sends requests without pause on a number of connections. */
async function ask(port, path, secondsEach, connections = clients) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies = [];
  let failed = 0;
  const untilMs = performance.now() + secondsEach * 1000;
  const client = async () => {
    while (performance.now() < untilMs) {
      const startedMs = performance.now();
      if ((await statusOf(port, path, agent)) !== 200) failed++;
      latencies.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  const [p50Ms, p99Ms] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  return { asked: latencies.length, failed, p50Ms, p99Ms };
}

function statusOf(port, path, agent) {
  return new Promise((resolve) => {
    get({ port, path, agent, host: "127.0.0.1" }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode));
    }).on("error", () => resolve(0));
  });
}
