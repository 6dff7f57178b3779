// The graph manager: creation, loading, and rejections.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_EXECUTOR_IDS } from "../../../../runtime/base/wire/shared-state.js";
import type { GraphLog } from "../../../../runtime/graph/manager/graph-log.js";
import {
  GraphManager,
  type OpenGraphRequest,
} from "../../../../runtime/graph/manager/graph-manager.js";
import {
  adminThread,
  executorThread,
  IO_THREAD,
  MAIN_THREAD,
  managerThreadNumber,
} from "../../../../runtime/graph/manager/thread-numbers.js";
import { removeEverywhere } from "../../../../runtime/graph/manager/track-graph.js";
import { DataError } from "../../../../runtime/graph/model/errors.js";
import { recoverGraph, releaseStaleLocks } from "../../../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const SETTINGS = { events: false, saveEvery: 0, txPort: null, followStream: null };

const test = suite<{ folder: string; manager: GraphManager }>("graph manager");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-manager-"));
  context.manager = new GraphManager(TEST_THREAD + 1, SETTINGS, (line) => assert.unreachable(line));
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

function request(name: string, folder: string): OpenGraphRequest {
  return { name, path: name, folder, isStorable: true, isLocal: false, isReadonly: false };
}

test("reports a failed save and saves again later", async () => {
  let grown = (): void => assert.unreachable();
  let trims = 0;
  const log: Partial<GraphLog> = {
    onGrown: (save) => {
      grown = save;
    },
    trim: () => {
      if (++trims === 1) throw new Error("no room");
      return [];
    },
    isLow: () => false,
  };
  const lines: string[] = [];
  new GraphManager(
    TEST_THREAD + 1,
    SETTINGS,
    (...parts) => lines.push(parts.join()),
    log as GraphLog,
  );
  for (const thread of [1, 2]) {
    grown();
    while (trims < thread || (thread === 1 && lines.length === 0)) await delay(1);
  }
  assert.equal(lines, ["graphs could not be saved: no room,error"]);
});

test("creates a graph once", ({ manager, folder }) => {
  const shared = manager.open(request("g", folder));
  assert.is(manager.open(request("g", folder)), shared);
  assert.equal(manager.names(), ["g"]);
  assert.is(manager.find("h"), null);
});

test("creates the configured indexes of a graph once, and logs invalid ones", async ({
  folder,
}) => {
  const lines: string[] = [];
  const text = { name: "titles", keys: ["title"] };
  const open = async (indexes: readonly object[]) => {
    const settings = { ...SETTINGS, graphs: { g: { indexes } } };
    const manager = new GraphManager(TEST_THREAD + 1, settings, (line) => void lines.push(line));
    const { share } = manager.open(request("g", folder));
    const store = GraphStore.attach(share, TEST_THREAD);
    const graph = openStore(store);
    const shown = [
      graph.textIndexes().map(({ name, keys }) => [name, ...keys]),
      graph.propertyIndexes().map(({ key }) => key),
      graph.indexes().map(({ length, ef }) => [length, ef]),
    ];
    await manager.save(1000);
    removeEverywhere(store);
    return { shown };
  };
  const indexes = [{ text }, { property: "price" }, { ids: true }, { vectors: { length: 20 } }];
  const first = await open([...indexes, { text: { keys: ["title"], language: "xx" } }]);
  assert.equal(first.shown, [[["titles", "title"]], [null, "price"], [[32, 100]]]);
  assert.is(lines.length, 1);
  assert.match(lines[0]!, /^index not created: graphs.g.indexes\[4\]: invalid language/);
  assert.equal((await open(indexes)).shown, first.shown);
  const changed = (await open([{ text: { ...text, keys: ["title", "body"] } }])).shown;
  assert.equal(changed[0], [["titles", "title", "body"]]);
});

test("declares the configured constraints, and logs the ones that the data break", async ({
  folder,
}) => {
  const lines: string[] = [];
  const open = async (constraints: readonly object[]) => {
    const settings = { ...SETTINGS, graphs: { g: { indexes: [], constraints } } };
    const manager = new GraphManager(TEST_THREAD + 1, settings, (line) => void lines.push(line));
    const { share } = manager.open(request("g", folder));
    const store = GraphStore.attach(share, TEST_THREAD);
    const graph = openStore(store);
    graph.createVertex("ann", { type: "person" });
    const shown = graph.constraints();
    await manager.save(1000);
    removeEverywhere(store);
    return shown;
  };
  const unique = { type: "person", key: "email", unique: true };
  assert.equal(await open([unique]), [unique]);
  assert.equal(await open([unique, { type: "person", key: "name", required: true }]), [unique]);
  assert.is(lines.length, 1);
  const logged = /^constraint not declared: graphs.g.constraints\[1\]: .*'ann' has no value/;
  assert.match(lines[0]!, logged);
});

test("rejects two loaded graphs with the same folder", ({ manager, folder }) => {
  const { share } = manager.open(request("g", folder));
  assert.throws(
    () => manager.open(request("h", folder)),
    (error: Error) => error instanceof DataError && /"g" is stored in/.test(error.message),
  );
  removeEverywhere(GraphStore.attach(share, TEST_THREAD));
  assert.is(manager.open(request("h", folder)).path, folder);
  assert.equal(manager.names(), ["h"]);
});

test("keeps its locks when its predecessor is recovered late", () => {
  const deadStore = GraphStore.create("g", managerThreadNumber(0));
  const [heir, writing, main] = [managerThreadNumber(1), TEST_THREAD, MAIN_THREAD].map((thread) =>
    GraphStore.attach(deadStore.share, thread),
  ) as [GraphStore, GraphStore, GraphStore];
  openStore(deadStore).newVertex("old");
  writing.writer.begin();
  assert.is(recoverGraph(main, managerThreadNumber(0)), false);
  writing.writer.end();
  const vertex = openStore(heir).newVertex("new");
  assert.is(releaseStaleLocks(main, managerThreadNumber(0)), true);
  assert.equal(
    main.locks.entries().map((lock) => main.ids.idOf(lock.vertex)),
    ["new"],
  );
  vertex.close();
});

test("assigns distinct numbers to all threads, including consecutive managers", () => {
  const executors = Array.from({ length: MAX_EXECUTOR_IDS }, (_, id) => executorThread(id));
  for (let deaths = 0; deaths < 200; deaths++) {
    const keepers = [deaths, deaths + 1, deaths + 2].map(managerThreadNumber);
    const admins = [deaths, deaths + 1, deaths + 2].flatMap((number) => [
      adminThread(0, number),
      adminThread(1, number),
    ]);
    const numbers = [...executors, MAIN_THREAD, IO_THREAD, ...keepers, ...admins];
    assert.is(new Set(numbers).size, numbers.length);
    assert.ok(numbers.every((number) => number >= 1 && number <= 255));
  }
});

test("creates and loads graphs of the requested memory size", async ({ folder, manager }) => {
  const { share } = manager.open({ ...request("small", folder), size: "small" });
  assert.is(share.size, "small");
  await manager.saveNow("small", 1000);
  manager.drop("small", false);
  const reopened = new GraphManager(TEST_THREAD + 1, SETTINGS, (line) => assert.unreachable(line));
  assert.is(reopened.open(request("small", folder)).share.size, "small");
});

test.run();
