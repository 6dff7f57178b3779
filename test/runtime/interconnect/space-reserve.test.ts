// The disk space that the transaction log holds in reserve.

import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";
import { isOutOfSpace, SpaceReserve } from "../../../runtime/interconnect/log/space-reserve.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite<{ folder: string; path: string }>("space reserve");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-reserve-"));
  context.path = join(context.folder, "reserve");
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

test("keeps the reserve of a previous process", ({ folder, path }) => {
  assert.ok(new SpaceReserve(realDisk, folder).create());
  const content = readFileSync(path);
  assert.ok(new SpaceReserve(realDisk, folder).create());
  // Its content is random.
  assert.ok(readFileSync(path).equals(content));
});

test("completes the reserve that a previous process began", ({ folder, path }) => {
  assert.ok(new SpaceReserve(realDisk, folder).create());
  const { length } = readFileSync(path);
  truncateSync(path, length - 1);
  assert.ok(new SpaceReserve(realDisk, folder).create());
  assert.is(readFileSync(path).length, length);
});

test("counts only once it is on disk, and leaves no file open", () => {
  const done: string[] = [];
  const disk = new SimulatedDisk({ before: (operation) => done.push(operation) });
  const reserve = new SpaceReserve(disk, "/log");
  for (let times = 0; times < 2; times++) {
    assert.ok(reserve.create());
    assert.equal([done.at(-1), disk.openFiles], ["flush", 0]);
  }
  assert.equal(done.filter((operation) => operation === "flush").length, 1);
});

test("leaves no file if there is too little space", () => {
  const disk = new SimulatedDisk();
  for (const kind of ["write", "flush"]) {
    disk.faults.before = (operation) => {
      if (operation === kind) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    };
    assert.is(new SpaceReserve(disk, "/log").create(), false);
    assert.equal([disk.names("/log"), disk.openFiles], [[], 0]);
  }
});

test("distinguishes a lack of space from other failures", () => {
  const fails = (code: string): Error => Object.assign(new Error("failed"), { code });
  assert.equal(["ENOSPC", "EDQUOT", "EIO"].map(fails).map(isOutOfSpace), [true, true, false]);
  assert.equal([new Error("failed"), null, undefined].map(isOutOfSpace), [false, false, false]);
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
