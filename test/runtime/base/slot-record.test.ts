// Records of slots: commands that do not fit are refused, repeated ones change nothing, and moves
// are as few as possible.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../runtime/base/errors.js";
import { isSlotRecord } from "../../../runtime/base/kept-slots.js";
import { planSlotMoves } from "../../../runtime/base/plan-slot-moves.js";
import { divideSlots } from "../../../runtime/base/slot-map.js";
import {
  changeSlots,
  countSlots,
  type SlotCommand,
  type SlotRecord,
} from "../../../runtime/base/slot-record.js";

const test = suite("slot record");
const groups = ["B1", "B2", "B3"];
const FIRST: SlotRecord = { version: 0, map: divideSlots(16, 2), groups, move: null };
const move = { id: "a", version: 1, from: "B1", to: "B3", slots: [0, 3] };
const hold: SlotCommand = { do: "hold", move };

function expectRejection(record: SlotRecord, groupId: string | null, command: SlotCommand): void {
  try {
    changeSlots(record, groupId, command);
  } catch (error) {
    assert.instance(error, SvcError);
    assert.is((error as SvcError).code, "SVC3413");
    return;
  }
  assert.unreachable(JSON.stringify(command));
}

test("a source gives slots, a target takes them, and both have the same map", () => {
  const heldRecord = changeSlots(FIRST, "B1", hold);
  assert.is(changeSlots(heldRecord, "B1", hold), heldRecord);
  const afterGive = changeSlots(heldRecord, "B1", { do: "give", id: "a" });
  assert.is(changeSlots(afterGive, "B1", { do: "give", id: "a" }), afterGive);
  const settled = changeSlots(afterGive, "B1", { do: "clear", id: "a" });
  const taken = changeSlots(changeSlots(FIRST, "B3", hold), "B3", { do: "take", id: "a" });
  assert.equal(settled, taken);
  assert.is(settled.version, 1);
  assert.equal(settled.map.runs, [
    [0, 2],
    [1, 0],
    [3, 2],
    [4, 0],
    [8, 1],
  ]);
  assert.equal(
    groups.map((group) => countSlots(settled, group)),
    [6, 8, 2],
  );
  const otherRecord = { ...FIRST, groups: ["B1", "B2"] };
  assert.equal(changeSlots(otherRecord, null, { do: "install", record: settled }), settled);
});

test("a restored group rejects a map that gives it other slots", () => {
  const heldRecord = changeSlots(FIRST, "B1", hold);
  const laterRecord = changeSlots(changeSlots(heldRecord, "B1", { do: "give", id: "a" }), "B1", {
    ...{ do: "clear", id: "a" },
  });
  const install: SlotCommand = { do: "install", record: laterRecord };
  const restoredRecord: SlotRecord = { ...FIRST, isRestored: true };
  expectRejection(restoredRecord, "B1", install);
  expectRejection(restoredRecord, "B3", install);
  // Its slots have not moved since.
  assert.equal(changeSlots(restoredRecord, "B2", install), laterRecord);
  // If all were restored, a dispatcher goes back with them.
  const previousCommand: SlotCommand = { do: "install", record: restoredRecord };
  assert.equal(changeSlots(laterRecord, null, previousCommand), FIRST);
  expectRejection(laterRecord, "B1", previousCommand);
  assert.not.ok(
    "isRestored" in
      changeSlots(changeSlots(restoredRecord, "B3", hold), "B3", {
        ...{ do: "take", id: "a" },
      }),
  );
});

test("rejects a command that does not fit the record", () => {
  const heldRecord = changeSlots(FIRST, "B1", hold);
  const afterGive = changeSlots(heldRecord, "B1", { do: "give", id: "a" });
  expectRejection(FIRST, "B2", hold);
  expectRejection(heldRecord, "B1", { do: "hold", move: { ...move, id: "b" } });
  expectRejection(FIRST, "B1", { do: "hold", move: { ...move, version: 2 } });
  expectRejection(FIRST, "B1", { do: "hold", move: { ...move, slots: [0, 8] } });
  expectRejection(FIRST, "B1", { do: "hold", move: { ...move, to: "B4" } });
  expectRejection(heldRecord, "B1", { do: "give", id: "b" });
  expectRejection(heldRecord, "B1", { do: "take", id: "a" });
  expectRejection(heldRecord, "B1", { do: "clear", id: "a" });
  expectRejection(afterGive, "B1", { do: "abort", id: "a" });
  expectRejection(changeSlots(FIRST, "B3", hold), "B3", { do: "give", id: "a" });
  // An aborted source cannot give any more.
  const aborted = changeSlots(heldRecord, "B1", { do: "abort", id: "a" });
  assert.equal(aborted, FIRST);
  expectRejection(aborted, "B1", { do: "give", id: "a" });
  // In the target there were contents of the slots: for a restore, not all moments are alike.
  const undone = changeSlots(changeSlots(FIRST, "B3", hold), "B3", { do: "abort", id: "a" });
  assert.equal(undone, { ...FIRST, undone: "a" });
  const later = { do: "install", record: { ...FIRST, version: 1, undone: "b" } } as const;
  assert.equal(changeSlots(undone, "B3", later), { ...FIRST, version: 1, undone: "a" });
  assert.equal(changeSlots(undone, null, later), { ...FIRST, version: 1 });
  expectRejection(heldRecord, "B1", { do: "install", record: { ...FIRST, version: 3 } });
  const settled = changeSlots(afterGive, "B1", { do: "clear", id: "a" });
  expectRejection(settled, "B1", { do: "install", record: FIRST });
  expectRejection(settled, "B1", { do: "install", record: { ...FIRST, version: 1 } });
});

test("records from outside are validated", () => {
  assert.ok(isSlotRecord(changeSlots(FIRST, "B1", hold)));
  for (const invalidRecord of [
    null,
    { ...FIRST, version: -1 },
    { ...FIRST, groups: [1] },
    { ...FIRST, map: { count: 1e9, runs: [[0, 0]] } },
    { ...FIRST, map: { count: 16, runs: [[1, 0]] } },
    { ...FIRST, map: { count: 16, runs: [[0, 3]] } },
    { ...FIRST, move: { ...move, slots: [16], isGiven: false } },
    { ...FIRST, move: { ...move, slots: [1, 1], isGiven: false } },
    { ...FIRST, move },
    { ...FIRST, undone: 1 },
  ]) {
    assert.not.ok(isSlotRecord(invalidRecord), JSON.stringify(invalidRecord));
  }
});

test("from 4 to 5 groups and back, at most 21 % of the slots move", () => {
  const four = ["B1", "B2", "B3", "B4"];
  const five = [...four, "B5"];
  const moved = (moves: ReturnType<typeof planSlotMoves>) => {
    return moves.reduce((sum, { slots }) => sum + slots.length, 0);
  };
  const map = divideSlots(4096, 4);
  const moves = planSlotMoves(map, four, five);
  assert.is(moved(moves), 819);
  assert.ok(moves.every(({ to }) => to === "B5"));
  let record: SlotRecord = { version: 0, map, groups: five, move: null };
  for (const [index, planned] of moves.entries()) {
    const change = { ...planned, id: `${index}`, version: record.version + 1 };
    const heldRecord = changeSlots(record, planned.to, { do: "hold", move: change });
    record = changeSlots(heldRecord, planned.to, { do: "take", id: `${index}` });
  }
  assert.equal(planSlotMoves(record.map, five, five), []);
  assert.is(moved(planSlotMoves(record.map, five, four)), 819);
});

test.run();
