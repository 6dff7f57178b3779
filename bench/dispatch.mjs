// Cost of a dispatcher: as the reverse proxy of one engine, and merging the responses of four, ten
// entries each. Engines, dispatchers and a hand-written fan-out are separate processes; only the
// CPU time of the process in front is counted, and compared with an engine that answers the same
// request directly.
//
//   node dispatch.mjs [--rounds 7] [--seconds 2]

import { strict as assert } from "node:assert";
import { mkdtempSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { median, medians, printOtherWork, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startPeer, startSvc } from "./lib/server.mjs";
import { load, requireWrk } from "./lib/wrk.mjs";

const PLUGINS = `import { PluginResponse, S_DESC, S_VAL } from "svc-server";
import type { int, PluginRequest } from "svc-server";

/** A response of one number. @plugin */
export function double(_request: PluginRequest, n: int): PluginResponse {
  const response = new PluginResponse(1);
  response.i0 = n * 2;
  return response;
}

/** Hits of one partition, whose values differ from those of the others. @plugin */
export function find({ baseport }: PluginRequest, n: int): PluginResponse {
  const response = new PluginResponse({ maxhits: n, sortby: S_VAL | S_DESC });
  for (let hit = 0; hit < n; hit++) {
    const value = (n - hit) * 10_000 + (baseport % 10_000);
    response.append(value, { id: "v" + value, n: hit });
  }
  return response;
}
`;
const PARTITIONS = 4;
const DOUBLE = "/svc/plugin/double?n=123";
const FIND = "/svc/plugin/find?n=10";
/** Cases: server and path. */
const CASES = {
  "engine alone": ["engine", DOUBLE],
  "1x1, relayed": ["proxy", DOUBLE],
  "engine alone, 10 entries": ["engine", FIND],
  "4x1, merged": ["matrix", FIND],
  "4x1, undici": ["fan-out", FIND],
};
const CONNECTIONS = [32, 1];

requireWrk();
const { rounds, seconds } = readOptions({ rounds: 7, seconds: 2 });
const running = [];
try {
  const servers = await startAll();
  await requireEqualResponses(servers);
  await measure(servers, 1, 1);
  report(await measure(servers, rounds, seconds));
} finally {
  await Promise.all(running.map((server) => server.stop()));
}

async function startAll() {
  const project = makeProject({ "plugins/plugins.ts": PLUGINS });
  build(project);
  const start = async (starting) => {
    const server = await starting;
    running.push(server);
    return server;
  };
  const engines = [];
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const options = ["--role", "engine", "--transport", "net", "--executors", "1"];
    options.push("--root", mkdtempSync(join(project, "engine-")));
    engines.push(await start(startSvc(project, { options })));
  }
  const dispatcher = (name, backEnds) => {
    const file = join(project, `${name}.json`);
    const partitions = backEnds.map(({ port }) => [{ host: "127.0.0.1", port }]);
    writeFileSync(file, JSON.stringify({ partitions, replicas: [{}] }));
    const options = ["--role", "dispatcher", "--dispatcher", file, "--transport", "net"];
    options.push("--executors", "1", "--root", mkdtempSync(join(project, `${name}-`)));
    return start(startSvc(project, { options }));
  };
  const ports = engines.map(({ port }) => String(port));
  return {
    engine: engines[0],
    proxy: await dispatcher("proxy", engines.slice(0, 1)),
    matrix: await dispatcher("matrix", engines),
    "fan-out": await start(startPeer("fan-out", undefined, ports)),
  };
}

/** Requires equal responses, because a speedup with a different response does not count. */
async function requireEqualResponses(servers) {
  const fetchResponse = async (name, path) => {
    const text = await request(`http://127.0.0.1:${servers[name].port}${path}`);
    return JSON.parse(text).response;
  };
  assert.deepEqual(await fetchResponse("proxy", DOUBLE), await fetchResponse("engine", DOUBLE));
  const merged = await fetchResponse("matrix", FIND);
  assert.equal(merged.entries.length, (await fetchResponse("engine", FIND)).entries.length);
  assert.deepEqual(merged, await fetchResponse("fan-out", FIND));
}

/** @returns {Promise<Map<string, object[]>>} samples of all rounds by `keyOf` */
async function measure(servers, count, secondsEach) {
  const samples = new Map();
  for (let round = 0; round < count; round++) {
    for (const connections of CONNECTIONS) {
      for (const [name, [server, path]] of Object.entries(CASES)) {
        const sample = await load(servers[server], { path, connections, seconds: secondsEach });
        const key = keyOf(name, connections);
        samples.set(key, [...(samples.get(key) ?? []), sample]);
      }
    }
  }
  return samples;
}

function keyOf(name, connections) {
  return `${name} ${connections}`;
}

function report(samples) {
  for (const connections of CONNECTIONS) {
    const rows = Object.keys(CASES).map((name) => {
      const figures = medians(samples.get(keyOf(name, connections)));
      const { perSecond, cpuUs, p50Us, p99Us } = figures;
      return [name, Math.round(perSecond), cpuUs.toFixed(1), p50Us, p99Us];
    });
    const headings = ["requests/s", "CPU us/request in front", "p50 us", "p99 us"];
    printTable([`${connections} connection(s)`, ...headings], rows);
  }
  printOtherWork([...samples.values()].flat());
  printTargets(targets(samples));
}

function targets(samples) {
  /** Returns the median over the rounds of a comparison of two servers in the same round. */
  const compared = (name, baseline, connections, compare) => {
    const others = samples.get(keyOf(baseline, connections));
    const list = samples.get(keyOf(name, connections));
    return median(list.map((sample, round) => compare(sample, others[round])));
  };
  const cpu = (name, baseline) =>
    compared(name, baseline, 32, (sample, two) => sample.cpuUs / two.cpuUs);
  const added = (name, baseline) =>
    compared(name, baseline, 1, (sample, two) => sample.p50Us - two.p50Us);
  /** No latency target if processes have to share cores. */
  const within = (us, processes) => (availableParallelism() >= processes ? { atMost: us } : {});
  const proxy = ["1x1, relayed", "engine alone"];
  const matrix = ["4x1, merged", "engine alone, 10 entries"];
  const undici = ["4x1, merged", "4x1, undici"];
  return [
    { label: "CPU, 1x1", value: cpu(...proxy), unit: "x engine alone", atMost: 1.6 },
    { label: "CPU, 4x1", value: cpu(...matrix), unit: "x engine alone", atMost: 5 },
    { label: "CPU, 4x1", value: cpu(...undici), unit: "x undici", atMost: 0.65 },
    { label: "added latency, 1x1", value: added(...proxy), unit: "us", ...within(40, 3) },
    {
      label: "added latency, 4x1",
      value: added(...matrix),
      unit: "us",
      ...within(100, PARTITIONS + 2),
    },
  ];
}
