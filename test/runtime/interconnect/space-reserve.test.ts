// The disk space that the transaction log holds in reserve.

import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";
import { SpaceReserve } from "../../../runtime/interconnect/log/space-reserve.js";

const test = suite<{ folder: string; path: string }>("space reserve");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-reserve-"));
  context.path = join(context.folder, "reserve");
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

test("keeps what a former process left", ({ folder, path }) => {
  assert.ok(new SpaceReserve(realDisk, folder).create());
  const content = readFileSync(path);
  assert.ok(new SpaceReserve(realDisk, folder).create());
  // Its content is random.
  assert.ok(readFileSync(path).equals(content));
});

test("completes what a former process began", ({ folder, path }) => {
  assert.ok(new SpaceReserve(realDisk, folder).create());
  const { length } = readFileSync(path);
  truncateSync(path, length - 1);
  assert.ok(new SpaceReserve(realDisk, folder).create());
  assert.is(readFileSync(path).length, length);
});

test("releases its space once, and can take it again", ({ folder, path }) => {
  const reserve = new SpaceReserve(realDisk, folder);
  reserve.create();
  reserve.release();
  reserve.release();
  assert.equal(readdirSync(folder), []);
  assert.ok(reserve.create());
  assert.ok(readFileSync(path).length > 0);
});

test.run();
