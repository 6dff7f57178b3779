// Saving and loading whole graphs: contents, incremental writes, and exclusion.

import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadGraph } from "../../../../../runtime/graph/manager/snapshot/load-graph.js";
import {
  releaseSaveLock,
  saveGraph,
  saveGraphIncrementally,
} from "../../../../../runtime/graph/manager/snapshot/save-graph.js";
import { Header } from "../../../../../runtime/graph/memory/layout.js";
import { M_CNT, M_FLT, M_FWDONLY, M_INT } from "../../../../../runtime/graph/model/constants.js";
import {
  DataError,
  OperationTimeout,
  ReadBackError,
} from "../../../../../runtime/graph/model/errors.js";
import { setEventsEnabled } from "../../../../../runtime/graph/store/event-switches.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { graphContent } from "../../support/graph-content.js";
import { makeLarge, openStore, TEST_THREAD } from "../../support/make-graph.js";

const test = suite<{ folder: string }>("save and load");
const OTHER_THREAD = 77;

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-snapshot-"));
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

/** A graph with every kind of content. */
function fullStore(): GraphStore {
  const store = GraphStore.create("full", TEST_THREAD);
  const graph = openStore(store);
  for (let arc = 0; arc < 500; arc++) {
    graph.connect(`hub${arc % 3}`, ["likes", M_INT, arc], `v${arc}`);
    graph.connect(`v${arc}`, ["saw", M_CNT, arc], `v${(arc * 7) % 90}`);
  }
  graph.connect("hub0", ["fast", M_FLT | M_FWDONLY, 1.5], "hidden");
  graph.connect("v1", "soon", "v2", { lifespan: 5000 });
  graph.createVertex("typed", {
    type: "thing",
    lifespan: 9000,
    properties: {
      age: 7,
      height: 1.75,
      name: "é€😀",
      tags: [1, 2, 3],
      none: null,
      deep: { a: "b" },
    },
  });
  graph.createVertex("é€😀".repeat(300));
  graph.deleteVertex("v5");
  return store;
}

function load(name: string, folder: string): GraphStore {
  const store = loadGraph(name, folder, TEST_THREAD, { warn: (line) => assert.unreachable(line) });
  assert.ok(store);
  return store;
}

/** Changes a byte of a file; false if it is not as long yet. */
function damage(file: string, offset: number): boolean {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= offset) return false;
  const descriptor = openSync(file, "r+");
  const byte = new Uint8Array(1);
  readSync(descriptor, byte, 0, 1, offset);
  writeSync(
    descriptor,
    byte.map((value) => value ^ 1),
    0,
    1,
    offset,
  );
  closeSync(descriptor);
  return true;
}

test("restore a graph", ({ folder }) => {
  const store = fullStore();
  saveGraph(store, folder);
  const loadedStore = load("full", folder);
  assert.equal(graphContent(loadedStore), graphContent(store));
});

test("restore a graph that can be changed and saved again", ({ folder }) => {
  saveGraph(fullStore(), folder);
  const loadedStore = load("full", folder);
  const graph = openStore(loadedStore);
  for (let arc = 0; arc < 500; arc++) graph.connect(`new${arc}`, "likes", `v${arc}`);
  graph.deleteVertex("hub1");
  graph.createVertex("typed", { properties: { age: 8 } });
  saveGraph(loadedStore, folder);
  assert.equal(graphContent(load("full", folder)), graphContent(loadedStore));
});

test("restore an empty graph", ({ folder }) => {
  const store = GraphStore.create("empty", TEST_THREAD);
  saveGraph(store, folder);
  const loadedStore = load("empty", folder);
  assert.equal(graphContent(loadedStore), graphContent(store));
  openStore(loadedStore).createVertex("a");
  assert.is(loadedStore.order, 1);
});

test("restore a truncated graph as empty", ({ folder }) => {
  const store = fullStore();
  saveGraph(store, folder);
  openStore(store).truncate();
  saveGraph(store, folder);
  const loadedStore = load("full", folder);
  assert.equal(graphContent(loadedStore), graphContent(store));
  assert.is(loadedStore.order, 0);
});

test("load nothing when nothing is stored", ({ folder }) => {
  assert.is(loadGraph("none", folder, TEST_THREAD), null);
  assert.is(loadGraph("none", join(folder, "missing"), TEST_THREAD), null);
  writeFileSync(join(folder, "graph.snapshot.tmp"), "what a crash left of the first save");
  assert.is(loadGraph("none", folder, TEST_THREAD), null);
});

test("write nothing for an unchanged graph unless forced", ({ folder }) => {
  const store = fullStore();
  const file = join(folder, "graph.snapshot");
  const words = saveGraph(store, folder);
  assert.is(words, Math.ceil(statSync(file).size / 8));
  assert.is(saveGraph(store, folder), 0);
  assert.not.ok(existsSync(`${file}.old`));
  assert.ok(saveGraph(store, folder, { isForced: true }) > 0);
  openStore(store).createVertex("another");
  assert.ok(saveGraph(store, folder) > 0);
  assert.is(saveGraph(load("full", folder), folder), 0);
  rmSync(file);
  assert.ok(saveGraph(store, folder) > 0);
});

test("keep two snapshots and no other files", ({ folder }) => {
  const store = fullStore();
  for (let time = 0; time < 3; time++) saveGraph(store, folder, { isForced: true });
  assert.equal(readdirSync(folder).sort(), ["graph.snapshot", "graph.snapshot.old"]);
});

test("create folders", ({ folder }) => {
  const deep = join(folder, "a", "b");
  saveGraph(fullStore(), deep);
  load("full", deep);
});

test("report a folder that cannot be created", ({ folder }) => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  const store = fullStore();
  assert.throws(
    () => saveGraph(store, file),
    (error: Error) => error instanceof DataError && error.message.includes(file),
  );
  saveGraph(store, folder);
});

test("reject a graph of another name", ({ folder }) => {
  saveGraph(fullStore(), folder);
  assert.throws(
    () => loadGraph("other", folder, TEST_THREAD),
    (error: Error) => error instanceof DataError && error.message.includes('contains graph "full"'),
  );
});

test("exclude concurrent saves", ({ folder }) => {
  const store = fullStore();
  const { ints } = store.memory.header;
  Atomics.store(ints, Header.Saving, OTHER_THREAD);
  for (const timeoutMs of [0, 5]) {
    assert.throws(
      () => saveGraph(store, folder, { timeoutMs }),
      (error: Error) => error instanceof OperationTimeout,
    );
  }
  releaseSaveLock(store, TEST_THREAD);
  assert.is(Atomics.load(ints, Header.Saving), OTHER_THREAD);
  releaseSaveLock(store, OTHER_THREAD);
  assert.ok(saveGraph(store, folder) > 0);
  assert.is(Atomics.load(ints, Header.Saving), 0);
});

test("yield during a gentle save, while other saves wait", async ({ folder }) => {
  const store = fullStore();
  const before = graphContent(store);
  const saved = saveGraphIncrementally(store, folder);
  assert.throws(
    () => saveGraph(store, folder, { timeoutMs: -1 }),
    (error: Error) => error instanceof OperationTimeout,
  );
  const next = saveGraphIncrementally(store, folder, { isForced: true, timeoutMs: -1 });
  assert.ok((await saved) > 0);
  assert.equal(graphContent(load("full", folder)), before);
  assert.ok((await next) > 0);
});

test("save changes between the steps as a whole or not at all", async ({ folder }) => {
  const store = fullStore();
  const graph = openStore(store);
  makeLarge(graph);
  const moments = new Map([[store.operationCount, graphContent(store)]]);
  let isSaved = false;
  const saved = saveGraphIncrementally(store, folder).finally(() => {
    isSaved = true;
  });
  for (let step = 0; !isSaved; step++) {
    graph.connect(`hub${step % 3}`, ["likes", M_INT, -step], `v${step}`);
    graph.createVertex(`new${step}`, { properties: { name: `text ${step}` } });
    moments.set(store.operationCount, graphContent(store));
    await nextTurn();
  }
  assert.ok((await saved) > 0);
  assert.ok(moments.size > 10, "there were steps");
  const loadedStore = load("full", folder);
  assert.equal(graphContent(loadedStore), moments.get(loadedStore.operationCount));
});

test("keep the stored snapshot when the new one cannot be read back", async ({ folder }) => {
  const store = fullStore();
  for (let time = 0; time < 2; time++) saveGraph(store, folder, { isForced: true });
  const stored = (): Buffer[] =>
    ["graph.snapshot", "graph.snapshot.old"].map((name) => readFileSync(join(folder, name)));
  const before = stored();
  makeLarge(openStore(store));
  const temporary = join(folder, "graph.snapshot.tmp");
  let error: Error | null = null;
  let isSaved = false;
  const saved = saveGraphIncrementally(store, folder)
    .catch((caught: Error) => (error = caught))
    .finally(() => (isSaved = true));
  // A page after the graph header, which alone is written twice.
  const damaged = 3 * 16_384;
  let isDamaged = false;
  while (!isSaved && !isDamaged) {
    await nextTurn();
    isDamaged = damage(temporary, damaged);
  }
  await saved;
  assert.ok(isDamaged, "it was damaged before it was read");
  assert.instance(error, ReadBackError);
  assert.match(error!.message, /snapshot verification failed in .*: chunk \d+ of "\w+" is corrupt/);
  assert.equal((error! as ReadBackError).code, "SVC2414");
  assert.equal(stored(), before);
  assert.equal(readdirSync(folder).sort(), ["graph.snapshot", "graph.snapshot.old"]);
  assert.ok(saveGraph(store, folder) > 0, "it is tried again");
  assert.equal(graphContent(load("full", folder)), graphContent(store));
});

test("do not save a graph that is removed before or during the save", async ({ folder }) => {
  const store = fullStore();
  saveGraph(store, folder);
  const before = graphContent(store);
  openStore(store).createVertex("unsaved");
  const saved = saveGraphIncrementally(store, folder);
  Atomics.store(store.memory.header.ints, Header.Erased, 1);
  assert.is(await saved, 0);
  assert.equal(readdirSync(folder), ["graph.snapshot"]);
  const loadedStore = load("full", folder);
  assert.is(loadedStore.memory.header.words[Header.Erased], 0);
  assert.equal(graphContent(loadedStore), before);
  Atomics.store(loadedStore.memory.header.ints, Header.Erased, 1);
  assert.is(saveGraph(loadedStore, folder, { isForced: true }), 0);
});

test("do not affect the successor of a removed graph", async ({ folder }) => {
  const removedStore = fullStore();
  makeLarge(openStore(removedStore));
  const saved = saveGraphIncrementally(removedStore, folder);
  await nextTurn();
  Atomics.store(removedStore.memory.header.ints, Header.Erased, 1);
  const successor = fullStore();
  openStore(successor).createVertex("new");
  assert.ok(saveGraph(successor, folder) > 0);
  await saved;
  assert.equal(graphContent(load("full", folder)), graphContent(successor));
});

test("drop thread-specific state", ({ folder }) => {
  const store = fullStore();
  const graph = openStore(store);
  const heldVertex = graph.openVertex("v7");
  const locked = openStore(store).openVertex("v8", "r");
  graph.newVertex("lost");
  store.writer.mutate(() => store.memory.header.words.fill(9, Header.QueryCount, Header.LocksHeld));
  setEventsEnabled(store, false);
  saveGraph(store, folder);
  const loadedStore = load("full", folder);
  const { words } = loadedStore.memory.header;
  for (const word of [Header.Mutex, Header.LocksHeld, Header.EventsSuspended, Header.QueryCount]) {
    assert.is(words[word], 0);
  }
  for (const id of ["v7", "v8"]) {
    const vertex = loadedStore.ids.find(id);
    assert.is(loadedStore.locks.ownerOf(vertex), 0);
    assert.is(loadedStore.locks.countOf(vertex), 0);
    openStore(loadedStore).openVertex(id).close();
  }
  heldVertex.close();
  locked.close();
});

test("drop a deleted vertex that only a lock keeps", ({ folder }) => {
  const store = fullStore();
  const graph = openStore(store);
  graph.createVertex("kept");
  const heldVertex = graph.openVertex("kept");
  graph.deleteVertex("kept");
  assert.ok(graph.hasVertex("kept"));
  saveGraph(store, folder);
  const loadedStore = load("full", folder);
  assert.not.ok(openStore(loadedStore).hasVertex("kept"));
  heldVertex.close();
  assert.is(loadedStore.order, store.order);
});

test("keep readonly graphs readonly", ({ folder }) => {
  const store = fullStore();
  openStore(store).setGraphReadonly();
  saveGraph(store, folder);
  const loadedStore = load("full", folder);
  assert.ok(loadedStore.isReadonly);
  assert.throws(() => openStore(loadedStore).createVertex("a"), /Graph is readonly/);
});

test.run();
