// Requests per second, server CPU time per request and latency of a trivial JSON endpoint with one
// integer parameter: svc on both transports against bare uWebSockets, hyper-express, node:http,
// Fastify and Express. Then the same with 16 pipelined requests.
//
//   node http.mjs [--rounds 5] [--seconds 2]

import { medians, printOtherWork, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startPeer, startSvc } from "./lib/server.mjs";
import { uwsNode } from "./lib/uws-node.mjs";
import { load, requireWrk } from "./lib/wrk.mjs";

const PLUGIN = `import type { int, PluginRequest } from "svc-server";

/** Doubles. @plugin */
export function double(_request: PluginRequest, n: int): number {
  return n * 2;
}
`;
const PATH = "/svc/plugin/double?n=123";
const PING = "/svc/builtin/ping";
const CONNECTIONS = [1, 32, 256];
const PIPELINED = { connections: 32, depth: 16 };

requireWrk();
const { rounds, seconds } = readOptions({ rounds: 5, seconds: 2 });
const servers = await startAll(uwsNode());
try {
  const runs = plan();
  await measure(runs, 1, 1);
  const samples = await measure(runs, rounds, seconds);
  report(samples);
} finally {
  await Promise.all([...servers.values()].map((server) => server.stop()));
}

async function startAll(uws) {
  const project = makeProject({ "plugins/double.ts": PLUGIN });
  build(project);
  const servers = new Map();
  if (uws !== null) servers.set("bare uWS", await startPeer("uws", uws));
  if (uws !== null) servers.set("hyper-express", await startPeer("hyper-express", uws));
  servers.set("svc (net)", await startSvc(project, { options: ["--transport", "net"] }));
  if (uws !== null) {
    const options = ["--transport", "uws"];
    servers.set("svc (uws)", await startSvc(project, { options, node: uws }));
  }
  for (const name of ["node:http", "fastify", "express"]) {
    servers.set(name, await startPeer(name.replace(":", "-")));
  }
  return servers;
}

/** Returns all runs, in the order of one round. */
function plan() {
  const plain = CONNECTIONS.flatMap((connections) =>
    [...servers.keys()].map((name) => ({ name, load: { path: PATH, connections } })),
  );
  const piped = ["svc (net)", "fastify"].map((name) => ({
    name,
    load: { path: PATH, ...PIPELINED },
  }));
  return [...plain, ...piped, { name: "svc (net)", load: { path: PING, ...PIPELINED } }];
}

/** @returns {Promise<Map<string, object>>} medians by `keyOf` */
async function measure(runs, count, secondsEach) {
  const samples = new Map();
  for (let round = 0; round < count; round++) {
    for (const run of runs) {
      const result = await load(servers.get(run.name), { ...run.load, seconds: secondsEach });
      const key = keyOf(run.name, run.load);
      samples.set(key, [...(samples.get(key) ?? []), result]);
    }
  }
  return new Map([...samples].map(([key, list]) => [key, medians(list)]));
}

function keyOf(name, { path, connections, depth = 1 }) {
  return `${name} ${path} ${connections} ${depth}`;
}

function report(samples) {
  const at = (name, load) => samples.get(keyOf(name, load));
  const row = (name, load, base) => {
    const { perSecond, cpuUs, p50Us, p99Us } = at(name, load);
    const ratio = (perSecond / base.perSecond).toFixed(2);
    return [name, Math.round(perSecond), ratio, cpuUs.toFixed(1), p50Us, p99Us];
  };
  const headings = ["requests/s", "x fastify", "CPU us/request", "p50 us", "p99 us"];
  for (const connections of CONNECTIONS) {
    const load = { path: PATH, connections };
    const rows = [...servers.keys()].map((name) => row(name, load, at("fastify", load)));
    printTable([`${connections} connections`, ...headings], rows);
  }
  const piped = { path: PATH, ...PIPELINED };
  const ping = { path: PING, ...PIPELINED };
  const base = at("fastify", piped);
  const rows = [
    row("fastify", piped, base),
    row("svc (net)", piped, base),
    ["svc (net), built-in ping", ...row("svc (net)", ping, base).slice(1)],
  ];
  // Without latency, because wrk corrects it wrongly for pipelined requests.
  const columns = ["16 at once, 32 connections", ...headings].slice(0, -2);
  printTable(
    columns,
    rows.map((cells) => cells.slice(0, -2)),
  );
  printOtherWork([...samples.values()]);
  printTargets(targets(at, { plain: { path: PATH, connections: 32 }, piped, ping }));
}

function targets(at, { plain, piped, ping }) {
  const times = (label, load, peer, peerLoad, bound) => {
    const value = at("svc (net)", load).perSecond / at(peer, peerLoad).perSecond;
    return { label, value, unit: `x ${peer}`, ...bound };
  };
  const list = [
    times("requests/s", plain, "fastify", plain, { atLeast: 1.3 }),
    times("requests/s", plain, "express", plain, { atLeast: 6 }),
    times("requests/s, pipelined built-in", ping, "fastify", piped, { atLeast: 3 }),
    times("requests/s, pipelined plugin", piped, "fastify", piped, { atLeast: 2 }),
  ];
  const bare = at("bare uWS", plain);
  if (bare === undefined) return list;
  const unit = "x bare uWS";
  for (const name of ["svc (net)", "svc (uws)"]) {
    const { perSecond, cpuUs } = at(name, plain);
    const requests = perSecond / bare.perSecond;
    list.push({ label: `requests/s, ${name}`, value: requests, unit, atLeast: 0.55 });
    list.push({ label: `CPU, ${name}`, value: cpuUs / bare.cpuUs, unit, atMost: 2 });
  }
  return list;
}
