// The state machine of a member, step by step.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LeadershipRecord } from "../../../../runtime/interconnect/leadership/leadership.js";
import { Member } from "../../../../runtime/interconnect/leadership/member.js";

const test = suite("member of a group");
const [OWN, ONE, TWO] = ["0", "1", "2"].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
];

test("hands over once all changes are acknowledged", () => {
  const member = new Member({
    ...{ id: "B1", incarnation: OWN, ttlMs: 2_000, minSynced: 1, whenAlone: "refuse" },
    ...{ mayFound: true, epoch: 0 },
  });
  let [now, revision] = [0, 0];
  let record: LeadershipRecord | null = null;
  /** Time goes on, and the members acknowledge. */
  const run = (one: number, two: number): void => {
    for (let step = 0; step < 40; step++) {
      now += 10;
      if (member.isLeading) {
        member.acknowledged(now, ["S1", ONE], one);
        member.acknowledged(now, ["S2", TWO], two);
      }
      const call = member.next(now);
      if (call.do === "read") member.heard(now, { revision: String(revision), record });
      if (call.do !== "swap") continue;
      record = call.record;
      member.swapped(now, String(++revision));
    }
  };
  run(0, 0);
  member.written(now, 5);
  run(5, 5);
  assert.equal(record!.synced.map(([id]) => id).sort(), ["B1", "S1", "S2"]);
  assert.ok(member.beginHandover("S1"));
  member.completeHandover(now, 6);
  run(6, 5);
  assert.is(record!.holder, "B1", "S2 lacks a change whose response waits for it");
  run(6, 6);
  assert.equal([record!.holder, record!.next], [null, "S1"]);
});

test.run();
