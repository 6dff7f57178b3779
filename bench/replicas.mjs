// Choice of a replica by a dispatcher in front of two replicas that respond after 2 ms. One of them
// gets 50 ms slower: its share of requests, their latencies, and the time until it has its former
// share again. Without a fault, the rate must not be lower than with a choice by load alone.
//
//   node replicas.mjs [--rounds 5] [--seconds 4]

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, printTable } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { build, makeProject, NODE_TYPES } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";
import { load, requireWrk } from "./lib/wrk.mjs";

const PLUGINS = `import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { PluginResponse } from "svc-server";
import type { PluginRequest } from "svc-server";

let extraMs = 0;
setInterval(() => {
  extraMs = existsSync("slow-" + process.env.REPLICA) ? 50 : 0;
}, 20).unref();

/** Calls something slow. @plugin @readonly */
export async function find(_request: PluginRequest): Promise<PluginResponse> {
  await sleep(2 + extraMs);
  return new PluginResponse(1);
}
`;
const PATH = "/svc/plugin/find";
const CONNECTIONS = 32;

requireWrk();
const { rounds, seconds } = readOptions({ rounds: 5, seconds: 4 });
const running = [];
try {
  const project = makeProject({ "plugins/plugins.ts": PLUGINS, "tsconfig.json": NODE_TYPES });
  build(project);
  process.chdir(project);
  const engines = [];
  for (const replica of [0, 1]) {
    process.env.REPLICA = String(replica);
    const options = ["--role", "engine", "--transport", "net", "--executors", "1"];
    options.push("--root", mkdtempSync(join(project, "engine-")));
    engines.push(await start(project, options));
  }
  const file = join(project, "matrix.json");
  const partitions = [engines.map(({ port }) => ({ host: "127.0.0.1", port }))];
  const replicas = [{ priority: 1 }, { priority: 1 }];
  writeFileSync(file, JSON.stringify({ partitions, replicas }));
  const options = ["--role", "dispatcher", "--dispatcher", file, "--transport", "net"];
  options.push("--executors", "1", "--root", mkdtempSync(join(project, "dispatcher-")));
  const front = await start(project, options);
  await measure(front, engines);
  const rows = [];
  for (const isSlow of [false, true]) {
    const slow = join(project, "slow-1");
    if (isSlow) writeFileSync(slow, "");
    const samples = [];
    for (let round = 0; round < rounds; round++) samples.push(await measure(front, engines));
    rmSync(slow, { force: true });
    const figures = ["perSecond", "p50Us", "p99Us", "share"].map((name) =>
      median(samples.map((sample) => sample[name])),
    );
    const [perSecond, p50Us, p99Us, share] = figures;
    const name = isSlow ? "replica 1 is 50 ms slower" : "no fault";
    rows.push([name, Math.round(perSecond), p50Us, p99Us, `${(100 * share).toFixed(2)} %`]);
  }
  const headings = ["requests/s", "p50 us", "p99 us", "share of replica 1"];
  printTable([`${CONNECTIONS} connections`, ...headings], rows);
  console.log(`\nShare of a tenth again after ${await recovery(front, engines, project)} s`);
} finally {
  await Promise.all(running.map((server) => server.stop()));
}

async function start(project, options) {
  const server = await startSvc(project, { options });
  running.push(server);
  return server;
}

/** Returns the number of requests that an engine has answered. */
async function answered({ port }) {
  const text = await request(`http://127.0.0.1:${port}/svc/status`);
  return JSON.parse(text).response.request.plugin;
}

async function measure(front, engines) {
  const before = await Promise.all(engines.map(answered));
  const sample = await load(front, { path: PATH, connections: CONNECTIONS, seconds });
  const after = await Promise.all(engines.map(answered));
  const [first, second] = after.map((count, engine) => count - before[engine]);
  return { ...sample, share: second / (first + second) };
}

/** Returns the seconds from the end of a fault until the replica gets a tenth of the requests. */
async function recovery(front, engines, project) {
  const slow = join(project, "slow-1");
  writeFileSync(slow, "");
  const loading = load(front, { path: PATH, connections: CONNECTIONS, seconds: seconds + 10 });
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  rmSync(slow);
  const sinceMs = performance.now();
  let after = null;
  for (let before = await Promise.all(engines.map(answered)); after === null; ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = await Promise.all(engines.map(answered));
    const [first, second] = now.map((count, engine) => count - before[engine]);
    if (second > (first + second) / 10) after = (performance.now() - sinceMs) / 1000;
    before = now;
    if (performance.now() - sinceMs > 10_000) break;
  }
  await loading;
  return after === null ? "more than 10" : after.toFixed(1);
}
