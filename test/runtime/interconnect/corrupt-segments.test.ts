// Corrupt segments of a transaction log are reported, and remains of an interrupted creation are
// removed.

import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DataError } from "../../../runtime/graph/model/errors.js";
import {
  decodeFrameHeader,
  decodeSegmentHeader,
  encodeSegmentHeader,
  FRAME_HEADER_BYTES,
  putFrameHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  segmentName,
} from "../../../runtime/interconnect/log/segment-format.js";
import { LogCorruptionError } from "../../../runtime/interconnect/log/segments.js";
import { SimulatedDisk } from "./support/simulated-disk.js";
import { fillSegments, LOG, openSegments, readTexts, textFrame } from "./support/small-segments.js";

interface Context {
  disk: SimulatedDisk;
  /** Three segments of two frames each. */
  paths: [string, string, string];
}

const test = suite<Context>("corrupt segments");
const FRAME_BYTES = FRAME_HEADER_BYTES + 280;
/** Header and table of a segment. */
const HEAD_BYTES = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES + 4;

test.before.each((context) => {
  context.disk = new SimulatedDisk();
  const log = openSegments(context.disk);
  context.paths = fillSegments(log) as Context["paths"];
  assert.is(log.last, 6);
  log.close();
});

test.after.each(({ disk }) => {
  assert.is(disk.openFiles, 0);
});

function replace(disk: SimulatedDisk, path: string, bytes: Buffer): void {
  const file = disk.create(path);
  file.write(bytes, 0);
  file.close();
}

/** Opens the log; returns why it is corrupt: segment, byte and reason. */
function readCorruption(disk: SimulatedDisk): [segment: string, offset: number, reason: string] {
  try {
    openSegments(disk).close();
  } catch (error) {
    if (!(error instanceof LogCorruptionError)) throw error;
    return [`${LOG}/${error.segment}`, error.offset, error.reason];
  }
  throw new Error("it is intact");
}

test("a segment is corrupt where the disk cannot read it", ({ disk, paths }) => {
  const failing = (code: string, start: number) => (from: number) => {
    if (from >= start) throw Object.assign(new Error(code), { code });
  };
  disk.faults.unreadable = failing("EIO", 0);
  assert.equal(readCorruption(disk), [paths[0], 0, "it cannot be read: EIO"]);
  disk.faults.unreadable = failing("EMFILE", 0);
  assert.throws(() => readCorruption(disk), /^EMFILE$/);
  delete disk.faults.unreadable;
  const log = openSegments(disk);
  log.append(textFrame("".padEnd(2 ** 20)), 1);
  log.append(textFrame("".padEnd(2 ** 20)), 1);
  log.flushNow();
  log.close();
  disk.faults.unreadable = failing("EIO", 1);
  const path = `${LOG}/${log.segments.at(-2)!.name}`;
  assert.equal(readCorruption(disk), [path, HEAD_BYTES, "it cannot be read: EIO"]);
});

test("a folder in the place of a segment is corrupt", ({ disk, paths }) => {
  const open = disk.open.bind(disk);
  disk.open = (path) => {
    if (path === paths[1]) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
    return open(path);
  };
  assert.equal(readCorruption(disk), [paths[1], 0, "it cannot be read: a folder"]);
});

test("invalid content is corrupt, other failures end the program", ({ disk, paths }) => {
  for (const [error, isCorrupt] of [
    [new DataError("of a graph"), true],
    [new SyntaxError("of JSON"), true],
    [new TypeError("of the program"), false],
  ] as const) {
    const visit = ({ header }: { header: { sn: number } }): void => {
      if (header.sn === 4) throw error;
    };
    const outcome = ((): unknown => {
      try {
        return openSegments(disk, visit);
      } catch (thrown) {
        return thrown;
      }
    })();
    if (!isCorrupt) assert.is(outcome, error);
    else {
      const { segment, offset, reason } = outcome as LogCorruptionError;
      const where = [paths[1], HEAD_BYTES + FRAME_BYTES, error.message];
      assert.equal([`${LOG}/${segment}`, offset, reason], where);
    }
  }
});

test("a segment before the last one needs its table, and all its frames", ({ disk, paths }) => {
  const bytes = Buffer.from(disk.readContent(paths[1]));
  for (const [length, offset, reason] of [
    [SEGMENT_HEADER_BYTES, SEGMENT_HEADER_BYTES, "its table is missing"],
    [HEAD_BYTES, 0, "preceding segment is missing"],
    [HEAD_BYTES + FRAME_BYTES, 0, "preceding segment is missing"],
    [HEAD_BYTES + FRAME_BYTES + 4, HEAD_BYTES + FRAME_BYTES, "corrupt frame"],
    [0, 0, "corrupt header"],
  ] as const) {
    replace(disk, paths[1], bytes.subarray(0, length));
    assert.equal(readCorruption(disk), [
      offset === 0 && length > 0 ? paths[2] : paths[1],
      offset,
      reason,
    ]);
  }
});

test("an interrupted creation of the last segment is undone, of any length", ({ disk, paths }) => {
  const bytes = Buffer.from(disk.readContent(paths[2]));
  for (let length = 0; length < HEAD_BYTES; length += 4) {
    replace(disk, paths[2], bytes.subarray(0, length));
    const log = openSegments(disk);
    assert.equal([log.last, log.segments.length, disk.names(LOG).length], [4, 2, 2]);
    log.append(textFrame("5"), 1);
    log.flushNow();
    log.close();
    const reopenedLog = openSegments(disk);
    assert.equal(readTexts(reopenedLog, 4), ["4", "5"], `${length} bytes`);
    reopenedLog.close();
  }
});

test("discards the bytes of a torn write", ({ disk, paths }) => {
  const { length } = disk.readContent(paths[2]);
  const file = disk.open(paths[2]);
  file.write(Buffer.alloc(40), length);
  file.close();
  openSegments(disk).close();
  assert.is(disk.readContent(paths[2]).length, length);
});

test("a large or a lone segment without a header is corrupt", ({ disk, paths }) => {
  replace(disk, paths[2], Buffer.alloc(2 ** 20));
  openSegments(disk).close();
  replace(disk, paths[2], Buffer.alloc(2 ** 20 + 4));
  assert.equal(readCorruption(disk), [paths[2], 0, "corrupt header"]);
  for (const path of paths) disk.remove(path);
  replace(disk, paths[0], Buffer.alloc(4));
  const log = openSegments(disk);
  assert.equal([log.first, log.last], [1, 0]);
  log.close();
  disk.remove(paths[0]);
  replace(disk, paths[1], Buffer.alloc(4));
  assert.equal(readCorruption(disk), [paths[1], 0, "corrupt header"]);
});

test("a format of a later release is not corrupt", ({ disk, paths }) => {
  const version = (magic: string, number: number): void => {
    const bytes = disk.readContent(paths[2]);
    bytes.write(magic, 0, "latin1");
    bytes.writeUInt32LE(number, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  };
  for (const [magic, number, format] of [
    ["SVCLOG3\0", 3, 3],
    ["SVCLOG2\0", 9, 9],
  ] as const) {
    version(magic, number);
    const later = new RegExp(`0005\\.seg: format ${format} is of a later release`);
    assert.throws(
      () => openSegments(disk),
      ({ code, message }: LogCorruptionError) => code === "SVC2506" && later.test(message),
    );
  }
  version("SVCLOG1\0", 1);
  assert.equal(readCorruption(disk), [paths[2], 0, "format version 1 is not supported"]);
});

/** Replaces the header of a frame; its checksums stay correct. */
function rewrite(bytes: Buffer, offset: number, change: object): void {
  const header = decodeFrameHeader(bytes.subarray(offset))!;
  putFrameHeader(bytes.subarray(offset, offset + FRAME_HEADER_BYTES + header.bytes), {
    ...header,
    ...change,
  });
}

test("a number out of sequence is corrupt, although the chain is whole", ({ disk, paths }) => {
  const bytes = disk.readContent(paths[2]);
  const offset = HEAD_BYTES + FRAME_BYTES;
  const copy = Buffer.from(bytes);
  rewrite(bytes, offset, { sn: 7 });
  assert.equal(readCorruption(disk), [paths[2], offset, "frame missing or out of sequence"]);
  disk.remove(paths[2]);
  const header = decodeSegmentHeader(copy) as SegmentHeader;
  encodeSegmentHeader({ ...header, firstSn: 6 }).copy(copy);
  const path = `${LOG}/${segmentName(6)}`;
  replace(disk, path, copy);
  assert.equal(readCorruption(disk), [path, 0, "preceding segment is missing"]);
});

test("tables belong to the head of a segment, and frames do not", ({ disk, paths }) => {
  const bytes = disk.readContent(paths[0]);
  const copy = Buffer.from(bytes);
  rewrite(bytes, HEAD_BYTES, { isTable: true });
  assert.equal(readCorruption(disk), [paths[0], HEAD_BYTES, "unexpected table"]);
  copy.copy(bytes);
  rewrite(bytes, SEGMENT_HEADER_BYTES, { isTable: false });
  assert.equal(readCorruption(disk), [paths[0], SEGMENT_HEADER_BYTES, "its table is missing"]);
});

test("a frame inside a torn one counts only if its header cannot belong to the torn one", ({
  disk,
  paths,
}) => {
  const log = openSegments(disk);
  const nested = textFrame("nested");
  putFrameHeader(nested, { isTable: false, chain: 1, sn: 9, transactions: 1, epoch: 1 });
  log.append(Buffer.concat([textFrame(""), nested, Buffer.alloc(4)]), 1);
  log.flushNow();
  assert.is(log.segments.length, 3);
  log.close();
  const offset = HEAD_BYTES + 2 * FRAME_BYTES;
  const bytes = disk.readContent(paths[2]);
  bytes[bytes.length - 1]! ^= 1;
  // Its header is in sequence, so the payload was never written.
  const copy = new SimulatedDisk();
  for (const path of paths) replace(copy, path, disk.readContent(path));
  assert.is(openSegments(copy).last, 6);
  rewrite(bytes, offset, { chain: 1 });
  bytes[bytes.length - 1]! ^= 1;
  const inside = offset + FRAME_HEADER_BYTES;
  const reason = `corrupt frame, followed by an intact one at byte ${inside}`;
  assert.equal(readCorruption(disk), [paths[2], offset, reason]);
});

test.run();
