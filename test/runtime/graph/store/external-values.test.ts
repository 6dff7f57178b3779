// Property values on disk: larger than memory, read back through snapshots, the transaction log and
// graph transfers, rejected when corrupt, and removed when unreachable.

import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadGraph } from "../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { eraseStoredGraph } from "../../../../runtime/graph/manager/snapshot/stored-graphs.js";
import { listValues } from "../../../../runtime/graph/store/external-values.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { digestCheckpoint } from "../../../../runtime/graph/store/verify-digest.js";
import {
  installSnapshot,
  receiveSnapshot,
  sendSnapshot,
} from "../../../../runtime/interconnect/snapshot-transfer.js";
import { loggedStore, replayTo } from "../support/logged-graph.js";
import { makeGraph, openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ root: string }>("external values");
const LONG = "löng ".repeat(200_000);
const LIST = Array.from({ length: 100_000 }, (_, item) => item / 2);
const MAP = new Map(Array.from({ length: 21_626 }, (_, item) => [item, item * 2]));
const VALUES = { LONG, LIST, MAP, BYTES: new Uint8Array(300_000).fill(7), OBJECT: { a: [LONG] } };

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-values-"));
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

function storeIn(folder: string, log: GraphStore | null = null): GraphStore {
  const share = log === null ? null : log.share.log;
  const values = { folder, isWritable: true };
  return GraphStore.create("test", TEST_THREAD, { values, log: share });
}

function fill(store: GraphStore): void {
  const graph = openStore(store);
  using vertex = graph.newVertex("v", { properties: { "*MAP": MAP, here: "in memory" } });
  vertex.setProperty("LONG", LONG, true);
  vertex.setProperties({ "*LIST": LIST, "*BYTES": VALUES.BYTES });
  vertex.setProperty("*OBJECT", VALUES.OBJECT);
}

function hasAll(store: GraphStore): void {
  using vertex = openStore(store).openVertex("v", "r");
  assert.equal(vertex.getProperties(), { ...VALUES, here: "in memory" });
  for (const [key, value] of Object.entries(VALUES)) assert.equal(vertex.getProperty(key), value);
}

test("are read back and shown by queries", ({ root }) => {
  const store = storeIn(root);
  fill(store);
  hasAll(store);
  const graph = openStore(store);
  graph.connect("w", "to", "v");
  const [shown] = graph.neighborhood("w", { fields: ["properties"], result: "dict" } as never);
  assert.equal((shown as unknown as { properties: object }).properties, {
    ...VALUES,
    here: "in memory",
  });
  assert.is(listValues(root).length, Object.keys(VALUES).length);
  // Equal values share one file.
  graph.createVertex("w", { properties: { "*LONG": LONG } });
  assert.is(listValues(root).length, Object.keys(VALUES).length);
});

test("stay in memory if they fit a cell, and are unknown to filters otherwise", ({ root }) => {
  const graph = openStore(storeIn(root));
  graph.createVertex("v", { properties: { "*n": 5, "*none": null, "*text": "abc" } });
  assert.is(listValues(root).length, 1);
  const ids = (property: object) => graph.vertices({ condition: { property } as never });
  assert.equal(ids({ n: 5 }), ["v"]);
  assert.equal(ids({ text: null }), ["v"]);
  assert.equal(ids({ text: "abc" }), []);
  using vertex = graph.openVertex("v");
  assert.throws(() => vertex.incProperty("text"), /cannot be incremented/);
  vertex.setProperty("text", "in memory again");
  assert.equal(ids({ text: "in memory again" }), ["v"]);
  vertex.removeProperty("n");
  assert.is(vertex.getProperty("n"), null);
});

test("are restored with snapshots and removed with the graph", ({ root }) => {
  const store = storeIn(root);
  fill(store);
  saveGraph(store, root);
  const loadedStore = loadGraph("test", root, TEST_THREAD + 1)!;
  hasAll(loadedStore);
  eraseStoredGraph(root);
  assert.equal(existsSync(root) ? readdirSync(root) : [], []);
  fill(storeIn(root));
});

test("pass through the log and give replicas the same digest", ({ root }) => {
  const logged = loggedStore();
  const store = storeIn(join(root, "a"), logged);
  store.memory.log!.isOn = true;
  const copy = storeIn(join(root, "b"), loggedStore());
  fill(store);
  replayTo(store, copy);
  hasAll(copy);
  assert.equal(digestCheckpoint(copy)!.digest, digestCheckpoint(store)!.digest);
  assert.is(listValues(join(root, "b")).length, listValues(join(root, "a")).length);
});

test("are transferred with a graph sent as a snapshot", async ({ root }) => {
  const [from, to] = [join(root, "a"), join(root, "b")];
  const store = storeIn(from);
  fill(store);
  saveGraph(store, from);
  const sent: Buffer[] = [];
  const heads: { bytes: number; values?: number }[] = [];
  const sink = {
    send: async (_: unknown, body: Uint8Array) => void sent.push(Buffer.from(body)),
    sendJson: async (_: unknown, content: object) => void heads.push(content as never),
  };
  const graph = { number: 1, identity: "0".repeat(32), name: "test", path: "test" };
  await sendSnapshot(sink, graph, { saveNow: async () => from });
  await receiveSnapshot({ expect: async () => sent.shift()! }, heads[0]!, to);
  assert.is(sent.length, 0);
  installSnapshot(to);
  hasAll(loadGraph("test", to, TEST_THREAD + 1)!);
  assert.equal(readdirSync(to).sort(), [".values", "graph.snapshot"]);
});

test("are rejected when missing, corrupt, too large or without a folder", ({ root }) => {
  const store = storeIn(root);
  const graph = openStore(store);
  graph.createVertex("v", { properties: { "*text": "abc" } });
  using vertex = graph.openVertex("v");
  const { file } = listValues(root)[0]!;
  writeFileSync(file, "\u0004abd");
  assert.throws(() => vertex.getProperty("text"), /external value is corrupt: .*\.values/);
  rmSync(file);
  assert.throws(() => vertex.getProperty("text"), /kept on disk cannot be read: ENOENT/);
  assert.throws(() => vertex.setProperty("long", "x".repeat(2 ** 22), true), /too long: 4194304/);
  const nowhere = makeGraph();
  assert.throws(
    () => nowhere.createVertex("v", { properties: { "*text": "abc" } }),
    /cannot store an external value: the graph is in-memory only/,
  );
  assert.throws(() => vertex.setProperty("**k", "x"), /invalid property key: '\*k'/);
});

test("are removed when unreachable from both snapshots", ({ root }) => {
  const store = storeIn(root);
  const graph = openStore(store);
  for (const text of ["used", "unused", "again"]) {
    graph.createVertex(text, { properties: { "*text": text } });
  }
  const old = new Date(Date.now() - 60_000);
  for (const { file } of listValues(root)) utimesSync(file, old, old);
  using unused = graph.openVertex("unused");
  unused.removeProperty("text");
  using reopenedVertex = graph.openVertex("again");
  reopenedVertex.removeProperty("text");
  for (let round = 0; round < 2; round++) saveGraph(store, root, { isForced: true });
  // The list is created here, before the snapshots that follow.
  loadGraph("test", root, TEST_THREAD + 1);
  assert.is(listValues(root).length, 3);
  const list = join(root, ".values", "unused");
  const then = new Date(Date.now() - 30_000);
  utimesSync(list, then, then);
  reopenedVertex.setProperty("text", "again", true);
  reopenedVertex.removeProperty("text");
  for (let round = 0; round < 2; round++) saveGraph(store, root, { isForced: true });
  const loadedStore = loadGraph("test", root, TEST_THREAD + 2)!;
  assert.is(listValues(root).length, 2, "one of them was put there again since");
  assert.is(openStore(loadedStore).openVertex("used", "r").getProperty("text"), "used");
});

test.run();
