// Which followers a leader waits for, and which may lead after it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FollowerProgress } from "../../../../runtime/interconnect/leadership/follower-progress.js";
import type { Incarnation } from "../../../../runtime/interconnect/leadership/leadership.js";

const ONE: Incarnation = ["S1", "a"];

const test = suite("progress of followers");

test("waits for a new follower once it follows without delay, and is connected", () => {
  const progress = new FollowerProgress();
  progress.recordLogEnd(0, 5);
  progress.recordAcknowledgment(10, ONE, 3);
  progress.recordLoss(20, ONE);
  progress.admit(30);
  assert.equal(progress.required(), [], "it has just left");
  progress.recordAcknowledgment(40, ONE, 4);
  progress.admit(50);
  assert.is(progress.required().length, 1);
  assert.not(progress.haveAll());
  assert.not(progress.hasAll("S1"), "it cannot take over yet");
  assert.equal(progress.selectSynced(60, 0), [], "it lacks a change from before");
  progress.recordAcknowledgment(70, ONE, 5);
  assert.equal(progress.selectSynced(80, 0), [ONE]);
});

test("a follower must catch up with the log as of when it became required", () => {
  const progress = new FollowerProgress();
  progress.recordLogEnd(0, 10);
  progress.recordAcknowledgment(10, ONE, 3);
  progress.admit(20);
  progress.recordLogEnd(30, 20);
  progress.admit(40);
  progress.recordAcknowledgment(50, ONE, 9);
  assert.equal(progress.selectSynced(60, 0), []);
  progress.recordAcknowledgment(70, ONE, 10);
  assert.equal(progress.selectSynced(80, 0), [ONE]);
});

test("does not wait for a follower that is a second late", () => {
  const progress = new FollowerProgress();
  progress.recordAcknowledgment(0, ONE, 0);
  progress.recordLogEnd(0, 5);
  progress.admit(1000);
  assert.equal(progress.required(), []);
  progress.recordAcknowledgment(1001, ONE, 5);
  progress.admit(1002);
  assert.ok(progress.hasAll("S1"));
});

const TWO: Incarnation = ["S2", "b"];
/** Another data folder of the first one. */
const EMPTIED: Incarnation = ["S1", "c"];

/** A leader with synced members, which have everything up to transaction 5. */
function leading(...members: readonly Incarnation[]): FollowerProgress {
  const progress = new FollowerProgress(members, 0);
  progress.recordLogEnd(0, 5);
  for (const member of members) progress.recordAcknowledgment(0, member, 5);
  return progress;
}

test("a new leader requires the members that the record names", () => {
  const progress = new FollowerProgress([ONE, TWO], 100, "S2");
  assert.equal([progress.required().length, progress.syncedCount()], [2, 2]);
  assert.is(progress.confirmedSn(), -1, "nothing is known of them");
  assert.equal([progress.haveAllResponded(0), progress.hasAll("S1")], [false, false]);
  // The former leader was silent: it counts as late at once, the other one after a second.
  assert.equal(progress.selectSynced(100, 0), [ONE]);
  assert.equal(progress.selectSynced(1099, 0), [ONE]);
  assert.equal(progress.selectSynced(1100, 0), []);
  assert.equal(new FollowerProgress([ONE]).selectSynced(999, 0), [ONE]);
});

test("tracks the position that all required members reached and since when they respond", () => {
  const progress = leading(ONE, TWO);
  assert.equal([progress.confirmedSn(), progress.haveAll()], [5, true]);
  progress.recordLogEnd(10, 7);
  assert.equal([progress.confirmedSn(), progress.haveAll()], [5, false]);
  progress.recordAcknowledgment(20, ONE, 7);
  assert.equal([progress.confirmedSn(), progress.haveAll()], [5, false]);
  assert.equal([progress.hasAll("S1"), progress.hasAll("S2")], [true, false]);
  assert.equal(
    [0, 1].map((follower) => progress.haveAllResponded(follower)),
    [true, false],
  );
  progress.recordAcknowledgment(30, TWO, 6);
  assert.equal([progress.confirmedSn(), progress.haveAllResponded(20)], [6, true]);
  assert.is(progress.haveAllResponded(21), false);
  const alone = new FollowerProgress();
  assert.equal([alone.confirmedSn(), alone.haveAll()], [Number.POSITIVE_INFINITY, true]);
  assert.equal([alone.haveAllResponded(0), alone.syncedCount()], [false, 0]);
});

test("drops a member one second after it disconnected or fell behind", () => {
  const progress = leading(ONE, TWO);
  progress.recordLoss(100, ONE);
  progress.recordLoss(500, ONE);
  progress.recordLoss(500, ["S9", "z"]);
  assert.equal(progress.selectSynced(1099, 0), [ONE, TWO]);
  assert.equal(progress.selectSynced(1100, 0), [TWO]);
  progress.recordAcknowledgment(1100, ONE, 5);
  assert.equal(progress.selectSynced(1100, 0), [ONE, TWO]);
  progress.recordLogEnd(1200, 6);
  progress.recordAcknowledgment(1250, ONE, 6);
  assert.equal(progress.selectSynced(2199, 0), [ONE, TWO]);
  assert.equal(progress.selectSynced(2200, 0), [ONE]);
  assert.equal(progress.selectSynced(2200, 1), [ONE]);
  assert.equal(progress.selectSynced(2200, 2), [ONE, TWO], "as many as configured stay");
});

test("remembers ends of its log twenty times a second, for a second", () => {
  const progress = leading(ONE);
  progress.recordLogEnd(30, 6);
  // Too soon after the first one: only the next end counts.
  progress.recordLogEnd(49, 7);
  progress.recordLogEnd(50, 8);
  assert.equal(progress.selectSynced(1049, 0), [ONE]);
  assert.equal(progress.selectSynced(1050, 0), []);
  progress.recordAcknowledgment(1050, ONE, 7);
  assert.equal(progress.selectSynced(1050, 0), []);
  progress.recordAcknowledgment(1050, ONE, 8);
  assert.equal(progress.selectSynced(1050, 0), [ONE]);
  // The same end again, and later ones.
  progress.recordLogEnd(1100, 8);
  const write = (from: number, to: number): void => {
    for (let timeMs = from; timeMs <= to; timeMs += 100)
      progress.recordLogEnd(timeMs, timeMs / 100 - 3);
  };
  write(1200, 2100);
  assert.equal(progress.selectSynced(2199, 0), [ONE]);
  assert.equal(progress.selectSynced(2200, 0), []);
  write(2200, 3000);
  progress.recordAcknowledgment(3000, ONE, 16);
  assert.equal(progress.selectSynced(3000, 0), []);
  progress.recordAcknowledgment(3000, ONE, 17);
  assert.equal(progress.selectSynced(3000, 0), [ONE]);
});

test("remembers the end after one that was written again", () => {
  const progress = leading(ONE);
  progress.recordLogEnd(1000, 5);
  progress.recordLogEnd(1010, 6);
  assert.equal(progress.selectSynced(2009, 0), [ONE]);
  assert.equal(progress.selectSynced(2010, 0), []);
});

test("removes a member first from the record, and then from the required ones", () => {
  const progress = leading(ONE, TWO);
  progress.applyRecord(10, [ONE, TWO]);
  assert.equal([progress.syncedCount(), progress.required().length], [2, 2]);
  progress.applyRecord(20, [ONE]);
  assert.equal([progress.syncedCount(), progress.required().length], [1, 1]);
  // It is connected, and so it is known, and comes back.
  progress.admit(30);
  assert.equal([progress.syncedCount(), progress.required().length], [1, 2]);
  progress.applyRecord(40, [ONE]);
  assert.equal(progress.required().length, 2, "it is not late");
  assert.equal(progress.selectSynced(40, 0), [ONE, TWO]);
  progress.recordLoss(50, TWO);
  progress.applyRecord(1049, [ONE]);
  assert.is(progress.required().length, 2);
  progress.applyRecord(1050, [ONE]);
  assert.is(progress.required().length, 1);
  // The member and its position are forgotten.
  progress.recordLoss(1060, TWO);
  progress.applyRecord(1070, [ONE, TWO]);
  assert.is(progress.syncedCount(), 1);
  progress.recordLogEnd(1080, 6);
  progress.recordAcknowledgment(1080, TWO, 5);
  progress.admit(1080);
  assert.equal([progress.required().length, progress.syncedCount()], [2, 1]);
  assert.equal(
    progress.selectSynced(1080, 2),
    [ONE],
    "one that is to become synced replaces no other",
  );
});

test("an emptied member replaces its previous self once it has everything", () => {
  const progress = leading(ONE);
  progress.recordLoss(0, ONE);
  progress.recordAcknowledgment(500, EMPTIED, 4);
  progress.admit(500);
  assert.equal(progress.selectSynced(1000, 1), [ONE]);
  progress.recordAcknowledgment(1000, EMPTIED, 5);
  assert.equal(progress.selectSynced(1000, 1), [EMPTIED]);
  assert.equal(progress.selectSynced(1000, 2), [EMPTIED]);
  progress.applyRecord(1000, [EMPTIED]);
  assert.equal([progress.syncedCount(), progress.required().length], [1, 1]);
});

test.run();
