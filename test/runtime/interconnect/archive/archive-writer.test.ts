// Steps of a backup of an artificial log: each step adds a certain manifest.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BackupChain } from "../../../../runtime/interconnect/archive/backup-chain.js";
import { LATEST, manifestName } from "../../../../runtime/interconnect/archive/manifest.js";
import { describeFailure } from "../support/describe-failure.js";
import {
  change,
  createWriter,
  FULL_MS,
  type MadeUpArchive,
  manifestKind,
  setTime,
  withArchive,
} from "../support/made-up-archive.js";
import { SimulatedDisk } from "../support/simulated-disk.js";
import { FOLDER, openUnits, ROOT } from "../support/unit-log.js";

const test = suite<MadeUpArchive>("archive writer");
withArchive(test);

function latest({ store }: MadeUpArchive): unknown {
  return JSON.parse(store.objects.get(LATEST)!.bytes.toString());
}

test("a full backup comes first, then what follows it", async (c) => {
  assert.is(c.writer.tail, null);
  change(c, 2);
  const first = (await c.writer.step())!;
  assert.equal(manifestKind(first), [1, 1, false, 2, 1, ""]);
  const { id, sn, chain, at: second } = first.log;
  assert.equal([id, sn, chain, second], [c.log.logId, 2, c.log.chain, 7]);
  assert.equal([first.previous, first.time, first.graphs, c.settled], [null, 1_000_000, [], 1]);
  assert.not("slots" in first);
  assert.equal([latest(c), c.writer.tail?.sn], [{ number: 1, time: 1_000_000 }, 2]);
  setTime(1_000_500);
  assert.is(await c.writer.step(), null);
  assert.equal([latest(c), c.store.objects.size], [{ number: 1, time: 1_000_500 }, 3]);
  change(c);
  const next = (await c.writer.step())!;
  assert.equal(manifestKind(next), [2, 1, true, 3, 1, ""]);
  const graphs = [{ identity: "d".repeat(32), count: 1, digest: "e".repeat(32) }];
  assert.equal([next.previous, next.graphs, c.settled], [c.store.segmentHash(1), graphs, 1]);
  assert.equal(
    [next.pieces[0]!.at, latest(c)],
    [first.pieces[0]!.bytes, { number: 2, time: 1_000_500 }],
  );
});

test("a full backup comes again after its period, without storing the log again", async (c) => {
  change(c);
  await c.writer.step();
  setTime(1_000_000 + FULL_MS - 1);
  assert.is(await c.writer.step(), null);
  change(c);
  assert.equal(manifestKind(await c.writer.step()), [2, 1, true, 2, 1, ""]);
  setTime(1_000_000 + FULL_MS);
  const puts = c.puts.length;
  assert.equal(manifestKind(await c.writer.step()), [3, 3, true, 2, 2, "1"]);
  assert.is(c.puts.length, puts);
  change(c, 30, 50);
  assert.is((await c.writer.step())!.full, 3);
  c.log.truncateHead(20);
  setTime(1_000_000 + 2 * FULL_MS);
  const last = (await c.writer.step())!;
  assert.equal([last.full, last.continues], [5, true]);
  // Segments that the log does not have any more are no part of it.
  const names = new Set(last.pieces.map(({ path }) => path.split("/").at(-1)));
  assert.equal(
    [...names],
    c.log.segments.map(({ name }) => name),
  );
});

test("a clock that is briefly wrong removes nothing, and delays no full backup", async (c) => {
  const startMs = 1_000_000;
  for (const [passedMs, kind] of [
    [0, [1, 1, false, 1, 1, ""]],
    [FULL_MS, [2, 2, true, 2, 2, "1"]],
    [100 * FULL_MS, [3, 3, true, 3, 3, "1,2"]],
    [FULL_MS + 10, [4, 4, true, 4, 4, "1,2,3"]],
    [2 * FULL_MS + 10, [5, 5, true, 5, 5, "1,2,3,4"]],
  ] as const) {
    setTime(startMs + passedMs);
    change(c);
    assert.equal(manifestKind(await c.writer.step()), kind, `${passedMs}`);
  }
  assert.ok(c.store.objects.has(manifestName(1)));
});

test("ends with the last durable change", async (c) => {
  const writer = createWriter(c, { safe: () => 2 });
  change(c, 3);
  assert.is((await writer.step())!.log.sn, 2);
  assert.is(await writer.step(), null);
});

test("makes no backup without a log", async (c) => {
  const text = `SVC3050: no transaction log in ${ROOT}`;
  assert.is(await describeFailure(c.writer.step()), text);
  assert.is(c.store.objects.size, 0);
});

test("begins a new full backup after a gap in the log", async (c) => {
  change(c, 2);
  await c.writer.step();
  c.log.close();
  for (const name of c.disk.names(FOLDER)) c.disk.remove(`${FOLDER}/${name}`);
  c.log = openUnits(c.disk);
  c.count = 0;
  change(c);
  const next = (await c.writer.step())!;
  assert.equal([manifestKind(next), next.log.id], [[2, 2, false, 1, 1, "1"], c.log.logId]);
});

test("begins a new full backup after a graph was replaced", async (c) => {
  change(c);
  await c.writer.step();
  c.count = 5;
  change(c);
  assert.equal(manifestKind(await c.writer.step()), [2, 2, false, 2, 1, "1"]);
  change(c);
  assert.equal(manifestKind(await c.writer.step()), [3, 2, true, 3, 1, ""]);
});

test("begins again in a location that was lost, or is an earlier one", async (c) => {
  change(c);
  await c.writer.step();
  const objectsBefore = new Map(c.store.objects);
  change(c);
  await c.writer.step();
  c.store.objects.clear();
  assert.equal(manifestKind(await c.writer.step()), [1, 1, false, 2, 1, ""]);
  change(c);
  await c.writer.step();
  c.store.objects.clear();
  for (const [name, object] of objectsBefore) c.store.objects.set(name, object);
  assert.equal(manifestKind(await c.writer.step()), [2, 1, true, 3, 1, ""]);
});

test("begins again where the location was lost while a step named its manifest", async (c) => {
  change(c);
  await c.writer.step();
  for (const name of c.store.objects.keys()) if (name !== LATEST) c.store.objects.delete(name);
  assert.equal(manifestKind(await c.writer.step()), [1, 1, false, 1, 1, ""]);
  change(c);
  assert.equal(manifestKind(await c.writer.step()), [2, 1, true, 2, 1, ""]);
});

test("begins again where the location was lost before a step stored its manifest", async (c) => {
  change(c);
  await c.writer.step();
  change(c);
  await c.writer.step();
  c.store.objects.delete(manifestName(1));
  const { put } = c.store;
  c.store.put = () => Promise.reject(new Error("full"));
  assert.match(await describeFailure(c.writer.step()), "full");
  c.store.put = put;
  const full = await c.writer.step();
  assert.equal(manifestKind(full), [3, 3, false, 2, 1, ""]);
  const next = createWriter(c);
  change(c);
  assert.equal(manifestKind(await next.step()), [4, 3, true, 3, 1, ""]);
});

test("a step fails where its location is emptied before it stores its manifest", async (c) => {
  const { putNew } = c.store;
  const lost =
    "SVC3422: memory: its content was removed or replaced meanwhile; the next backup begins again";
  const emptied = async (): Promise<void> => {
    c.store.putNew = (...object) => {
      c.store.objects.clear();
      return putNew.apply(c.store, object);
    };
    assert.is(await describeFailure(c.writer.step()), lost);
    c.store.putNew = putNew;
    assert.is(c.store.objects.size, 0);
    assert.equal(manifestKind(await c.writer.step()), [1, 1, false, c.log.durableSn, 1, ""]);
  };
  change(c);
  await emptied();
  change(c);
  await emptied();
});

test("a step fails where another manifest replaced the one that it follows", async (c) => {
  change(c);
  await c.writer.step();
  const objectsBefore = new Map(c.store.objects);
  change(c);
  await c.writer.step();
  c.store.objects.clear();
  for (const [name, object] of objectsBefore) c.store.objects.set(name, object);
  setTime(1_000_001);
  assert.is((await createWriter(c).step())!.number, 2);
  change(c);
  const lost =
    "SVC3422: memory: its content was removed or replaced meanwhile; the next backup begins again";
  assert.is(await describeFailure(c.writer.step()), lost);
  assert.equal(manifestKind(await c.writer.step()), [3, 1, true, 3, 1, ""]);
});

test("a missing full backup is reported while something before it is there", async (c) => {
  change(c);
  await c.writer.step();
  change(c);
  setTime(1_000_000 + FULL_MS);
  assert.is((await c.writer.step())!.full, 2);
  change(c);
  await c.writer.step();
  c.store.objects.delete(manifestName(2));
  const missing = `SVC3420: ${manifestName(2)} of memory is missing`;
  assert.is(await describeFailure(c.writer.step()), missing);
  assert.is(await describeFailure(createWriter(c).step()), missing);
});

test("continues without a lost manifest once latest.json does not name it", async (c) => {
  change(c);
  await c.writer.step();
  change(c);
  await c.writer.step();
  const lost = c.store.objects.get(manifestName(2))!;
  c.store.objects.delete(manifestName(2));
  const fix = `copy it back, or delete ${LATEST} to continue after ${manifestName(1)}`;
  const missing = `${manifestName(2)} of memory is missing, but ${LATEST} names it: ${fix}`;
  assert.is(await describeFailure(createWriter(c).step()), `SVC3420: ${missing}`);
  c.store.objects.set(manifestName(2), lost);
  assert.is(await createWriter(c).step(), null, "copied back");
  c.store.objects.delete(manifestName(2));
  c.store.objects.delete(LATEST);
  const again = await createWriter(c).step();
  assert.equal(manifestKind(again), [2, 1, true, 2, 1, ""]);
  assert.equal(latest(c), { number: 2, time: again!.time });
});

test("another writer continues, but not with the graphs of a replica", async (c) => {
  change(c, 2);
  await c.writer.step();
  change(c);
  await c.writer.step();
  const puts = c.puts.length;
  const next = createWriter(c);
  assert.is(await next.step(), null);
  assert.equal([next.tail, c.puts.length], [c.writer.tail, puts]);
  change(c);
  assert.equal(manifestKind(await next.step()), [3, 1, true, 4, 1, ""]);
  setTime(1_000_000 + FULL_MS);
  const full = await next.step();
  assert.equal([manifestKind(full), c.puts.length], [[4, 4, true, 4, 3, "1"], puts + 1]);
  const replica = createWriter(c, { isReplica: true });
  assert.equal(manifestKind(await replica.step()), [5, 5, false, 4, 1, "1,4"]);
});

test("reads a backup again that it could not read completely", async (c) => {
  change(c);
  await c.writer.step();
  change(c);
  await c.writer.step();
  change(c);
  const get = c.store.get.bind(c.store);
  let reads = 0;
  c.store.get = async (name) => {
    // The first time, only its number is wanted.
    if (name === manifestName(2) && ++reads === 2) throw new Error("cut off");
    return get(name);
  };
  const next = createWriter(c);
  assert.is(await describeFailure(next.step()), "undefined: cut off");
  assert.equal(manifestKind(await next.step()), [3, 1, true, 3, 1, ""]);
});

test("two writers never mix their backups", async (c) => {
  change(c);
  const otherWriter = createWriter(c);
  await c.writer.step();
  change(c);
  await otherWriter.step();
  const text = "SVC3422: memory: another process writes to this backup";
  assert.is(await describeFailure(c.writer.step()), text);
  // Its log is the same, so it continues after the other writer.
  assert.is(await c.writer.step(), null);
  change(c);
  assert.equal(manifestKind(await c.writer.step()), [3, 1, true, 3, 1, ""]);
});

test("a writer of another log stops once it has found another process", async (c) => {
  change(c);
  await c.writer.step();
  const otherContext = { ...c, disk: new SimulatedDisk(), count: 0 };
  otherContext.log = openUnits(otherContext.disk);
  change(otherContext);
  const writer = createWriter(otherContext);
  assert.equal(manifestKind(await writer.step()), [2, 2, false, 1, 1, "1"]);
  change(c);
  const text = "SVC3422: memory: another process writes to this backup";
  for (let times = 0; times < 2; times++) assert.is(await describeFailure(c.writer.step()), text);
  assert.is((await new BackupChain(c.store).end())!.manifest.number, 2);
  // Unless its location is empty again.
  c.store.objects.clear();
  assert.equal(manifestKind(await c.writer.step()), [1, 1, false, 2, 1, ""]);
  change(c);
  assert.equal(manifestKind(await c.writer.step()), [2, 1, true, 3, 1, ""]);
  otherContext.log.close();
});

test.run();
