// Latency of a well-behaved client alone and beside an abusive one, with the default limits. The
// well-behaved client has its own address, and opens a connection for each request. Abusive clients
// run in a separate thread.
//
//   node boundaries.mjs [--rounds 5] [--requests 300]

import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { median, percentile, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";

const PLUGINS = `import type { Graph, int, json, PluginRequest } from "svc-server";

/** Connects each of n vertices with every other. @plugin @graph dense */
export function fill(_request: PluginRequest, graph: Graph, n: int): int {
  for (let from = 0; from < n; from++) {
    for (let to = 0; to < n; to++) graph.connect("v" + from, "to", "v" + to);
  }
  return graph.size;
}

/** @plugin */
export function quick(_request: PluginRequest, n: int): int {
  return n * 2;
}

/** Waits without using the CPU. @plugin */
export function slow(request: PluginRequest): Promise<int> {
  return new Promise((resolve) => {
    const timer = globalThis as unknown as { setTimeout(f: () => void, ms: number): void };
    timer.setTimeout(() => resolve(1), 5000);
    request.signal.addEventListener("abort", () => resolve(0));
  });
}

/** @plugin */
export function body(_request: PluginRequest, content: json): int {
  return String(content).length;
}
`;
const GOOD = "127.0.2.1";
const PAUSE_MS = 2;
const BEFORE_MS = 500;
const QUICK = "GET /svc/plugin/quick?n=1";
const SMALL_QUERY = "GET /svc/builtin/neighbor?graph=dense&id=v1&hits=3";
/** Abusive clients, and the request of the well-behaved one. */
const CASES = {
  "idle connections of 3 addresses": { attack: idle, line: QUICK },
  "1 costly query": { attack: (port) => query(port, 1), line: SMALL_QUERY },
  "8 costly queries": { attack: (port) => query(port, 8), line: SMALL_QUERY },
  "40 slow calls of a client": { attack: (port) => slow(port, []), line: QUICK },
  "40 slow calls behind the same proxy": {
    attack: (port) => slow(port, ["X-Forwarded-For: 192.0.2.7"], GOOD),
    line: QUICK,
    fields: ["X-Forwarded-For: 192.0.2.8"],
  },
  "bodies of 2 MB of brackets": { attack: (port) => bodies(port, "[".repeat(2e6)), line: QUICK },
  "bodies with 60,000 keys": { attack: (port) => bodies(port, sparseKeys()), line: QUICK },
};

if (isMainThread) await main();
else await CASES[workerData.name].attack(workerData.port);

async function main() {
  const { rounds, requests } = readOptions({ rounds: 5, requests: 300 });
  const project = makeProject({ "plugins/p.ts": PLUGINS });
  build(project);
  const server = await startSvc(project, { options: ["--proxies", GOOD] });
  try {
    await ask(server.port, GOOD, "GET /svc/plugin/fill?n=40");
    const rows = [];
    for (const [name, { line, fields = [] }] of Object.entries(CASES)) {
      await probe(server.port, requests, line, fields);
      rows.push({ name, ...(await compare(server.port, name, rounds, requests, line, fields)) });
    }
    report(rows);
  } finally {
    await server.stop();
  }
}

/** Alternates the measurements, so that other work on the machine affects both equally. */
async function compare(port, name, rounds, requests, line, fields) {
  const alone = [];
  const beside = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(await probe(port, requests, line, fields));
    const worker = new Worker(new URL(import.meta.url), { workerData: { name, port } });
    await new Promise((resolve) => worker.once("message", resolve));
    await delay(BEFORE_MS);
    beside.push(await probe(port, requests, line, fields));
    await worker.terminate();
    await delay(BEFORE_MS);
  }
  return { alone: summary(alone), beside: summary(beside) };
}

function summary(samples) {
  const at = (share) => median(samples.map((latencies) => percentile(latencies, share)));
  return { p50: at(0.5), p99: at(0.99) };
}

function report(rows) {
  const ms = (value) => value.toFixed(2);
  printTable(
    ["beside", "alone p50 ms", "p99 ms", "beside p50 ms", "p99 ms", "x alone"],
    rows.map(({ name, alone, beside }) => {
      const ratio = (beside.p99 / alone.p99).toFixed(2);
      return [name, ms(alone.p50), ms(alone.p99), ms(beside.p50), ms(beside.p99), ratio];
    }),
  );
  printTargets(
    rows.map(({ name, alone, beside }) => ({
      label: `p99 during ${name}`,
      value: beside.p99 / alone.p99,
      unit: "x alone",
      atMost: 2,
    })),
  );
}

/** @returns {Promise<number[]>} latencies in milliseconds */
async function probe(port, requests, line, fields) {
  const latencies = [];
  for (let count = 0; count < requests; count++) {
    const startedMs = performance.now();
    const text = await ask(port, GOOD, line, { fields });
    latencies.push(performance.now() - startedMs);
    if (!text.startsWith("HTTP/1.1 200 ")) throw new Error(`${line}: ${text.slice(0, 300)}`);
    await delay(PAUSE_MS);
  }
  return latencies;
}

/** Sends a request on a connection of its own, and returns the response. */
function ask(port, localAddress, line, { fields = [], body = "" } = {}) {
  const socket = connect({ port, host: "127.0.0.1", localAddress, noDelay: true });
  const headers = ["Host: 127.0.0.1", "Connection: close", `Content-Length: ${body.length}`];
  socket.write([`${line} HTTP/1.1`, ...headers, ...fields, "", ""].join("\r\n"));
  if (body.length > 0) socket.write(body);
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

function ready() {
  parentPort.postMessage("ready");
}

/** Opens 1,100 connections from each of three addresses, and replaces closed ones. */
async function idle(port) {
  const open = (localAddress) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.on("error", () => {});
    // Connections are spread over time, because a flood would measure the processor.
    socket.on("close", () => setTimeout(() => open(localAddress), 20_000 * Math.random()));
  };
  for (let count = 0; count < 1100; count++) {
    for (const localAddress of ["127.0.1.1", "127.0.1.2", "127.0.1.3"]) open(localAddress);
    if (count % 50 === 0) await delay(10);
  }
  ready();
}

/** Keeps running queries that traverse ten levels in all directions without a match. */
async function query(port, clients) {
  let neighbor = { id: "nobody" };
  for (let depth = 0; depth < 10; depth++) neighbor = { traverse: { arc: ["to"], neighbor } };
  const options = { body: JSON.stringify({ neighbor }), fields: ["X-Forwarded-For: 192.0.2.1"] };
  const line = "POST /svc/builtin/neighbor?graph=dense&id=v1";
  for (let client = 1; client <= clients; client++) {
    void repeat(() => ask(port, `127.0.1.${client}`, line, options));
  }
  ready();
}

/** Keeps 40 calls running. */
async function slow(port, fields, localAddress = "127.0.1.1") {
  for (let call = 0; call < 40; call++) {
    void repeat(() => ask(port, localAddress, "GET /svc/plugin/slow", { fields }));
  }
  ready();
}

/** Sends ten bodies per second, even if they take longer; more would measure the processor. */
async function bodies(port, text) {
  // Sending bytes costs this thread less than sending text.
  const body = Buffer.from(text);
  const options = { body, fields: ["Content-Type: application/json"] };
  setInterval(() => {
    ask(port, "127.0.1.1", "POST /svc/plugin/body", options).catch(() => {});
  }, 100);
  ready();
}

function sparseKeys() {
  return `{${Array.from({ length: 60_000 }, (_, number) => `"${number * 7919}":1`).join()}}`;
}

async function repeat(action) {
  for (;;) await action().catch(() => delay(10));
}
