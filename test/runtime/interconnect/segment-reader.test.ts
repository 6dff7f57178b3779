// Reading a segment whose last frame was torn.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FRAME_HEADER_BYTES } from "../../../runtime/interconnect/log/segment-format.js";
import { SegmentLog } from "../../../runtime/interconnect/log/segment-log.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const FOLDER = "/log";
const FIRST = "/log/0000000000000001.seg";

const test = suite("segment reader");

function open(disk: SimulatedDisk): SegmentLog {
  return SegmentLog.open(disk, FOLDER, { table: () => Buffer.from("[]  ") }, () => undefined).log;
}

test("a torn frame may contain an earlier one", async () => {
  const disk = new SimulatedDisk();
  const log = open(disk);
  const append = async (content: Buffer): Promise<number> => {
    log.append(Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), content]), 1);
    await log.flush();
    return disk.contentOf(FIRST).length;
  };
  const start = await append(Buffer.from("one "));
  const end = await append(Buffer.from("two "));
  await append(disk.contentOf(FIRST).subarray(start, end));
  disk.contentOf(FIRST).fill(0, end, end + FRAME_HEADER_BYTES);
  assert.is(open(disk).last, 2);
});

test.run();
