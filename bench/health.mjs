// Latency of the admin port's health check while other requests are expensive to render: `echo` of
// 1 MiB of NULs, and `inspect?level=3` with many open connections waiting with large heads;
// alternating with no load. The prober sends a request every few milliseconds on one connection. On
// a busy machine run it with `nice -n -10`. Also memory retained after a burst of large bodies.
//
//   node health.mjs [--seconds 4] [--rounds 3] [--waiting 400]

import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { percentile, printTable } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { build, makeProject, NODE_TYPES } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";

const PROBE_EVERY_MS = 3;
const MIB = 1024 * 1024;
/** Header fields of the waiting requests. */
const FIELDS = Array.from({ length: 7 }, (_, n) => `X-${n}: ${"v".repeat(8000)}\r\n`).join("");

async function main() {
  const { seconds, rounds, waiting } = readOptions({ seconds: 4, rounds: 3, waiting: 400 });
  const project = makeProject({
    "tsconfig.json": NODE_TYPES,
    "plugins/wait.ts":
      'import type { PluginRequest, int } from "svc-server";\n' +
      'import { setTimeout as sleep } from "node:timers/promises";\n' +
      "/** @plugin */\nexport async function wait(_r: PluginRequest, ms: int): Promise<int> {\n" +
      "  await sleep(ms);\n  return ms;\n}\n" +
      "/** @plugin */\nexport function take(_r: PluginRequest, content: unknown): int {\n" +
      "  return JSON.stringify(content).length;\n}\n",
  });
  build(project);
  const server = await startSvc(project);
  const waiters = await holdOpen(server.port, waiting);
  const latencies = { alone: [], echo: [], inspect: [] };
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(latencies)) {
      latencies[name].push(...(await measure(server.port, name, seconds)));
    }
  }
  for (const socket of waiters) socket.destroy();
  const rows = Object.entries(latencies).map(([name, times]) => [
    name,
    times.length,
    ...[0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(2)),
  ]);
  printTable(["load", "probes", "p50 ms", "p99 ms", "max ms"], rows);
  await showBurst(server);
  await server.stop();
}

/** Opens connections with a waiting request, each with a head of 56 KB. */
async function holdOpen(port, count) {
  const sockets = [];
  for (let opened = 0; opened < count; opened++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`GET /svc/plugin/wait?ms=25000 HTTP/1.1\r\nHost: a\r\n${FIELDS}\r\n`);
    sockets.push(socket);
  }
  await sleep(1000);
  return sockets;
}

async function measure(port, label, seconds) {
  const worker =
    label === "alone"
      ? null
      : new Worker(new URL(import.meta.url), {
          workerData: { port, label },
        });
  if (worker !== null) await new Promise((resolve) => worker.once("message", resolve));
  const times = [];
  const untilMs = performance.now() + seconds * 1000;
  const prober = new Prober(port + 1);
  while (performance.now() < untilMs) {
    times.push(await prober.ask());
    await sleep(PROBE_EVERY_MS);
  }
  prober.close();
  await worker?.terminate();
  return times;
}

class Prober {
  #socket;
  #answered = () => {};

  constructor(port) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", () => this.#answered());
  }

  ask() {
    const sentMs = performance.now();
    return new Promise((resolve) => {
      this.#answered = () => resolve(performance.now() - sentMs);
      this.#socket.write("GET /svc/hc HTTP/1.1\r\nHost: a\r\n\r\n");
    });
  }

  close() {
    this.#socket.destroy();
  }
}

/** Runs in its own thread: sends requests without pause, four at a time. */
async function attack({ port, label }) {
  const body = label === "echo" ? Buffer.alloc(MIB) : null;
  const path = label === "echo" ? "/svc/builtin/echo" : "/svc/inspect?level=3&main=1";
  const target = label === "echo" ? port : port + 1;
  parentPort.postMessage("begun");
  const request = async () => {
    for (;;) await ask(target, path, body);
  };
  await Promise.all([request(), request(), request(), request()]);
}

function ask(port, path, body) {
  return new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", path, method: body === null ? "GET" : "POST" };
    const sent = request(options, (answer) => answer.resume().on("end", resolve));
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Prints resident memory before, during and after forty concurrent bodies of 5 MiB. */
async function showBurst({ port, pid }) {
  const rss = () => {
    const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Math.round(Number(kib) / 1024);
  };
  const body = Buffer.from(JSON.stringify("x".repeat(5 * MIB)));
  for (let warm = 0; warm < 3; warm++) await ask(port, "/svc/plugin/take", body);
  await sleep(2000);
  const rows = [["before", rss()]];
  let slowest = 0;
  const timer = setInterval(() => {
    slowest = Math.max(slowest, rss());
  }, 20);
  for (let burst = 0; burst < 3; burst++) {
    const requests = Array.from({ length: 40 }, () => ask(port, "/svc/plugin/take", body));
    await Promise.all(requests);
  }
  clearInterval(timer);
  rows.push(["most", slowest], ["at its end", rss()]);
  let waited = 0;
  for (const after of [5, 15, 30]) {
    await sleep((after - waited) * 1000);
    waited = after;
    rows.push([`${after} s after`, rss()]);
  }
  printTable(["burst of bodies", "RSS MiB"], rows);
}

if (isMainThread) await main();
else await attack(workerData);
