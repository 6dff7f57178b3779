// Swaps whose outcome a member learns late, and the state that each role leaves behind.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Member } from "../../../../runtime/interconnect/leadership/member.js";
import {
  create,
  FOLLOWED,
  lead,
  ONE,
  OWN,
  POLL_MS,
  proposal,
  TTL_MS,
  TWO,
} from "../support/stepped-member.js";

const test = suite("outcomes of swaps");
const CLAIMED = { ...FOLLOWED, holder: "B1" };

/** Hands over to its follower, which has everything. */
function proposeHandover(member: Member, now = 1) {
  assert.ok(member.beginHandover("S1"));
  member.completeHandover(now, 0);
  const record = proposal(member, now);
  assert.is(record.holder, null);
  return record;
}

test("the next read settles a handover of unknown outcome", () => {
  const done = lead().member;
  const record = proposeHandover(done);
  done.onFailed();
  done.onRead(2, { revision: "3", record });
  assert.equal([done.isLeading, done.isGivingUp, done.required()], [false, false, []]);
  const undone = lead();
  proposeHandover(undone.member);
  undone.member.onFailed();
  undone.member.onRead(2, { revision: "2", record: { ...CLAIMED, epoch: undone.epoch } });
  undone.member.cancelHandover();
  assert.equal([undone.member.mode(2), undone.member.isGivingUp], ["leading", false]);
});

test("a handover proposed before another leader appeared is not a claim", () => {
  const { member, epoch } = lead();
  const record = proposeHandover(member);
  member.onSuperseded(epoch + 1);
  member.onFailed();
  member.onRead(2, { revision: "3", record });
  assert.is(member.isLeading, false);
});

test("a claim counts only if the first read after it shows it", () => {
  for (const outcome of ["failed", "refused"] as const) {
    const member = create();
    member.onRead(0, { revision: "1", record: CLAIMED });
    const record = proposal(member, 0);
    if (outcome === "refused") member.onSwapped(1, null);
    else {
      member.onFailed();
      member.onRead(1, { revision: "1", record: CLAIMED });
    }
    // From when it took effect is not known.
    member.onRead(2, { revision: "2", record });
    assert.is(member.isLeading, false, outcome);
    assert.is(proposal(member, 2).epoch, record.epoch + 1);
  }
});

test("a refused swap is followed by a read at once, and a written one by its revision", () => {
  const member = create();
  assert.is(member.next(0).do, "read");
  member.onRead(0, { revision: "1", record: CLAIMED });
  assert.is(member.next(1).do, "swap");
  member.onSwapped(1, null);
  assert.is(member.next(2).do, "read");
  const leader = lead().member;
  const revisions = [1, 2].map((n) => {
    const call = leader.next(n * TTL_MS);
    leader.onSwapped(n * TTL_MS, `${10 * n}`);
    return call.do === "swap" && [call.revision, call.record.beat];
  });
  assert.equal(revisions, [
    ["2", 1],
    ["10", 2],
  ]);
});

test("the next renewal is due a quarter of a ttl after the start of the last one", () => {
  const { member, renew } = lead();
  renew(TTL_MS);
  member.onAcknowledged(TTL_MS, ONE, 0);
  assert.is(member.next(TTL_MS + TTL_MS / 4 - 1).do, "wait");
  assert.is(member.next(TTL_MS + TTL_MS / 4).do, "swap");
});

test("a leader without a record names itself, and writes it before it is due", () => {
  const { member, epoch } = lead();
  member.onAcknowledged(1, ONE, 0);
  member.onRead(1, { revision: "3", record: null });
  assert.equal([member.isLeading, member.leader], [true, "B1"]);
  const { holder, epoch: written, synced } = proposal(member, 2);
  assert.equal([holder, written, synced], ["B1", epoch, [OWN, ONE]]);
});

test("only a synced follower can be the successor", () => {
  const { member, renew } = lead({}, [OWN, ONE, TWO]);
  member.onAcknowledged(0, TWO, 0);
  member.recordLogEnd(0, 5);
  member.onAcknowledged(1, ["S3", "3".repeat(32)], 4);
  member.next(1);
  assert.ok(member.required().some(({ id, isSynced }) => id === "S3" && !isSynced));
  assert.is(member.beginHandover("S3"), false, "it lacks changes");
  member.onLost(1, ["S3", "3".repeat(32)]);
  assert.ok(member.beginHandover("S1"));
  member.onLost(2, ONE);
  member.onAcknowledged(2, TWO, 5);
  const later = 2 * TTL_MS;
  assert.equal(renew(later).synced, [OWN, TWO]);
  member.onAcknowledged(later, TWO, 5);
  member.completeHandover(later, 5);
  assert.equal(
    member.required().map(({ id }) => id),
    ["S2"],
  );
  assert.is(proposal(member, later + TTL_MS).holder, "B1", "it has left");
});

test("a handover that begins when it leads again waits until its log is frozen", () => {
  const { member, epoch } = lead();
  assert.ok(member.beginHandover("S1"));
  member.onSuperseded(epoch + 1);
  // Its instance had been freezing the log.
  member.completeHandover(1, 0);
  member.onRead(1, { revision: "3", record: { ...CLAIMED, epoch: epoch + 1, synced: [OWN, ONE] } });
  proposal(member, 1);
  member.onSwapped(1, "4");
  assert.equal([member.mode(1), member.isHandingOver], ["leading", false]);
  member.onAcknowledged(1, ONE, 0);
  assert.ok(member.beginHandover("S1"));
  assert.is(member.next(2).do, "wait");
});

test("a forced claim is made once, and not after it was cancelled", () => {
  const cancelled = create();
  cancelled.onRead(0, { revision: "1", record: FOLLOWED });
  cancelled.force();
  cancelled.cancelForce();
  cancelled.next(0);
  assert.is(cancelled.next(0).do, "wait");
  const member = create();
  member.onRead(0, { revision: "1", record: FOLLOWED });
  member.force();
  proposal(member, 0);
  member.onSwapped(0, "2");
  assert.equal([member.isLeading, member.isForced], [true, false]);
  member.resign(1);
  member.onRead(1, { revision: "2", record: { ...CLAIMED, epoch: 4 } });
  assert.is(member.next(1 + POLL_MS).do, "read", "its instance could not lead");
});

test("a new leader does not wait for the silent one that it replaces", () => {
  const member = create({ whenAlone: "go-on" });
  const reading = { revision: "1", record: FOLLOWED };
  for (let now = 0; now <= TTL_MS; now += POLL_MS) member.onRead(now, reading);
  assert.equal(proposal(member, TTL_MS).synced, FOLLOWED.synced);
  member.onSwapped(TTL_MS, "2");
  member.onAcknowledged(TTL_MS + 1, TWO, 0);
  assert.equal(proposal(member, TTL_MS + 1).synced, [OWN, TWO]);
});

/** Returns whether a leader that has just taken over is replaced after one ttl of silence. */
function isReplaced(member: Member, from: number, epoch: number, heardMs: number): boolean {
  const record = { ...FOLLOWED, epoch };
  for (let now = from; now <= from + TTL_MS; now += POLL_MS) {
    member.onRead(now, { revision: `silent ${epoch}`, record });
    member.leaderHeardAtMs = now - heardMs;
  }
  return member.next(from + TTL_MS).do === "swap";
}

test("a leader counts as heard for half of a ttl", () => {
  for (const [heardMs, expected] of [
    [TTL_MS / 2 - 1, false],
    [TTL_MS / 2, true],
  ] as const) {
    const member = create();
    member.onRead(0, { revision: "1", record: FOLLOWED });
    assert.is(isReplaced(member, POLL_MS, 4, heardMs), expected);
  }
});

test("its own claim is a takeover, which makes the next one frequent", () => {
  const { member, epoch } = lead();
  const takenOver = { ...FOLLOWED, epoch: epoch + 1 };
  member.onRead(5_000, { revision: "beat 1", record: takenOver });
  // 10 s of calm would be over by now, and 20 s are not.
  assert.is(isReplaced(member, 16_000, epoch + 1, 0), false);
  assert.is(isReplaced(member, 26_000, epoch + 1, 0), true);
});

test.run();
