// Restores of a continuous backup, compared with a history of the graph. A client makes one change
// after another, and records the digest after each. From time to time the server is killed, its
// data folder is lost, and the whole backup is restored: missing changes must be younger than the
// period of the backup. At the end, random times are restored: each graph must have the digest and
// the contents after the last change before that time. Times before the backup must be refused.
//
//   node restores.mjs [--times 100] [--losses 10] [--before 10] [--megabytes 200]

import { execFile } from "node:child_process";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual, promisify } from "node:util";
import { percentile, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { request } from "./lib/probe.mjs";
import { build, makeProject, NODE_TYPES } from "./lib/project.mjs";
import { SVC, startSvc } from "./lib/server.mjs";

/** All changes in their order, except lost ones. */
class History {
  changes = [];
  next = 0;

  get endMs() {
    return this.changes.at(-1).to;
  }

  /** Number of changes after which the graph had a digest. */
  lastWith(digest) {
    return this.changes.findLastIndex((change) => change.digest === digest) + 1;
  }

  /** Removes lost changes; returns the age of the oldest one at the end, in seconds. */
  cutTo(count) {
    const lost = this.changes.splice(count);
    return lost.length === 0 ? 0 : (lost.at(-1).to - lost[0].to) / 1000;
  }

  /** Returns whether a refused second follows the last change of a backup, and no later one. */
  isGap(second, refusal) {
    const found = /SVC3420: nothing was recorded .* before: \S+ \((\S+)\), after: /.exec(refusal);
    const lastMs = Date.parse(found?.[1]) + 1000;
    return this.changes.every(({ from, to }) => to < lastMs || from >= (second + 1) * 1000);
  }

  /** Returns the fault of contents restored to a second, or null. */
  explain(second, digest, found) {
    const endMs = (second + 1) * 1000;
    // A change belongs to the second in which it was made: between its request and its response.
    const earliest = this.changes.filter(({ to }) => to < endMs).length;
    const latest = this.changes.filter(({ from }) => from < endMs).length;
    const count = this.lastWith(digest);
    const where = `${new Date(second * 1000).toISOString()}: ${count} changes`;
    if (count < earliest || count > latest) return `${where}, not ${earliest} to ${latest}`;
    const model = modelAfter(this.changes.slice(0, count).map(({ n }) => n));
    return isDeepStrictEqual(found, model) ? null : `${where}: other contents`;
  }
}

const options = readOptions({ times: 100, losses: 10, before: 10, megabytes: 200 });
const EVERY_S = 10;
/** No multiple of the kinds of changes: each vertex gets all of them. */
const VERTICES = 999;
const KINDS = 4;
const CHANGES_MS = 15_000;
const TEXT = 1000;
const MIB = 2 ** 20;
const PLUGINS = `
import type { Graph, int, PluginRequest } from "svc-server";

/** One change, of a kind that depends on its number. @plugin @graph g */
export function change(_request: PluginRequest, graph: Graph, n: int): int {
  const id = "v" + (n % ${VERTICES});
  const kind = n % ${KINDS};
  if (kind === 0) graph.createVertex(id, { properties: { n } });
  else if (!graph.hasVertex(id)) graph.createVertex(id);
  else if (kind === 1) graph.count(id, "sold", "total", n);
  else if (kind === 2) graph.createVertex(id, { properties: { other: n } });
  else graph.deleteVertex(id);
  return n;
}

/** Both properties of each vertex, and the value of its arc. @plugin @graph g @readonly */
export function all(_request: PluginRequest, graph: Graph): unknown {
  const ids = (graph.vertices({ fields: 1 }) as string[]).filter((id) => id.startsWith("v"));
  return ids.sort().map((id) => {
    const vertex = graph.getVertex(id);
    const isSold = graph.adjacent(id, "sold", "total");
    const sold = isSold ? graph.arcValue(id, "sold", "total") : null;
    return [id, vertex.getProperty("n", null), vertex.getProperty("other", null), sold];
  });
}

/** Texts that no other vertex has. @plugin @graph g */
export function fill(_request: PluginRequest, graph: Graph, from: int, count: int): int {
  for (let n = from; n < from + count; n++) {
    let text = "";
    while (text.length < ${TEXT}) text += Math.random().toString(36).slice(2);
    graph.createVertex("t" + n, { properties: { text } });
  }
  return graph.order;
}
`;

/** The model: the same changes of Maps. */
function modelAfter(numbers) {
  const vertices = new Map();
  for (const n of numbers) {
    const id = `v${n % VERTICES}`;
    const kind = n % KINDS;
    const former = vertices.get(id);
    const [a, b, sold] = former ?? [null, null, null];
    if (kind === 0) vertices.set(id, [n, b, sold]);
    else if (former === undefined) vertices.set(id, [a, b, sold]);
    else if (kind === 1) vertices.set(id, [a, b, (sold ?? 0) + n]);
    else if (kind === 2) vertices.set(id, [a, n, sold]);
    else vertices.delete(id);
  }
  return [...vertices].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, found]) => [id, ...found]);
}

const project = makeProject({
  "plugins/p.ts": PLUGINS,
  "svc.config.ts": `export default {
  durability: "full",
  executors: 1,
  interconnect: {
    archive: process.env.PLACE ? { to: process.env.PLACE, every: "${EVERY_S}s", full: "1m" } : null,
  },
};
`,
  "tsconfig.json": NODE_TYPES,
});
build(project);
const backupFolder = join(project, "backup");
const running = new Set();
let folders = 0;
/** Times between a loss and the backup after it. */
let gaps = 0;
try {
  const history = new History();
  const lossesS = await lose(history);
  const restored = await restoreTimes(history);
  const refusedBefore = await refuseBefore();
  const { megabytes, perSecond } = await restoreMuch();
  const wrong = restored.filter((text) => text !== null);
  for (const text of wrong.slice(0, 5)) console.log(text);
  console.log(`${history.changes.length} changes; ${Math.round(megabytes)} MB at once`);
  console.log(`${gaps} times after a loss refused with SVC3420\n`);
  printTargets([
    { label: "wrong restores", value: wrong.length, unit: `of ${restored.length}`, atMost: 0 },
    { label: "longest loss", value: Math.max(...lossesS), unit: "s", atMost: EVERY_S },
    { label: "median loss", value: percentile(lossesS, 0.5), unit: "s" },
    {
      ...{ label: "refused times before the backup", value: refusedBefore },
      ...{ unit: `of ${options.before}`, atLeast: options.before },
    },
    { label: "restored", value: perSecond, unit: "MB/s of CPU time", atLeast: 40 },
  ]);
} finally {
  await Promise.all([...running].map((server) => server.stop()));
}

/** Kills the server at random moments, and restores all; returns the lost times, in seconds. */
async function lose(history) {
  const lossesS = [];
  let root = newRoot();
  for (let loss = 0; loss <= options.losses; loss++) {
    const server = await start(root, backupFolder);
    await change(server, history, loss === 0 ? 2 * CHANGES_MS : Math.random() * 2 * CHANGES_MS);
    if (loss === options.losses) {
      // The rest is in the backup after its period.
      await delay(2 * EVERY_S * 1000);
      await stop(server);
      break;
    }
    process.kill(server.pid, "SIGKILL");
    await stop(server);
    rmSync(root, { recursive: true });
    root = newRoot();
    await svc("restore", backupFolder, root);
    const kept = await examine(root, (digest) => history.lastWith(digest));
    lossesS.push(history.cutTo(kept));
  }
  return lossesS;
}

/** Makes one change after another for some time. */
async function change(server, history, ms) {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs) {
    const n = history.next++;
    const from = Date.now();
    await call(server, `/svc/plugin/change?n=${n}`);
    const to = Date.now();
    history.changes.push({ n, from, to, digest: await digestAt(server) });
  }
}

/** Restores random times; returns the fault of each restore, or null. */
async function restoreTimes(history) {
  const first = (await firstBackupMs()) + 1000;
  const results = [];
  while (results.length < options.times) {
    const second = Math.floor((first + Math.random() * (history.endMs - first)) / 1000);
    const time = new Date(second * 1000).toISOString();
    const root = newRoot();
    const { code, stderr } = await tried("restore", backupFolder, root, "--to-time", time);
    if (code !== 0) {
      // The data folder was lost at that time, so another one is chosen.
      if (!history.isGap(second, stderr)) throw new Error(`${time}: ${stderr}`);
      gaps++;
      continue;
    }
    results.push(await examine(root, (digest, found) => history.explain(second, digest, found)));
    rmSync(root, { recursive: true });
  }
  return results;
}

/** Serves a restored folder. */
async function examine(root, look) {
  const server = await start(root);
  const vertices = (await call(server, "/svc/plugin/all")).response;
  const seen = look(await digestAt(server), vertices);
  await stop(server);
  return seen;
}

/** Restores times before the first backup; returns how many are refused as documented. */
async function refuseBefore() {
  const first = await firstBackupMs();
  let refused = 0;
  for (let n = 0; n < options.before; n++) {
    const time = new Date(first - 1000 - Math.random() * 86_400_000).toISOString();
    const { code, stderr } = await tried("restore", backupFolder, newRoot(), "--to-time", time);
    if (code === 1 && /SVC3420: .*after: [0-9a-f]{32}:\d+/.test(stderr)) refused++;
    else console.log(`${time}: ${code} ${stderr}`);
  }
  return refused;
}

/** Restores a large folder: one half from a full backup, the other from the log. */
async function restoreMuch() {
  const [root, other, to] = [newRoot(), newRoot(), join(project, "large")];
  const half = Math.ceil((options.megabytes * MIB) / TEXT / 2);
  for (const from of [0, half]) {
    const server = await start(root);
    await call(server, `/svc/plugin/fill?from=${from}&count=${half}`);
    await stop(server);
    await svc("backup", root, "--to", to);
  }
  const { main } = await import("../dist/cli.js");
  const before = process.cpuUsage();
  await main(["restore", to, other]);
  const { user, system } = process.cpuUsage(before);
  const megabytes = sizeOfFolder(other) / 1e6;
  return { megabytes, perSecond: megabytes / ((user + system) / 1e6) };
}

async function firstBackupMs() {
  const { stderr } = await tried(
    "restore",
    backupFolder,
    newRoot(),
    "--to-time",
    "2000-01-01T00:00:00Z",
  );
  return Date.parse(/after: [0-9a-f]{32}:\d+ \(([^)]+)\)/.exec(stderr)[1]);
}

async function start(root, to = "") {
  process.env.PLACE = to;
  const server = await startSvc(project, { options: ["--root", root, "--no-warm-up"] });
  running.add(server);
  return server;
}

function stop(server) {
  running.delete(server);
  return server.stop();
}

function newRoot() {
  return join(project, `root-${folders++}`);
}

async function call({ port }, path) {
  return JSON.parse(await request(`http://127.0.0.1:${port}${path}`));
}

async function digestAt(server) {
  return (await call(server, "/svc/graphsum")).response.graphsum.digest;
}

function svc(...words) {
  return promisify(execFile)(process.execPath, [SVC, ...words]);
}

/** Runs a command that may fail. */
function tried(...words) {
  return svc(...words).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }) => ({ code, stderr }),
  );
}

function sizeOfFolder(folder) {
  const entries = readdirSync(folder, { recursive: true });
  return entries.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
