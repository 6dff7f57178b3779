// Conditions of a move: each violation is reported with its reason, after looks only.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext } from "../../../../cli/admin/context.js";
import { prepareMove } from "../../../../cli/admin/move-slots/prepare.js";
import { SvcError } from "../../../../runtime/base/errors.js";
import { divideSlots } from "../../../../runtime/base/slot-map.js";
import type { SlotRecord } from "../../../../runtime/base/slot-record.js";
import { readDescriptor } from "../../../../runtime/system/read-descriptor.js";
import type { SurveyedInstance } from "../../../../runtime/system/slot-moves/slot-instances.js";

const test = suite("conditions of a move");
const ENGINE = { type: "builder", graph: "things" };
const SYSTEM = readDescriptor({
  name: "Growing",
  graphs: ["things"],
  slots: { graphs: ["things"], count: 16 },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    B1: { ...ENGINE, hport: 9100, attach: true },
    B2: { ...ENGINE, hport: 9110 },
    S1: { type: "search", graph: "things", hport: 9120, tport: 9130 },
  },
  topology: { transaction: { B1: ["S1"] }, dispatch: { TD: [{ partitions: ["B1", "B2"] }] } },
});
const OLD: SlotRecord = { version: 0, map: divideSlots(16, 1), groups: ["B1"], move: null };
const USUAL = {
  ...{ record: OLD, build: "1", leads: true, term: 0, isRun: false, isDurable: true },
  ...{ digests: { things: "5 a" }, freeMemory: 1e9, freeDisk: 1e12, usedBytes: 1e6 },
};
const NEW = { ...OLD, map: divideSlots(16, 2), groups: ["B1", "B2"] };
type Looks = Readonly<Record<string, Partial<SurveyedInstance> | null>>;

/** Instances that look like this; null: one that is down. */
function prepare(looks: Looks, counts: readonly number[] = [], leaving: string[] = []) {
  const context = new AdminContext(SYSTEM, {});
  const usual: Looks = {
    ...{ TD: { leads: false, build: "2", usedBytes: 0 }, S1: { leads: false } },
    B2: { record: NEW, usedBytes: 0, digests: { things: "0 a" } },
  };
  context.call = async (id, operation, _parameters, body) => {
    assert.is(operation, "MoveSlots");
    const command = JSON.parse(body!) as { do: string };
    if (looks[id] === null) throw new SvcError("SVC2701", `${id} does not respond`);
    if (command.do === "count") return { graphs: { things: id === "B2" ? counts : [] } };
    assert.is(command.do, "look", "nothing changes");
    return { ...USUAL, ...usual[id], ...looks[id] };
  };
  return prepareMove(context, leaving, 0);
}

test("plans equal shares", async () => {
  const { moves, isUnfinished } = await prepare({});
  assert.equal(
    [moves.map(({ from, to, slots }) => [from, to, slots.length]), isUnfinished],
    [[["B1", "B2", 8]], false],
  );
});

const LITTLE = { freeMemory: 2 ** 19 };
const FORBIDDEN: readonly (readonly [string, Looks, RegExp, number[]?, string[]?])[] = [
  ["half of a group is down", { S1: null }, /S1 must be up/],
  ["a dispatcher is down", { TD: null }, /TD must be up/],
  ["engines have other plugins", { B2: { build: "3" } }, /B2 has other plugins than B1/],
  ["durability is off", { B1: { isDurable: false } }, /B1 has no log: `durability` is off/],
  [
    "a replica is not caught up",
    { S1: { digests: { things: "4 a" }, leads: false } },
    /S1 is not caught up with B1/,
  ],
  ["a group has no leader", { B1: { leads: false } }, /B1 has no instance that may change/],
  ["the target lacks memory", { B2: { ...LITTLE, record: NEW } }, /B2 has too little memory/],
  ["the target lacks disk space", { B2: { freeDisk: 1, record: NEW } }, /B2 has too little disk/],
  ["a group has vertices of others", {}, /B2 has 3 vertices of slot 2.* of B1/, [0, 0, 3]],
  ["no group would be left", {}, /no group would be left/, [], ["B1", "B2"]],
  ["an unknown group leaves", {}, /TD is no group/, [], ["TD"]],
];

for (const [title, looks, reason, counts, leaving] of FORBIDDEN) {
  test(`plans no moves if ${title}`, async () => {
    const error = await prepare(looks, counts, leaving).then(
      () => null,
      (refusal: SvcError) => refusal,
    );
    assert.is(error?.code, "SVC3412");
    assert.match(error!.message, reason);
  });
}

test.run();
