// Steps of a move: a group of one member combines steps that several members take one by one.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nextSlotStep, type SlotMember } from "../../../runtime/base/next-slot-step.js";
import { divideSlots } from "../../../runtime/base/slot-map.js";
import {
  changeSlots,
  type SlotCommand,
  type SlotMove,
  type SlotRecord,
} from "../../../runtime/base/slot-record.js";

const test = suite("next step of a move");
const GROUPS = ["B1", "B2", "B3"];
const SETTLED: SlotRecord = {
  ...{ version: 0, groups: GROUPS, move: null },
  map: divideSlots(16, 2),
};
const MOVE: SlotMove = { id: "a", version: 1, from: "B1", to: "B2", slots: [3] };
const COPIED = { move: MOVE, isCopied: true, isApplied: false };

/** @param commands that the members of a group have executed */
function makeMember(id: string, ...commands: readonly SlotCommand[]): SlotMember {
  const group = id.slice(0, 2);
  const record = commands.reduce((before, command) => changeSlots(before, group, command), SETTLED);
  return { id, group, record, leads: id === group, term: 0 };
}

const hold: SlotCommand = { do: "hold", move: MOVE };
const [give, take, clear] = (["give", "take", "clear"] as const).map((kind): SlotCommand => {
  return { do: kind, id: MOVE.id };
});

test("the only member of a target holds the move while it writes", () => {
  const others = [makeMember("B1", hold), makeMember("B3")];
  assert.is(nextSlotStep([...others, makeMember("B2")], COPIED).do, "apply");
  const two = [makeMember("B2"), makeMember("B2.1")];
  const tellStep = { do: "tell", to: ["B2", "B2.1"], command: hold };
  assert.equal(nextSlotStep([...others, ...two], COPIED), tellStep);
});

test("the only member of a source holds the move while it encodes", () => {
  const begun = { ...COPIED, isCopied: false };
  const others = [makeMember("B2"), makeMember("B3")];
  assert.is(nextSlotStep([makeMember("B1"), ...others], begun).do, "copy");
  assert.is(nextSlotStep([makeMember("B1"), ...others], COPIED).do, "lost");
  const two = [makeMember("B1"), makeMember("B1.1")];
  const tellStep = { do: "tell", to: ["B1", "B1.1"], command: hold };
  assert.equal(nextSlotStep([...two, ...others], begun), tellStep);
});

test("the only member of a source forgets the move while it removes the slots", () => {
  const attempt = { ...COPIED, isApplied: true };
  const others = [makeMember("B2", hold), makeMember("B3")];
  const step = nextSlotStep([makeMember("B1", hold, give!), ...others], attempt);
  assert.ok(step.do === "remove");
  assert.equal([step.last, step.afterwards], [clear, null]);
  // Replicas may have the content for longer than their leader.
  const two = [makeMember("B1", hold, give!), makeMember("B1.1", hold, give!)];
  const both = nextSlotStep([...two, ...others], attempt);
  assert.ok(both.do === "remove");
  assert.is(both.last, null);
  assert.equal(both.afterwards, { do: "tell", to: ["B1", "B1.1"], command: clear });
});

test("a move completes after its source has forgotten it", () => {
  const source = makeMember("B1", hold, give!, clear!);
  const others = [source, makeMember("B3")];
  for (const attempt of [null, { ...COPIED, isApplied: true }]) {
    const tellStep = nextSlotStep([...others, makeMember("B2", hold)], attempt);
    assert.equal(tellStep, { do: "tell", to: ["B2"], command: take });
    const last = nextSlotStep([...others, makeMember("B2", hold, take!)], attempt);
    const { record } = makeMember("B1", hold, give!, clear!);
    assert.equal(last, { do: "tell", to: ["B3"], command: { do: "install", record } });
  }
  // A source that has undone it has no such map.
  const undone = makeMember("B1", hold, { do: "abort", id: MOVE.id });
  const step = nextSlotStep([undone, makeMember("B2", hold), makeMember("B3")], null);
  assert.ok(step.do === "remove");
  assert.equal([step.at.id, step.last], ["B2", { do: "abort", id: MOVE.id }]);
});

test.run();
