// The plan of a restore: the manifests and pieces that it needs, for artificial backups.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SlotRecord } from "../../../../runtime/base/slot-record.js";
import {
  type Manifest,
  MOVING,
  manifestName,
  type Piece,
} from "../../../../runtime/interconnect/archive/manifest.js";
import {
  describeNearest,
  describePoint,
  planRestore,
  type RestoreTarget,
  requireSettledSlots,
} from "../../../../runtime/interconnect/archive/restore-plan.js";
import { ID, MemoryStore } from "../support/memory-store.js";

const test = suite<{ store: MemoryStore }>("restore plan");
const OTHER = "b".repeat(32);
const END: RestoreTarget = { kind: "end" };
const time = (second: number): RestoreTarget => ({ kind: "time", second });
const position = (sn: number, id = ID): RestoreTarget => ({ kind: "position", id, sn });

test.before.each((context) => {
  context.store = new MemoryStore();
});

function piece(path: string, at = 0): Piece {
  return { path, at, bytes: 1, object: "c".repeat(64) };
}

const segment = (sn: number): string => `_txlog/${`${sn}`.padStart(16, "0")}.seg`;
const local = (sn: number): string => `_txlog/local/${`${sn}`.padStart(16, "0")}.seg`;

/** Two full backups, each with two additions; each adds ten transactions, and 100 seconds. */
async function fill(store: MemoryStore, ...slots: Manifest["slots"][]): Promise<Manifest[]> {
  const first = [piece("g/graph.snapshot"), piece(local(1)), piece(segment(1))];
  const next = [piece("g/graph.snapshot"), piece(local(9)), piece(segment(1), 1)];
  const last = [piece("later/graph.snapshot"), piece(segment(1), 1), piece(segment(2))];
  const manifestAt = (index: number): Partial<Manifest> =>
    slots[index] === undefined ? {} : { slots: slots[index]! };
  const olderManifest = await store.add(
    { pieces: first, ...manifestAt(0) },
    { pieces: next, ...manifestAt(1) },
    { pieces: last, ...manifestAt(2) },
  );
  const { number, log, time } = olderManifest[0]!;
  const fulls = [{ number, hash: store.segmentHash(1), log, time: time }];
  const later = await store.add({ full: 4, continues: false, pieces: first, fulls }, {}, {});
  return [...olderManifest, ...later];
}

async function planned(store: MemoryStore, target: RestoreTarget): Promise<unknown> {
  try {
    const { manifests, log, after } = await planRestore(store, target);
    return [manifests.map((manifest) => manifest.log.sn / 10), log.sn / 10, (after?.sn ?? 0) / 10];
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return `${code}: ${message}`;
  }
}

test("does not exist for an empty location", async ({ store }) => {
  assert.is(await planned(store, END), "SVC3420: no backup in memory: check the location");
});

test("reaches from the last full backup before the moment to the moment", async ({ store }) => {
  const [, , third, fourth] = await fill(store);
  const cases: [target: RestoreTarget, expected: unknown][] = [
    [END, [[4, 5, 6], 6, 0]],
    [position(60), [[4, 5, 6], 6, 0]],
    [position(50), [[4, 5], 5, 0]],
    [position(40), [[4], 4, 0]],
    [position(30), [[1, 2, 3], 3, 4]],
    [position(21), [[1, 2, 3], 3, 4]],
    [position(20), [[1, 2], 2, 4]],
    [position(10), [[1], 1, 4]],
    [time(600), [[4, 5, 6], 6, 0]],
    [time(599), [[4, 5, 6], 6, 0]],
    [time(500), [[4, 5, 6], 6, 0]],
    [time(499), [[4, 5], 5, 0]],
    [time(400), [[4, 5], 5, 0]],
    [time(300), [[1, 2, 3], 3, 4]],
    [time(199), [[1, 2], 2, 4]],
    [time(100), [[1, 2], 2, 4]],
  ];
  for (const [target, expected] of cases) {
    assert.equal(await planned(store, target), expected, JSON.stringify(target));
  }
  const nothingRecorded = "SVC3420: nothing was recorded for";
  const [before, after] = [describePoint(third!.log), describePoint(fourth!.log)];
  const gap = `before: ${before}, after: ${after}`;
  assert.is(await planned(store, position(31)), `${nothingRecorded} ${ID}:31; ${gap}`);
  assert.is(await planned(store, time(301)), `${nothingRecorded} 1970-01-01T00:05:01.000Z; ${gap}`);
  const end = `before: ${ID}:60 (1970-01-01T00:10:00.000Z)`;
  assert.is(await planned(store, position(61)), `${nothingRecorded} ${ID}:61; ${end}`);
  assert.is(await planned(store, time(601)), `${nothingRecorded} 1970-01-01T00:10:01.000Z; ${end}`);
  const first = `after: ${ID}:10 (1970-01-01T00:01:40.000Z)`;
  assert.is(
    await planned(store, time(99)),
    `${nothingRecorded} 1970-01-01T00:01:39.000Z; ${first}`,
  );
  assert.is(await planned(store, position(9)), `${nothingRecorded} ${ID}:9; ${first}`);
  assert.is(await planned(store, position(20, OTHER)), `${nothingRecorded} ${OTHER}:20; ${first}`);
  // Nothing was added until then.
  await store.name(6, 601_000);
  assert.equal(await planned(store, time(601)), [[4, 5, 6], 6, 0]);
  assert.is(describeNearest(null, null), "no other position of this full backup can be restored");
});

test("names the positions that remain if a manifest is missing or corrupt", async ({ store }) => {
  await fill(store);
  const pointAt = (sn: number): string => describePoint({ id: ID, sn, chain: 0, at: sn * 10 });
  await store.remove(manifestName(2));
  const missing = `SVC3420: ${manifestName(2)} of memory is missing`;
  assert.is(
    await planned(store, time(250)),
    `${missing}; before: ${pointAt(10)}, after: ${pointAt(40)}`,
  );
  await store.put(manifestName(5), Buffer.from("{"));
  const corrupt = `SVC3420: ${manifestName(5)} is corrupt`;
  assert.is(await planned(store, END), `${corrupt}; before: ${pointAt(40)}`);
});

test("reads each part of a file once, and only the log after the full backup", async ({
  store,
}) => {
  const [first, two] = await fill(store);
  const { pieces } = await planRestore(store, position(30));
  assert.equal(
    pieces.map(({ path, at, before }) => [path, at, before]),
    [
      ["g/graph.snapshot", 0, null],
      [local(1), 0, null],
      [segment(1), 0, null],
      [segment(1), 1, first!.log],
      [segment(2), 0, two!.log],
    ],
  );
  const last = await planRestore(store, END);
  assert.is(last.pieces[0]!.before?.sn, 10, "the full backup before");
});

function makeSlotRecord(version: number): SlotRecord {
  return { version, map: { count: 16, runs: [[0, 0]] }, groups: ["a"], move: null };
}

test("has the slots of the moment, if they are known", async ({ store }) => {
  const [a, b] = [makeSlotRecord(1), makeSlotRecord(2)];
  await fill(store, a, a, b);
  const slotsAt = async (target: RestoreTarget) => (await planRestore(store, target)).slots;
  assert.equal(await slotsAt(position(10)), a);
  assert.equal(await slotsAt(position(15)), a, "the same before and after");
  assert.equal(await slotsAt(position(20)), a);
  assert.equal(await slotsAt(position(25)), MOVING);
  assert.equal(await slotsAt(position(30)), b);
  assert.is(await slotsAt(END), null);
  assert.equal(await slotsAt(time(150)), a);
  assert.is(await slotsAt(time(250)), MOVING);
  const without = new MemoryStore();
  await fill(without);
  assert.is((await planRestore(without, position(25))).slots, null);
});

test("has the last slots at its end, whatever they were before", async ({ store }) => {
  const [a, b] = [makeSlotRecord(1), makeSlotRecord(2)];
  await store.add({ slots: a }, { slots: b });
  await store.name(2, 300_000);
  for (const target of [END, time(300)]) assert.equal((await planRestore(store, target)).slots, b);
});

test("rejects a moment at which slots moved, and names others", async ({ store }) => {
  const [a, b] = [makeSlotRecord(1), makeSlotRecord(2)];
  await fill(store, a, MOVING, b);
  const refusal = async (target: RestoreTarget): Promise<unknown> => {
    const plan = await planRestore(store, target);
    try {
      return requireSettledSlots(plan)?.version;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const [first, third] = [10, 30].map(
    (sn) => `${ID}:${sn} (1970-01-01T00:0${sn === 10 ? "1:40" : "5:00"}.000Z)`,
  );
  assert.is(await refusal(position(10)), 1);
  const moving = (moment: string): string => `slots were moving at ${moment}; before: ${first}`;
  assert.is(await refusal(position(20)), moving(`${ID}:20`));
  assert.is(await refusal(position(25)), `${moving(`${ID}:25`)}, after: ${third}`);
  assert.is(await refusal(position(30)), 2);
  const lone = new MemoryStore();
  await lone.add({ slots: MOVING });
  const plan = await planRestore(lone, END);
  const text =
    "slots were moving at the end; no other position of this full backup can be restored";
  assert.throws(
    () => requireSettledSlots(plan),
    ({ message }: Error) => message === text,
  );
});

test.run();
