// Reads a log while it is written.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PositionExpiredError } from "../../../runtime/graph/model/errors.js";
import { LogTailer } from "../../../runtime/interconnect/log/log-tailer.js";
import { FRAME_HEADER_BYTES } from "../../../runtime/interconnect/log/segment-format.js";
import { SegmentLog } from "../../../runtime/interconnect/log/segment-log.js";
import type { Frame } from "../../../runtime/interconnect/log/segment-reader.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite("log tailer");

test("reads what is durable after each kind of flush", async () => {
  const disk = new SimulatedDisk();
  const { log } = SegmentLog.open(disk, "/log", { table: () => Buffer.alloc(4) }, () => undefined);
  const tailer = new LogTailer(disk, log, 1);
  log.append(Buffer.alloc(FRAME_HEADER_BYTES + 4), 1);
  assert.is(tailer.next(), null);
  log.flushNow();
  assert.is(tailer.next()?.header.sn, 1);
  log.append(Buffer.alloc(FRAME_HEADER_BYTES + 4), 2);
  const flushed = log.flush();
  assert.equal([tailer.next(), log.durableSn], [null, 1]);
  await flushed;
  assert.equal([tailer.next()?.header.sn, log.durableSn], [2, 3]);
  tailer.close();
});

test("a reader continues after a segment briefly could not be opened", async () => {
  const disk = new SimulatedDisk();
  const options = { segmentBytes: 1024, table: () => Buffer.from("[]  ") };
  const { log } = SegmentLog.open(disk, "/log", options, () => undefined);
  for (let sn = 1; sn <= 6; sn++) {
    log.append(Buffer.alloc(FRAME_HEADER_BYTES + 280), 1);
    await log.flush();
  }
  const tailer = new LogTailer(disk, log, 1);
  const real = disk.open.bind(disk);
  for (let sn = 1; sn <= 6; sn++) {
    if (log.segmentOf(sn)!.firstSn === sn) {
      disk.open = () => {
        throw Object.assign(new Error("EMFILE"), { code: "EMFILE" });
      };
      assert.throws(() => tailer.next(), /EMFILE/);
      disk.open = real;
    }
    assert.is(tailer.next()!.header.sn, sn);
  }
  assert.is(tailer.next(), null);
  tailer.close();
});

test("a position whose segment was just removed has expired", async () => {
  const disk = new SimulatedDisk();
  const { log } = SegmentLog.open(disk, "/log", { table: () => Buffer.alloc(4) }, () => undefined);
  log.append(Buffer.alloc(FRAME_HEADER_BYTES + 4), 1);
  await log.flush();
  const tailer = new LogTailer(disk, log, 1);
  disk.open = () => {
    throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
  };
  assert.throws(
    () => tailer.next(),
    (error: Error) => error instanceof PositionExpiredError,
  );
  tailer.close();
});

/** A log in segments of two frames each, with the frames 1 to 4. */
function filled(disk: SimulatedDisk): SegmentLog {
  const options = { segmentBytes: 1024, table: () => Buffer.from("[]  ") };
  const { log } = SegmentLog.open(disk, "/log", options, () => undefined);
  for (let sn = 1; sn <= 4; sn++) log.append(Buffer.alloc(FRAME_HEADER_BYTES + 280), 1);
  log.flushNow();
  return log;
}

test("rereads a frame that another thread had not completed", () => {
  const disk = new SimulatedDisk();
  const log = filled(disk);
  const bytes = disk.readContent(`/log/${log.segments[0]!.name}`);
  const wholeBytes = Buffer.from(bytes);
  bytes.fill(1, bytes.length - 100);
  const tailer = new LogTailer(disk, log, 1);
  assert.is(tailer.next()!.header.sn, 1);
  assert.throws(() => tailer.next(), /the log cannot be read at transaction 2/);
  wholeBytes.copy(bytes);
  assert.is(tailer.next()!.header.sn, 2);
  tailer.close();
});

test("passes on the table of each segment, and closes its file", () => {
  const disk = new SimulatedDisk();
  const log = filled(disk);
  const tables: number[] = [];
  const onTable = ({ header }: Frame): number => tables.push(header.sn);
  const tailer = new LogTailer(disk, log, 1, { onTable });
  while (tailer.next() !== null);
  assert.equal(tables, [1, 3]);
  tailer.close();
  log.close();
  assert.is(disk.openFiles, 0);
});

test("a position before the first segment has expired", () => {
  const disk = new SimulatedDisk();
  const log = filled(disk);
  log.truncateHead(3);
  const tailer = new LogTailer(disk, log, 2);
  assert.throws(
    () => tailer.next(),
    (error: Error) => error instanceof PositionExpiredError,
  );
});

test.run();
