// Discovery of the graphs in a data folder, and confinement of their folders to it.

import fs, {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../../../runtime/base/errors.js";
import { GraphRoot } from "../../../../../runtime/graph/manager/graph-root.js";
import { saveGraph } from "../../../../../runtime/graph/manager/snapshot/save-graph.js";
import {
  eraseStoredGraph,
  graphFolder,
  listStoredGraphs,
  removeIncompleteSaves,
} from "../../../../../runtime/graph/manager/snapshot/stored-graphs.js";
import { DataError } from "../../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { TEST_THREAD } from "../../support/make-graph.js";

const test = suite<{ root: string }>("stored graphs");

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-root-"));
});

test.after.each(({ root }) => {
  rmSync(root, { recursive: true });
});

function store(root: string, name: string, path: string): void {
  saveGraph(GraphStore.create(name, TEST_THREAD), graphFolder(root, path));
}

test("are found by their snapshots in folders of any name", ({ root }) => {
  store(root, "cities", "cities");
  store(root, "films", "data/of/films");
  store(root, "top", "data");
  mkdirSync(join(root, "plugins"));
  assert.equal(listStoredGraphs(root), [
    { name: "cities", path: "cities" },
    { name: "top", path: "data" },
    { name: "films", path: "data/of/films" },
  ]);
  assert.equal(listStoredGraphs(join(root, "missing")), []);
});

test("are found when only the previous snapshot is left", ({ root }) => {
  store(root, "cities", "folder");
  const folder = graphFolder(root, "folder");
  saveGraph(GraphStore.create("cities", TEST_THREAD), folder, { isForced: true });
  rmSync(join(folder, "graph.snapshot"));
  assert.equal(listStoredGraphs(root), [{ name: "cities", path: "folder" }]);
});

test("are found even if unreadable, and loading reports the reason", ({ root }) => {
  mkdirSync(join(root, "broken"));
  writeFileSync(join(root, "broken", "graph.snapshot"), "no snapshot");
  assert.equal(listStoredGraphs(root), [{ name: "broken", path: "broken" }]);
});

test("are not searched in hidden folders and links", ({ root }) => {
  const outside = mkdtempSync(join(tmpdir(), "svc-outside-"));
  saveGraph(GraphStore.create("other", TEST_THREAD), outside);
  symlinkSync(outside, join(root, "link"));
  saveGraph(GraphStore.create("hidden", TEST_THREAD), join(root, ".hidden"));
  saveGraph(GraphStore.create("module", TEST_THREAD), join(root, "node_modules", "module"));
  assert.equal(listStoredGraphs(root), []);
  rmSync(outside, { recursive: true });
});

test("never have a path outside of the data folder", ({ root }) => {
  symlinkSync(tmpdir(), join(root, "link"));
  writeFileSync(join(root, "file"), "");
  for (const path of [
    ...["", ".", "..", "../other", "a/../../b", "a//b", "a/", "/a", "a\\..\\b", "a\0b", "c:d"],
    ...[".git", "node_modules", "lost+found", "a/b/c/d/e", "link", "link/a", "file", "file/a"],
  ]) {
    assert.throws(
      () => graphFolder(root, path),
      (error: Error) => error instanceof DataError && error.message.includes("path of a graph"),
      path,
    );
  }
  for (const path of ["a", "a.b", "größe", "a/b/c/d", "two words"]) {
    assert.is(graphFolder(root, path), join(root, path));
  }
});

test("leave no folder when erased, unless it has other files", ({ root }) => {
  store(root, "one", "one");
  store(root, "two", "two");
  writeFileSync(join(root, "two", "notes.txt"), "");
  for (const path of ["one", "two", "never"]) eraseStoredGraph(graphFolder(root, path));
  assert.equal(listStoredGraphs(root), []);
  assert.throws(() => rmSync(join(root, "one")));
  rmSync(join(root, "two", "notes.txt"));
});

test("lose remains of interrupted saves when the data folder is opened", ({ root }) => {
  store(root, "cities", "data/of/cities");
  const first = join(root, "first");
  const cities = join(root, "data", "of", "cities");
  const plugin = join(root, "node_modules");
  for (const folder of [first, plugin]) mkdirSync(folder);
  for (const folder of [first, cities, plugin])
    writeFileSync(join(folder, "graph.snapshot.tmp"), "half");
  new GraphRoot(root, {}).release();
  assert.equal(readdirSync(cities), ["graph.snapshot"]);
  assert.equal(readdirSync(first), []);
  assert.equal(readdirSync(plugin), ["graph.snapshot.tmp"], "no folder of a graph");
});

test("tolerate remains of a save that cannot be removed", ({ root }) => {
  mkdirSync(join(root, "odd", "graph.snapshot.tmp"), { recursive: true });
  mkdirSync(join(root, "plain"));
  writeFileSync(join(root, "plain", "graph.snapshot.tmp"), "half");
  const lines: string[] = [];
  removeIncompleteSaves(root, (text) => lines.push(text));
  removeIncompleteSaves(join(root, "missing"), (text) => lines.push(text));
  assert.equal(readdirSync(join(root, "plain")), []);
  assert.is(lines.length, 1);
  assert.match(lines[0]!, /incomplete snapshot left behind: .*graph.snapshot.tmp/);
});

/** Runs a function while this user may not read or create certain files. */
function withoutAccess(isDenied: (path: string) => boolean, run: () => void): void {
  const { openSync, readdirSync: read } = fs;
  const denying =
    <T extends (path: never, ...rest: never[]) => unknown>(call: T) =>
    (path: string, ...rest: unknown[]): unknown => {
      const error = new Error(`EACCES: permission denied, '${path}'`);
      if (isDenied(path)) throw Object.assign(error, { code: "EACCES", syscall: "open" });
      return (call as unknown as (...words: unknown[]) => unknown)(path, ...rest);
    };
  Object.assign(fs, { openSync: denying(openSync), readdirSync: denying(read) });
  syncBuiltinESMExports();
  try {
    run();
  } finally {
    Object.assign(fs, { openSync, readdirSync: read });
    syncBuiltinESMExports();
  }
}

test("ignore unreadable folders without stored graphs", ({ root }) => {
  store(root, "cities", "cities");
  mkdirSync(join(root, "lost+found"));
  withoutAccess(
    (path) => path.endsWith("lost+found"),
    () => assert.is(listStoredGraphs(root).length, 1),
  );
  withoutAccess(
    (path) => path.endsWith("cities"),
    () => {
      try {
        listStoredGraphs(root);
        assert.unreachable();
      } catch (error) {
        const { code, message } = error as SvcError;
        assert.is(code, "SVC3008");
        assert.match(message, /cities/);
      }
    },
  );
});

test("are read-only if changes could not be stored, unless none are logged", ({ root }) => {
  const request = { name: "cities", path: null, isLocal: false, size: null } as never;
  const isReadonly = (isDurable: boolean): boolean => {
    const owner = new GraphRoot(root, {});
    const { isLost: result } = owner.openRequest(request, false, isDurable);
    owner.release();
    return result === true;
  };
  assert.equal([isReadonly(true), isReadonly(false)], [false, false]);
  withoutAccess(
    (path) => path.includes("svc.lock"),
    () => assert.equal([isReadonly(true), isReadonly(false)], [true, false]),
  );
});

test.run();
