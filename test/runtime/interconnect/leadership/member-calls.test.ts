// Calls of the engine by one member, and the effects of their results.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LeadershipRecord } from "../../../../runtime/interconnect/leadership/leadership.js";
import type { Member, MemberOptions } from "../../../../runtime/interconnect/leadership/member.js";
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

const test = suite("engine calls of a member");

test("a new member reads first, follows, and knows of no leader", () => {
  const member = create({ whenAlone: "go-on" });
  assert.equal(member.next(0), { do: "read" });
  assert.equal(member.next(POLL_MS - 1), { do: "wait", untilMs: POLL_MS });
  assert.equal(member.next(POLL_MS), { do: "read" });
  assert.equal([member.isLeading, member.isHandingOver, member.isGivingUp], [false, false, false]);
  assert.equal([member.mode(0), member.confirmedSn()], ["following", -1]);
  assert.equal([member.leader, member.recorded, member.rivals], [null, [], []]);
  assert.equal([member.epoch, member.groupEpoch], [2, 0]);
});

test("a follower adopts the record, and reads again on request", () => {
  const member = create();
  member.next(0);
  member.onRead(0, { revision: "1", record: FOLLOWED });
  assert.equal([member.leader, member.epoch, member.groupEpoch], ["S1", 3, 3]);
  assert.equal([member.recorded, member.rivals], [FOLLOWED.synced, ["S2"]]);
  assert.is(member.next(1).do, "wait");
  member.readNow();
  assert.is(member.next(1).do, "read");
  member.onRead(1, { revision: "2", record: { ...FOLLOWED, epoch: 1, holder: null } });
  assert.equal([member.leader, member.epoch, member.groupEpoch], [null, 3, 1]);
  assert.equal(member.rivals, []);
  member.onRead(2, { revision: "3", record: null });
  assert.equal([member.leader, member.recorded, member.groupEpoch], [null, [], 0]);
});

test("a leader writes the record each quarter of a ttl, and waits until then", () => {
  const { member, renew, epoch } = lead();
  assert.equal([member.isLeading, member.leader, epoch], [true, "B1", 4]);
  assert.equal(renew(0).synced, [OWN, ONE]);
  assert.equal(member.next(1), { do: "wait", untilMs: 1 + TTL_MS / 20 });
  member.readNow();
  assert.equal(member.next(TTL_MS / 4 - 1).do, "wait");
  const { beat } = renew(0);
  const due = proposal(member, TTL_MS / 4);
  assert.equal([due.holder, due.beat, due.epoch, due.next], ["B1", beat + 1, epoch, null]);
});

test("the next read settles a swap of unknown outcome", () => {
  const member = create();
  member.next(0);
  member.onRead(0, { revision: "1", record: { ...FOLLOWED, holder: "B1" } });
  const claimed = proposal(member, 0);
  member.onFailed();
  assert.equal(member.next(0).do, "wait", "it reads first");
  assert.equal(member.next(POLL_MS).do, "read");
  const others = { ...claimed, synced: [OWN, TWO] };
  member.onRead(POLL_MS, { revision: "2", record: others });
  assert.is(member.isLeading, false, "a record that it did not write");
  const again = proposal(member, POLL_MS);
  member.onFailed();
  member.onRead(POLL_MS + 5, { revision: "3", record: again });
  assert.equal([member.isLeading, member.epoch], [true, again.epoch]);
  const lateMember = create();
  lateMember.onRead(0, { revision: "1", record: { ...FOLLOWED, holder: "B1" } });
  lateMember.onRead(1, { revision: "2", record: FOLLOWED });
  assert.is(lateMember.isLeading, false, "it has not proposed any");
});

test("a renewal of unknown outcome counts once a read shows its own record", () => {
  const { member } = lead();
  const renewal = proposal(member, TTL_MS / 2);
  member.onFailed();
  const until = TTL_MS / 2 + TTL_MS;
  assert.is(member.mode(TTL_MS + 1), "refusing", "since the last one before");
  member.onRead(TTL_MS + 1, { revision: "5", record: renewal });
  assert.is(member.mode(until - 1), "leading");
  assert.is(member.mode(until), "refusing", "since it was sent");
});

test("a leader reads the record after another member has changed it, and steps down", () => {
  for (const [change, stays] of [
    [{ beat: 9 }, true],
    [{ holder: "S1", epoch: 9 }, false],
    [{ holder: "S1" }, false],
    [{ epoch: 9 }, false],
  ] as const) {
    const { member } = lead();
    const renewal = proposal(member, TTL_MS / 4);
    member.onSwapped(TTL_MS / 4, null);
    assert.is(member.next(TTL_MS / 4).do, "read", "at once");
    member.onRead(TTL_MS / 4, { revision: "7", record: { ...renewal, ...change } });
    assert.is(member.isLeading, stays, JSON.stringify(change));
  }
});

test("a leader rewrites a record that the engine lost while all members respond", () => {
  const lose = (ackedAt: number): Member => {
    const { member, renew } = lead();
    renew(0);
    member.onAcknowledged(ackedAt, ONE, 5);
    proposal(member, TTL_MS);
    member.onSwapped(TTL_MS, null);
    member.onRead(TTL_MS + 1, { revision: "0", record: null });
    return member;
  };
  assert.is(lose(0).isLeading, false, "another member may lead");
  const member = lose(1);
  assert.is(member.isLeading, true);
  const record = proposal(member, TTL_MS + 1);
  assert.equal(record, { holder: "B1", epoch: 4, beat: 1, synced: [OWN, ONE], next: null });
});

test("a leader that steps down refuses changes until the outcome of its call is known", () => {
  const handingOver = () => {
    const { member } = lead();
    assert.is(member.beginHandover("S2"), false, "it is not synced");
    assert.is(member.mode(1), "leading");
    assert.ok(member.beginHandover("S1"));
    assert.equal([member.mode(1), member.isHandingOver], ["refusing", false]);
    assert.is(member.next(1).do, "wait", "its log accepts changes");
    member.completeHandover(1, 7);
    assert.equal([member.isHandingOver, member.next(1).do], [true, "wait"]);
    member.onAcknowledged(1, ONE, 7);
    const { holder, next } = proposal(member, 1);
    assert.equal([holder, next, member.isGivingUp], [null, "S1", true]);
    member.cancelHandover();
    assert.equal([member.isHandingOver, member.mode(1)], [false, "refusing"]);
    return member;
  };
  const done = handingOver();
  done.onSwapped(2, "3");
  assert.equal([done.isLeading, done.isGivingUp, done.mode(2)], [false, false, "following"]);
  const refusedMember = handingOver();
  refusedMember.onSwapped(2, null);
  assert.equal([refusedMember.isGivingUp, refusedMember.mode(2)], [false, "leading"]);
  const unknownMember = handingOver();
  unknownMember.onFailed();
  assert.equal([unknownMember.isGivingUp, unknownMember.mode(2)], [true, "refusing"]);
  unknownMember.onFailed();
  assert.equal([unknownMember.isGivingUp, unknownMember.mode(2)], [false, "leading"]);
  const cancelled = lead();
  cancelled.member.beginHandover("S1");
  cancelled.member.cancelHandover();
  assert.is(cancelled.member.mode(1), "leading");
  proposal(cancelled.member, TTL_MS / 4);
  assert.is(cancelled.member.isGivingUp, false, "a renewal");
});

test("a higher epoch elsewhere ends leadership", () => {
  const { member, epoch } = lead();
  member.onSuperseded(epoch);
  assert.is(member.isLeading, true, "its own");
  member.onSuperseded(epoch + 1);
  assert.equal([member.isLeading, member.epoch, member.groupEpoch], [false, epoch + 1, epoch + 1]);
  assert.equal([member.next(0).do, member.mode(0)], ["read", "following"]);
  member.onSuperseded(epoch);
  assert.is(member.epoch, epoch + 1);
});

test("a member that resigned claims after two ttl, a lagging one after 0.3 ttl", () => {
  const vacant = { ...FOLLOWED, holder: null, next: "B1" };
  const claimsAt = (member: Member, from: number, ms: number): boolean[] => {
    const claims = (now: number): boolean => {
      member.onRead(now, { revision: "9", record: vacant });
      return member.next(now).do === "swap";
    };
    return [claims(from + ms - 1), claims(from + ms)];
  };
  const { member } = lead();
  member.resign(100);
  assert.is(member.isLeading, false);
  assert.equal(claimsAt(member, 100, 2 * TTL_MS), [false, true]);
  const behind = create();
  behind.onRead(50, { revision: "9", record: vacant });
  behind.onRivalsCompared(50, true);
  assert.equal(claimsAt(behind, 50, 0.3 * TTL_MS), [false, true]);
});

test("only a synced process claims a lead that it held or was handed", () => {
  const claims = (change: Partial<LeadershipRecord> | null, options?: Partial<MemberOptions>) => {
    const member = create(options);
    member.onRead(0, { revision: "1", record: change && { ...FOLLOWED, ...change } });
    const call = member.next(0);
    return call.do === "swap" ? call.record : null;
  };
  const claimed = { ...FOLLOWED, holder: "B1", epoch: 4 };
  assert.equal(claims({ holder: "B1" }), claimed, "held by a previous process");
  assert.equal(claims({ holder: null, next: "B1" }), claimed);
  assert.is(claims({ holder: null, next: "B1" }, { epoch: 8 })!.epoch, 9);
  assert.is(claims({ holder: null, next: "S2" }), null);
  assert.is(claims({ holder: "S1", next: "B1" }), null);
  assert.is(claims({ holder: "B1", synced: [ONE] }), null);
  assert.is(claims({ holder: "B1", synced: [["B1", "f".repeat(32)]] }), null, "emptied since");
  assert.is(claims({ holder: "B1", synced: [["S1", OWN[1]]] }), null);
  assert.is(claims(null), null);
  const founded = { holder: "B1", epoch: 3, beat: 0, synced: [OWN], next: null };
  assert.equal(claims(null, { mayCreateRecord: true }), founded);
  assert.is(claims({}, { mayCreateRecord: true }), null, "there is a record");
});

test("a leader with too few synced followers acknowledges only if it may go on", () => {
  const confirmed = (options: Partial<MemberOptions>): number => {
    const { member } = lead(options);
    member.onAcknowledged(1, ONE, 6);
    return member.confirmedSn();
  };
  assert.equal(
    [{}, { minSynced: 2 }, { minSynced: 2, whenAlone: "go-on" as const }].map(confirmed),
    [6, -1, 6],
  );
});

test("a member that left stays named only if changes wait for it", () => {
  const named = (whenAlone: MemberOptions["whenAlone"]) => {
    const { member } = lead({ whenAlone });
    member.onLost(0, ONE);
    return proposal(member, TTL_MS).synced;
  };
  assert.equal([named("refuse"), named("go-on")], [[OWN, ONE], [OWN]]);
});

test.run();
