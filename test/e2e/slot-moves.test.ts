// Slots that move while the system serves: from one group to two and back, with a writer that
// never rests and queries whose counts must be exact. The groups choose their leaders through
// Leases of an API server that is part of this test; leaders and coordinators are killed while
// slots move.
// limit: 600 s
// takes 120 s

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { callAdminOperation } from "../../runtime/system/call-admin-operation.js";
import type {
  EncodedSlot,
  EncodedSlots,
  SurveyedInstance,
} from "../../runtime/system/slot-moves/slot-instances.js";
import { FakeKubernetes } from "../runtime/interconnect/support/kubernetes.js";
import { buildProject, type DecodedResponse } from "./support/server.js";
import { UpSystem, until } from "./support/system.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("slot moves");
const KEYS = 500;
/** Between two requests of a client, so that the clients take little of the CPU. */
const PAUSE_MS = 200;
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
const B = { type: "builder", graph: "things" };
const S = { type: "search", graph: "things" };
const TWO = {
  name: "Growing",
  graphs: ["things"],
  slots: { graphs: ["things"], everywhere: ["kind"], count: 64 },
  leadership: { engine: "kubernetes" },
  common: { "s-in": true },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    B1: { ...B, hport: 9100, tport: 9102 },
    S1: { ...S, hport: 9110, tport: 9112 },
    B2: { ...B, hport: 9120, tport: 9122 },
    S2: { ...S, hport: 9130, tport: 9132 },
  },
  topology: {
    transaction: { B1: ["S1"], B2: ["S2"] },
    dispatch: { TD: [{ partitions: ["@B1", "@B2"] }] },
  },
};
const { B2: _, S2: __, ...first } = TWO.instances;
const ONE = {
  ...TWO,
  instances: first,
  topology: { transaction: { B1: ["S1"] }, dispatch: { TD: [{ partitions: ["@B1"] }] } },
};

let project: TemporaryProject;
let system: UpSystem;
let cluster: FakeKubernetes;

test.before(async () => {
  cluster = await FakeKubernetes.start();
  process.env.SVC_KUBERNETES_API = cluster.access.url;
  process.env.SVC_KUBERNETES_ACCOUNT = cluster.account;
  project = new TemporaryProject({
    "plugins/things.ts": PLUGINS,
    "svc.config.ts": CONFIG,
  });
  system = new UpSystem(project.folder, TWO);
  system.write(ONE);
  await buildProject(project.folder);
  await system.up();
  await until(async () => (await call("count")).status === 200);
});
test.after(async () => {
  delete process.env.SVC_KUBERNETES_API;
  delete process.env.SVC_KUBERNETES_ACCOUNT;
  await system.close();
  project.remove();
  await cluster.stop();
});

function call(path: string, key?: string): Promise<DecodedResponse> {
  const init = key === undefined ? {} : { method: "POST", body: "", headers: { "X-SVC-Key": key } };
  return system.get("TD", `/svc/plugin/${path}`, 0, init);
}

function hits({ json, text }: DecodedResponse): number {
  assert.is(json.status, "OK", text);
  return (json.response as { hitcount: number }).hitcount;
}

/** Writes and reads until it is stopped; readers expect no more than what was sent. */
class Clients {
  readonly #keys: string[];
  /** Those of vertices that are there, since a change of them was acknowledged. */
  readonly #written = new Set<string>();
  readonly #finished: Promise<unknown>;
  #isStopped = false;
  sent = 0;
  acknowledged = 0;
  responses = 0;
  /** Statuses of requests that were not answered, with the first message. */
  readonly refused = new Map<number, string>();

  /** @param start of the ids of new vertices */
  constructor(start: string) {
    this.#keys = Array.from({ length: 50 }, (_, n) => `${start}${n}`);
    this.#finished = Promise.all([this.#write(), this.#write(), this.#read()]);
  }

  /** Ends when each vertex has been written. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#finished;
  }

  async #write(): Promise<void> {
    for (let n = 0; !this.#isStopped || this.#written.size < this.#keys.length; n++) {
      const id = this.#keys[n % this.#keys.length]!;
      this.sent++;
      const response = await call(`put?id=${id}`, id).catch(() => null);
      if (response?.status === 200) {
        this.acknowledged++;
        this.#written.add(id);
      } else if (response !== null) this.refused.set(response.status, response.text);
      await delay(PAUSE_MS);
    }
  }

  async #read(): Promise<void> {
    while (!this.#isStopped) {
      const response = await call("loaded").catch(() => null);
      if (response?.status === 200) {
        assert.is(hits(response), KEYS);
        this.responses++;
      } else if (response !== null) this.refused.set(response.status, response.text);
      await delay(PAUSE_MS);
    }
  }
}

/** Everything is there once: vertices, arcs, and each change that was acknowledged. */
async function checkAll(clients: readonly Clients[]): Promise<void> {
  await until(async () => (await call("count")).status === 200);
  assert.is(hits(await call("loaded")), KEYS);
  assert.is(hits(await call("count")), KEYS + 50 * clients.length);
  assert.is(hits(await call("arcs")), 2 * KEYS + 50 * clients.length);
  const visits = hits(await call("visits"));
  await until(async () => {
    return (await system.nodestat("S1")).digest === (await system.nodestat("B1")).digest;
  });
  const acknowledgedTotal = clients.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const sentTotal = clients.reduce((sum, { sent }) => sum + sent, 0);
  assert.ok(
    visits >= acknowledgedTotal && visits <= sentTotal,
    `${acknowledgedTotal} <= ${visits} <= ${sentTotal}`,
  );
}

const clients: Clients[] = [];
const MEMBERS = ["B1", "B2", "S1", "S2"] as const;

test("moves no slot while an instance is down", async () => {
  const posted = { method: "POST", body: "" };
  await until(async () => {
    // A load whose response was lost has created them, and the next one creates none.
    await system.get("TD", `/svc/plugin/load?count=${KEYS}`, 0, posted);
    return hits(await call("loaded")) === KEYS;
  });
  system.write(TWO);
  const { code, err } = await system.admin("grow");
  assert.is(code, 1);
  assert.match(err, /SVC3412.*[BS]2 must be up/s);
  await system.upOnly("B2,S2");
  const rate = await system.admin("grow", "--rate", "fast");
  assert.match(rate.err, /SVC3003.*50MB\/s/s);
  const unknownResult = await system.admin("shrink", "TD");
  assert.match(unknownResult.err, /SVC3412.*TD is no group/s);
  const dry = await system.admin("grow", "--dry-run");
  assert.is(dry.code, 0, dry.err);
  assert.match(dry.out, /^B2 +0 +32$/m);
  assert.match(dry.out, /^32 of 64 slots move: 50.0 %$/m);
});

test("adds a group under load with exact counts", async () => {
  const load = new Clients("w");
  clients.push(load);
  await until(async () => load.acknowledged > 20 && load.responses > 5);
  const terms = await listTerms();
  const grown = await system.admin("grow");
  assert.is(grown.code, 0, grown.err);
  assert.match(grown.out, /^moved 32 slots with \d+ vertices and \d+ arcs/m);
  await load.stop();
  // No request was refused: they wait for a cut. Only without a leader, and for a cut that takes 10
  // seconds, they do not wait for so long.
  const waited = [...grown.out.matchAll(/waited for at most (\d+) ms/g)].map(([, ms]) =>
    Number(ms),
  );
  const isUsual = Math.max(...waited) < 10_000 && (await listTerms()) === terms;
  if (isUsual) assert.equal([...load.refused], []);
  await checkAll(clients);
  const { json } = await system.get("B2", "/svc/plugin/count", 0);
  assert.ok((json.response as { hitcount: number }).hitcount > KEYS / 3);
  assert.match((await system.admin("rebalance", "--dry-run")).out, /^nothing to move$/m);
});

test("instances finish a cut that its coordinator abandoned", async () => {
  await until(async () => (await system.nodestat("B1")).procedure === null);
  const [from, to] = [await findLeader("B1"), await findLeader("B2")];
  const [{ record, term }, target] = [
    await send(from, { do: "look" }),
    await send(to, { do: "look" }),
  ];
  const slots = [record.map.runs.find(([, owner]) => record.groups[owner] === "B1")![0]];
  const lease = { holder: "0123456789abcdef", what: "a run", seconds: "120" };
  for (const id of [...MEMBERS, "TD"]) await operate(id, "Lease", lease);
  assert.match((await system.admin("grow")).err, /SVC3330.*a run by/s);
  const move = { id: "by hand", version: record.version + 1, from: "B1", to: "B2", slots };
  for (const id of MEMBERS) await send(id, { do: "tell", command: { do: "hold", move } });
  const { graphs } = await send(from, { do: "encode", term, slots, maxWords: 2 ** 20 });
  const { graph, names, slots: encoded } = graphs[0]!;
  const [{ slot, bytes: length }] = encoded as [EncodedSlot];
  const slotPosition = { graph, slot, offset: 0 };
  const { data } = await send(from, { do: "read", wanted: [slotPosition] });
  const chunks = [{ ...slotPosition, length, data: data[0] }];
  await send(to, { do: "stage", id: move.id, names: { [graph]: names }, chunks });
  const stale = { do: "write", move, term: target.term + 1 };
  await rejects(send(to, stale), /does not lead in term/);
  await send(to, { ...stale, term: target.term });
  await send(from, { do: "tell", command: { do: "give", id: move.id } });
  assert.is((await call("count")).status, 503);
  await send("TD", { do: "hold-requests", slots });
  const heldResponse = call("count");
  // Its lease ends, as that of a killed run, and with it the hold.
  for (const id of ["TD", ...MEMBERS]) await operate(id, "Lease", { ...lease, seconds: "0" });
  assert.ok([200, 503].includes((await heldResponse).status));
  await until(async () => (await call("count")).status === 200);
  await checkAll(clients);
  assert.is((await send(to, { do: "look" })).record.version, move.version);
});

test("survives kills of leaders and coordinator, and continues", async () => {
  const load = new Clients("x");
  clients.push(load);
  await until(async () => load.acknowledged > 20);
  await moveWithKills(["shrink", "B2"], ["B2", "B1"]);
  await moveWithKills(["grow"], ["admin"]);
  const moved = await system.admin("shrink", "B2", "--force");
  assert.is(moved.code, 0, moved.err);
  await load.stop();
  await checkAll(clients);
  const { json } = await system.get("B2", "/svc/plugin/count", 0);
  assert.is((json.response as { hitcount: number }).hitcount, 0);
  // The descriptor would give half of the slots to B2.
  const slots = await system.admin("slots");
  assert.is(slots.code, 0, slots.err);
  assert.not.match(slots.out, /belong to other groups/, slots.out);
  // Without slots, a group can leave the matrix.
  system.write(ONE);
  const sentResult = await system.admin("send-descriptor", "TD,B1,S1");
  assert.is(sentResult.code, 0, sentResult.err);
  await checkAll(clients);
});

test("leaves records that earlier releases read when instances stop", async () => {
  const folders = ["builder_B1", "search_S1"];
  const files = folders.map((name) => join(system.root, "data", name, "_slots.json"));
  const lines = () => files.map((file) => readFileSync(file, "utf8").trimEnd().split("\n").length);
  assert.ok(Math.max(...lines()) > 1, "records were appended");
  assert.is((await system.down()).code, 0);
  assert.equal(lines(), [1, 1]);
});

/** Terms of the groups: they change with the leaders. */
async function listTerms(): Promise<string> {
  const looks = MEMBERS.map((id) => operate(id, "MoveSlots", {}, JSON.stringify({ do: "look" })));
  return (await Promise.all(looks)).map((look) => (look as MoveResponse).term).join();
}

/** Kills the coordinator, or leaders of groups, each one when more slots have moved. */
async function moveWithKills(words: readonly string[], killed: readonly string[]): Promise<void> {
  const child = system.spawnAdmin(...words, "--rate", "5kB/s");
  let err = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  let done = 0;
  for (const of of killed) {
    await until(async () => {
      if (child.exitCode !== null) return true;
      const progress = / ([1-9]\d*) of /.exec(await showProgress());
      if (progress === null || Number(progress[1]) <= done) return false;
      done = Number(progress[1]);
      return true;
    });
    assert.is(child.exitCode, null, `it takes longer: ${err}`);
    if (of === "admin") child.kill("SIGKILL");
    else process.kill((await system.nodestat(await findLeader(of))).pid, "SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  if (!killed.includes("admin")) assert.is(child.exitCode, 0, err);
}

/** Executes a command of a move. */
async function send(id: string, command: object): Promise<MoveResponse> {
  const lease = { lease: "0123456789abcdef" };
  return (await operate(id, "MoveSlots", lease, JSON.stringify(command))) as MoveResponse;
}

type MoveResponse = SurveyedInstance & EncodedSlots & { readonly data: string };

function operate(id: string, operation: string, parameters: Record<string, string>, body?: string) {
  const { hport } = TWO.instances[id as keyof typeof TWO.instances];
  const call = { operation, parameters, headers: {}, maxBytes: 2 ** 22 };
  const posted = body === undefined ? call : { ...call, body };
  return callAdminOperation({ host: system.host, port: hport + 1 }, posted);
}

async function rejects(promise: Promise<unknown>, pattern: RegExp): Promise<void> {
  const text = await promise.then(
    () => "resolved",
    (error: Error) => error.message,
  );
  assert.match(text, pattern);
}

/** Member that leads a group now. */
async function findLeader(group: string): Promise<string> {
  const stat = (await system.nodestat(group)) as unknown as { group: { leader: string } };
  return stat.group.leader;
}

/** Progress of a move, which all instances show. */
async function showProgress(): Promise<string> {
  return (await system.nodestat("TD")).procedure?.what ?? "";
}

test.run();
