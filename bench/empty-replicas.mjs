// Replicas that lose their disk under load: each repeatedly restarts with an empty data folder
// while clients change the graph of the provider. Responses of a replica must contain everything
// that the provider had acknowledged before the replica started: vertices, properties and arcs.
// Until then, the replica must refuse to go into service. The same holds for responses of a
// dispatcher.
//
//   node empty-replicas.mjs [--replicas 50] [--at-once 5] [--vertices 50000]

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { percentile, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { build, makeProject } from "./lib/project.mjs";
import { startSvc } from "./lib/server.mjs";
import { importTestSupport } from "./lib/test-support.mjs";

const {
  replicas,
  "at-once": atOnce,
  vertices,
} = readOptions({ replicas: 50, "at-once": 5, vertices: 50_000 });
/** Time for which a replica is checked in service. */
const WATCHED_MS = 1000;
const PAUSE_MS = 2000;
const PLUGINS = `
import { D_OUT, type Graph, M_INT, PluginResponse } from "svc-server";
import type { int, PluginRequest } from "svc-server";

/** Each vertex has an arc to the one before. @plugin @graph things */
export function add(_request: PluginRequest, graph: Graph, from: int, count: int): int {
  for (let n = from; n < from + count; n++) {
    graph.createVertex("v" + n, { properties: { n, text: "text of " + n } });
    graph.connect("v" + n, ["follows", M_INT, n], "v" + Math.max(0, n - 1));
  }
  return graph.order;
}

/** Returns the number of vertices; -1 if a vertex is incomplete. @plugin @graph things @readonly */
export function look(_request: PluginRequest, graph: Graph, n: int): PluginResponse {
  const response = new PluginResponse();
  response.hitcount = isComplete(graph, n) ? graph.order : -1;
  return response;
}

function isComplete(graph: Graph, n: number): boolean {
  if (!graph.hasVertex("v" + n)) return false;
  const { n: number, text } = graph.getVertex("v" + n).getProperties();
  const before = "v" + Math.max(0, n - 1);
  if (!graph.adjacent("v" + n, ["follows", D_OUT], before)) return false;
  if (number !== n || text !== "text of " + n) return false;
  return graph.arcValue("v" + n, "follows", before) === n;
}
`;

const { freePort } = await importTestSupport("../../runtime/interconnect/support/instance");
const project = makeProject({ "plugins/things.ts": PLUGINS });
build(project);
const running = new Set();
/** Numbers of vertices that the provider has acknowledged, and that it may have by now. */
let acknowledged = 0;
let sent = 0;
let isOver = false;
const counts = { right: 0, waiting: 0, dispatched: 0 };
const STARTING = "not started";
/** Number of outcomes of early `service-in` requests, by code. */
const early = new Map();
const wrong = [];
const inServiceS = [];
try {
  await measure();
} finally {
  await Promise.all([...running].map((server) => server.stop()));
}

async function measure() {
  const seats = [];
  for (let at = 0; at < atOnce; at++) {
    seats.push({ name: `r${at}`, txPort: await freePort(), port: 0, server: null, minOrder: 0 });
  }
  const attached = seats.map(({ txPort }) => `127.0.0.1:${txPort}`).join(",");
  const provider = await start("provider", 0, "--attach", attached);
  sent = vertices;
  await ask(provider, `add?from=0&count=${vertices}`);
  acknowledged = vertices;
  for (const seat of seats) await startEmpty(seat);
  const front = await dispatcher(seats);
  const clients = [change(provider), query(front, seats)];
  let left = replicas;
  const restartRepeatedly = async (seat) => {
    // The other replicas serve during the pause.
    for (; left-- > 0; await watchEmpty(seat)) await delay(Math.random() * PAUSE_MS);
  };
  await Promise.all(seats.map(restartRepeatedly));
  isOver = true;
  await Promise.all(clients);
  const digests = await Promise.all([provider, ...seats.map(({ server }) => server)].map(settled));
  const others = digests.filter((digest) => digest !== digests[0]).length;
  report(others);
}

/** Restarts a replica with an empty data folder, and reads vertices that it must catch up on. */
async function watchEmpty(seat) {
  const startedMs = performance.now();
  await startEmpty(seat);
  const { minOrder } = seat;
  for (let servedMs = 0; servedMs < WATCHED_MS; ) {
    const n = Math.floor(Math.random() * minOrder);
    const { status, response } = await ask(seat.server, `look?n=${n}`);
    if (status === 200) {
      if (servedMs === 0) inServiceS.push((performance.now() - startedMs) / 1000);
      checkOrder(seat.name, minOrder, response);
      servedMs += 2;
    } else if (status === 503) counts.waiting++;
    else wrong.push(`${seat.name}: ${status}`);
    await delay(2);
  }
}

/** The number of vertices in a response must be at least `minOrder`. */
function checkOrder(name, minOrder, { hitcount: order }) {
  if (order >= minOrder && order <= sent) counts.right++;
  else wrong.push(`${name}: ${order}, not ${minOrder} to ${sent}`);
}

/** Requests `service-in` as soon as the port is open, until the replica accepts or refuses. */
async function requestService({ port }) {
  const admin = { port: port + 1 };
  let outcome = STARTING;
  for (; outcome === STARTING; await delay(1)) {
    outcome = await enterService(admin).catch(() => STARTING);
    early.set(outcome, (early.get(outcome) ?? 0) + 1);
  }
}

/** Returns the code of a refusal. */
async function enterService(admin) {
  const { authtoken } = (await ask(admin, "ADMIN_GetAuthToken", "builtin")).response;
  const { text } = await ask(admin, `ADMIN_ServiceIn?authtoken=${authtoken}`, "builtin");
  if (text.includes("the server is starting")) return STARTING;
  return /SVC\d{4}/.exec(text)?.[0] ?? (text.includes("Exception") ? text : "accepted");
}

/** Changes the graph of the provider until the benchmark ends. */
async function change(provider) {
  while (!isOver) {
    const from = sent++;
    await ask(provider, `add?from=${from}&count=1`);
    acknowledged++;
    await delay(1);
  }
}

/** Queries the dispatcher until the benchmark ends, except while no replica is in service. */
async function query(front, seats) {
  while (!isOver) {
    const minOrder = Math.min(...seats.map((seat) => seat.minOrder));
    const n = Math.floor(Math.random() * minOrder);
    const { status, response } = await ask(front, `look?n=${n}`);
    if (status === 200) {
      checkOrder("dispatcher", minOrder, response);
      counts.dispatched++;
    } else if (status !== 503) wrong.push(`dispatcher: ${status}`);
    await delay(2);
  }
}

async function startEmpty(seat) {
  const minOrder = acknowledged;
  if (seat.server !== null) await end(seat.server);
  rmSync(join(project, seat.name), { recursive: true, force: true });
  const starting = start(seat.name, seat.port, "--tx-port", `${seat.txPort}`);
  // The port is unknown before the first start.
  const requesting = seat.port === 0 ? null : requestService(seat);
  [seat.server] = await Promise.all([starting, requesting]);
  seat.port = seat.server.port;
  seat.minOrder = minOrder;
}

async function dispatcher(seats) {
  const file = join(project, "matrix.json");
  const partition = seats.map(({ port }) => ({ host: "127.0.0.1", port }));
  const rows = seats.map(() => ({ channels: 8 }));
  writeFileSync(file, JSON.stringify({ partitions: [partition], replicas: rows }));
  return start("front", 0, "--role", "dispatcher", "--dispatcher", file);
}

async function start(name, port, ...words) {
  const options = ["--root", join(project, name), "--no-warm-up", "--executors", "1", ...words];
  const server = await startSvc(project, { options, port });
  running.add(server);
  return server;
}

function end(server) {
  running.delete(server);
  process.kill(server.pid, "SIGKILL");
  return server.stop();
}

async function ask({ port }, path, label = "plugin") {
  const answer = await fetch(`http://127.0.0.1:${port}/svc/${label}/${path}`);
  const text = await answer.text();
  const { response } = JSON.parse(text);
  return { status: answer.status, text, response };
}

/** Returns the digest of an instance, once it has all changes. */
async function settled(server) {
  while ((await ask(server, "look?n=0")).response?.hitcount !== acknowledged) await delay(20);
  const answer = await fetch(`http://127.0.0.1:${server.port}/svc/graphsum`);
  return (await answer.json()).response.graphsum.digest;
}

function report(others) {
  for (const text of wrong.slice(0, 5)) console.log(text);
  const outcomes = [...early].map(([outcome, count]) => `${count} ${outcome}`);
  console.log(
    `${replicas} replicas started empty, ${atOnce} at a time; ${vertices} vertices, and ` +
      `${acknowledged - vertices} added meanwhile\n` +
      `responses: ${counts.right} right (${counts.dispatched} of the dispatcher), ` +
      `${counts.waiting} with 503\n` +
      `early service-in: ${outcomes.join(", ")}\n`,
  );
  const refused = early.get("SVC3401") ?? 0;
  printTargets([
    { label: "early service-in refused", value: refused, unit: "", atLeast: 1 },
    { label: "wrong responses", value: wrong.length, unit: "", atMost: 0 },
    { label: "replicas that differ at the end", value: others, unit: "", atMost: 0 },
    { label: "start until in service, p50", value: percentile(inServiceS, 0.5), unit: "s" },
    { label: "start until in service, longest", value: Math.max(...inServiceS), unit: "s" },
  ]);
}
