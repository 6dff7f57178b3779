// Objects of a backup in a folder, and pieces that are read back from them.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compress } from "../../../../runtime/base/async-calls.js";
import { FolderStore } from "../../../../runtime/interconnect/archive/folder-store.js";
import { objectName, sha256 } from "../../../../runtime/interconnect/archive/manifest.js";
import { openStore } from "../../../../runtime/interconnect/archive/open-store.js";
import { readPiece } from "../../../../runtime/interconnect/archive/restore-root.js";
import { ID, MemoryStore } from "../support/memory-store.js";

const test = suite<{ folder: string; store: FolderStore }>("stored objects");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-objects-"));
  context.store = new FolderStore(join(context.folder, "backup"));
});

test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

function rejectionText(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    (value) => `none, ${value}`,
    ({ code, message }: Error & { code?: string }) => `${code}: ${message}`,
  );
}

async function namesIn(store: FolderStore, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, modifiedAt } of store.list(prefix)) {
    assert.ok(modifiedAt > 0);
    names.push(name);
  }
  return names.sort();
}

test("an object is written as a whole, and a new one only once", async ({ folder, store }) => {
  assert.equal([await store.get("a/one", 9), await namesIn(store, "a/")], [null, []]);
  await store.put("a/one", Buffer.from("1"));
  await store.put("a/one", Buffer.from("11"));
  assert.is((await store.get("a/one", 2))?.toString(), "11");
  const file = join(folder, "backup/a/one");
  assert.is(await rejectionText(store.get("a/one", 1)), `SVC3422: ${file} has 2 bytes`);
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.equal(
    [
      await store.putNew("a/one", Buffer.from("3")),
      await store.putNew("a/b/two", Buffer.from("3")),
    ],
    [false, true],
  );
  assert.is((await store.get("a/one", 2))?.toString(), "11");
  assert.equal(await namesIn(store, "a/"), ["a/b/two", "a/one"]);
  assert.equal(readdirSync(join(folder, "backup/a")).sort(), ["b", "one"], "nothing else is left");
  assert.is(await store.has("a/one"), true);
  for (let times = 0; times < 2; times++) await store.remove("a/one");
  assert.is(await store.has("a/one"), false);
  assert.equal(await namesIn(store, "a/"), ["a/b/two"]);
});

test("an unusable location is reported and left empty", async (context) => {
  const { folder, store } = context;
  const folderPath = join(folder, "backup");
  writeFileSync(folderPath, "no folder");
  for (const operation of [
    () => store.put("a", Buffer.from("1")),
    () => store.putNew("a", Buffer.from("1")),
    () => store.get("a", 1),
    () => namesIn(store, "a/"),
  ]) {
    assert.match(
      await rejectionText(operation()),
      new RegExp(`^SVC3422: ${folderPath}: E[A-Z]+: `),
    );
  }
  rmSync(folderPath);
  // A folder is in the place of the object.
  mkdirSync(join(folderPath, "a/b"), { recursive: true });
  assert.match(await rejectionText(store.put("a", Buffer.from("1"))), /^SVC3422/);
  assert.equal(readdirSync(folderPath), ["a"]);
});

test("rejects a location inside the data folder", async ({ folder }) => {
  const root = join(folder, "root");
  for (const path of [root, `${root}/`, join(root, "backup"), join(root, "x", "..", "y")]) {
    const text = await rejectionText(openStore(path, root));
    assert.match(text, new RegExp(`^SVC3422: ${root}.* is inside the data folder ${root}$`));
  }
  for (const path of [`${root}s`, folder, join(root, "..", "other")]) {
    assert.instance(await openStore(path, root), FolderStore);
  }
  assert.is((await openStore(join(root, "backup"))).uri, join(root, "backup"));
});

test("a piece that differs from the backed-up bytes is corrupt", async () => {
  const store = new MemoryStore();
  const content = Buffer.from("content");
  const stored = await compress(content, { level: 1 });
  const object = sha256(stored);
  const point = (sn: number) => ({ id: ID, sn, chain: 1, at: 0 });
  const piece = {
    path: "g/graph.snapshot",
    at: 0,
    bytes: content.length,
    object,
    before: point(1),
  };
  const read = (more: object = {}) =>
    rejectionText(readPiece(store, { after: point(2) }, { ...piece, ...more }));
  const near = [1, 2].map((sn) => `${ID}:${sn} (1970-01-01T00:00:00.000Z)`);
  const failure = (reason: string, name = objectName(object)): string =>
    `SVC3420: ${name} of memory ${reason}; before: ${near[0]}, after: ${near[1]}`;
  assert.is(await read(), failure("is missing"));
  await store.put(objectName(object), stored);
  assert.is(await read(), "none, content");
  for (const bytes of [content.length - 1, content.length + 1, 0]) {
    assert.is(await read({ bytes }), failure("is corrupt"));
  }
  await store.put(objectName(object), content);
  assert.is(await read(), failure("is corrupt"));
  await store.put(objectName(object), await compress(Buffer.from("CONTENT"), { level: 1 }));
  assert.is(await read(), failure("is corrupt"), "as long, but another one");
  const digest = sha256(content);
  await store.put(objectName(digest), content);
  assert.is(await read({ object: digest }), failure("is corrupt", objectName(digest)));
  const empty = await compress(Buffer.alloc(0), { level: 1 });
  await store.put(objectName(sha256(empty)), empty);
  assert.is(await read({ object: sha256(empty), bytes: 0 }), "none, ");
});

test.run();
