// Provider and subscriber are killed repeatedly while clients write, and restarted: no acknowledged
// write is lost, also in the property index; no transaction over two graphs is torn; both end with
// equal contents, by digest and in full.
//
// SEED=n repeats the kills of a run.
// limit: 240 s
// takes 10 s

import { mkdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Random, SEED } from "../property/support/random.js";
import { rounds } from "../support/rounds.js";
import { buildProject, get, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const KILLS = rounds(3);
const CLIENTS = 4;
/** Rounds between full comparisons, in addition to those of acknowledged writes. */
const COMPARED_EVERY = 5;

const test = suite("replication under kills");
const PLUGINS = `
import { Graph, type int, type PluginRequest, type str, system } from "svc-server";

/** @plugin */
export function put(_request: PluginRequest, id: str): boolean {
  const graph = new Graph("things");
  if (graph.propertyIndexes().length === 0) graph.index("property", { key: "text" });
  return system.transaction([graph, new Graph("twins")], (things, twins) => {
    things.createVertex(id, { type: "thing", properties: { text: "é " + id } });
    things.connect("all", ["has", 5, id.length], id);
    return twins.createVertex(id) >= 0;
  });
}

/** Whether the transactions of both graphs are whole: one of them has the vertex "all", too. */
function areWhole(things: Graph, twins: Graph): boolean {
  return things.order === twins.order + Number(things.hasVertex("all"));
}

/** By the index of a property. */
function isFound(graph: Graph, id: str): boolean {
  const condition = { property: { text: "é " + id } };
  return (graph.vertices({ condition }) as str[]).join() === id;
}

/** Those of some ids that are missing. @plugin */
export function missing(request: PluginRequest): str[] {
  const graph = new Graph("things");
  const bytes = Array.from(request.content as Uint8Array);
  const ids = JSON.parse(bytes.map((byte) => String.fromCharCode(byte)).join("")) as str[];
  const twins = new Graph("twins");
  if (!areWhole(graph, twins)) throw new Error("half of a transaction");
  return ids.filter((id) => !graph.hasVertex(id) || !isFound(graph, id) || !twins.hasVertex(id));
}

/** All that the graph has, as one text. @plugin */
export function all(_request: PluginRequest): str {
  const graph = new Graph("things");
  const lines: str[] = [];
  if (!areWhole(graph, new Graph("twins"))) throw new Error("half of a transaction");
  for (const id of graph.vertices() as str[]) {
    if (id !== "all" && !isFound(graph, id)) throw new Error("not in the index: " + id);
    const vertex = graph.getVertex(id);
    lines.push(id + " " + vertex.type + " " + JSON.stringify(vertex.getProperties()));
    graph.closeVertex(vertex);
  }
  for (const arc of graph.arcs() as unknown[]) lines.push(JSON.stringify(arc));
  return lines.sort().join("\\n");
}
`;

let project: TemporaryProject;
const running = new Set<RunningServer>();

test.before(async () => {
  project = new TemporaryProject({ "plugins/things.ts": PLUGINS });
  await buildProject(project.folder);
});
test.after(async () => {
  for (const server of running) await server.stop("SIGKILL");
  project.remove();
});

async function start(root: string, ...options: string[]): Promise<RunningServer> {
  const folder = join(project.folder, root);
  mkdirSync(folder, { recursive: true });
  const server = await serve(project.folder, "--root", folder, "--durability", "full", ...options);
  running.add(server);
  return server;
}

async function kill(server: RunningServer): Promise<void> {
  running.delete(server);
  await server.stop("SIGKILL");
}

/** A client that records acknowledged writes until the server is gone. */
async function write(port: number, ids: () => string, acknowledged: string[]): Promise<void> {
  for (;;) {
    const id = ids();
    try {
      const response = await fetch(`http://127.0.0.1:${port}/svc/plugin/put?id=${id}`);
      const { status } = (await response.json()) as { status: string };
      if (status !== "OK") return;
      acknowledged.push(id);
    } catch {
      return;
    }
  }
}

async function listMissing(
  { port }: RunningServer,
  ids: readonly string[],
): Promise<readonly string[]> {
  const body = JSON.stringify(ids);
  const url = `http://127.0.0.1:${port}/svc/plugin/missing`;
  const response = await fetch(url, { method: "POST", body });
  const text = await response.text();
  const { status, response: missing } = JSON.parse(text) as { status: string; response: string[] };
  assert.is(status, "OK", text);
  return missing;
}

async function contents({ port }: RunningServer): Promise<string> {
  return String((await get(port, "/svc/plugin/all")).json.response);
}

async function digest({ port }: RunningServer): Promise<string> {
  const { response } = (await get(port, "/svc/graphsum")).json;
  return (response as { graphsum: { digest: string } }).graphsum.digest;
}

/** Until both are equal; no client writes. */
async function equal(provider: RunningServer, subscriber: RunningServer): Promise<void> {
  for (let attempt = 0; (await digest(provider)) !== (await digest(subscriber)); attempt++) {
    const logs = `${provider.log()}\n---\n${subscriber.log()}`;
    if (attempt > 1000) throw new Error(`seed ${SEED}: the digests stay different\n${logs}`);
    await delay(50);
  }
  const [providerContents, subscriberContents] = [
    await contents(provider),
    await contents(subscriber),
  ];
  assert.ok(
    providerContents.includes("thing") && providerContents === subscriberContents,
    `seed ${SEED}: the contents differ`,
  );
}

/**
 * Until both graphs together have an odd number of vertices, or none: each transaction adds two,
 * and the first "all". Between the commits of both parts, a reader sees the first one.
 */
async function whole(subscriber: RunningServer): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { response } = (await get(subscriber.port, "/svc/objcnt")).json;
    const { order } = response as { order: number };
    if (order === 0 || order % 2 === 1) return;
    if (attempt > 200) throw new Error(`seed ${SEED}: half of a transaction: ${order} vertices`);
    await delay(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test(`survives ${KILLS} kills while clients write`, async () => {
  const random = new Random(SEED);
  const port = String(await freePort());
  const provide = () => start("p", "--attach", `127.0.0.1:${port}`);
  const subscribe = () => start("s", "--tx-port", port);
  let [provider, subscriber] = [await provide(), await subscribe()];
  let next = 0;
  let total = 0;
  for (let kills = 0; kills < KILLS; ) {
    const acknowledged: string[] = [];
    const ids = (): string => `v${next++ % 20_000}`;
    const writing = Array.from({ length: CLIENTS }, () => write(provider.port, ids, acknowledged));
    if (kills === 0) while (acknowledged.length === 0) await delay(1);
    await delay(random.below(150));
    const isProvider = random.below(10) < 6;
    if (!isProvider || random.below(10) < 3) {
      await kill(subscriber);
      kills++;
      await delay(random.below(50));
      subscriber = await subscribe();
    }
    await kill(provider);
    kills++;
    await Promise.all(writing);
    // Without a provider, the subscriber cannot complete what it lacks.
    await whole(subscriber);
    provider = await provide();
    total += acknowledged.length;
    assert.equal(await listMissing(provider, acknowledged), [], `seed ${SEED}: lost`);
    if (kills % COMPARED_EVERY === 0) await equal(provider, subscriber);
    if (KILLS > 20 && kills % 20 < 2)
      console.log(`${kills} kills, ${total} acknowledged, seed ${SEED}`);
  }
  await equal(provider, subscriber);
  assert.ok(total > 0);
  console.log(`${KILLS} kills, ${total} acknowledged: 0 lost, 0 unequal, seed ${SEED}`);
});

test.run();
