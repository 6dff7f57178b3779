// The transaction log in segment files: frames are read back from any position; a torn write is
// discarded, and any other corruption is rejected. SEEDS=n for more power losses.
// limit: 60 s
// takes 6 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  decodeFrameHeader,
  decodeSegmentHeader,
  encodeSegmentHeader,
  FRAME_HEADER_BYTES,
  type FrameHeader,
  putFrameHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from "../../../runtime/interconnect/log/segment-format.js";
import { SegmentLog } from "../../../runtime/interconnect/log/segment-log.js";
import { LogCorruptionError } from "../../../runtime/interconnect/log/segments.js";
import { Random, SEED } from "../../property/support/random.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite<{ disk: SimulatedDisk }>("segment log");
const FOLDER = "/log";
const SEGMENT_BYTES = 1024;
const FIRST = "/log/0000000000000001.seg";

test.before.each((context) => {
  context.disk = new SimulatedDisk();
});

/** Opens the log; `found` receives sequence number and content of each frame. */
function open(disk: SimulatedDisk, records: [sn: number, content: string][] = []) {
  const options = { segmentBytes: SEGMENT_BYTES, table: () => Buffer.from("[]  ") };
  return SegmentLog.open(disk, FOLDER, options, ({ header, bytes }) => {
    if (!header.isTable) records.push([header.sn, decodeSegment(bytes)]);
  });
}

function decodeSegment(bytes: Buffer): string {
  return bytes.toString("latin1", FRAME_HEADER_BYTES).replaceAll("\0", "");
}

/** A frame of n transactions with a text in it. */
function frame(text: string): Buffer {
  return Buffer.concat([
    Buffer.alloc(FRAME_HEADER_BYTES),
    Buffer.from(text),
    Buffer.alloc(-text.length & 3),
  ]);
}

async function append(log: SegmentLog, text: string, transactions = 1): Promise<number> {
  const sn = log.append(frame(text), transactions);
  await log.flush();
  return sn;
}

function read(log: SegmentLog, sn: number): string[] {
  return [...log.read(sn)].map(({ bytes }) => decodeSegment(Buffer.from(bytes)));
}

test("rejects frames and epochs that would make it corrupt", ({ disk }) => {
  const { log } = open(disk);
  assert.throws(() => log.append(frame("odd").subarray(1), 1), /frames are whole words/);
  assert.throws(() => log.append(frame(""), 1), /frames are whole words/);
  assert.throws(() => log.append(frame("none"), 0), /1 to 65,535 transactions/);
  assert.throws(() => log.append(frame("many"), 65_536), /1 to 65,535 transactions/);
  assert.is(log.append(frame("one"), 1), 1);
  log.epoch = 3;
  assert.throws(() => {
    log.epoch = 2;
  }, /epochs of a log only grow/);
});

test("reads frames back, even after reopening", async ({ disk }) => {
  const { log } = open(disk);
  assert.equal([log.first, log.last], [1, 0]);
  assert.is(await append(log, "one", 3), 1);
  assert.is(await append(log, "two"), 4);
  assert.equal(read(log, 1), ["one", "two"]);
  const records: [number, string][] = [];
  const again = open(disk, records);
  assert.equal(records, [
    [1, "one"],
    [4, "two"],
  ]);
  assert.equal([again.log.logId, again.log.last, again.tornBytes], [log.logId, 4, 0]);
  assert.is(await append(again.log, "three"), 5);
  assert.equal(read(again.log, 2), ["one", "two", "three"]);
  assert.equal(read(again.log, 4), ["two", "three"]);
  assert.equal(read(again.log, 6), []);
  assert.throws(() => read(again.log, 7), /reaches from 1 to 5, not to 7/);
});

test("starts new segments and removes old ones", async ({ disk }) => {
  const { log } = open(disk);
  for (let index = 1; index <= 30; index++) await append(log, `${index}`.padEnd(200, "."));
  assert.is(log.segments.length, 10);
  log.truncateHead(10);
  assert.is(log.first, 10);
  log.truncateHead(12);
  assert.is(log.first, 10);
  assert.throws(() => read(log, 9), /reaches from 10/);
  const records: [number, string][] = [];
  const reopenedLog = open(disk, records).log;
  assert.equal([reopenedLog.first, reopenedLog.last, records.length], [10, 30, 21]);
  log.truncateHead(1000);
  assert.is(log.segments.length, 1);
  assert.is(open(disk).log.last, 30);
});

test("reads segments filled to the last byte and continues after them", async ({ disk }) => {
  const { log } = open(disk);
  const head = 64 + FRAME_HEADER_BYTES + 4;
  const full = "x".repeat(SEGMENT_BYTES - head - FRAME_HEADER_BYTES);
  for (let sn = 1; sn <= 16; sn++) {
    assert.is(await append(log, full), sn);
    assert.is(log.segments.length, sn, "one byte more would not fit in");
    assert.is(log.bytes, sn * SEGMENT_BYTES);
    const records: [number, string][] = [];
    const again = open(disk, records);
    assert.equal([records.length, again.log.last, again.tornBytes], [sn, sn, 0]);
  }
  const reopenedLog = open(disk).log;
  assert.is(await append(reopenedLog, "next"), 17);
  assert.is(reopenedLog.segments.length, 17);
  assert.equal(read(open(disk).log, 16), [full, "next"]);
});

test("truncates bytes after the last frame", async ({ disk }) => {
  const { log } = open(disk);
  await append(log, "one");
  const wholeBytes = Buffer.from(disk.readContent(FIRST));
  await append(log, "two is torn");
  const torn = Buffer.from(disk.readContent(FIRST));
  for (let length = wholeBytes.length; length < torn.length; length++) {
    const otherDisk = new SimulatedDisk();
    otherDisk.create(FIRST).write(torn.subarray(0, length), 0);
    const records: [number, string][] = [];
    const opened = open(otherDisk, records);
    assert.equal(records, [[1, "one"]]);
    assert.is(opened.tornBytes, length - wholeBytes.length);
    assert.is(await append(opened.log, "two"), 2);
    assert.equal(read(open(otherDisk).log, 1), ["one", "two"]);
  }
});

test("detects any flipped bit, and a torn write in the last frame only", async ({ disk }) => {
  const { log } = open(disk);
  for (const text of ["one", "two", "three"]) await append(log, text);
  const bytes = disk.readContent(FIRST);
  const last = bytes.length - FRAME_HEADER_BYTES - 8;
  for (let index = 0; index < bytes.length; index++) {
    bytes[index]! ^= 1 << (index % 8);
    const records: [number, string][] = [];
    if (index < last) {
      assert.throws(
        () => open(disk, records),
        (error: unknown) => error instanceof LogCorruptionError && error.code === "SVC2500",
        `byte ${index}`,
      );
    } else {
      const copy = new SimulatedDisk();
      copy.create(FIRST).write(bytes, 0);
      assert.is(open(copy, records).log.last, 2, `byte ${index}`);
    }
    bytes[index]! ^= 1 << (index % 8);
  }
  assert.is(open(disk).log.last, 3);
});

/** Segments of two frames each. */
async function threeSegments(disk: SimulatedDisk): Promise<string[]> {
  const { log } = open(disk);
  for (let index = 1; index <= 6; index++) await append(log, `${index}`.padEnd(280, "."));
  assert.is(log.segments.length, 3);
  return log.segments.map(({ name }) => `${FOLDER}/${name}`);
}

test("detects a missing segment and one of another log", async ({ disk }) => {
  const [, second, third] = await threeSegments(disk);
  const bytes = disk.readContent(second!);
  disk.remove(second!);
  assert.throws(() => open(disk), /preceding segment is missing/);
  disk.create(second!).write(disk.readContent(third!), 0);
  assert.throws(() => open(disk), /it is segment/);
  const otherDisk = new SimulatedDisk();
  await threeSegments(otherDisk);
  disk.create(second!).write(otherDisk.readContent(second!), 0);
  assert.throws(() => open(disk), /segment belongs to another log/);
  disk.create(second!).write(bytes.subarray(0, -4), 0);
  assert.throws(() => open(disk), /corrupt frame/);
  disk.create(second!).write(bytes, 0);
  assert.is(open(disk).log.last, 6);
});

test("detects repeated, missing and moved frames", async ({ disk }) => {
  const { log } = open(disk);
  for (const text of ["1", "2", "3", "4"]) await append(log, text);
  const bytes = Buffer.from(disk.readContent(FIRST));
  const size = FRAME_HEADER_BYTES + 4;
  const start = bytes.length - 4 * size;
  const [first, two, three, four] = [0, 1, 2, 3].map((index) =>
    bytes.subarray(start + index * size, start + (index + 1) * size),
  ) as [Buffer, Buffer, Buffer, Buffer];
  const head = bytes.subarray(0, start);
  for (const frames of [
    [first, first, two],
    [first, three, four],
    [two, three],
    [first, three, two, four],
  ]) {
    disk.create(FIRST).write(Buffer.concat([head, ...frames]), 0);
    assert.throws(() => open(disk), /frame missing or out of sequence/);
  }
});

/** Rewrites the header of a frame; its checksums stay correct. */
function rewriteFrame(
  bytes: Buffer,
  offset: number,
  change: Partial<Pick<FrameHeader, "chain" | "epoch">>,
): number {
  const header = decodeFrameHeader(bytes.subarray(offset))!;
  const end = offset + FRAME_HEADER_BYTES + header.bytes;
  return putFrameHeader(bytes.subarray(offset, end), { ...header, ...change });
}

test("compares the chain of each frame with the frame before it", async ({ disk }) => {
  const { log } = open(disk);
  for (const text of ["1", "2", "3"]) await append(log, text);
  const bytes = disk.readContent(FIRST);
  const size = FRAME_HEADER_BYTES + 4;
  for (const index of [1, 2, 3]) {
    const copy = Buffer.from(bytes);
    // As in another log with as many transactions, of which this frame was copied.
    rewriteFrame(copy, bytes.length - index * size, { chain: 0x1234_5678 });
    disk.create(FIRST).write(copy, 0);
    assert.throws(() => open(disk), /frame missing or out of sequence/, `frame ${index}`);
  }
});

test("compares the chain of a segment with the segment before it", async ({ disk }) => {
  const [, , third] = await threeSegments(disk);
  const bytes = disk.readContent(third!);
  // A segment of the same log and number, from a backup of another future.
  let chain = 0x1234_5678;
  const header = decodeSegmentHeader(bytes) as SegmentHeader;
  encodeSegmentHeader({ ...header, chain }).copy(bytes);
  const size = FRAME_HEADER_BYTES + 280;
  for (const offset of [bytes.length - 2 * size, bytes.length - size]) {
    chain = rewriteFrame(bytes, offset, { chain });
  }
  assert.throws(() => open(disk), /preceding segment is missing/);
});

test("rejects a frame of an earlier epoch", async ({ disk }) => {
  const { log } = open(disk);
  log.epoch = 3;
  await append(log, "1");
  await append(log, "2");
  const bytes = disk.readContent(FIRST);
  rewriteFrame(bytes, bytes.length - FRAME_HEADER_BYTES - 4, { epoch: 2 });
  assert.throws(() => open(disk), /frame from an earlier epoch/);
});

test("does not take a corrupt last segment with frames for an empty one", async ({ disk }) => {
  const [, , third] = await threeSegments(disk);
  const bytes = disk.readContent(third!);
  const table = SEGMENT_HEADER_BYTES + FRAME_HEADER_BYTES;
  for (const [offset, reason] of [
    [10, /corrupt header/],
    [SEGMENT_HEADER_BYTES + 5, /corrupt frame/],
    [table + 1, /corrupt frame/],
  ] as const) {
    bytes[offset]! ^= 1;
    assert.throws(() => open(disk), reason, `byte ${offset}`);
    bytes[offset]! ^= 1;
  }
  // Only an interrupted creation leaves a short segment without frames.
  disk.create(third!).write(bytes.subarray(0, 40), 0);
  assert.is(open(disk).log.last, 4);
});

test("rejects a large last segment without header or frames", async ({ disk }) => {
  const [, , third] = await threeSegments(disk);
  disk.create(third!).write(Buffer.alloc(2 ** 20 + 4), 0);
  assert.throws(() => open(disk), /corrupt header/);
});

test("writes nothing after a failed write, unless only space lacked", async () => {
  for (const [code, isOver] of [
    ["EIO", true],
    ["ENOSPC", false],
  ] as const) {
    const disk = new SimulatedDisk();
    const { log } = open(disk);
    await append(log, "one");
    disk.faults.before = (operation) => {
      if (operation === "write") throw Object.assign(new Error(code), { code });
    };
    assert.throws(() => log.append(frame("two"), 1), code);
    disk.faults.before = () => undefined;
    if (isOver) assert.throws(() => log.append(frame("two"), 1), /accepts no changes/);
    else assert.is(log.append(frame("two"), 1), 2);
  }
});

test("rejects a frame header with an impossible length", () => {
  const oddBytes = Buffer.alloc(FRAME_HEADER_BYTES + 3);
  const wholeBytes = Buffer.alloc(FRAME_HEADER_BYTES + 4);
  const header = { isTable: false, chain: 1, sn: 1, transactions: 1, epoch: 1 };
  for (const bytes of [oddBytes, wholeBytes]) putFrameHeader(bytes, header);
  assert.is(decodeFrameHeader(oddBytes), null);
  assert.is(decodeFrameHeader(wholeBytes)?.bytes, 4);
});

test("numbers transactions in 48 bits", () => {
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES + 4);
  for (const sn of [2 ** 32 - 1, 2 ** 32 + 7, 2 ** 48 - 1]) {
    putFrameHeader(bytes, { isTable: false, chain: 1, sn, transactions: 3, epoch: 1 });
    const { sn: read, transactions } = decodeFrameHeader(bytes)!;
    assert.equal([read, transactions], [sn, 3]);
  }
});

test("writes the epoch into the header of a segment and into frames", async ({ disk }) => {
  const { log } = open(disk);
  await append(log, "one");
  log.epoch = 7;
  await append(log, "two");
  const file = disk.open(FIRST);
  const head = Buffer.alloc(SEGMENT_HEADER_BYTES);
  file.read(head, 0);
  assert.is((decodeSegmentHeader(head) as SegmentHeader).epoch, 1);
  assert.is(open(disk).log.epoch, 7);
});

test("writes nothing after an error", async ({ disk }) => {
  const { log } = open(disk);
  await append(log, "one");
  let isFull = true;
  let flushes = 0;
  disk.faults.before = (operation) => {
    if (operation === "flush") flushes++;
    if (isFull && operation === "flush") throw new Error("EIO");
  };
  log.append(frame("two"), 1);
  try {
    await log.flush();
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, "EIO");
  }
  isFull = false;
  assert.throws(() => log.append(frame("three"), 1), /accepts no changes/);
  assert.throws(() => log.flushNow(), /accepts no changes/);
  assert.is(flushes, 1);
});

test("continues in another file without the data that was not durable", async ({ disk }) => {
  const { log } = open(disk);
  await append(log, "one");
  assert.throws(() => log.reopen(), /only a failed log/);
  let failing = "flush";
  let removed = 0;
  disk.faults.before = (operation) => {
    if (operation === "remove") removed++;
    if (operation === failing || (failing !== "" && operation === "truncate"))
      throw new Error("EIO");
  };
  log.append(frame("two"), 1);
  await log.flush().catch(() => assert.ok(log.hasFailed));
  assert.throws(() => log.reopen(), /EIO/);
  assert.equal([log.hasFailed, log.last], [true, 1]);
  failing = "none";
  log.reopen();
  assert.is(await append(log, "2"), 2);
  log.readBack(2);
  const second = disk.readContent("/log/0000000000000002.seg");
  second[second.length - 4]! ^= 1;
  assert.throws(() => log.readBack(2), /transaction 2 of the log cannot be read back/);
  second[second.length - 4]! ^= 1;
  assert.equal(read(log, 1), ["one", "2"]);
  assert.equal(
    log.segments.map(({ firstSn }) => firstSn),
    [1, 2],
  );
  // The end of the first segment could not be removed: it does not count.
  assert.ok(disk.readContent(FIRST).includes("two"));
  assert.equal(read(open(disk).log, 1), ["one", "2"]);
  // A segment without frames is replaced.
  failing = "flush";
  await log.flush().catch(() => undefined);
  failing = "";
  log.reopen();
  assert.is(log.segments.length, 3);
  failing = "write";
  assert.throws(() => log.append(frame("three"), 1), /EIO/);
  failing = "";
  log.reopen();
  assert.is(removed, 1);
  assert.is(await append(log, "3"), 3);
  assert.equal(read(open(disk).log, 1), ["one", "2", "3"]);
});

test("ignores the end of a flush that began before it was opened again", async ({ disk }) => {
  const { log } = open(disk);
  await append(log, "one");
  const outcomes: ((error?: Error) => void)[] = [];
  const flush = (): Promise<void> =>
    new Promise((resolve, reject) => {
      outcomes.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  const file = { ...disk.open(FIRST), flush };
  disk.open = () => file;
  const slowLog = open(disk).log;
  slowLog.append(frame("two"), 1);
  const flushes = [slowLog.flush(), slowLog.flush(), slowLog.flush()];
  outcomes[0]!(new Error("EIO"));
  await flushes[0]!.catch(() => undefined);
  slowLog.reopen();
  outcomes[1]!();
  outcomes[2]!(new Error("EIO"));
  await Promise.allSettled(flushes);
  assert.equal([slowLog.durableSn, slowLog.hasFailed], [1, false]);
});

/** Writes a frame to a disk that fails now and then, as often as it takes. */
async function insist(log: SegmentLog, disk: SimulatedDisk, text: string, random: Random) {
  const { last } = log;
  let failures = random.below(4) === 0 ? 1 + random.below(3) : 0;
  disk.faults.before = () => {
    if (failures === 0 || random.below(3) > 0) return;
    failures--;
    throw new Error("EIO");
  };
  while (log.durableSn === last) {
    try {
      if (log.hasFailed) log.reopen();
      if (log.last === last) log.append(frame(text), 1);
      await log.flush();
    } catch (error) {
      assert.is((error as Error).message, "EIO");
    }
  }
  disk.faults.before = () => undefined;
}

/** Writes and loses power repeatedly; returns the errors found after recovery. */
async function survive(seed: number, isLying: boolean): Promise<string | null> {
  const random = new Random(seed);
  const disk = new SimulatedDisk();
  disk.faults.isLying = isLying;
  const safe: string[] = [];
  for (let round = 0; round < 6; round++) {
    const records: [number, string][] = [];
    let log: SegmentLog;
    try {
      log = open(disk, records).log;
    } catch (error) {
      return `${(error as Error).message}`;
    }
    const texts = records.map(([, text]) => text);
    const isPrefix = safe.every((text, index) => texts[index] === text);
    if (!isPrefix) return `lost: ${safe.length} were safe, found ${texts.length}`;
    safe.length = 0;
    safe.push(...texts);
    for (let remaining = random.below(12); remaining > 0; remaining--) {
      const text = `${round} ${remaining} `.padEnd(1 + random.below(700), "x");
      if (remaining === 1 && random.below(2) === 0) {
        log.append(frame(text), 1);
        break;
      }
      await insist(log, disk, text, random);
      safe.push(text);
    }
    disk.losePower(random);
  }
  return null;
}

const SEEDS = Number(process.env.SEEDS ?? 150);

test(`loses no flushed frame in a power loss (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + SEEDS; seed++) {
    assert.is(await survive(seed, false), null, `seed ${seed}`);
  }
});

test(`detects flushes that do nothing (seed ${SEED})`, async () => {
  let failures = 0;
  for (let seed = SEED; seed < SEED + 40; seed++) {
    if ((await survive(seed, true)) !== null) failures++;
  }
  assert.ok(failures > 30, `${failures} of 40`);
});

test.run();
