// The files of a transaction log: retention, opening, closing, and I/O errors.

import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FRAME_HEADER_BYTES } from "../../../runtime/interconnect/log/segment-format.js";
import { SegmentLog } from "../../../runtime/interconnect/log/segment-log.js";
import { Random } from "../../property/support/random.js";
import { type Faults, SimulatedDisk } from "./support/simulated-disk.js";
import {
  fillSegments,
  LOG,
  openSegments,
  readTexts,
  recoverSegments,
  SEGMENT_BYTES,
  textFrame,
} from "./support/small-segments.js";

const test = suite<{ disk: SimulatedDisk }>("segment files");

type Operation = Parameters<NonNullable<Faults["before"]>>[0];

test.before.each((context) => {
  context.disk = new SimulatedDisk();
});

test.after.each(({ disk }) => {
  assert.is(disk.openFiles, 0);
});

/** Operations of this kind fail until the returned function is called. */
function fail(disk: SimulatedDisk, code: string, ...kinds: readonly Operation[]): () => void {
  disk.faults.before = (operation) => {
    if (kinds.includes(operation)) throw Object.assign(new Error(`${code} ${operation}`), { code });
  };
  return () => {
    delete disk.faults.before;
  };
}

test("counts bytes and transactions by segments", ({ disk }) => {
  const log = openSegments(disk);
  assert.equal(
    [log.chain, log.bytes, log.findFirstSnOfLast(1), log.segmentOf(1)],
    [0, 0, 1, undefined],
  );
  fillSegments(log);
  const last = log.bytes - 2 * SEGMENT_BYTES;
  assert.ok(last > 600 && last < SEGMENT_BYTES, `${last}`);
  const firsts = [0, 1, SEGMENT_BYTES, SEGMENT_BYTES + 1, 2 * SEGMENT_BYTES + 1, 2 ** 30];
  assert.equal(
    firsts.map((bytes) => log.findFirstSnOfLast(bytes)),
    [7, 3, 3, 1, 1, 1],
  );
  assert.equal(
    [0, 1, 2, 3, 6, 9].map((sn) => log.segmentOf(sn)?.firstSn),
    [undefined, 1, 1, 3, 5, 5],
  );
  log.close();
});

test("fills a segment to its last byte", ({ disk }) => {
  const log = openSegments(disk);
  log.append(textFrame("one"), 1);
  const left = SEGMENT_BYTES - log.bytes - FRAME_HEADER_BYTES;
  log.append(textFrame("".padEnd(left)), 1);
  assert.equal([log.segments.length, log.bytes], [1, SEGMENT_BYTES]);
  log.append(textFrame("three"), 1);
  assert.is(log.segments.length, 2);
  log.close();
});

test("flushes its folder only after it has removed something", ({ disk }) => {
  const log = openSegments(disk);
  fillSegments(log);
  const done: Operation[] = [];
  disk.faults.before = (operation) => done.push(operation);
  log.truncateHead(2);
  assert.equal(done, []);
  log.truncateHead(3);
  assert.equal(done, ["remove", "folder"]);
  assert.equal([log.first, disk.names(LOG).length], [3, 2]);
  log.close();
});

test("knows the chain before a segment", ({ disk }) => {
  const log = openSegments(disk);
  const paths = fillSegments(log, 2);
  const chain = log.chain;
  log.append(textFrame("".padEnd(400)), 1);
  log.flushNow();
  assert.equal([log.chainBefore(1), log.chainBefore(5)], [0, chain]);
  const bytes = disk.readContent(paths[1]!);
  for (const version of [9, 0]) {
    bytes.writeUInt32LE(version, 8);
    // Checked as a whole, except for a version of zero.
    if (version > 0) bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
    assert.throws(() => log.chainBefore(3), /log segment 0+3.seg cannot be read/);
  }
  log.close();
});

test("fails when the remains of a failed write cannot be discarded", ({ disk }) => {
  const log = openSegments(disk);
  fillSegments(log, 1);
  const restore = fail(disk, "ENOSPC", "write", "truncate");
  assert.throws(() => log.append(textFrame("three"), 1), /ENOSPC write/);
  restore();
  assert.is(log.hasFailed, true);
  log.close();
});

test("fails when a flush fails", async ({ disk }) => {
  const log = openSegments(disk);
  fillSegments(log, 1);
  log.append(textFrame("three"), 1);
  const restore = fail(disk, "EIO", "flush");
  assert.throws(() => log.flushNow(), /EIO flush/);
  restore();
  assert.equal([log.hasFailed, log.durableSn], [true, 2]);
  assert.match(String(await log.flush().catch(String)), /accepts no changes/);
  log.close();
});

test("a closed log accepts nothing and is not opened again", async ({ disk }) => {
  const log = openSegments(disk);
  fillSegments(log, 1);
  for (let times = 0; times < 2; times++) log.close();
  assert.throws(() => log.append(textFrame("three"), 1), /accepts no changes/);
  assert.throws(() => log.reopen(), /only a failed log is reopened/);
});

test("continues after its first segment could not be created", ({ disk }) => {
  const log = openSegments(disk);
  for (const kind of ["create", "write", "flush", "folder"] as const) {
    const restore = fail(disk, "EIO", kind);
    if (kind === "create") assert.throws(() => log.append(textFrame("one"), 1), /EIO/);
    assert.throws(() => log.reopen(), /EIO/, kind);
    restore();
  }
  log.reopen();
  log.append(textFrame("one"), 1);
  log.flushNow();
  assert.equal([readTexts(log, 1), log.segments.length], [["one"], 1]);
  log.close();
});

test("continues after failures to close, truncate and remove a segment", ({ disk }) => {
  const log = openSegments(disk);
  fillSegments(log, 1);
  const lose = (text: string, ...kinds: readonly Operation[]): (() => void) => {
    log.append(textFrame(text), 1);
    const restore = fail(disk, "EIO", "flush", ...kinds);
    assert.throws(() => log.flushNow(), /EIO/);
    return restore;
  };
  let restore = lose("three");
  restore();
  disk.faults.closed = () => {
    delete disk.faults.closed;
    throw new Error("EIO close");
  };
  log.reopen();
  assert.is(disk.faults.closed, undefined);
  // The next segment has no frame yet: it is replaced, also if it is gone already.
  restore = lose("3", "create");
  assert.throws(() => log.reopen(), /EIO create/);
  assert.equal(disk.names(LOG).length, 1);
  assert.throws(() => log.reopen(), /EIO create/);
  restore();
  log.reopen();
  log.append(textFrame("III"), 1);
  log.flushNow();
  assert.equal(readTexts(log, 1), ["1", "2", "III"]);
  assert.equal([log.hasFailed, log.last, log.segments.length], [false, 3, 2]);
  log.close();
  const reopenedLog = openSegments(disk);
  assert.equal(readTexts(reopenedLog, 1), ["1", "2", "III"]);
  reopenedLog.close();
});

test("truncates a segment that it leaves to its durable end", ({ disk }) => {
  const log = openSegments(disk);
  const [path] = fillSegments(log, 1);
  const { length } = disk.readContent(path!);
  log.append(textFrame("three"), 1);
  const restore = fail(disk, "EIO", "flush");
  assert.throws(() => log.flushNow(), /EIO/);
  restore();
  log.reopen();
  assert.is(disk.readContent(path!).length, length);
  log.close();
});

test("flushes data that a dead thread has written", ({ disk }) => {
  const log = openSegments(disk);
  fillSegments(log, 1);
  log.append(textFrame("three"), 1);
  const next = openSegments(disk);
  assert.is(next.durableSn, 3);
  for (let seed = 1; seed < 9; seed++) {
    disk.losePower(new Random(seed));
    const reopenedLog = openSegments(disk);
    assert.is(reopenedLog.last, 3);
    reopenedLog.close();
  }
  for (const each of [log, next]) each.close();
});

test("a late flush does not move the durable position back", async ({ disk }) => {
  const first = openSegments(disk);
  const [path] = fillSegments(first, 1);
  first.close();
  const ends: (() => void)[] = [];
  const flush = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const file = { ...disk.open(path!), flush };
  disk.open = () => file;
  const log = openSegments(disk);
  log.append(textFrame("three"), 1);
  const flushes = [log.flush()];
  log.append(textFrame("4"), 1);
  flushes.push(log.flush());
  ends[1]!();
  await flushes[1];
  assert.is(log.durableSn, 4);
  ends[0]!();
  await flushes[0];
  assert.is(log.durableSn, 4);
  disk.openFiles = 0;
});

test("a reader sees what was written before it began, and closes its files", ({ disk }) => {
  const log = openSegments(disk);
  fillSegments(log, 1);
  // In a segment of its own.
  log.append(textFrame("3".padEnd(280)), 1);
  const reader = log.read(2);
  assert.is(reader.next().value!.header.sn, 2);
  fillSegments(log, 3);
  assert.equal(
    [...reader].map(({ header }) => header.sn),
    [3],
  );
  const left = log.read(1);
  left.next();
  assert.is(disk.openFiles, 2);
  left.return();
  assert.is(disk.openFiles, 1);
  log.close();
});

test("a segment that could not be created is tried again once", ({ disk }) => {
  const log = openSegments(disk);
  fillSegments(log, 1);
  const restore = fail(disk, "ENOSPC", "create");
  const next = (): number => log.append(textFrame("3".padEnd(280)), 1);
  assert.throws(next, /ENOSPC create/);
  restore();
  assert.equal([next(), disk.openFiles], [3, 1]);
  log.close();
});

test("does not read frames that do not follow each other", ({ disk }) => {
  const log = openSegments(disk);
  for (const text of ["1", "2", "3"]) log.append(textFrame(text), 1);
  const bytes = disk.readContent(`${LOG}/${log.segments[0]!.name}`);
  const size = FRAME_HEADER_BYTES + 4;
  bytes.copyWithin(bytes.length - 2 * size, bytes.length - size);
  assert.throws(() => readTexts(log, 1), /frames of a segment follow each other/);
  log.close();
});

test("an empty log has no torn bytes", ({ disk }) => {
  const { log, tornBytes } = recoverSegments(disk);
  assert.is(tornBytes, 0);
  log.close();
});

test("segments have 64 MiB by default", ({ disk }) => {
  const { log } = SegmentLog.open(disk, LOG, { table: () => Buffer.alloc(4) }, () => undefined);
  log.append(textFrame("one"), 1);
  log.flushNow();
  assert.equal([log.findFirstSnOfLast(2 ** 26), log.findFirstSnOfLast(0)], [1, 2]);
  log.append(textFrame("".padEnd(2 ** 16)), 1);
  assert.is(log.segments.length, 1);
  log.close();
});

test.run();
