// Queries of untrusted clients are limited in cost: graphs are saved and contents expire while they
// run.
// limit: 120 s
// takes 25 s

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ServedProject } from "./support/served-project.js";
import { get } from "./support/server.js";

const test = suite("queries of untrusted clients");
const PLUGINS = `
import type { Graph, int, PluginRequest, str } from "svc-server";

/** Connects each of n vertices with each. @plugin @graph dense */
export function fill(_request: PluginRequest, graph: Graph, n: int): int {
  for (let from = 0; from < n; from++) {
    for (let to = 0; to < n; to++) graph.connect("v" + from, "to", "v" + to);
  }
  return graph.size;
}

/** @plugin @graph dense */
export function put(_request: PluginRequest, graph: Graph, id: str, lifespan: int = -1): int {
  return graph.createVertex(id, { lifespan });
}

/** @plugin @graph dense */
export function has(_request: PluginRequest, graph: Graph, id: str): boolean {
  return graph.hasVertex(id);
}
`;

/** Traverses ten arcs in all directions, without a match. */
function endless(): string {
  let neighbor: object = { id: "nobody" };
  for (let depth = 0; depth < 10; depth++) neighbor = { traverse: { arc: ["to"], neighbor } };
  return JSON.stringify({ neighbor });
}

/** A local address that counts as untrusted; undefined without a network. */
const address = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

let project: ServedProject;
let isAsking = false;

test.before(async () => {
  project = await ServedProject.build({ "plugins/dense.ts": PLUGINS });
});
test.after(() => project.remove());
test.after.each(async () => {
  isAsking = false;
  await project.kill();
});

const start = (root: string, ...options: string[]) => project.start(root, ...options);
const call = (plugin: string) => project.call(plugin);

function burn(port: number, more = ""): ReturnType<typeof get> {
  const init = { method: "POST", body: endless() };
  return get(port, `/svc/builtin/neighbor?graph=dense&id=v1${more}`, init);
}

/** Sends queries continuously, two at a time. */
async function keepAsking(port: number): Promise<void> {
  isAsking = true;
  const request = async (): Promise<void> => {
    while (isAsking) await burn(port).catch(() => {});
  };
  void request();
  void request();
  await delay(500);
}

test("do not delay saves of graphs", async () => {
  const folder = await start("saved", "--save-every", "1", "--plugin-timeout", "0");
  assert.is(await call("fill?n=40"), 1600);
  await keepAsking(project.server.port);
  await call("put?id=late");
  const file = join(folder, "dense", "graph.snapshot");
  while (!existsSync(`${file}.old`)) {
    await delay(100);
    if (existsSync(file)) await call(`put?id=${Date.now()}`);
  }
  await project.server.stop("SIGKILL");
  isAsking = false;
  await start("saved");
  assert.is(await call("has?id=late"), true);
});

test("do not delay expiry", async () => {
  await start("expires", "--plugin-timeout", "0");
  await call("fill?n=40");
  await keepAsking(project.server.port);
  await call("put?id=short&lifespan=1");
  while (await call("has?id=short")) await delay(100);
});

test("time out when too expensive, sooner for untrusted clients", async () => {
  await start("costs");
  await call("fill?n=40");
  const { port } = project.server;
  // Longer than untrusted clients can have, and with more arcs.
  const { text } = await burn(port, "&timeout=2500&limexec=true");
  assert.match(text, "Execution timeout after 2500 ms");
  if (address === undefined) return;
  const init = { method: "POST", body: endless() };
  const path = "/svc/builtin/neighbor?graph=dense&id=v1&timeout=-1&limexec=false";
  const response = await fetch(`http://${address}:${port}${path}`, init);
  assert.is(response.status, 500);
  assert.match(
    await response.text(),
    /Query too costly: visited more than 20000000 arcs|timeout after 2000 ms/,
  );
  // The same for an expression alone.
  const sorts = Array.from({ length: 40 }, () => "msort(0, 65536)").join(";");
  const evaluate = `http://${address}:${port}/svc/builtin/evaluate?graph=dense&memory=65536`;
  const evaluated = await fetch(evaluate, { method: "POST", body: sorts });
  assert.match(await evaluated.text(), /Query too costly|timeout after 2000 ms/);
  // A cheap query succeeds.
  const smallResponse = await fetch(
    `http://${address}:${port}/svc/builtin/neighbor?graph=dense&id=v1`,
  );
  assert.is(smallResponse.status, 200);
});

/** Sends a query from an address of its own, as an untrusted client. */
function askFrom(localAddress: string, path: string, body: string): Promise<string> {
  const socket = connect({ port: project.server.port, host: "127.0.0.1", localAddress });
  // A proxy that is not configured makes the client untrusted.
  const fields = `Host: 127.0.0.1\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n`;
  const length = `Content-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(`POST /svc/builtin/${path} HTTP/1.1\r\n${fields}${length}`);
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("error", reject);
    socket.on("data", (bytes) => {
      text += bytes;
    });
    socket.on("close", () => resolve(text));
  });
}

/** Nice values of the threads of a process that have one. */
function lowered(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
    const nice = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
    return nice === 0 ? [] : [nice];
  });
}

test("do not delay small queries of other clients", async () => {
  await start("neighbors", "--plugin-timeout", "0");
  await call("fill?n=40");
  const ended: string[] = [];
  const many = Array.from({ length: 4 }, async (_, number) => {
    const query = number % 2 === 0 ? "neighbor?graph=dense&id=v1" : "vertices?graph=dense";
    const body =
      number % 2 === 0 ? endless() : JSON.stringify({ condition: JSON.parse(endless()) });
    const text = await askFrom(`127.0.0.${10 + number}`, query, body);
    ended.push(text.split("\r\n", 1)[0]!);
  });
  await delay(300);
  const endedBefore = ended.length;
  for (let requests = 0; requests < 20; requests++) {
    const small = await askFrom("127.0.0.200", "neighbor?graph=dense&id=v1&hits=3", "");
    assert.match(small, /^HTTP\/1\.1 200 /);
  }
  assert.ok(ended.length - endedBefore <= 2, `${ended.length} costly queries were faster`);
  await Promise.all(many);
  // Of all threads, only the one of long queries has a lower priority.
  if (process.platform === "linux") assert.equal(lowered(project.server.process.pid!), [10]);
});

test("with a shared memory run in the executor of long queries, and keep it", async () => {
  await start("memories");
  await call("put?id=v1");
  const sum = encodeURIComponent("store(0, load(0) + 1); load(0)");
  const path = `evaluate?graph=dense&sharedmem=1&memory=8&expression=${sum}`;
  const texts = [];
  for (let requests = 0; requests < 3; requests++) texts.push(await askFrom("127.0.0.9", path, ""));
  const results = texts.map((text) => /"result":"([^"]*)"/.exec(text)?.[1] ?? text);
  assert.equal(results.map(Number), [1, 2, 3], results.join());
});

test.run();
