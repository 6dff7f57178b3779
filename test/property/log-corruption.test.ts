// Random corruption of transaction logs: each is rejected with segment and byte, or the possible
// remains of a torn write are truncated; a graph never has a state that it did not have before, and
// everything flushed before the last frame is recovered. ROUNDS=n corrupts as many copies, SEED=n
// repeats a run.
// limit: 60 s
// takes 5 s

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { repairRoot } from "../../cli/log/repair-root.js";
import { LOG_FOLDER } from "../../runtime/base/graph-names.js";
import { requireIdentity } from "../../runtime/graph/manager/logging-entry-points.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { digestCheckpoint, verifyDigest } from "../../runtime/graph/store/verify-digest.js";
import { checkLog } from "../../runtime/interconnect/log/check-log.js";
import { LogChannel } from "../../runtime/interconnect/log/log-channel.js";
import { replayLog } from "../../runtime/interconnect/log/replay-log.js";
import {
  FRAME_HEADER_BYTES,
  putFrameHeader,
} from "../../runtime/interconnect/log/segment-format.js";
import { SegmentLog } from "../../runtime/interconnect/log/segment-log.js";
import { LogCorruptionError } from "../../runtime/interconnect/log/segments.js";
import { encodeControlRecord } from "../../runtime/interconnect/log/transactions.js";
import { loggedStore } from "../runtime/graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { SimulatedDisk } from "../runtime/interconnect/support/simulated-disk.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const ROUNDS = rounds(60);
const FOLDER = "log";
const FRAMES = 60;
const SECTOR = 512;
const SEGMENT_BYTES = 3_000;

/** An intact log, and the contents of the graph at the flush of each frame. */
interface Whole {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly identity: string;
  /** By the last transaction of a frame. */
  readonly digests: Map<number, string>;
  /** Offsets of the last two frames in the last segment. */
  readonly lastFrame: number;
  readonly frameBefore: number;
}

const test = suite<{ whole: Whole }>("corrupt logs");

test.before(async (context) => {
  context.whole = await makeLog(new Random());
});

/** A property value of a hostile client: the bytes of a whole frame. */
function forgedFrame(sn: number): Uint8Array {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + 8);
  putFrameHeader(frame, { isTable: false, chain: 0, sn, transactions: 1, epoch: 1 });
  return new Uint8Array(frame);
}

async function makeLog(random: Random): Promise<Whole> {
  const disk = new SimulatedDisk();
  const store = loggedStore();
  const graph = openStore(store);
  const channel = new LogChannel(disk, FOLDER);
  channel.open(store, "g");
  const digests = new Map([[0, ""]]);
  for (let frame = 0; frame < FRAMES; frame++) {
    for (let remaining = random.below(4); remaining >= 0; remaining--) {
      const id = `v${random.below(20)}`;
      if (random.below(4) === 0) graph.deleteVertex(id);
      else if (random.below(3) === 0) graph.connect(id, ["to", 5, frame], `v${random.below(20)}`);
      else graph.createVertex(id, { properties: { text: "é".repeat(random.below(200)) } });
    }
    graph.createVertex("hostile", { properties: { bytes: forgedFrame(10_000 + frame) } });
    channel.write(store.memory.log!.clock);
    await channel.log.flush();
    channel.release();
    digests.set(channel.log.last, digestCheckpoint(store)!.digest);
  }
  return inShortSegments(channel, { identity: requireIdentity(store), digests });
}

/** The same frames in short segments. */
async function inShortSegments(
  { log, graphs }: LogChannel,
  made: Pick<Whole, "identity" | "digests">,
): Promise<Whole> {
  const disk = new SimulatedDisk();
  const options = { segmentBytes: SEGMENT_BYTES, table: () => graphs.table() };
  const shortLog = SegmentLog.open(disk, FOLDER, options, () => undefined).log;
  let [lastFrame, frameBefore] = [0, 0];
  for (const { header, bytes } of log.read(1)) {
    const segmentsBefore = shortLog.segments.length;
    shortLog.append(Buffer.from(bytes), header.transactions);
    await shortLog.flush();
    const last = `${FOLDER}/${shortLog.segments.at(-1)!.name}`;
    frameBefore = shortLog.segments.length === segmentsBefore ? lastFrame : 0;
    lastFrame = disk.readContent(last).length - bytes.length;
    if (shortLog.segments.length > 6 && frameBefore > 0) break;
  }
  const digests = new Map([...made.digests].filter(([last]) => last <= shortLog.last));
  const names = shortLog.segments.map(({ name }) => name);
  assert.ok(names.length > 6, `${names.length} segments`);
  const files = new Map(names.map((name) => [name, disk.readContent(`${FOLDER}/${name}`)]));
  assert.ok(frameBefore < lastFrame, "both are in one segment");
  return { ...made, digests, files, lastFrame, frameBefore };
}

function copyFiles({ files }: Whole): Map<string, Buffer> {
  return new Map([...files].map(([name, bytes]) => [name, Buffer.from(bytes)]));
}

/** Corrupts a copy; returns a description, and whether only the last frame can be affected. */
function damage(files: Map<string, Buffer>, { lastFrame }: Whole, random: Random) {
  const names = [...files.keys()];
  const isLast = random.below(3) === 0;
  const name = isLast ? names.at(-1)! : random.of(names);
  const bytes = files.get(name)!;
  const offset =
    isLast && random.below(2) === 0
      ? lastFrame + random.below(bytes.length - lastFrame)
      : random.below(bytes.length);
  const isTail = name === names.at(-1) && offset >= lastFrame;
  const kind = random.of(["bit", "bits", "sector", "cut", "moved", "junk", "gone"] as const);
  switch (kind) {
    case "bit":
      bytes[offset]! ^= 1 << random.below(8);
      break;
    case "bits":
      for (let remaining = random.below(9); remaining >= 0; remaining--) {
        bytes[Math.min(bytes.length - 1, offset + random.below(64))]! ^= 1 + random.below(255);
      }
      break;
    case "sector":
      bytes.fill(
        0,
        offset - (offset % SECTOR),
        Math.min(bytes.length, offset - (offset % SECTOR) + SECTOR),
      );
      break;
    case "cut":
      files.set(name, bytes.subarray(0, offset));
      break;
    case "moved":
      bytes.copy(bytes, offset, random.below(bytes.length));
      break;
    case "junk":
      files.set(name, Buffer.concat([bytes, Buffer.alloc(random.below(80), random.below(256))]));
      break;
    case "gone":
      files.delete(name);
  }
  return {
    description: `${kind} in ${name} at ${offset} of ${bytes.length}, last frame ${lastFrame}`,
    kind,
    isTail,
  };
}

function createDisk(files: ReadonlyMap<string, Buffer>): SimulatedDisk {
  const disk = new SimulatedDisk();
  for (const [name, bytes] of files) disk.create(`${FOLDER}/${name}`).write(bytes, 0);
  return disk;
}

/** Graphs with a log have their digest; they are saved nowhere. */
const { share, memory } = loggedStore(2 ** 12);
memory.log!.isOn = false;
const unused = share.log;

/** Outcome for a log: the error that rejects it, or the state of the graph. */
function openLog(files: ReadonlyMap<string, Buffer>, { identity, digests }: Whole) {
  const disk = createDisk(files);
  const report = checkLog(disk, FOLDER);
  try {
    const { log, graphs } = new LogChannel(disk, FOLDER);
    assert.is(report.damage, null);
    const store = GraphStore.create("test", TEST_THREAD, { log: unused, identity });
    const graph = graphs.byIdentity(identity);
    const failures = { reasons: new Map(), broken: new Set<GraphStore>() };
    if (graph !== undefined) {
      replayLog(log, new Map([[graph.number, store]]), failures, () => undefined);
    }
    if (failures.reasons.size > 0) return { refused: `${[...failures.reasons.values()]}` };
    if (log.last > 0) {
      assert.is(digestCheckpoint(store)!.digest, digests.get(log.last), `unit ${log.last}`);
      assert.ok(verifyDigest(store));
    }
    return { last: log.last };
  } catch (error) {
    if (!(error instanceof LogCorruptionError)) throw error;
    assert.is(report.damage?.message, error.message);
    assert.ok(files.has(error.segment), error.message);
    assert.ok(error.offset >= 0 && error.offset <= files.get(error.segment)!.length, error.message);
    return { refused: error.message };
  }
}

test(`are rejected, or truncated at a torn tail (seed ${SEED})`, ({ whole }) => {
  const random = new Random();
  const count = { refused: 0, cut: 0, same: 0 };
  const lastNumber = Math.max(...whole.digests.keys());
  const before = [...whole.digests.keys()].sort((a, b) => b - a)[1]!;
  for (let round = 0; round < ROUNDS; round++) {
    const files = copyFiles(whole);
    const { description, kind, isTail } = damage(files, whole, random);
    let opened: ReturnType<typeof openLog>;
    try {
      opened = openLog(files, whole);
    } catch (error) {
      throw new Error(`seed ${SEED}, round ${round}: ${description}`, { cause: error });
    }
    if (opened.last === undefined) count.refused++;
    else if (opened.last === lastNumber) count.same++;
    else {
      count.cut++;
      // A log that ends at the end of an earlier frame looks complete.
      const isShort = kind === "cut" || kind === "gone" || kind === "sector" || kind === "moved";
      if (!isShort)
        assert.ok(isTail && opened.last === before, `${description}: ends at ${opened.last}`);
    }
  }
  assert.ok(count.refused > ROUNDS / 4 && count.cut > ROUNDS / 40, JSON.stringify(count));
  if (process.env.ROUNDS !== undefined) console.log(JSON.stringify(count));
});

test(`are repaired up to the corruption, into a new folder (seed ${SEED})`, ({ whole }) => {
  const random = new Random();
  const folder = mkdtempSync(join(tmpdir(), "svc-damage-"));
  try {
    for (let round = 0; round < ROUNDS / 6; round++) {
      const files = copyFiles(whole);
      const { description } = damage(files, whole, random);
      const [root, target] = [join(folder, `${round}`), join(folder, `${round} repaired`)];
      mkdirSync(join(root, LOG_FOLDER), { recursive: true });
      for (const [name, bytes] of files) writeFileSync(join(root, LOG_FOLDER, name), bytes);
      const report = repairRoot(root, target)[0]!.report;
      const repaired = readLog(target);
      const again = openLog(repaired, whole);
      // Without its beginning it is valid, and sufficient for a graph with a snapshot.
      const isCurtailed = !files.has([...whole.files.keys()][0]!);
      if (isCurtailed) assert.match(again.refused ?? "", /continues at operation/);
      else
        assert.equal(again, { last: report.last }, `seed ${SEED}, round ${round}: ${description}`);
      assert.equal(readLog(root), files, "the damaged one stays as it is");
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function readLog(root: string): Map<string, Buffer> {
  const folder = join(root, LOG_FOLDER);
  const names = readdirSync(folder).sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

/** A copy with another last segment. */
function withLast({ files }: Whole, change: (bytes: Buffer) => Buffer) {
  const name = [...files.keys()].at(-1)!;
  const bytes = Buffer.from(files.get(name)!);
  return new Map([...files, [name, change(bytes)]]);
}

test("are truncated at a torn frame, whatever its strings contain", ({ whole }) => {
  const { digests, lastFrame, files } = whole;
  const before = [...digests.keys()].sort((a, b) => b - a)[1]!;
  const end = [...files.values()].at(-1)!.length;
  const random = new Random();
  for (let index = lastFrame + 1; index < end; index += 1 + random.below(60)) {
    const cut = withLast(whole, (bytes) => bytes.subarray(0, index));
    assert.equal(openLog(cut, whole), { last: before }, `cut at ${index}`);
    const flipped = withLast(whole, (bytes) => {
      bytes[index]! ^= 0x10;
      return bytes;
    });
    // If its own header is unreadable, the following bytes could be the next frame.
    if (index < lastFrame + FRAME_HEADER_BYTES) continue;
    assert.equal(openLog(flipped, whole), { last: before }, `flipped at ${index}`);
  }
});

test("are rejected for two corrupt frames: only the last can be torn", ({ whole }) => {
  const { lastFrame, frameBefore, files } = whole;
  const name = [...files.keys()].at(-1)!;
  const both = withLast(whole, (bytes) => {
    bytes[frameBefore + FRAME_HEADER_BYTES]! ^= 1;
    bytes[lastFrame + FRAME_HEADER_BYTES]! ^= 1;
    return bytes;
  });
  const { refused } = openLog(both, whole);
  assert.match(refused ?? "", `log is corrupt: ${name}, byte ${frameBefore}: corrupt frame`);
});

/** Valid frames with impossible contents: of a transaction, of the log itself. */
const SENSELESS: readonly (readonly [what: string, words: Uint32Array, reason: RegExp])[] = [
  ["no transaction", Uint32Array.of(0x1234_5678, 0), /corrupt log transaction/],
  [
    "a transaction of an unknown kind",
    Uint32Array.of(0x404, 0, 0, 0),
    /unknown kind of log transaction/,
  ],
  ["an unknown graph", Uint32Array.of(0x401, 1, 1 << 12, 9), /unknown graph 9/],
  [
    "a transaction that is too long",
    Uint32Array.of(0x501, 1, 1 << 12, 1),
    /corrupt log transaction/,
  ],
  [
    "a graph without a number",
    encodeControlRecord({ opened: { name: "x" } }),
    /invalid graph name/,
  ],
  ["an invalid graph", encodeControlRecord({ opened: null }), /invalid graph name/],
];

for (const [label, words, reason] of SENSELESS) {
  test(`are rejected with segment and byte for ${label}`, async () => {
    const disk = new SimulatedDisk();
    const { log } = new LogChannel(disk, FOLDER);
    log.append(Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), new Uint8Array(words.buffer)]), 1);
    await log.flush();
    const isTold = (error: unknown): boolean =>
      error instanceof LogCorruptionError && error.offset > 0 && reason.test(error.reason);
    assert.throws(() => new LogChannel(disk, FOLDER), isTold);
    assert.ok(isTold(checkLog(disk, FOLDER).damage));
  });
}

test.run();
