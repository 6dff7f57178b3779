// Slots move between groups of one instance each, which hold and forget a move without a separate
// request. Source and target are killed meanwhile, while a writer changes vertices.
// limit: 600 s
// takes 60 s

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, type DecodedResponse } from "./support/server.js";
import { UpSystem, until } from "./support/system.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("slot moves of groups of one instance");
const KEYS = 500;
/** Pause between two changes, so that the writer uses little CPU. */
const PAUSE_MS = 50;
const PLUGINS = `
import { type Graph, type int, PluginRequest, PluginResponse, plugin, type str } from "svc-server";

function respond(count: int): PluginResponse {
  const response = new PluginResponse();
  response.hitcount = count;
  return response;
}

function list(graph: Graph): string[] {
  return graph.vertices({ condition: { type: "thing", virtual: false } }) as string[];
}

/**
 * @plugin
 * @graph things
 */
export function load(request: PluginRequest, graph: Graph, count: int): PluginResponse {
  for (let n = 0; n < count; n++) {
    const id = \`k\${n}\`;
    if (!request.owns(id)) continue;
    graph.createVertex(id, { type: "thing", properties: { n: 0, text: \`text \${n}\` } });
    graph.connect(id, "next", \`k\${(n + 1) % count}\`);
  }
  return respond(0);
}

/**
 * @plugin
 * @graph things
 */
export function put(_request: PluginRequest, graph: Graph, id: str): PluginResponse {
  const vertex = graph.openVertex(id);
  vertex.setProperty("n", Number(vertex.getProperty("n")) + 1);
  vertex.close();
  return respond(1);
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
export function arcs(_request: PluginRequest, graph: Graph): PluginResponse {
  return respond(graph.size);
}

/**
 * @plugin
 * @graph things
 * @readonly
 */
export function puts(_request: PluginRequest, graph: Graph): PluginResponse {
  const numbers = list(graph).map((id) => Number(graph.getVertex(id).getProperty("n")));
  return respond(numbers.reduce((sum, n) => sum + n, 0));
}
`;
// With full durability, a killed process has written all changes that it acknowledged.
const CONFIG = 'export default { durability: "full", executors: 1 };\n';
const B = { type: "builder", graph: "things" };
const SYSTEM = {
  ...{ name: "Alone", graphs: ["things"], slots: { graphs: ["things"], count: 64 } },
  common: { "s-in": true },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    B1: { ...B, hport: 9100, tport: 9102 },
    B2: { ...B, hport: 9120, tport: 9122 },
  },
  topology: { dispatch: { TD: [{ partitions: ["B1", "B2"] }] } },
};

let project: TemporaryProject;
let system: UpSystem;

test.before(async () => {
  project = new TemporaryProject({ "plugins/things.ts": PLUGINS, "svc.config.ts": CONFIG });
  system = new UpSystem(project.folder, SYSTEM);
  await buildProject(project.folder);
  await system.up();
  await until(async () => {
    await call(`load?count=${KEYS}`, { method: "POST", body: "" });
    return (await hits("count")) === KEYS;
  });
});
test.after(async () => {
  await system.close();
  project.remove();
});

function call(path: string, init: RequestInit = {}): Promise<DecodedResponse> {
  return system.get("TD", `/svc/plugin/${path}`, 0, init);
}

async function hits(path: string): Promise<number> {
  const { json, text } = await call(path);
  assert.is(json.status, "OK", text);
  return (json.response as { hitcount: number }).hitcount;
}

/** Changes one vertex after the other. */
class Writer {
  #isStopped = false;
  sent = 0;
  acknowledged = 0;
  readonly #finished = this.#write();

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#finished;
  }

  async #write(): Promise<void> {
    while (!this.#isStopped) {
      const id = `k${(this.sent++ * 7) % KEYS}`;
      const init = { method: "POST", body: "", headers: { "X-SVC-Key": id } };
      const response = await call(`put?id=${id}`, init).catch(() => null);
      if (response?.status === 200) this.acknowledged++;
      await delay(PAUSE_MS);
    }
  }
}

/** Asserts that each vertex and arc exists once, with all acknowledged changes. */
async function check(minimum: number, maximum: number): Promise<void> {
  await until(async () => (await call("count")).status === 200);
  assert.equal([await hits("count"), await hits("arcs")], [KEYS, KEYS]);
  const puts = await hits("puts");
  assert.ok(puts >= minimum && puts <= maximum, `${minimum} <= ${puts} <= ${maximum}`);
}

/** A change feed that ends with the error event that it receives. */
async function followUntilError(id: string, since = ""): Promise<string> {
  const init = { headers: { accept: "text/event-stream" } };
  return (await system.get(id, `/svc/builtin/changes?graph=things&since=${since}`, 0, init)).text;
}

test("survive kills of source and target, under changes", async () => {
  const writer = new Writer();
  const followed = followUntilError("TD");
  let done = 0;
  // About ten cuts: a busy machine may miss the progress of some.
  const child = system.spawnAdmin("shrink", "B2", "--rate", "4kB/s");
  let err = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  for (const killed of ["B2", "B1", "B2", "B1"]) {
    await until(async () => {
      if (child.exitCode !== null) return true;
      const step = (await system.nodestat("TD")).procedure?.what ?? "";
      const progress = Number(/ ([1-9]\d*) of /.exec(step)?.[1] ?? 0);
      if (progress <= done) return false;
      done = progress;
      return true;
    });
    assert.is(child.exitCode, null, `it takes longer: ${err}`);
    process.kill((await system.nodestat(killed)).pid, "SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  assert.is(child.exitCode, 0, err);
  await writer.stop();
  await check(writer.acknowledged, writer.sent);
  const { json } = await system.get("B2", "/svc/plugin/count", 0);
  assert.is((json.response as { hitcount: number }).hitcount, 0);
  // The removal from the source is no deletion for clients that merge the feeds of both groups.
  const feed = await followed;
  assert.match(feed, /\nevent: error\n.*PositionExpiredError/);
  assert.not.match(feed, '"vertexDeleted"');
  const [, since] = /^id: (.*)/.exec(feed)!;
  assert.match(await followUntilError("TD", since), "slots of graph 'things' have moved");
});

test.run();
