// Results of `svc log repair`: a complete private copy, or nothing; and errors for unreadable
// segments.

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkLogs } from "../../cli/log/log-folders.js";
import { repairRoot } from "../../cli/log/repair-root.js";
import { SvcError } from "../../runtime/base/errors.js";
import { checkLog } from "../../runtime/interconnect/log/check-log.js";
import { openingError, realDisk } from "../../runtime/interconnect/log/disk.js";
import { FRAME_HEADER_BYTES } from "../../runtime/interconnect/log/segment-format.js";
import { SegmentLog } from "../../runtime/interconnect/log/segment-log.js";
import { encodeControlRecord } from "../../runtime/interconnect/log/transactions.js";
import { SimulatedDisk } from "../runtime/interconnect/support/simulated-disk.js";

const test = suite<{ folder: string; root: string; target: string }>("svc log repair");
const FRAMES = 5;

/** A transaction log of some frames, in two segments. */
async function makeLog(disk: typeof realDisk, folder: string): Promise<SegmentLog> {
  const options = { segmentBytes: 500, table: () => Buffer.from("[]  ") };
  const { log } = SegmentLog.open(disk, folder, options, () => undefined);
  for (let frame = 0; frame < FRAMES; frame++) {
    const unit = encodeControlRecord({ erased: 7, text: "x".repeat(100) });
    log.append(Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), new Uint8Array(unit.buffer)]), 1);
    await log.flush();
  }
  assert.ok(log.segments.length > 1);
  return log;
}

test.before.each(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-repair-"));
  context.root = join(context.folder, "root");
  context.target = join(context.folder, "target");
  (await makeLog(realDisk, join(context.root, "_txlog"))).close();
  chmodSync(context.root, 0o750);
});

test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

function errorCode(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof SvcError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "nothing is wrong";
}

test("writes a complete copy with the previous permissions", ({ root, target }) => {
  assert.is(repairRoot(root, target)[0]!.report.transactions, FRAMES);
  assert.is(checkLogs(target)[0]!.report.transactions, FRAMES);
  assert.equal(readdirSync(target), ["_txlog"]);
  assert.is(statSync(target).mode & 0o777, 0o750);
  assert.is(statSync(join(target, "_txlog")).mode & 0o777, 0o700);
});

test("removes a failed copy, so that it can be repeated", ({ root, target }) => {
  // A path may have 4,096 bytes: that of the copy would have more.
  const deep = join(target, ...Array.from({ length: 15 }, () => "deep".repeat(60)));
  const long = join("long".repeat(60), "long".repeat(60), "long".repeat(60));
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(root, long), { recursive: true });
  writeFileSync(join(root, "a"), "copied before");
  const text = /^SVC3345: cannot copy .* to .* \(now empty again\): /s;
  assert.match(
    errorCode(() => repairRoot(root, deep)),
    text,
  );
  assert.equal(readdirSync(deep), []);
  rmSync(join(root, "long".repeat(60)), { recursive: true });
  assert.is(repairRoot(root, deep)[0]!.report.transactions, FRAMES);
  assert.equal(readdirSync(deep).sort(), ["_txlog", "a"]);
});

test("copies the rest when nothing of a log can be recovered", ({ root, target }) => {
  writeFileSync(join(root, "a"), "something");
  const first = join(root, "_txlog", readdirSync(join(root, "_txlog")).sort()[0]!);
  rmSync(first);
  mkdirSync(first);
  assert.is(repairRoot(root, target)[0]!.report.transactions, 0);
  assert.equal(readdirSync(join(target, "_txlog")), []);
  assert.ok(existsSync(join(target, "a")));
});

test("treats a folder instead of a segment as corruption", ({ root }) => {
  const name = "00000000000000ff.seg";
  mkdirSync(join(root, "_txlog", name));
  const { damage, transactions } = checkLogs(root)[0]!.report;
  assert.is(transactions, FRAMES);
  assert.match(damage!.message, `${name}, byte 0: it cannot be read: EISDIR`);
});

test("treats a circular link instead of a segment as corruption", ({ root }) => {
  const name = "00000000000000ff.seg";
  symlinkSync(name, join(root, "_txlog", name));
  const { damage, transactions } = checkLogs(root)[0]!.report;
  assert.is(transactions, FRAMES);
  assert.match(damage!.message, `${name}, byte 0: it cannot be read: ELOOP`);
});

test("does not report a file in place of the log folder as corruption", ({ root }) => {
  const folder = join(root, "_txlog", "local");
  writeFileSync(folder, "");
  const text = errorCode(() => checkLogs(root));
  assert.match(text, /^SVC2504: log cannot be opened: ENOTDIR: /);
  assert.match(text, folder);
});

test("reports unreadable files and too many open files as such", () => {
  const describeOpeningError = (code: string): string => {
    const error = openingError(Object.assign(new Error(`${code}: open 'x.seg'`), { code }));
    return error instanceof SvcError ? `${error.code}: ${error.message}` : "as it was";
  };
  for (const code of ["EACCES", "EPERM", "EROFS"]) {
    assert.is(describeOpeningError(code), `SVC2504: log cannot be opened: ${code}: open 'x.seg'`);
  }
  assert.is(describeOpeningError("EMFILE"), "SVC3093: log cannot be opened: EMFILE: open 'x.seg'");
  assert.is(describeOpeningError("EIO"), "as it was");
});

test("treats a read error as corruption and recovers everything before it", async () => {
  const disk = new SimulatedDisk();
  const { segments } = await makeLog(disk, "log");
  let isFailing = 2;
  disk.faults.unreadable = () => {
    if (--isFailing === 0) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
  };
  const { damage, transactions } = checkLog(disk, "log");
  assert.is(damage!.segment, segments[1]!.name);
  assert.match(damage!.message, "it cannot be read: EIO: i/o error");
  assert.ok(transactions > 0 && transactions < FRAMES);
});

test("requires a new folder", ({ root, target }) => {
  writeFileSync(target, "");
  assert.match(
    errorCode(() => repairRoot(root, target)),
    /^SVC3050: .* is not a new folder/,
  );
  assert.match(
    errorCode(() => repairRoot(root, join(root, "x"))),
    /^SVC3050/,
  );
  assert.not.ok(existsSync(join(root, "x")));
});

test.run();
