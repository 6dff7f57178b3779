// Grows a system from 2 groups to 3 and back while it serves. Queries of all groups and of one key
// must return exact results, and writers must read what they wrote. Prints latencies of both before
// and during the moves, the rate, the waiting times, and the CPU time by process. After each move,
// checks every vertex in the group that owns it: its text, and the heads of all its arcs.
//
//   node grow-system.mjs [--arcs 1000000] [--clients 4] [--pause 10] [--seconds 15] [--answers 1]
//
// After each move, the clients continue until they have `--answers` responses in total. Run after
// `npm run build`.

import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { percentile, printTable, printTargets } from "./lib/figures.mjs";
import { readOptions } from "./lib/options.mjs";
import { cpuUs, machineCpuUs } from "./lib/process-figures.mjs";
import { makeProject } from "./lib/project.mjs";
import { importTestSupport } from "./lib/test-support.mjs";

const PLUGINS = `
import { type Graph, type int, PluginRequest, PluginResponse, plugin, type str } from "svc-server";

function respond(count: int): PluginResponse {
  const response = new PluginResponse();
  response.hitcount = count;
  return response;
}

/**
 * @plugin
 * @graph things
 */
export function load(
  request: PluginRequest,
  graph: Graph,
  first: int,
  end: int,
  all: int,
): PluginResponse {
  for (let n = first; n < end; n++) {
    const id = \`vertex \${n}\`;
    if (!request.owns(id)) continue;
    graph.createVertex(id, { type: "thing", properties: { n, text: "some text" } });
    for (let arc = 0; arc < 4; arc++) {
      graph.connect(id, ["to", 5, n], \`vertex \${(n * 7 + arc * 13) % all}\`);
    }
  }
  return respond(end - first);
}

/**
 * @plugin
 * @graph things
 */
export function write(_request: PluginRequest, graph: Graph, id: str, n: int): PluginResponse {
  const vertex = graph.openVertex(id);
  vertex.setProperty("n", n);
  vertex.close();
  return respond(1);
}

/**
 * @plugin
 * @graph things
 * @readonly
 */
export function arcs(_request: PluginRequest, graph: Graph): PluginResponse {
  return respond(graph.size);
}

/**
 * @plugin
 * @graph things
 * @readonly
 */
export function right(
  request: PluginRequest,
  graph: Graph,
  first: int,
  end: int,
  all: int,
): PluginResponse {
  let count = 0;
  for (let n = first; n < end; n++) {
    const id = \`vertex \${n}\`;
    if (!request.owns(id) || graph.getVertex(id).getProperty("text") !== "some text") continue;
    const heads = graph.outarcs(id).map(([, , , , head]) => head);
    const expected = [0, 1, 2, 3].map((arc) => \`vertex \${(n * 7 + arc * 13) % all}\`);
    if (heads.sort().join() === expected.sort().join()) count++;
  }
  return respond(count);
}

/**
 * @plugin
 * @graph things
 * @readonly
 */
export function read(_request: PluginRequest, graph: Graph, id: str): PluginResponse {
  return respond(Number(graph.getVertex(id).getProperty("n")));
}
`;
const ARCS_PER_VERTEX = 4;
const LOADED_AT_ONCE = 5000;
const WRITER_PAUSE_MS = 50;
const { arcs, clients, pause, seconds, answers } = readOptions({
  ...{ arcs: 1_000_000, clients: 4, pause: 10, seconds: 15, answers: 1 },
});
const vertices = Math.floor(arcs / ARCS_PER_VERTEX);
const B = { type: "builder", graph: "things" };
const GROUPS = {
  B1: { ...B, hport: 9100, tport: 9102 },
  B2: { ...B, hport: 9120, tport: 9122 },
  B3: { ...B, hport: 9140, tport: 9142 },
};
const { UpSystem, buildProject } = await importTestSupport("system", "server");
// Each process of the system listens for its end.
process.setMaxListeners(0);
const project = makeProject({
  "plugins/things.ts": PLUGINS,
  "svc.config.ts": "export default { executors: 1 };\n",
});
await buildProject(project);
const system = new UpSystem(project, describe(["B1", "B2", "B3"]));

function describe(groups) {
  return {
    ...{ name: "Growing", graphs: ["things"], slots: { graphs: ["things"] } },
    common: { "s-in": true },
    instances: {
      TD: { type: "dispatch", hport: 9990 },
      ...Object.fromEntries(groups.map((id) => [id, GROUPS[id]])),
    },
    topology: {
      transaction: Object.fromEntries(groups.map((id) => [id, []])),
      dispatch: { TD: [{ partitions: groups }] },
    },
  };
}

async function measure() {
  system.write(describe(["B1", "B2"]));
  await system.up();
  await fill();
  system.write(describe(["B1", "B2", "B3"]));
  await system.upOnly("B3");
  const load = new Clients();
  await delay(seconds * 1000);
  const before = load.take();
  const rows = [rowOf("before", before)];
  const targets = [];
  for (const words of [["grow"], ["shrink", "B3"]]) {
    const moved = await move(words);
    const during = load.take();
    rows.push(rowOf(words[0], during));
    const right = await countRight();
    load.take();
    const { megabytes, figures, cpu, took } = moved;
    printTable(["", ""], Object.entries(figures));
    printTable(["CPU of", "s", "MB/s"], cpu);
    const [resource] = words;
    const p99 = percentile(during.queries, 0.99) / percentile(before.queries, 0.99);
    targets.push(
      { label: `${resource}: rate`, value: megabytes / took, unit: "MB/s", atLeast: 30 },
      { label: `${resource}: p99 of queries`, value: p99, unit: "x before", atMost: 2 },
      { label: `${resource}: correct vertices`, value: right, unit: "", atLeast: vertices },
    );
  }
  while (load.exact < answers) await delay(1000);
  await load.stop();
  rows.push(rowOf("after", load.take()));
  printTable(["responses", "queries", "p50 ms", "p99", "max", "keyed p99", "writes p99"], rows);
  const { exact, failed } = load;
  for (const [reason, times] of failed) console.log(`${times} x ${reason}`);
  targets.push({ label: "exact responses", value: exact, unit: "", atLeast: answers });
  const others = [...failed.values()].reduce((sum, times) => sum + times, 0);
  targets.push({ label: "inexact responses", value: others, unit: "", atMost: 0 });
  printTargets(targets);
}

function rowOf(name, { queries, keyed, writes }) {
  const figures = [percentile(queries, 0.5), percentile(queries, 0.99), Math.max(...queries)];
  const others = [percentile(keyed, 0.99), percentile(writes, 0.99)];
  const shown = [...figures, ...others].map((ms) => (ms > 0 ? ms.toFixed(1) : "-"));
  return [name, queries.length, ...shown];
}

async function fill() {
  for (let first = 0; first < vertices; first += LOADED_AT_ONCE) {
    const end = Math.min(vertices, first + LOADED_AT_ONCE);
    const path = `/svc/plugin/load?first=${first}&end=${end}&all=${vertices}`;
    const { json } = await system.get("TD", path, 0, { method: "POST", body: "" });
    if (json.status !== "OK") throw new Error(JSON.stringify(json));
  }
}

/** Returns the number of vertices that are complete in their group. */
async function countRight() {
  let count = 0;
  for (let first = 0; first < vertices; first += LOADED_AT_ONCE) {
    const end = Math.min(vertices, first + LOADED_AT_ONCE);
    const path = `/svc/plugin/right?first=${first}&end=${end}&all=${vertices}`;
    const { json } = await system.get("TD", path);
    if (json.status !== "OK") throw new Error(JSON.stringify(json));
    count += json.response.hitcount;
  }
  return count;
}

async function move(words) {
  const pids = { TD: 0, B1: 0, B2: 0, B3: 0 };
  for (const id of Object.keys(pids)) pids[id] = (await system.nodestat(id)).pid;
  const spent = () => Object.entries(pids).map(([id, pid]) => [id, cpuUs(pid)]);
  const [before, machine, self] = [spent(), machineCpuUs(), process.cpuUsage()];
  const { code, out, err } = await system.admin(...words, "--json");
  if (code !== 0) throw new Error(err + out);
  const { seconds: took, ...totals } = JSON.parse(out);
  const megabytes = totals.bytes / 1e6;
  const cpu = spent().map(([id, us], at) => [id, (us - before[at][1]) / 1e6]);
  const { user, system: kernel } = process.cpuUsage(self);
  cpu.push(["clients", (user + kernel) / 1e6]);
  cpu.push(["machine", (machineCpuUs() - machine) / 1e6]);
  const rates = cpu.map(([id, s]) => [id, s.toFixed(2), (megabytes / s).toFixed(1)]);
  const rounded = Object.entries(totals).map(([name, value]) => [name, Math.round(value)]);
  const figures = {
    move: words.join(" "),
    seconds: took.toFixed(1),
    ...Object.fromEntries(rounded),
  };
  return { megabytes, figures, cpu: rates, took };
}

/** Queries of all groups, queries of a key beside writes of the same one. */
class Clients {
  #agent = new Agent({ keepAlive: true });
  #stopped = false;
  #all;
  #latencies = { queries: [], keyed: [], writes: [] };
  exact = 0;
  failed = new Map();

  constructor() {
    const pending = Array.from({ length: clients }, () => this.#query());
    this.#all = Promise.all([...pending, this.#write(0), this.#write(1)]);
  }

  /** Returns the latencies since the last call. */
  take() {
    const taken = this.#latencies;
    this.#latencies = { queries: [], keyed: [], writes: [] };
    return taken;
  }

  async stop() {
    this.#stopped = true;
    await this.#all;
    this.#agent.destroy();
  }

  async #query() {
    while (!this.#stopped) {
      await this.#ask("queries", "arcs", vertices * ARCS_PER_VERTEX);
      await delay(pause);
    }
  }

  async #write(writer) {
    for (let n = 1; !this.#stopped; n++) {
      const at = (n * 7919 + writer * 3) % vertices;
      const id = `vertex ${at}`;
      const wrote = await this.#ask("writes", `write?id=${encodeURIComponent(id)}&n=${n}`, 1, id);
      if (wrote) await this.#ask("keyed", `read?id=${encodeURIComponent(id)}`, n, id);
      await delay(WRITER_PAUSE_MS);
    }
  }

  async #ask(kind, path, expectedStatus, key) {
    const sinceMs = performance.now();
    const response = await this.#request(path, kind === "writes" ? "POST" : "GET", key);
    this.#latencies[kind].push(performance.now() - sinceMs);
    const isExact = response === expectedStatus;
    if (isExact) this.exact++;
    else {
      const reason = `${path.replace(/\?.*/, "")}: ${response}`;
      this.failed.set(reason, (this.failed.get(reason) ?? 0) + 1);
    }
    return isExact;
  }

  #request(path, method, key) {
    const headers = key === undefined ? {} : { "X-SVC-Key": encodeURIComponent(key) };
    const url = `http://${system.host}:9990/svc/plugin/${path}`;
    return new Promise((resolve) => {
      const asked = request(url, { method, headers, agent: this.#agent }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part) => {
          text += part;
        });
        response.on("end", () => {
          if (response.statusCode !== 200) resolve(`${response.statusCode} ${text.slice(0, 200)}`);
          else resolve(JSON.parse(text).response.hitcount);
        });
      });
      asked.on("error", (error) => resolve(error.message));
      asked.end();
    });
  }
}

try {
  await measure();
} finally {
  await system.close();
}
