// Bodies on disk: the space of all and of one client, and folders that take no bytes.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_UPLOAD_MEMORY_BYTES } from "../../../../runtime/base/limits.js";
import { BodyBudget, type BodyDisk, BodyStore } from "../../../../runtime/http/net/body-store.js";
import { UploadedBody, UploadFolder } from "../../../../runtime/http/net/upload-folder.js";
import { UPLOAD_NOT_STORED, UPLOAD_SPACE_EXHAUSTED } from "../../../../runtime/http/rejections.js";

const test = suite("bodies on disk");
const MEMORY = MAX_UPLOAD_MEMORY_BYTES;
const CHUNK = Buffer.alloc(MEMORY / 2 + 1);
const client = () => ({ uploadBytes: 0 });

/** A body that goes to disk with its second chunk. */
function storeOn(disk: BodyDisk["create"], budget = new BodyBudget(1e9)): BodyStore {
  return new BodyStore(budget, 1e9, { create: disk, onProgress() {} });
}

function write(store: BodyStore, chunks: number): void {
  for (let n = 0; n < chunks; n++) store.write(CHUNK, 0, CHUNK.length, 0);
}

test("share the space: at most half for one client", () => {
  const folder = new UploadFolder(100);
  const [a, b, c] = [client(), client(), client()];
  assert.equal([folder.take(a, 50), folder.take(a, 1)], [true, false]);
  assert.equal([folder.take(b, 49), folder.take(c, 2), folder.take(c, 1)], [true, false, true]);
  folder.give(a, 50);
  assert.equal([folder.used, a.uploadBytes, folder.take(c, 49)], [50, 0, true]);
});

test("are rejected with 503 when the space is used up, and leave nothing behind", async () => {
  const folder = new UploadFolder(4 * CHUNK.length);
  const [ownClient, budget] = [client(), new BodyBudget(1e9)];
  const bodies: UploadedBody[] = [];
  const store = storeOn((progress) => {
    bodies.push(folder.create(ownClient, progress));
    return bodies[0]!;
  }, budget);
  write(store, 2);
  assert.equal([store.refusal, ownClient.uploadBytes, budget.used], [null, 2 * CHUNK.length, 0]);
  write(store, 1);
  assert.is(store.refusal, UPLOAD_SPACE_EXHAUSTED);
  assert.is(store.refusal?.status, 503);
  assert.equal([ownClient.uploadBytes, folder.used, store.dropped], [0, 0, CHUNK.length]);
  const { path } = bodies[0]!;
  while (existsSync(path) || readdirSync(dirname(path)).length > 0) await delay(5);
  folder.close();
  assert.not(existsSync(dirname(path)));
});

test("are rejected with 507 where the folder cannot be created", () => {
  const { TMPDIR = "" } = process.env;
  process.env.TMPDIR = join("/dev/null", "none");
  try {
    const folder = new UploadFolder(1e9);
    const store = storeOn((progress) => folder.create(client(), progress));
    write(store, 2);
    assert.equal([store.refusal, store.refusal?.status], [UPLOAD_NOT_STORED, 507]);
    assert.is(folder.used, 0);
  } finally {
    if (TMPDIR === "") delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
});

test("are rejected with 507 once their file takes no bytes, and hold no space", async () => {
  const [folder, ownClient] = [new UploadFolder(1e9), client()];
  // Opening fails, as writing does on a full disk: both are errors of the stream.
  const path = join("/dev/null", "none");
  const store = storeOn((progress) => new UploadedBody(path, folder, ownClient, progress));
  write(store, 2);
  assert.is(store.refusal, null);
  while (store.refusal === null) await delay(5);
  assert.equal([store.refusal, ownClient.uploadBytes, folder.used], [UPLOAD_NOT_STORED, 0, 0]);
});

test.run();
