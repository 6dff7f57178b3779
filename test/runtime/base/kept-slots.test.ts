// Slots that an instance keeps outlive its restart; a descriptor that does not fit is refused.

import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { installSlots, type SlotPlan, threadSlots } from "../../../runtime/base/instance-slots.js";
import { findSlotRecord, KeptSlots } from "../../../runtime/base/kept-slots.js";
import { slotOfKey } from "../../../runtime/base/slot-of-key.js";

const test = suite<{ root: string }>("kept slots");
const PLAN: SlotPlan = {
  id: "0123456789abcdef",
  map: {
    count: 16,
    runs: [
      [0, 0],
      [8, 1],
    ],
  },
  groups: ["B1", "B2"],
  own: 0,
  partitions: null,
  graphs: ["things"],
  everywhere: [],
};
const MOVE = { id: "a", version: 1, from: "B1", to: "B2", slots: [3] };

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-slots-"));
});
test.after.each(({ root }) => {
  installSlots(null);
  rmSync(root, { recursive: true });
});

function expectRejection(root: string, plan: SlotPlan, text: RegExp): void {
  try {
    new KeptSlots(root, plan);
  } catch (error) {
    assert.is((error as SvcError).code, "SVC3413");
    assert.match((error as SvcError).message, text);
    return;
  }
  assert.unreachable();
}

test("a move survives a restart, and responses carry no map id meanwhile", ({ root }) => {
  const first = new KeptSlots(root, PLAN);
  first.storeInitial();
  const id = threadSlots()!.idSince(Date.now() + 1e6);
  assert.match(id!, /^[0-9a-f]{16}$/);
  first.change({ do: "hold", move: MOVE });
  // The source does not change the slots, and the target has none of them.
  assert.is(threadSlots()!.idSince(Date.now() + 1e6), id);
  assert.ok(threadSlots()!.isAnyHeld);
  const again = new KeptSlots(root, PLAN);
  assert.equal(again.record, first.record);
  assert.ok(threadSlots()!.isAnyHeld);
  again.change({ do: "give", id: "a" });
  assert.is(threadSlots()!.idSince(Date.now() + 1e6), null);
  again.change({ do: "clear", id: "a" });
  assert.match(threadSlots()!.idSince(Date.now() + 1e6)!, /^[0-9a-f]{16}$/);
  assert.not.ok(threadSlots()!.isAnyHeld);
  // Requests received before may have seen other slots.
  assert.is(threadSlots()!.idSince(1), null);
});

test("responses carry no map id while a target receives content", ({ root }) => {
  const slots = new KeptSlots(root, { ...PLAN, own: 1 });
  slots.storeInitial();
  const id = threadSlots()!.idSince(Date.now() + 1e6);
  slots.change({ do: "hold", move: MOVE });
  assert.is(threadSlots()!.idSince(Date.now() + 1e6), null);
  assert.is(new KeptSlots(root, { ...PLAN, own: 1 }) && threadSlots()!.idSince(1e15), null);
  slots.change({ do: "abort", id: "a" });
  assert.is(threadSlots()!.idSince(Date.now() + 1e6), id);
  assert.is(threadSlots()!.idSince(1), null);
});

test("responses carry the map id while the content of a move is known to be absent", ({ root }) => {
  const plan = { ...PLAN, own: 1 };
  new KeptSlots(root, plan).storeInitial();
  const slots = new KeptSlots(root, plan);
  const idSince = (receivedMs: number) => threadSlots()!.idSince(receivedMs);
  const id = idSince(1e15);
  slots.setAbsentMove("a");
  slots.change({ do: "hold", move: MOVE });
  assert.equal([idSince(1e15), idSince(1)], [id, id]);
  slots.setAbsentMove(null);
  assert.is(idSince(1e15), null);
  slots.setAbsentMove("b");
  assert.is(idSince(1e15), null);
  slots.setAbsentMove("a");
  // Requests received before may have seen some.
  assert.equal([idSince(1e15), idSince(1)], [id, null]);
  assert.ok(new KeptSlots(root, plan));
  assert.is(idSince(1e15), null);
});

test("a dispatcher uses a map before it is durable", ({ root }) => {
  const plan = { ...PLAN, own: -1, partitions: [0, 1] };
  const slots = new KeptSlots(root, plan);
  const record = { ...slots.record, version: 3 };
  const keep = slots.announce({ do: "install", record });
  assert.is(slots.record.version, 3);
  assert.is(findSlotRecord(root), null);
  keep();
  assert.is(findSlotRecord(root)?.version, 3);
  slots.announce({ do: "install", record })();
});

test("a map that could not be stored is stored with the next command", ({ root }) => {
  const slots = new KeptSlots(root, { ...PLAN, own: -1, partitions: [0, 1] });
  const record = { ...slots.record, version: 3 };
  const command = { do: "install", record } as const;
  const blocked = join(root, "_slots.json.tmp");
  mkdirSync(blocked);
  assert.throws(slots.announce(command), /EISDIR/);
  assert.is(findSlotRecord(root), null);
  rmdirSync(blocked);
  slots.announce(command)();
  assert.is(findSlotRecord(root)?.version, 3);
});

test("a response for a key carries the map id unless the key's slot moves", ({ root }) => {
  const slots = new KeptSlots(root, { ...PLAN, own: 1 });
  slots.storeInitial();
  const [moving, free] = [3, 4].map((slot) => {
    return Array.from({ length: 200 }, (_, n) => `k${n}`).find(
      (key) => slotOfKey(key, 16) === slot,
    )!;
  }) as [string, string];
  const known = () => [free, moving].map((key) => threadSlots()!.idSince(1, key) !== null);
  assert.equal(known(), [true, true]);
  slots.change({ do: "hold", move: MOVE });
  assert.equal(known(), [true, false]);
  slots.change({ do: "take", id: "a" });
  assert.equal(known(), [true, false]);
  // The request came later.
  assert.ok(threadSlots()!.idSince(1e15, moving) !== null);
  // Another map: the owners of its other slots count.
  const map = { count: 16, runs: [[0, 0]] as [number, number][] };
  const record = { ...slots.record, version: 2, map };
  slots.change({ do: "install", record });
  assert.equal(known(), [true, false]);
  const otherKey = Array.from({ length: 200 }, (_, n) => `k${n}`).find(
    (key) => slotOfKey(key, 16) === 9,
  )!;
  assert.is(threadSlots()!.idSince(1, otherKey), null);
});

test("without a record, responses carry no map id until the group's record is adopted", ({
  root,
}) => {
  const slots = new KeptSlots(root, PLAN);
  assert.not.ok(slots.isKnown);
  assert.is(threadSlots()!.idSince(Date.now() + 1e6), null);
  const map = { count: 16, runs: [[0, 1]] as [number, number][] };
  slots.adopt({ version: 3, map, groups: ["B1", "B2"], move: null });
  assert.ok(slots.isKnown);
  assert.match(threadSlots()!.idSince(Date.now() + 1e6)!, /^[0-9a-f]{16}$/);
  assert.is(new KeptSlots(root, PLAN).record.version, 3);
});

test("a read-only data folder and a dispatcher use the map of the descriptor", ({ root }) => {
  new KeptSlots(root, PLAN).storeInitial(false);
  assert.ok(threadSlots()!.idSince(Date.now() + 1e6) !== null);
  assert.not.ok(new KeptSlots(root, PLAN).isKnown);
  assert.ok(new KeptSlots(root, { ...PLAN, own: -1, partitions: [0, 1] }).isKnown);
});

test("a later descriptor does not change the owners", ({ root }) => {
  new KeptSlots(root, PLAN).storeInitial();
  const id = new KeptSlots(root, PLAN) && threadSlots()!.idSince(1);
  const three: SlotPlan = {
    ...PLAN,
    groups: ["B0", "B1", "B2"],
    map: {
      count: 16,
      runs: [
        [0, 0],
        [5, 1],
        [10, 2],
      ],
    },
    own: 1,
  };
  const later = new KeptSlots(root, three);
  assert.equal([later.own, later.record.groups], ["B1", ["B1", "B2"]]);
  assert.is(threadSlots()!.idSince(1), id);
  assert.ok(later.accepts(three));
  assert.not.ok(later.accepts({ ...three, groups: ["B0", "B1"] }));
  assert.not.ok(later.accepts({ ...three, everywhere: ["kind"] }));
});

test("rejects a record that does not match the plan", ({ root }) => {
  new KeptSlots(root, PLAN).storeInitial();
  expectRejection(
    root,
    { ...PLAN, groups: ["B1"] },
    /B2 owns slots in .*, and the descriptor lacks it/,
  );
  expectRejection(root, { ...PLAN, map: { count: 32, runs: [[0, 0]] } }, /has 16 slots.* has 32/);
  for (const text of ["", "{}", "null", '{"version":0,"groups":[],"map":{},"move":null}']) {
    writeFileSync(join(root, "_slots.json"), text);
    expectRejection(root, PLAN, /is corrupt/);
  }
});

test.run();
