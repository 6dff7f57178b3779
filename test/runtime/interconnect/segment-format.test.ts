// The formats of a segment: valid and invalid file names, headers and frames.

import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  decodeFrameHeader,
  decodeSegmentHeader,
  encodeSegmentHeader,
  FRAME_HEADER_BYTES,
  isIntact,
  LOG_VERSION,
  MAX_FRAME_BYTES,
  newLogId,
  putFrameHeader,
  SEGMENT_HEADER_BYTES,
  segmentName,
  sequenceFromFileName,
  serialBase,
} from "../../../runtime/interconnect/log/segment-format.js";

const test = suite("segment format");

test("names of segments have the number of the first transaction", () => {
  for (const sn of [1, 255, 2 ** 40]) assert.is(sequenceFromFileName(segmentName(sn)), sn);
  for (const name of ["1.seg", "0000000000000001.tmp", "x000000000000001.seg", "_reserve"]) {
    assert.is(sequenceFromFileName(name), null, name);
  }
});

test("refuses headers of other programs, and recognizes other versions", () => {
  const header = { epoch: 3, logId: "a".repeat(32), firstSn: 5, chain: 7 };
  const decode = (magic: string) => {
    const bytes = encodeSegmentHeader(header);
    bytes.write(magic, 0, "latin1");
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
    return decodeSegmentHeader(bytes);
  };
  const magic = `SVCLOG${LOG_VERSION}\0`;
  assert.equal(decode(magic), header);
  assert.is(decode("SVCLOG9\0"), 9);
  assert.is(decode("OTHER__\0"), null);
  const shortBytes = encodeSegmentHeader(header).subarray(0, SEGMENT_HEADER_BYTES - 1);
  assert.is(decodeSegmentHeader(shortBytes), null);
});

test("frames have at most 8 MiB", () => {
  for (const [more, isFrame] of [
    [0, true],
    [4, false],
  ] as const) {
    const bytes = Buffer.alloc(FRAME_HEADER_BYTES + MAX_FRAME_BYTES + more);
    putFrameHeader(bytes, { isTable: false, chain: 1, sn: 1, transactions: 1, epoch: 1 });
    assert.is(decodeFrameHeader(bytes) !== null, isFrame);
  }
});

test("a frame is intact only with all its bytes", () => {
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES + 8, 1);
  putFrameHeader(bytes, { isTable: false, chain: 1, sn: 1, transactions: 1, epoch: 1 });
  const header = decodeFrameHeader(bytes)!;
  const payload = bytes.subarray(FRAME_HEADER_BYTES);
  assert.is(isIntact(header, payload), true);
  assert.is(isIntact(header, Buffer.alloc(8)), false);
  assert.is(isIntact({ ...header, bytes: 12 }, payload), false);
});

test("serials of a log begin with its time, unless its id has none", () => {
  const before = Date.now() * 1000;
  const base = serialBase(newLogId());
  assert.ok(base >= before && base <= Date.now() * 1000);
  const baseAt = (us: number): number =>
    serialBase(us.toString(16).padStart(16, "0") + "0".repeat(16));
  assert.equal([baseAt(2 ** 52 - 1), baseAt(2 ** 52)], [2 ** 52 - 1, 0]);
  assert.is(serialBase("f".repeat(32)), 0);
});

test.run();
