// Graphs in a program that uses the library: `system` opens, lists, saves and closes them and sets
// their state; plugins of `addPlugin` are bound to them.
// limit: 60 s
// takes 6 s

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type * as Library from "svc-server";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { get } from "./support/server.js";

// The built package, whose threads have their entries in `dist/`.
const built = new URL("../../dist/index.js", import.meta.url).href;
const { float, Graph, int, M_INT, str, system, Vertex }: typeof Library = await import(built);

const test = suite("graphs of the library");
const root = mkdtempSync(join(tmpdir(), "svc-library-"));
const many = mkdtempSync(join(tmpdir(), "svc-many-"));

test.before(() => system.unload());
test.after(async () => {
  await system.unload();
  for (const folder of [root, many]) rmSync(folder, { recursive: true });
  rmSync(`${root}-link`);
});
test.before.each(() => system.initialize("library", { root }));
test.after.each(() => system.unload());

function fails(run: () => unknown, name: string, message: RegExp): void {
  assert.throws(run, (error: Error) => error.name === name && message.test(error.message));
}

test("do not exist before the system is initialized", async () => {
  await system.unload();
  fails(() => new Graph("g"), "AccessError", /not available before system\.initialize/);
  fails(() => system.registry(), "AccessError", /not available before system\.initialize/);
  await system.initialize("library", { root });
  assert.equal(system.registry(), {});
});

test("send nothing in `sync` without subscribers, and need the transaction log", async () => {
  fails(() => new Graph("g").sync(), "SvcError", /^replication requires the transaction log/);
  await system.unload();
  await system.initialize("library", { root, durability: "async" });
  assert.is(new Graph("g").sync(), true);
  assert.is(await system.sync(), true);
  assert.is(new Graph("g").sync(true), true);
});

test("are created once for all callers", () => {
  const graph = new Graph("g");
  assert.is(graph.connect("a", ["to", M_INT, 5], "b"), 1);
  assert.is(new Graph("g").arcValue("a", "to", "b"), 5);
  assert.is(system.getGraph("g").order, 2);
  assert.equal(system.registry(), { g: [2, 1] });
  assert.is(graph.path, join(root, "g"));
  assert.is(new Graph("h", { path: "below/h", local: true, timeout: 5000 }).isGraphLocal(), true);
  assert.is(system.getGraph("h").path, join(root, "below", "h"));
  assert.equal(Object.keys(system.registry()), ["g", "h"]);
  fails(() => system.getGraph("none"), "KeyError", /Graph instance not available: none/);
  fails(() => new Graph("i", { memory: "tiny" as never }), "ValueError", /memory must be one of/);
  fails(() => new Graph("1st"), "DataError", /invalid graph name/);
  fails(() => new Graph("abs", { path: "/abs" }), "DataError", /relative/);
  assert.is(new Vertex(graph, "v", "thing", "w").type, "thing");
});

test("are restored at the next start if persisted", async () => {
  const graph = new Graph("kept");
  graph.createVertex("a", { properties: { seven: float(7), n: 7 } });
  assert.ok(system.persist() > 0);
  assert.is(system.persist(), 0);
  assert.ok(system.persist(1000, true) > 0);
  graph.createVertex("lost");
  await system.unload();
  fails(() => graph.order, "AccessError", /Graph cannot be accessed/);
  assert.not.ok(existsSync(join(root, "svc.lock")));
  await system.initialize("library", { root });
  assert.equal(system.registry().kept, [1, 0]);
  system.getGraph("kept").createVertex("b");
  await system.unload(true);
  await system.initialize("library", { root });
  assert.equal(system.registry().kept, [2, 0]);
});

test("are closed, or erased", () => {
  const graph = new Graph("gone");
  graph.createVertex("a");
  graph.save();
  assert.is(system.deleteGraph("gone"), true);
  assert.is(system.deleteGraph("gone"), false);
  fails(() => graph.createVertex("b"), "AccessError", /Graph cannot be accessed/);
  fails(() => system.getGraph("gone"), "KeyError", /gone/);
  const reopenedGraph = new Graph("gone");
  assert.is(reopenedGraph.hasVertex("a"), true);
  reopenedGraph.erase();
  assert.not.ok(existsSync(join(root, "gone")));
  assert.is(new Graph("gone").order, 0);
});

test("can be opened without a path when the path is in use", () => {
  new Graph("owner", { path: "shared" }).createVertex("a");
  fails(() => new Graph("guest", { path: "shared" }), "DataError", /"owner" is stored in/);
  assert.is(new Graph("guest").path, join(root, "guest"));
});

test("resolve links in the path of a data folder that does not exist yet", async () => {
  await system.unload();
  symlinkSync(root, `${root}-link`);
  await system.initialize("library", { root: join(`${root}-link`, "new") });
  const { path } = new Graph("g", { path: "below/g" });
  assert.is(path, join(realpathSync(root), "new", "below", "g"));
  assert.is(new Graph("g", { path: "below/g" }).path, path);
});

test("become readonly together, unless one is being written", () => {
  const [graph, two] = [new Graph("one"), new Graph("two")];
  two.setGraphReadonly();
  assert.is(system.countReadonly(), 1);
  const heldVertex = graph.newVertex("held");
  assert.is(system.writableVertices(), 1);
  const first = new Graph("first");
  fails(() => system.setReadonly(), "OperationTimeout", /Current thread holds 1 .*\(held\)/);
  assert.is(first.isGraphReadonly(), false, "it comes before the one that is not");
  heldVertex.close();
  system.setReadonly();
  system.setReadonly();
  system.setProperty("note", "maintenance");
  assert.is(system.getProperty("note"), "maintenance");
  assert.ok(system.countReadonly() >= 2);
  fails(() => graph.createVertex("a"), "AccessError", /Graph is readonly/);
  assert.is(system.removeProperties(), 1);
  system.clearReadonly();
  assert.is(graph.createVertex("a"), 1);
  assert.is(two.isGraphReadonly(), true);
  two.clearGraphReadonly();
  assert.is(system.countReadonly(), 0);
});

test("are loaded by a readonly system that does not store this state", async () => {
  new Graph("stored").createVertex("a");
  await system.unload(true);
  await system.initialize("library", { root, readonly: true });
  const graph = system.getGraph("stored");
  assert.is(graph.hasVertex("a"), true);
  fails(() => graph.createVertex("b"), "AccessError", /Graph is readonly/);
  await system.unload(true);
  await system.initialize("library", { root });
  assert.is(system.getGraph("stored").createVertex("b"), 1);
});

test("suspend and resume events", async () => {
  const graph = new Graph("events");
  assert.is(system.eventsResumable(), false);
  system.suspendEvents();
  assert.is(system.eventsResumable(), true);
  graph.createVertex("short", { lifespan: 0 });
  await delay(700);
  assert.is(graph.hasVertex("short"), true);
  assert.match(graph.eventBacklog(), /<PAUSED>/);
  system.resumeEvents();
  while (graph.hasVertex("short")) await delay(20);
  await system.unload();
  await system.initialize("library", { root, idle: true });
  const idleGraph = new Graph("idle");
  idleGraph.createVertex("short", { lifespan: 0 });
  assert.is(system.eventsResumable(), true);
  await delay(700);
  assert.is(idleGraph.hasVertex("short"), true);
  system.resumeEvents();
  while (idleGraph.hasVertex("short")) await delay(20);
});

test("report the status of one or all", () => {
  new Graph("shown").connect("a", "to", "b");
  const { base, path } = system.status("shown");
  assert.equal(base, { name: "shown", order: 2, size: 1, properties: 0, vectors: 0 });
  assert.is(path, join(root, "shown"));
  assert.ok("shown" in system.status());
  fails(() => system.status("none"), "KeyError", /none/);
});

test("are bound by plugins of addPlugin and released by requests", async () => {
  await system.startHTTP(0, "127.0.0.1");
  const graph = new Graph("bound");
  system.addPlugin(
    (_request: Library.PluginRequest, bound: Library.Graph, id: string) => {
      const vertex = bound.newVertex(id);
      return [bound === graph, vertex.incProperty("calls"), vertex.xrecursion];
    },
    { name: "visit", graph, parameters: { request: 0, graph: 0, id: str } },
  );
  system.addPlugin(
    async (_request: Library.PluginRequest, bound: Library.Graph, ms: number) => {
      bound.newVertex("long");
      await delay(ms);
    },
    { name: "stay", graph: "bound", parameters: { request: 0, graph: 0, ms: int } },
  );
  const { base } = system.serverPorts();
  for (let calls = 1; calls < 4; calls++) {
    const { json, text } = await get(base, "/svc/plugin/visit?id=a");
    assert.equal(json.response, [false, calls, 1], text);
  }
  const staying = get(base, "/svc/plugin/stay?ms=300");
  while (graph.getOpenVertices().length === 0) await delay(10);
  const { text } = await get(base, "/svc/plugin/visit?id=long");
  assert.match(text, /AccessError.*Object is locked: 'long'/);
  await staying;
  assert.equal(graph.getOpenVertices(), []);
  assert.equal(
    ["visit", "stay"].map((name) => system.getPlugins(name).map((plugin) => plugin.bound_graph)),
    [["bound"], ["bound"]],
  );
  system.removePlugin("visit");
  system.removePlugin("stay");
});

test("are limited to 64, including stored ones", async () => {
  await system.unload();
  await system.initialize("library", { root: many });
  for (let number = 0; number < 64; number++) new Graph(`g${number}`);
  fails(() => new Graph("more"), "DataError", /open graph limit reached \(64\)/);
  system.deleteGraph("g0");
  assert.is(new Graph("more").order, 0);
  system.persist();
  system.deleteGraph("more");
  new Graph("g0").save();
  await system.unload();
  await system.initialize("library", { root: many });
  assert.is(Object.keys(system.registry()).length, 64);
});

test("are locked against a second system on the same data folder", async () => {
  await system.unload();
  const program = `import { Graph, system } from ${JSON.stringify(built)};
    await system.initialize("other", { root: ${JSON.stringify(root)} });
    new Graph("theirs");
    console.log("ready");
    setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "-e", program];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    await Promise.race([once(child.stdout, "data"), ended]);
    const failure = await system.initialize("library", { root }).then(
      () => null,
      (error: Error) => error,
    );
    assert.match(String(failure?.message), new RegExp(`process ${child.pid}.*svc\\.lock`));
    assert.is(system.isInitialized(), false);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
  await system.initialize("library", { root });
});

test.run();
