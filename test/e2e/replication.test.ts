// One instance provides its graphs to another: the replica converges whichever is killed or
// stopped, changes nothing by itself, and peers without the key are rejected.
// limit: 240 s
// takes 30 s

import assertNode from "node:assert";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NatsServers, natsVersion } from "../runtime/interconnect/support/nats.js";
import { assertFiring } from "./support/firing-alerts.js";
import { ProjectServers } from "./support/project-servers.js";
import { get, type RunningServer } from "./support/server.js";

const test = suite("replication");
const PLUGINS = `
import { Graph, type int, type PluginRequest, type str } from "svc-server";

/** @plugin */
export function put(_request: PluginRequest, name: str, from: int, count: int = 1): int {
  const graph = new Graph(name);
  for (let n = from; n < from + count; n++) {
    graph.createVertex("v" + n, { type: "thing", properties: { n, text: "é " + n } });
    graph.connect("all", ["has", 5, n], "v" + n);
    if (n % 5 === 0) graph.deleteVertex("v" + (n - 1));
  }
  return graph.order;
}

/** @plugin */
export function order(_request: PluginRequest, name: str): int {
  return new Graph(name).order;
}

/** All that a graph has, as one text. @plugin */
export function all(_request: PluginRequest, name: str): str {
  const graph = new Graph(name);
  const lines: str[] = [];
  for (const id of graph.vertices() as str[]) {
    const vertex = graph.getVertex(id);
    lines.push(id + " " + vertex.type + " " + JSON.stringify(vertex.getProperties()));
    graph.closeVertex(vertex);
  }
  for (const arc of graph.arcs() as unknown[]) lines.push(JSON.stringify(arc));
  return lines.sort().join("\\n");
}

/** @plugin */
export function erase(_request: PluginRequest, name: str): boolean {
  new Graph(name).erase();
  return true;
}

/** Vertices that are gone in a second. @plugin */
export function expire(_request: PluginRequest, name: str): int {
  const graph = new Graph(name);
  graph.createVertex("short", { lifespan: 1 });
  return graph.order;
}
`;

const project = new ProjectServers(test, { "plugins/things.ts": PLUGINS }, "--save-every", "0");

function start(root: string, ...options: string[]): Promise<RunningServer> {
  return project.start(root, ...options);
}

function kill(server: RunningServer): Promise<void> {
  return project.kill(server);
}

async function call({ port }: RunningServer, plugin: string): Promise<unknown> {
  const { json, text } = await get(port, `/svc/plugin/${plugin}`);
  assert.is(json.status, "OK", text);
  return json.response;
}

interface Direction {
  readonly in: number;
  readonly out: number;
}

/** Until a check passes: statistics of instances are up to two seconds old. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await check();
      return;
    } catch (error) {
      if (attempt > 200) throw error;
    }
    await delay(100);
  }
}

async function figures({ port }: RunningServer): Promise<Record<"opcodes" | "bytes", Direction>> {
  const { response } = (await get(port, "/svc/txstat")).json;
  return (response as { data: Record<"opcodes" | "bytes", Direction> }).data;
}

interface Peers {
  readonly host: string;
  readonly port: number;
  readonly digest: string;
  readonly provider: string;
  readonly "provider-digest": string;
  readonly "master-serial": string;
  readonly subscribers: readonly [string, Record<string, unknown>][];
}

async function peers({ port }: RunningServer): Promise<Peers> {
  return (await get(port, "/svc/peerstat")).json.response as unknown as Peers;
}

interface Transactions {
  readonly out: { readonly serial: number; readonly total: number; readonly attached: Attached };
  readonly in: { readonly serial: number; readonly total: number; readonly attached: Attached };
}

interface Attached {
  readonly opcodes: number;
  readonly transactions: number;
  readonly subscribers?: readonly string[];
  readonly provider?: readonly string[];
}

async function transactions({ port }: RunningServer): Promise<Transactions> {
  const { response } = (await get(port, "/svc/builtin/status")).json;
  return (response as { transaction: Transactions }).transaction;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Until both have equal contents of a graph, which are read once their numbers are equal. */
async function equal(server: RunningServer, copy: RunningServer, name = "things"): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const [order, otherOrder] = await callBoth(server, copy, `order?name=${name}`);
    if (order === otherOrder || attempt > 200) {
      const [a, b] = await callBoth(server, copy, `all?name=${name}`);
      if (a === b) return;
      if (attempt > 200) assertNode.strictEqual(b, a, `${server.log()}\n---\n${copy.log()}`);
    }
    await delay(50);
  }
}

/** Results of both; undefined for a replica that is not ready. */
async function callBoth(
  server: RunningServer,
  second: RunningServer,
  plugin: string,
): Promise<[unknown, unknown]> {
  const result = await call(server, plugin);
  const { status, json, text } = await get(second.port, `/svc/plugin/${plugin}`);
  // The empty graph opened before the provider's is replaced at this moment.
  const isMakingRoom = json.status !== "OK" && text.includes("Graph cannot be accessed");
  // Or it is not caught up yet.
  if (!isMakingRoom && status !== 503) assert.is(json.status, "OK", text);
  return [result, json.response];
}

/** Until a server has logged a text so often. */
async function logged(server: RunningServer, text: string, times = 1): Promise<void> {
  for (let attempt = 0; server.log().split(text).length <= times; attempt++) {
    if (attempt > 400) throw new Error(`"${text}" is not in:\n${server.log()}`);
    await delay(50);
  }
}

async function pair(name: string, ...options: string[]) {
  const port = String(await freePort());
  const attach = `127.0.0.1:${port}`;
  const subscribe = () => start(`${name}-s`, "--tx-port", port, ...options);
  const provide = (...more: readonly string[]) =>
    start(`${name}-p`, "--attach", attach, ...options, ...more);
  return { port: Number(port), subscribe, provide };
}

/** Both ends show the traffic, and each other's state. */
async function seeEachOther(provider: RunningServer, subscriber: RunningServer): Promise<void> {
  const [sent, received] = [await figures(provider), await figures(subscriber)];
  assert.ok(sent.opcodes.out > 300 && sent.bytes.out > 10_000, JSON.stringify(sent));
  assert.ok(received.opcodes.in > 300 && received.opcodes.out === 0, JSON.stringify(received));
  const [from, to] = [await peers(provider), await peers(subscriber)];
  const [uri, status] = from.subscribers[0]!;
  assert.match(uri, /^svc:\/\/127\.0\.0\.1:\d+$/);
  assert.match(to.provider, /^svc:\/\/127\.0\.0\.1:\d+$/);
  const { host, lag, digest, ...rest } = status;
  assert.equal(rest, {
    ...{ ip: "127.0.0.1", adminport: subscriber.port + 1, txport: to.port },
    ...{ mode: "NORMAL", status: "CONNECTED", "master-serial": from["master-serial"] },
  });
  assert.equal([host, lag], [to.host, { ms: 0, tx: 0 }]);
  assert.equal([digest, to.digest, to["provider-digest"]], Array(3).fill(from.digest));
  assert.is(to["master-serial"], from["master-serial"]);
  assert.ok(Number(from["master-serial"]) > 1.7e15);
  const [provided, taken] = [await transactions(provider), await transactions(subscriber)];
  const opcodes = [provided.out.attached.opcodes, taken.in.attached.opcodes];
  assert.equal(opcodes, [sent.opcodes.out, received.opcodes.in]);
  assert.equal(
    [provided.out.attached.subscribers, taken.in.attached.provider],
    [[uri], [to.provider]],
  );
  const serial = Number(from["master-serial"]);
  assert.equal([provided.out.serial, taken.in.serial], [serial, serial]);
  assert.equal([provided.in.total, taken.out.total], [0, 0]);
  assert.ok(provided.out.total > 0 && provided.out.total === provided.out.attached.transactions);
}

test("a replica converges after kills and a suspension, and only follows", async () => {
  const { subscribe, provide } = await pair("killed");
  let subscriber = await subscribe();
  let provider = await provide();
  await call(provider, "put?name=things&from=1&count=300");
  await equal(provider, subscriber);
  const putting = call(provider, "put?name=things&from=301&count=1000");
  await kill(subscriber);
  await putting;
  let text = "";
  await eventually(async () => {
    ({ text } = await get(provider.port + 1, "/metrics"));
    assert.match(text, /^svc_subscriber_connected\{.*\} 0$/m);
  });
  assertFiring(text, text, ["SvcSubscriberLost"]);
  subscriber = await subscribe();
  await equal(provider, subscriber);
  await call(provider, "put?name=more&from=1&count=10");
  await kill(provider);
  // Otherwise it may replicate the expiry before it is killed again.
  provider = await provide("--events", "paused");
  await call(provider, "put?name=things&from=1301&count=100");
  await equal(provider, subscriber);
  await equal(provider, subscriber, "more");
  await call(provider, "erase?name=more");
  await call(provider, "put?name=more&from=5&count=3");
  await equal(provider, subscriber, "more");
  await eventually(() => seeEachOther(provider, subscriber));

  // A suspended subscriber blocks no one.
  subscriber.process.kill("SIGSTOP");
  await call(provider, "put?name=things&from=1401&count=5000");
  await eventually(async () => {
    ({ text } = await get(provider.port + 1, "/metrics"));
    assert.match(text, /^svc_subscriber_lag_seconds\{.*\} [\d.]*[1-9]/m);
  });
  assertFiring(text, text, ["SvcSubscriberBehind"], { laterS: 60 });
  subscriber.process.kill("SIGCONT");
  await equal(provider, subscriber);

  await call(provider, "expire?name=more");
  await equal(provider, subscriber, "more");
  assert.match((await get(subscriber.port, "/svc/plugin/put?name=more&from=9")).text, /readonly/);
  await kill(provider);
  // It hears nothing any more.
  await eventually(async () => {
    ({ text } = await get(subscriber.port + 1, "/metrics"));
    assert.ok(Number(/^svc_replication_lag_seconds (.+)$/m.exec(text)![1]) > 5);
  });
  assertFiring(text, text, ["SvcReplicaBehind"], { laterS: 60 });
  assert.match(String(await call(subscriber, "all?name=more")), /short/);
});

test("a subscriber that is empty or lags behind the log receives a snapshot", async () => {
  const { subscribe, provide } = await pair("empty");
  let provider = await start("empty-p", "--durability", "off");
  await call(provider, "put?name=things&from=1&count=200");
  await project.stop(provider);
  provider = await provide();
  let subscriber = await subscribe();
  await logged(subscriber, "(1 graphs)");
  await equal(provider, subscriber);
  await call(provider, "put?name=things&from=201&count=20");
  await equal(provider, subscriber);
  // It loses its disk.
  await kill(subscriber);
  rmSync(join(project.folder, "empty-s"), { recursive: true });
  subscriber = await subscribe();
  await equal(provider, subscriber);
  // The snapshot and later changes survive a crash.
  await kill(subscriber);
  await call(provider, "put?name=things&from=221&count=20");
  subscriber = await subscribe();
  await equal(provider, subscriber);
});

if (natsVersion() !== null) {
  test("a stream of a broker replicates between processes", async () => {
    const servers = await NatsServers.start(1);
    try {
      const stream = servers.uri("CHANGES");
      const provider = await start("stream-provider", "--tx-publish-stream", stream);
      const replica = await start("stream-replica", "--tx-follow-stream", stream);
      await call(provider, "put?name=g&from=0&count=20");
      await eventually(async () => {
        const everything = "all?name=g";
        assert.is(await call(replica, everything), await call(provider, everything));
        const { response } = (await get(replica.port, "/svc/peerstat")).json;
        assert.is((response as { executing: boolean }).executing, true);
      });
    } finally {
      await servers.stop();
    }
  });
}

test("peers without the key and invalid messages are rejected", async () => {
  const port = await freePort();
  const keys = ["one key of enough bytes", "another key of enough bytes"].map((key, index) => {
    const file = join(project.folder, `key${index}`);
    writeFileSync(file, key);
    return file;
  });
  const subscriber = await start("keys-s", "--tx-port", String(port), "--tx-key-file", keys[0]!);
  const attach = ["--attach", `127.0.0.1:${port}`, "--tx-key-file"];
  const untrustedServer = await start("keys-x", ...attach, keys[1]!);
  await call(untrustedServer, "put?name=evil&from=1");
  await logged(untrustedServer, "SVC2533");
  await kill(untrustedServer);
  for (const garbage of [Buffer.alloc(100, 7), Buffer.from("GET / HTTP/1.1\r\n\r\n")]) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(garbage);
    await new Promise((resolve) => socket.once("close", resolve));
  }
  await logged(subscriber, "SVC2531");
  const provider = await start("keys-p", ...attach, keys[0]!);
  await call(provider, "put?name=things&from=1&count=5");
  await equal(provider, subscriber);
  assert.not.match(subscriber.log() + provider.log(), /enough bytes/);
});

test("contents from another source than the provider are rejected and reported", async () => {
  const { port, subscribe, provide } = await pair("diverged");
  const loneServer = await start("diverged-s");
  await call(loneServer, "put?name=things&from=1");
  await project.stop(loneServer);
  const error = await subscribe().catch((failure: Error) => failure);
  assert.match(String(error), /SVC2534/);
  rmSync(join(project.folder, "diverged-s"), { recursive: true });
  const subscriber = await subscribe();
  const provider = await provide();
  await call(provider, "put?name=things&from=1&count=5");
  await equal(provider, subscriber);
  await project.stop(provider);
  // A copy of the provider with a different history.
  cpSync(join(project.folder, "diverged-p"), join(project.folder, "other-p"), { recursive: true });
  const first = await provide();
  await call(first, "put?name=things&from=6&count=5");
  await equal(first, subscriber);
  await project.stop(first);
  const refusedServer = await start("other-p", "--attach", `127.0.0.1:${port}`);
  await call(refusedServer, "put?name=things&from=70&count=50");
  await logged(refusedServer, "SVC2532");
  let text = "";
  await eventually(async () => {
    ({ text } = await get(subscriber.port + 1, "/metrics"));
    assert.match(text, /^svc_replica_state\{state="diverged"\} 1$/m);
  });
  assertFiring(text, text, ["SvcOutOfService", "SvcReplicaDiverged"]);
  assert.is((await get(subscriber.port, "/svc/hc")).status, 503);
  await project.stop(refusedServer);
  const restartedServer = await provide();
  await equal(restartedServer, subscriber);
  await eventually(async () => assert.is((await get(subscriber.port, "/svc/hc")).status, 200));
});

test("replication without a key is limited to loopback", async () => {
  const error = await start("nokey", "--attach", "192.0.2.1:7000").catch((e: Error) => e);
  assert.match(String(error), /SVC2530/);
  const off = await start("nolog", "--tx-port", "7000", "--durability", "off").catch(
    (e: Error) => e,
  );
  assert.match(String(off), /SVC2530/);
});

test.run();
