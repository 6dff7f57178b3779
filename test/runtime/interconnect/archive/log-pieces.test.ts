// Pieces of a log that grows, is replaced, or loses segments while they are read.

import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  LogGapError,
  type LogPiece,
  LogPieces,
  type LogTail,
} from "../../../../runtime/interconnect/archive/log-pieces.js";
import { type Disk, realDisk } from "../../../../runtime/interconnect/log/disk.js";
import {
  decodeSegmentHeader,
  encodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  segmentName,
} from "../../../../runtime/interconnect/log/segment-format.js";
import { SimulatedDisk } from "../support/simulated-disk.js";
import { control, FOLDER, makeTransaction, openUnits, ROOT, write } from "../support/unit-log.js";

const test = suite("pieces of a log");
const ALL = Number.POSITIVE_INFINITY;
/** A header and a table. */
const HEAD_BYTES = 100;

/** A log in three segments of two frames each. */
function filled(disk = new SimulatedDisk()) {
  const log = openUnits(disk);
  for (let before = 0; before < 12; before += 2) {
    const words = 48;
    const second = 10 + before;
    const units = [
      makeTransaction({ before, second, words }),
      makeTransaction({ before: before + 1, second, words }),
    ];
    write(log, ...units);
  }
  assert.equal([log.segments.length, log.last], [3, 12]);
  const paths = log.segments.map(({ name }) => join(FOLDER, name));
  return { disk, log, paths: paths as [string, string, string], pieces: new LogPieces(disk, ROOT) };
}

function gapError(pieces: LogPieces, tail: LogTail | null): string {
  try {
    return `${[...pieces.read(tail, ALL)].length} pieces`;
  } catch (error) {
    if (error instanceof LogGapError) return error.message;
    throw error;
  }
}

/** Reads everything so far; returns the position there. */
function readTail(pieces: LogPieces, safe = ALL): LogTail {
  return [...pieces.read(null, safe)].at(-1)!.tail;
}

function joinContents(parts: readonly LogPiece[]): Buffer {
  return Buffer.concat(parts.map(({ content }) => content));
}

test("begin with whole segments and end with the remaining frames", () => {
  const { disk, log, paths, pieces } = filled();
  const records = [...pieces.read(null, ALL)];
  assert.equal(
    records.map(({ path, at }) => [join(ROOT, path), at]),
    paths.map((path) => [path, 0]),
  );
  for (const [index, { content, tail }] of records.entries()) {
    const bytes = disk.readContent(paths[index]!);
    assert.ok(content.equals(bytes));
    assert.equal([tail.sn, tail.offset, tail.at], [4 * index + 4, bytes.length, 12 + 4 * index]);
  }
  const { tail } = records.at(-1)!;
  assert.equal([tail.id, tail.chain, tail.firstSn], [log.logId, log.chain, 9]);
  assert.equal([...pieces.read(tail, ALL)], []);
  write(log, control(3), makeTransaction({ before: 12, second: 40 }), control(4));
  const [fourth] = [...pieces.read(tail, ALL)];
  write(log, control(5));
  const [next, ...others] = [...pieces.read(fourth!.tail, ALL)];
  const bytes = disk.readContent(join(ROOT, fourth!.path));
  assert.equal([fourth!.at, others.length, next!.at], [0, 0, fourth!.content.length]);
  assert.ok(joinContents([fourth!, next!]).equals(bytes));
  assert.equal([next!.tail.sn, next!.tail.at, next!.tail.offset], [16, 40, bytes.length]);
  log.close();
  assert.is(disk.openFiles, 0);
});

test("end with the last durable frame", () => {
  const { log, pieces } = filled();
  const ends = Array.from({ length: 14 }, (_, safe) => {
    const read = [...pieces.read(null, safe)];
    return [read.length, read.at(-1)?.tail.sn ?? 0];
  });
  // The head of a segment is a piece, too.
  const lists = [
    [1, 0],
    [1, 2],
    [2, 4],
    [2, 6],
    [3, 8],
    [3, 10],
    [3, 12],
  ];
  assert.equal(
    ends,
    lists.flatMap((list) => [list, list]),
  );
  const heads = [0, 4].map((safe) => [...pieces.read(null, safe)].at(-1)!.tail.at);
  assert.equal(heads, [0, 12], "a head has the second of the transaction before");
  const tail = readTail(pieces, 6);
  const rest = [...pieces.read(tail, ALL)];
  assert.equal(
    rest.map(({ at, tail: { sn } }) => [at, sn]),
    [
      [tail.offset, 8],
      [0, 12],
    ],
  );
  log.close();
});

test("end in a segment where the next one begins, after a failed flush", () => {
  const disk = new SimulatedDisk();
  const log = openUnits(disk);
  write(log, makeTransaction({ before: 0, second: 1 }));
  disk.faults.before = (operation) => {
    if (operation === "flush") throw new Error("EIO");
  };
  const second = makeTransaction({ before: 1, second: 2 });
  assert.throws(() => write(log, second), /EIO/);
  // The frame that was not flushed stays in the previous segment.
  disk.faults.before = (operation) => {
    if (operation === "truncate") throw new Error("EIO");
  };
  log.reopen();
  write(log, second);
  write(log, makeTransaction({ before: 2, second: 3 }));
  const ends = [...new LogPieces(disk, ROOT).read(null, ALL)].map(({ tail }) => tail.sn);
  assert.equal(ends, [1, 3]);
  log.close();
});

test("are of limited size", () => {
  const disk = new SimulatedDisk();
  const log = openUnits(disk, 2 ** 25);
  for (let before = 0; before < 5; before++)
    write(log, makeTransaction({ before, second: 1, words: 2 ** 20 }));
  const read = [...new LogPieces(disk, ROOT).read(null, ALL)];
  assert.equal(
    read.map(({ tail }) => tail.sn),
    [2, 4, 5],
  );
  const path = join(ROOT, read[0]!.path);
  assert.ok(joinContents(read).equals(disk.readContent(path)));
  assert.equal(
    read.map(({ at }) => at),
    [0, read[0]!.content.length, read[0]!.content.length + read[1]!.content.length],
  );
  log.close();
});

test("report graphs with contents that the log lacks", () => {
  const disk = new SimulatedDisk();
  const log = openUnits(disk);
  const read = new LogPieces(disk, ROOT);
  write(
    log,
    makeTransaction({ before: 5, second: 1 }),
    makeTransaction({ graph: 2, before: 0, second: 1 }),
  );
  write(log, makeTransaction({ before: 6, second: 1 }));
  let [piece] = [...read.read(null, ALL)];
  assert.is(piece!.isComplete, true);
  // Repeated after a crash.
  write(log, makeTransaction({ before: 6, second: 1 }), makeTransaction({ before: 7, second: 1 }));
  [piece] = [...read.read(piece!.tail, ALL)];
  assert.is(piece!.isComplete, true);
  write(log, makeTransaction({ graph: 2, before: 2, second: 1 }));
  write(log, makeTransaction({ graph: 2, before: 3, second: 1 }));
  [piece] = [...read.read(piece!.tail, ALL)];
  assert.is(piece!.isComplete, false);
  write(log, makeTransaction({ graph: 2, before: 4, second: 1 }));
  [piece] = [...read.read(piece!.tail, ALL)];
  assert.is(piece!.isComplete, true);
  log.close();
});

test("a log that does not continue at the position is a gap", () => {
  const { disk, log, paths, pieces } = filled();
  log.close();
  const tail = readTail(pieces, 6);
  const known = tail.offset;
  const bytes = Buffer.from(disk.readContent(paths[1]));
  const gap = (changes: Partial<LogTail>, reader = new LogPieces(disk, ROOT)) =>
    gapError(reader, { ...tail, ...changes });
  assert.is(gap({}), "2 pieces");
  assert.is(gap({ id: "f".repeat(32) }), "it is another log");
  assert.is(gap({ firstSn: 6 }), "its segment was removed");
  assert.is(gap({ offset: bytes.length + 4 }), "it is shorter");
  assert.is(gap({ chain: 1 }), "it has another end");
  assert.is(gap({ offset: known - 4 }), "it has another end");
  assert.is(gap({ chain: 1 }, pieces), "it has another history");
  assert.is(gap({ sn: 5 }, pieces), "it has another history");
  disk.readContent(paths[1])[10]! ^= 1;
  assert.is(gap({}), "its segment was replaced");
  bytes.copy(disk.readContent(paths[1]));
  disk.readContent(paths[1])[known - 4]! ^= 1;
  assert.is(gap({ offset: known + 4 }), "it has another end", "a frame that cannot be read");
  disk.readContent(paths[1])[HEAD_BYTES + 1]! ^= 1;
  assert.is(gap({}), "it has another end", "its header cannot be read either");
});

test("the position may be the end of a table", () => {
  const { disk, log, pieces } = filled();
  log.close();
  const [first, second] = [...pieces.read(null, ALL)] as [LogPiece, LogPiece];
  const atHead = { ...first.tail, firstSn: 5, offset: 100 };
  assert.is(gapError(new LogPieces(disk, ROOT), atHead), "2 pieces");
  assert.is(gapError(new LogPieces(disk, ROOT), { ...atHead, chain: 1 }), "it has another end");
  assert.is(second.tail.firstSn, 5);
});

test("a segment that does not follow is a gap or not written yet", () => {
  const { disk, log, paths, pieces } = filled();
  log.close();
  const [, second, third] = [...pieces.read(null, ALL)] as [LogPiece, LogPiece, LogPiece];
  const [{ tail: first }] = [...new LogPieces(disk, ROOT).read(null, 4)] as [LogPiece];
  const replace = (path: string, bytes: Buffer): void => {
    const file = disk.create(path);
    file.write(bytes, 0);
    file.close();
  };
  // Of the log itself, but as if it was made with another chain.
  const otherLog = filled();
  replace(paths[1], otherLog.disk.readContent(otherLog.paths[1]));
  otherLog.log.close();
  assert.is(gapError(pieces, first), "it is another log");
  replace(paths[1], third.content);
  assert.is(gapError(pieces, first), "a segment is missing");
  const head = second.content.subarray(0, SEGMENT_HEADER_BYTES);
  const header = decodeSegmentHeader(head) as SegmentHeader;
  for (const change of [{ chain: 1 }, { firstSn: 6 }]) {
    const bytes = Buffer.from(second.content);
    bytes.set(encodeSegmentHeader({ ...header, ...change }), 0);
    replace(paths[1], bytes);
    assert.is(gapError(pieces, first), "a segment is missing", JSON.stringify(change));
  }
  replace(paths[1], Buffer.concat([head, second.content.subarray(HEAD_BYTES)]));
  assert.is(gapError(pieces, first), "0 pieces", "it has no table");
  for (const length of [0, 63, 64, 99]) {
    replace(paths[1], second.content.subarray(0, length));
    assert.is(gapError(pieces, first), "0 pieces", `${length} bytes`);
  }
  replace(paths[1], second.content);
  assert.is(gapError(pieces, first), "2 pieces");
  disk.remove(paths[1]);
  assert.is(gapError(pieces, first), "0 pieces", "its names are listed one by one");
  disk.remove(paths[0]);
  assert.is(gapError(pieces, first), "its segment was removed");
  assert.is(gapError(pieces, null), "1 pieces");
  assert.is(disk.openFiles, 0);
});

function read(code: string): unknown {
  const disk: Disk = {
    ...realDisk,
    names: () => [segmentName(1)],
    open: () => {
      throw Object.assign(new Error(code), { code });
    },
  };
  try {
    return [...new LogPieces(disk, "/nowhere").read(null, 1)];
  } catch (error) {
    return error;
  }
}

test("a removed segment is a gap, which a new full backup closes", () => {
  assert.instance(read("ENOENT"), LogGapError);
});

test("an unreadable segment is still there: the backup waits for it", () => {
  const error = read("EACCES");
  assert.not.instance(error, LogGapError);
  assert.is((error as NodeJS.ErrnoException).code, "EACCES");
});

test.run();
