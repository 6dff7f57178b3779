// Change feeds of graphs with a transaction log in this process: order, resumption, filters, and
// positions whose changes are missing. SEED=n repeats the random part.
// limit: 60 s
// takes 5 s

import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openChanges } from "../../../runtime/graph/api/change-feed.js";
import { Graph } from "../../../runtime/graph/api/graph.js";
import { getAccess } from "../../../runtime/graph/api/graph-handle.js";
import { Session } from "../../../runtime/graph/changes/sessions/session.js";
import type { ChangeFilter, GraphChange } from "../../../runtime/graph/log/graph-change.js";
import type { GraphSource } from "../../../runtime/graph/manager/graph-source.js";
import { installThreadGraphs } from "../../../runtime/graph/manager/installed-graphs.js";
import { findThreadGraphs, ThreadGraphs } from "../../../runtime/graph/manager/thread-graphs.js";
import { M_INT } from "../../../runtime/graph/model/constants.js";
import { PositionError, PositionExpiredError } from "../../../runtime/graph/model/errors.js";
import { createTransactionOpener } from "../../../runtime/interconnect/log/graph-transactions.js";
import { Random, SEED } from "../../property/support/random.js";
import { TEST_THREAD } from "../graph/support/make-graph.js";
import { changeRandomly, copiedContent, GraphCopy } from "./support/graph-copy.js";
import { Instance } from "./support/instance.js";

interface Context {
  root: string;
  previousGraphs: ThreadGraphs | null;
}

const test = suite<Context>("change feed");
const running: Instance[] = [];

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-feed-"));
  context.previousGraphs = findThreadGraphs();
  installThreadGraphs(
    new ThreadGraphs(TEST_THREAD, NO_SOURCE, createTransactionOpener(context.root)),
  );
});

test.after.each(async ({ root, previousGraphs }) => {
  for (const instance of running.splice(0)) await instance.stop();
  installThreadGraphs(previousGraphs);
  rmSync(root, { recursive: true });
});

const NO_SOURCE = {
  find: () => null,
  names: () => [],
} as unknown as GraphSource;

async function start({ root }: Context, retainLogBytes = 0): Promise<Instance> {
  const instance = await Instance.start(root, { retainLogBytes });
  running.push(instance);
  return instance;
}

/** Stops an instance and starts the next one in the same folder. */
async function restart(context: Context, instance: Instance): Promise<Instance> {
  running.length = 0;
  await instance.stop();
  return start(context);
}

interface Followed {
  readonly changes: GraphChange[];
  readonly position: string;
}

/** Reads all changes up to the current state of the graph. */
async function readAll(graph: Graph, since?: string, filter: ChangeFilter = {}): Promise<Followed> {
  const goal = parseCount(graph.changePosition());
  const reader = openChanges(graph, { since, filter });
  const changes: GraphChange[] = [];
  while (parseCount(reader.position) < goal) {
    const change = reader.pull();
    if (change === null) await reader.wait();
    else changes.push(change);
  }
  // Some records of the last transaction may be refused.
  for (let change = reader.pull(); change !== null; change = reader.pull()) changes.push(change);
  reader.close();
  return { changes, position: reader.position };
}

function parseCount(position: string): number {
  return Number.parseInt(position.slice(position.lastIndexOf("-") + 1), 36);
}

/** Returns a change without its time and position. */
function bare({ at: _, position: __, ...change }: GraphChange): object {
  return change;
}

test("delivers each kind of change with ids, names and values", async (context) => {
  const graph = (await start(context)).graph();
  const since = graph.changePosition();
  graph.createVertex("a", { type: "thing", properties: { n: 1.5, text: "é" } });
  graph.createVertex("b");
  graph.connect("a", ["likes", M_INT, -3], "b");
  using vertex = graph.openVertex("a");
  vertex.setProperty("list", [1, 2]);
  vertex.setProperty("map", { deep: [true] });
  vertex.removeProperty("n");
  vertex.removeProperties();
  vertex.setVector([1, 2]);
  vertex.removeVector();
  vertex.setType("other");
  vertex.close();
  graph.disconnect("a", "likes");
  const { changes, position } = await readAll(graph, since);
  assert.equal(changes.map(bare), [
    { kind: "vertexCreated", id: "a", type: "thing" },
    { kind: "propertySet", id: "a", type: "thing", property: "n", value: 1.5 },
    { kind: "propertySet", id: "a", type: "thing", property: "text", value: "é" },
    { kind: "vertexCreated", id: "b", type: null },
    {
      ...{ kind: "arcSet", initial: "a", relationship: "likes" },
      ...{ modifier: "M_INT", value: -3, terminal: "b" },
    },
    { kind: "propertySet", id: "a", type: "thing", property: "list", value: [1, 2] },
    { kind: "propertySet", id: "a", type: "thing", property: "map", value: { deep: [true] } },
    { kind: "propertyRemoved", id: "a", type: "thing", property: "n" },
    { kind: "propertyRemoved", id: "a", type: "thing", property: null },
    { kind: "vectorSet", id: "a", type: "thing" },
    { kind: "vectorRemoved", id: "a", type: "thing" },
    { kind: "typeSet", id: "a", type: "other" },
    {
      ...{ kind: "arcRemoved", initial: "a", relationship: "likes" },
      ...{ modifier: "M_INT", terminal: "b" },
    },
  ]);
  graph.deleteVertex("a");
  graph.truncate("other");
  assert.equal((await readAll(graph, position)).changes.map(bare), [
    { kind: "vertexDeleted", id: "a", type: "other" },
    { kind: "truncated", type: "other" },
  ]);
  assert.ok(changes.every(({ at }) => Math.abs(at - Date.now() / 1000) < 60));
});

test("continues after any change without loss or repetition", async (context) => {
  const first = await start(context);
  let graph = first.graph();
  const since = graph.changePosition();
  for (let index = 0; index < 40; index++) {
    graph.createVertex(`v${index}`, { type: "t", properties: { index, twice: 2 * index } });
  }
  const { changes } = await readAll(graph, since);
  assert.is(changes.length, 120);
  for (let index = 0; index < changes.length; index += 7) {
    const rest = await readAll(graph, changes[index]!.position);
    assert.equal(rest.changes, changes.slice(index + 1));
  }
  graph = (await restart(context, first)).graph();
  const rest = await readAll(graph, changes[50]!.position);
  assert.equal(rest.changes.map(bare), changes.slice(51).map(bare));
});

test("without a position delivers only later changes", async (context) => {
  const instance = await start(context);
  const graph = instance.graph();
  graph.createVertex("before");
  const feed = graph.changes();
  graph.createVertex("after");
  const { value } = await feed.next();
  assert.is((value as { id: string }).id, "after");
  await feed.return!();
});

test("filters by kind, type and property", async (context) => {
  const graph = (await start(context)).graph();
  const since = graph.changePosition();
  graph.createVertex("p", { type: "product", properties: { price: 1, name: "x" } });
  graph.createVertex("u", { type: "user", properties: { price: 2 } });
  graph.createVertex("plain", { properties: { price: 3 } });
  graph.connect("u", "bought", "p");
  graph.deleteVertex("u");
  const read = async (filter: ChangeFilter) =>
    (await readAll(graph, since, filter)).changes.map((change) =>
      "id" in change ? `${change.kind} ${change.id}` : change.kind,
    );
  assert.equal(await read({ kinds: ["vertexCreated"] }), [
    ...["vertexCreated p", "vertexCreated u", "vertexCreated plain"],
  ]);
  assert.equal(await read({ types: ["product"] }), [
    ...["vertexCreated p", "propertySet p", "propertySet p", "arcSet"],
  ]);
  assert.equal(await read({ types: ["user"], kinds: ["vertexDeleted"] }), ["vertexDeleted u"]);
  assert.equal(await read({ properties: ["price"], kinds: ["propertySet"] }), [
    ...["propertySet p", "propertySet u", "propertySet plain"],
  ]);
});

test("tracks the type of a vertex even if type changes are filtered out", async (context) => {
  const graph = (await start(context)).graph();
  const since = graph.changePosition();
  graph.createVertex("a", { type: "one", properties: { n: 1 } });
  using vertex = graph.openVertex("a");
  vertex.setType("two");
  vertex.setProperty("n", 2);
  vertex.close();
  const kinds = ["propertySet"] as const;
  const { changes, position } = await readAll(graph, since, { kinds, types: ["two"] });
  assert.equal(changes.map(bare), [
    { kind: "propertySet", id: "a", type: "two", property: "n", value: 1 },
    { kind: "propertySet", id: "a", type: "two", property: "n", value: 2 },
  ]);
  const reader = openChanges(graph, { since: position, filter: { kinds } });
  for (const type of ["three", "four"]) {
    using reopenedVertex = graph.openVertex("a");
    reopenedVertex.setType(type);
    reopenedVertex.setProperty("n", 3);
    reopenedVertex.close();
    let change = reader.pull();
    for (; change === null; change = reader.pull()) await reader.wait();
    assert.is((change as { type: string }).type, type);
  }
  reader.close();
});

test("delivers changes of vertices of unknown type to each filter", async (context) => {
  const graph = (await start(context)).graph();
  graph.createVertex("gone", { type: "product" });
  const since = graph.changePosition();
  using vertex = graph.openVertex("gone");
  vertex.setProperty("price", 1);
  vertex.close();
  graph.deleteVertex("gone");
  const { changes } = await readAll(graph, since, { types: ["product"] });
  assert.equal(changes.map(bare), [
    { kind: "propertySet", id: "gone", type: null, property: "price", value: 1 },
    { kind: "vertexDeleted", id: "gone", type: "product" },
  ]);
});

test("decodes names whose codes were assigned during the feed", async (context) => {
  const graph = (await start(context)).graph();
  const since = graph.changePosition();
  for (let index = 0; index < 30; index++) graph.connect("a", `r${index}`, "b");
  const { changes } = await readAll(graph, since);
  const names = changes.map((change) => (change as { relationship: string }).relationship);
  assert.equal(
    names,
    Array.from({ length: 30 }, (_, index) => `r${index}`),
  );
});

test("a former leader ends its feeds before changes that no other member has", async (context) => {
  const graph = (await start(context)).graph();
  const { clock } = getAccess(graph).store.memory.log!;
  clock.setGroup("following", 1);
  const follower = openChanges(graph, {});
  clock.setGroup("leading", 2);
  const leader = openChanges(graph, {});
  graph.createVertex("a");
  assert.is(leader.pull(), null);
  assert.is(follower.pull(), null);
  clock.setGroup("following", 3);
  for (const reader of [leader, follower]) {
    assert.throws(() => reader.pull(), /another member of the group leads now/);
    reader.close();
  }
});

test("ends a loop without changes when its request is over", async (context) => {
  const access = getAccess((await start(context)).graph());
  const session = new Session(access.store, true);
  const graph = new Graph({ ...access, session });
  const iterator = graph.changes();
  const waiting = iterator.next();
  assert.throws(() => graph.changes({ since: "none" }), /invalid position/);
  session.end();
  assert.equal(await waiting, { done: true, value: undefined });
  assert.throws(() => graph.changes(), /request has ended/);
});

test("closes the files of a log with the feed", async (context) => {
  const graph = (await start(context)).graph();
  const files = (): number => {
    const folder = "/proc/self/fd";
    if (!existsSync(folder)) return 0;
    const paths = readdirSync(folder).map((name) => {
      // The one that lists them is gone.
      return readlinkOrEmpty(join(folder, name));
    });
    return paths.filter((path) => path.startsWith(context.root)).length;
  };
  const before = files();
  const since = graph.changePosition();
  graph.createVertex("a");
  const { changes, position } = await readAll(graph, since);
  assert.equal([changes.length, position], [1, graph.changePosition()]);
  assert.is(files(), before + 1, "the segment that is written");
});

function readlinkOrEmpty(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

test("rejects invalid positions and filters", async (context) => {
  const instance = await start(context);
  const graph = instance.graph();
  const otherGraph = instance.graph("other");
  graph.createVertex("a");
  for (const since of [
    "",
    "x",
    "0-0-0-0",
    `${graph.changePosition()}!`,
    otherGraph.changePosition(),
  ]) {
    assert.throws(
      () => graph.changes({ since }),
      (error: Error) => error instanceof PositionError && error.code === "SVC2417",
    );
  }
  const ahead = graph.changePosition().replace(/-[^-]*$/, "-zzz");
  assert.throws(() => graph.changes({ since: ahead }), /is ahead of graph 'g'/);
  const rejects = (options: unknown, text: RegExp): void =>
    assert.throws(() => graph.changes(options as object), text);
  rejects({ from: 1 }, /'from' is an invalid keyword argument/);
  rejects({ filter: { kind: "x" } }, /'kind' is an invalid keyword argument/);
  rejects({ filter: { kinds: ["x"] } }, /unknown kind of change: 'x'/);
  rejects({ filter: { types: "product" } }, /types must be a list of names/);
  rejects({ since: 7 }, /since/);
});

test("reports a position whose changes are no longer in the log", async (context) => {
  let instance = await start(context);
  let graph = instance.graph();
  const since = graph.changePosition();
  await fillSegment(instance, graph);
  await saveTwice(instance, graph);
  const late = graph.changePosition();
  graph.createVertex("last");
  await instance.isFlushed();
  instance = await restart(context, instance);
  graph = instance.graph();
  await assertExpired(graph, since);
  const { changes } = await readAll(graph, late);
  assert.equal(changes.map(bare), [{ kind: "vertexCreated", id: "last", type: null }]);
});

test("reports changes that were made without a log", async (context) => {
  const instance = await start(context);
  let graph = instance.graph();
  const before = graph.changePosition();
  graph.createVertex("a");
  const since = graph.changePosition();
  await instance.isFlushed();
  await instance.save();
  running.length = 0;
  await instance.stop();
  const off = await Instance.start(context.root, { durability: "off" });
  graph = off.graph();
  assert.throws(() => graph.changes(), /SVC2416|is not logged/);
  graph.createVertex("unlogged");
  await off.save();
  await off.stop();
  graph = (await start(context)).graph();
  await assertExpired(graph, since);
  const earlier = await graph.changes({ since: before }).next();
  assert.is((earlier.value as { id: string }).id, "a");
  const feed = graph.changes({ since: before });
  await feed.next();
  await assertExpiredFeed(feed);
});

/** Writes more than one segment of the log: 64 MiB. */
async function fillSegment(instance: Instance, graph: Graph): Promise<void> {
  const big = "x".repeat(130_000);
  for (let index = 0; index < 600; index++) {
    graph.createVertex(`v${index % 100}`, { properties: { big: `${index}${big}` } });
    if (index % 50 === 0) await instance.isFlushed();
  }
}

/** A segment of the log is removed once two snapshots contain its changes. */
async function saveTwice(instance: Instance, graph: Graph): Promise<void> {
  for (const id of ["one", "two"]) {
    graph.createVertex(id);
    await instance.isFlushed();
    await instance.save();
  }
}

async function assertExpired(graph: Graph, since: string): Promise<void> {
  await assertExpiredFeed(graph.changes({ since }));
}

async function assertExpiredFeed(feed: AsyncIterator<unknown>): Promise<void> {
  try {
    await feed.next();
    assert.unreachable();
  } catch (error) {
    assert.instance(error, PositionExpiredError, String(error));
    assert.is((error as PositionExpiredError).code, "SVC2418");
  }
}

test("retains the log for followers", async (context) => {
  const instance = await start(context, 2 ** 27);
  const graph = instance.graph();
  const since = graph.changePosition();
  await fillSegment(instance, graph);
  await saveTwice(instance, graph);
  const { changes } = await readAll(graph, since, { kinds: ["propertySet"] });
  assert.is(changes.length, 600);
});

test("decodes names that the graph has lost since", async (context) => {
  const graph = (await start(context)).graph();
  graph.createVertex("other", "animal");
  graph.createVertex("a", { type: "person", properties: { age: 1 } });
  const since = graph.changePosition();
  const reader = openChanges(graph, {});
  graph.createVertex("a", { properties: { age: 2 } });
  graph.truncate();
  graph.createVertex("a", { type: "robot", properties: { volts: 3 } });
  const changes: object[] = [];
  while (changes.length < 4) {
    const change = reader.pull();
    if (change === null) await reader.wait();
    else changes.push(bare(change));
  }
  reader.close();
  assert.equal(changes, [
    { kind: "propertySet", id: "a", type: null, property: "age", value: 2 },
    { kind: "truncated", type: null },
    { kind: "vertexCreated", id: "a", type: "robot" },
    { kind: "propertySet", id: "a", type: "robot", property: "volts", value: 3 },
  ]);
  // Only the graph knew the names of changes before the position.
  await assertExpired(graph, since);
});

test("states the types of virtual vertices that become real", async (context) => {
  const graph = (await start(context)).graph();
  graph.createVertex("a", { type: "thing" });
  graph.connect("b", "likes", "a");
  graph.deleteVertex("a");
  const since = graph.changePosition();
  graph.openVertex("a").close();
  graph.createVertex("c");
  graph.truncate("thing");
  using vertex = graph.openVertex("c");
  vertex.setType("thing");
  const { changes } = await readAll(graph, since);
  assert.equal(changes.map(bare), [
    { kind: "vertexCreated", id: "a", type: "thing" },
    { kind: "vertexCreated", id: "c", type: null },
    { kind: "truncated", type: "thing" },
    { kind: "typeSet", id: "c", type: "thing" },
  ]);
});

test("builds an equal copy of a graph from random changes and resumptions", async (context) => {
  const random = new Random(SEED);
  const instance = await start(context);
  const graph = instance.graph();
  const copy = new GraphCopy();
  let since = graph.changePosition();
  for (let round = 0; round < 60; round++) {
    for (let step = random.below(30); step > 0; step--) changeRandomly(graph, random);
    const { changes, position } = await readAll(graph, since);
    const taken = random.below(3) === 0 ? random.below(changes.length + 1) : changes.length;
    for (const change of changes.slice(0, taken)) copy.apply(change);
    since =
      taken === changes.length ? position : taken === 0 ? since : changes[taken - 1]!.position;
  }
  for (const change of (await readAll(graph, since)).changes) copy.apply(change);
  assert.equal(copy.content(), copiedContent(graph), `SEED=${SEED}`);
});

test.run();
