// Slots that move while the system serves: from two groups to three and back, with a writer that
// never rests and queries whose counts must be exact, and kills of all that take part.
// limit: 180 s
// takes 20 s

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Answer, buildProject } from "./support/server.js";
import { UpSystem, until } from "./support/system.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("slot moves");
const KEYS = 1500;
/** Between two requests of a client, so that the clients take little of the CPU. */
const PAUSE_MS = 20;
const PLUGINS = `
import { D_OUT, type Graph, type int, M_CNT, M_INT, plugin, type str } from "svc-server";
import { PluginRequest, PluginResponse } from "svc-server";

function respond(count: int): PluginResponse {
  const response = new PluginResponse();
  response.hitcount = count;
  return response;
}

/**
 * @plugin
 * @graph things
 */
export function load(request: PluginRequest, graph: Graph, count: int): PluginResponse {
  graph.createVertex("all", { type: "kind" });
  let created = 0;
  for (let n = 0; n < count; n++) {
    const id = \`k\${n}\`;
    if (!request.owns(id)) continue;
    created += graph.createVertex(id, { type: "thing", properties: { n, text: \`text \${n}\` } });
    graph.connect(id, "next", \`k\${(n + 1) % count}\`);
    graph.connect("all", ["has", M_INT, n], id);
  }
  return respond(created);
}

/**
 * @plugin
 * @graph things
 */
export function put(_request: PluginRequest, graph: Graph, id: str): PluginResponse {
  graph.createVertex(id, { type: "thing" });
  return respond(graph.count(id, "visits", "all"));
}

function list(graph: Graph): string[] {
  return graph.vertices({ condition: { type: "thing", virtual: false } }) as string[];
}

/**
 * @plugin
 * @graph things
 * @readonly
 */
export function count(_request: PluginRequest, graph: Graph): PluginResponse {
  return respond(list(graph).length);
}

/**
 * @plugin
 * @graph things
 * @readonly
 */
export function loaded(_request: PluginRequest, graph: Graph): PluginResponse {
  return respond(list(graph).filter((id) => id.startsWith("k")).length);
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
export function visits(_request: PluginRequest, graph: Graph): PluginResponse {
  const filter = ["visits", D_OUT, M_CNT] as never;
  const ids = list(graph).filter((id) => !id.startsWith("k"));
  return respond(ids.reduce((sum, id) => sum + (graph.arcValue(id, filter, "all") ?? 0), 0));
}
`;
// A killed process has written what it has acknowledged.
const CONFIG = 'export default { durability: "full", executors: 1 };\n';
const ENGINE = { type: "builder", graph: "things" };
const TWO = {
  name: "Growing",
  graphs: ["things"],
  slots: { graphs: ["things"], everywhere: ["kind"], count: 64 },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    B1: { ...ENGINE, hport: 9100 },
    B2: { ...ENGINE, hport: 9110, attach: true },
    B3: { ...ENGINE, hport: 9120 },
    // A replica of B2, which gets and gives slots with it.
    S2: { type: "search", graph: "things", hport: 9130, tport: 9140 },
  },
  topology: {
    transaction: { B2: ["S2"] },
    dispatch: { TD: [{ partitions: ["B1", "B2"] }] },
  },
};
const { B3: _, ...pair } = TWO.instances;
const THREE = {
  ...TWO,
  topology: { ...TWO.topology, dispatch: { TD: [{ partitions: ["B1", "B2", "B3"] }] } },
};

let project: TemporaryProject;
let system: UpSystem;

test.before(async () => {
  project = new TemporaryProject({
    "plugins/things.ts": PLUGINS,
    "svc.config.ts": CONFIG,
  });
  system = new UpSystem(project.folder, TWO);
  system.write({ ...TWO, instances: pair });
  await buildProject(project.folder);
  await system.up();
  await until(async () => (await call("count")).status === 200);
});
test.after(async () => {
  await system.close();
  project.remove();
});

function call(path: string, key?: string): Promise<Answer> {
  const headers = key === undefined ? {} : { "X-SVC-Key": key };
  return system.get("TD", `/svc/plugin/${path}`, 0, { headers });
}

function hits({ json, text }: Answer): number {
  assert.is(json.status, "OK", text);
  return (json.response as { hitcount: number }).hitcount;
}

/** Writes and reads until it is stopped; readers expect no more than what was sent. */
class Clients {
  readonly #keys: string[];
  readonly #all: Promise<unknown>;
  #isStopped = false;
  sent = 0;
  acknowledged = 0;
  answers = 0;
  /** Statuses of requests that were not answered, with the first message. */
  readonly refused = new Map<number, string>();

  /** @param start of the ids of new vertices */
  constructor(start: string) {
    this.#keys = Array.from({ length: 50 }, (_, n) => `${start}${n}`);
    this.#all = Promise.all([this.#write(), this.#write(), this.#read()]);
  }

  /** Ends when each vertex has been written. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#all;
  }

  async #write(): Promise<void> {
    for (let n = 0; !this.#isStopped || n < this.#keys.length; n++) {
      const id = this.#keys[n % this.#keys.length]!;
      this.sent++;
      const answer = await call(`put?id=${id}`, id).catch(() => null);
      if (answer?.status === 200) this.acknowledged++;
      else if (answer !== null) this.refused.set(answer.status, answer.text);
      await delay(PAUSE_MS);
    }
  }

  async #read(): Promise<void> {
    while (!this.#isStopped) {
      const answer = await call("loaded").catch(() => null);
      if (answer?.status === 200) {
        assert.is(hits(answer), KEYS);
        this.answers++;
      } else if (answer !== null) this.refused.set(answer.status, answer.text);
      await delay(PAUSE_MS);
    }
  }
}

/** Everything is there once: vertices, arcs, and each change that was acknowledged. */
async function checkAll(all: readonly Clients[]): Promise<void> {
  await until(async () => (await call("count")).status === 200);
  assert.is(hits(await call("loaded")), KEYS);
  assert.is(hits(await call("count")), KEYS + 50 * all.length);
  assert.is(hits(await call("arcs")), 2 * KEYS + 50 * all.length);
  const visits = hits(await call("visits"));
  await until(async () => {
    return (await system.nodestat("S2")).digest === (await system.nodestat("B2")).digest;
  });
  const least = all.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const most = all.reduce((sum, { sent }) => sum + sent, 0);
  assert.ok(visits >= least && visits <= most, `${least} <= ${visits} <= ${most}`);
}

const clients: Clients[] = [];

test("nothing moves while an instance is down, or another run moves", async () => {
  assert.is(hits(await call(`load?count=${KEYS}`)), KEYS);
  system.write(THREE);
  const { code, err } = await system.admin("grow");
  assert.is(code, 1);
  assert.match(err, /SVC3412.*B3 must be up/s);
  await system.upOnly("B3");
  const rate = await system.admin("grow", "--rate", "fast");
  assert.match(rate.err, /SVC3003.*50MB\/s/s);
  const unknown = await system.admin("shrink", "TD");
  assert.match(unknown.err, /SVC3412.*TD is no group/s);
  const dry = await system.admin("grow", "--dry-run");
  assert.is(dry.code, 0, dry.err);
  assert.match(dry.out, /^B3 +0 +21$/m);
  assert.match(dry.out, /^21 of 64 slots move: 32.8 %$/m);
});

test("grows under load, with exact counts", async () => {
  const load = new Clients("w");
  clients.push(load);
  await until(async () => load.acknowledged > 20 && load.answers > 5);
  const grown = await system.admin("grow");
  assert.is(grown.code, 0, grown.err);
  assert.match(grown.out, /^moved 21 slots with \d+ vertices and \d+ arcs/m);
  await load.stop();
  // No request was refused: they wait for a cut.
  assert.equal([...load.refused], []);
  await checkAll(clients);
  const { json } = await system.get("B3", "/svc/plugin/count", 0);
  assert.ok((json.response as { hitcount: number }).hitcount > KEYS / 6);
  assert.match((await system.admin("rebalance", "--dry-run")).out, /^nothing to move$/m);
});

test("survives kills of source, target and coordinator, and continues", async () => {
  const load = new Clients("x");
  clients.push(load);
  await until(async () => load.acknowledged > 20);
  for (const [verb, victim] of [
    ["shrink", "B3"],
    ["grow", "B1"],
    ["shrink", "admin"],
  ] as const) {
    const words = verb === "shrink" ? [verb, "B3"] : [verb];
    const child = system.spawnAdmin(...words, "--rate", "50kB/s");
    const isOver = () => child.exitCode !== null;
    await until(async () => isOver() || (await system.nodestat("B2")).procedure !== null);
    await until(async () => isOver() || / [1-9]\d* of /.test(await showProgress()));
    assert.is(child.exitCode, null, "it takes longer");
    if (victim === "admin") child.kill("SIGKILL");
    else process.kill((await system.nodestat(victim)).pid, "SIGKILL");
    await once(child, "exit");
    if (victim !== "admin") assert.is(child.exitCode, 0, victim);
  }
  const moved = await system.admin("shrink", "B3", "--force");
  assert.is(moved.code, 0, moved.err);
  await load.stop();
  await checkAll(clients);
  const { json } = await system.get("B3", "/svc/plugin/count", 0);
  assert.is((json.response as { hitcount: number }).hitcount, 0);
  // Without slots, a group can leave the matrix.
  system.write(TWO);
  const sent = await system.admin("send-descriptor");
  assert.is(sent.code, 0, sent.err);
  await checkAll(clients);
});

/** Progress of a move, which all instances show. */
async function showProgress(): Promise<string> {
  return (await system.nodestat("B2")).procedure?.what ?? "";
}

test.run();
