// The state machine of a member, step by step.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { LeadershipRecord } from "../../../../runtime/interconnect/leadership/leadership.js";
import { Member } from "../../../../runtime/interconnect/leadership/member.js";
import { SilenceWatch } from "../../../../runtime/interconnect/leadership/silence-watch.js";

const test = suite("member of a group");
const [OWN, ONE, TWO] = ["0", "1", "2"].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
];

const RECORD = { holder: "B1", beat: 0, synced: [["S1", ONE]], next: null } as const;
const TTL_MS = 2_000;
const POLL_MS = 200;

/** The first member of a group, with an engine that answers at once. */
class Leader {
  readonly member: Member;
  now = 0;
  record: LeadershipRecord | null = null;
  isEngineAway = false;
  #revision = 0;

  constructor(whenAlone: "refuse" | "go-on" = "refuse") {
    this.member = new Member({
      ...{ id: "B1", incarnation: OWN, ttlMs: TTL_MS, minSynced: 1, whenAlone },
      ...{ mayCreateRecord: true, epoch: 0 },
    });
  }

  get synced(): string[] {
    return this.record!.synced.map(([id]) => id).sort();
  }

  /** Advances the time while the members acknowledge; null: a member does not. */
  run(first: number | null, two: number | null, ms = 400): void {
    const { member } = this;
    for (const end = this.now + ms; this.now < end; ) {
      this.now += 10;
      if (member.isLeading) {
        if (first !== null) member.onAcknowledged(this.now, ["S1", ONE], first);
        if (two !== null) member.onAcknowledged(this.now, ["S2", TWO], two);
      }
      const call = member.next(this.now);
      if (call.do === "wait") continue;
      if (this.isEngineAway) member.onFailed();
      else if (call.do === "read") {
        member.onRead(this.now, { revision: String(this.#revision), record: this.record });
      } else {
        this.record = call.record;
        member.onSwapped(this.now, String(++this.#revision));
      }
    }
  }
}

test("hands over once all changes are acknowledged", () => {
  const leader = new Leader();
  const { member } = leader;
  leader.run(0, 0);
  member.recordLogEnd(leader.now, 5);
  leader.run(5, 5);
  assert.equal(leader.synced, ["B1", "S1", "S2"]);
  assert.ok(member.beginHandover("S1"));
  member.completeHandover(leader.now, 6);
  leader.run(6, 5);
  assert.is(leader.record!.holder, "B1", "S2 lacks a change whose response waits for it");
  leader.run(6, 6);
  assert.equal([leader.record!.holder, leader.record!.next], [null, "S1"]);
});

test("a new leader responds from its claim until a ttl passes without a renewal", () => {
  const member = new Member({
    ...{ id: "S1", incarnation: ONE, ttlMs: TTL_MS, minSynced: 1, whenAlone: "go-on" },
    ...{ mayCreateRecord: false, epoch: 1 },
  });
  const synced = [
    ["S1", ONE],
    ["S2", TWO],
  ] as const;
  const record = { holder: null, epoch: 1, beat: 0, synced, next: "S1" };
  member.onRead(0, { revision: "1", record });
  assert.is(member.next(0).do, "swap");
  member.onSwapped(50, "2");
  // S2 has not acknowledged anything yet.
  assert.is(member.mode(TTL_MS - 1), "leading");
  assert.is(member.mode(TTL_MS), "refusing", "since it was sent");
});

test("a forced claim waits neither for a more advanced member nor after a failed lead", () => {
  for (const wait of ["onRivalsCompared", "resign"] as const) {
    const member = new Member({
      ...{ id: "S1", incarnation: ONE, ttlMs: TTL_MS, minSynced: 1, whenAlone: "go-on" },
      ...{ mayCreateRecord: false, epoch: 1 },
    });
    member.onRead(0, { revision: "1", record: { ...RECORD, epoch: 1 } });
    member[wait](0, true);
    assert.is(member.next(0).do, "read");
    member.force();
    assert.is(member.next(0).do, "swap", wait);
  }
});

test("queries its rivals once while a leader is silent", () => {
  const member = new Member({
    ...{ id: "S2", incarnation: TWO, ttlMs: TTL_MS, minSynced: 1, whenAlone: "go-on" },
    ...{ mayCreateRecord: false, epoch: 1 },
  });
  const requests = [0, 1].map((beat) => {
    member.onRead(0, { revision: String(beat), record: { ...RECORD, epoch: 1, beat } });
    const before = member.rivals;
    member.onRivalsCompared(0, false);
    return [before, member.rivals];
  });
  assert.equal(requests, [
    [["S1"], []],
    [["S1"], []],
  ]);
});

test("a member is synced once it has everything from before it was required", () => {
  const leader = new Leader();
  const { member } = leader;
  leader.run(null, null, 100);
  member.recordLogEnd(leader.now, 100);
  leader.run(null, 40, 300);
  assert.equal(leader.synced, ["B1"]);
  assert.is(member.confirmedSn(), -1, "nothing is acknowledged without a synced member");
  assert.ok(member.required().some(({ id, isSynced }) => id === "S2" && !isSynced));
  leader.run(null, 100, 300);
  assert.equal(leader.synced, ["B1", "S2"]);
  assert.is(member.confirmedSn(), 100);
});

test("a late member is required until the record drops it", () => {
  const leader = new Leader();
  const { member } = leader;
  leader.run(0, 0);
  member.recordLogEnd(leader.now, 1);
  leader.run(1, 1);
  leader.isEngineAway = true;
  for (let sn = 2; sn < 40; sn++) {
    member.recordLogEnd(leader.now, sn);
    leader.run(sn, 1, 50);
  }
  assert.is(member.confirmedSn(), 1, "it may still lead next");
  leader.isEngineAway = false;
  leader.run(39, 1);
  assert.equal(leader.synced, ["B1", "S1"]);
  assert.is(member.confirmedSn(), 39);
  // The last synced member stays in the record, and so do changes wait for it.
  for (let sn = 40; sn < 80; sn++) {
    member.recordLogEnd(leader.now, sn);
    leader.run(39, 1, 50);
  }
  assert.equal(leader.synced, ["B1", "S1"]);
  assert.is(member.confirmedSn(), 39);
});

test("without a lease, it acknowledges only while all members respond", () => {
  const leader = new Leader();
  const { member } = leader;
  leader.run(0, 0);
  assert.is(member.mode(leader.now), "leading");
  leader.isEngineAway = true;
  leader.run(0, 0, 2 * TTL_MS);
  assert.is(member.mode(leader.now), "leading");
  leader.run(0, null, 2 * TTL_MS);
  assert.is(member.mode(leader.now), "refusing", "S2 may lead");
});

test("alone, it refuses changes or goes on, as configured", () => {
  for (const [whenAlone, mode] of [
    ["refuse", "readonly"],
    ["go-on", "leading"],
  ] as const) {
    const leader = new Leader(whenAlone);
    const { member } = leader;
    leader.run(null, null);
    const first = whenAlone === "refuse" ? "refusing" : "leading";
    assert.is(member.mode(leader.now), first, "members may be about to connect");
    leader.run(null, null, 5 * TTL_MS);
    assert.is(member.mode(leader.now), mode);
  }
});

test("refuses changes after a delay while its last synced member is silent", () => {
  for (const [whenAlone, mode] of [
    ["refuse", "readonly"],
    ["go-on", "leading"],
  ] as const) {
    const leader = new Leader(whenAlone);
    const { member } = leader;
    leader.run(0, 0);
    leader.run(0, null, 5 * TTL_MS);
    assert.is(member.mode(leader.now), "leading", "one member suffices");
    leader.run(null, null, 5 * TTL_MS - 20);
    assert.is(member.mode(leader.now), "leading", "it may only restart");
    leader.run(null, null, 20);
    assert.is(member.mode(leader.now), mode);
    leader.run(0, null, 10);
    assert.is(member.mode(leader.now), "leading");
  }
});

test("a last synced member that responds but stores nothing counts as silent", () => {
  const leader = new Leader();
  const { member } = leader;
  leader.run(0, null);
  member.recordLogEnd(leader.now, 9);
  leader.run(0, null, 5 * TTL_MS - 20);
  assert.is(member.mode(leader.now), "leading", "it may be about to go on");
  leader.run(0, null, 30);
  assert.is(member.mode(leader.now), "readonly");
  assert.equal(leader.synced, ["B1", "S1"], "it remains the only other one with all changes");
  leader.run(1, null, 10);
  assert.is(member.mode(leader.now), "leading");
  leader.run(9, null, 10 * TTL_MS);
  assert.is(member.mode(leader.now), "leading", "nothing is left to store");
});

test("a new leader gives its members time to connect", () => {
  const member = new Member({
    ...{ id: "S1", incarnation: ONE, ttlMs: TTL_MS, minSynced: 1, whenAlone: "refuse" },
    ...{ mayCreateRecord: false, epoch: 1 },
  });
  const synced = [
    ["S1", ONE],
    ["S2", TWO],
  ] as const;
  const start = 100 * TTL_MS;
  const record = { holder: null, epoch: 1, beat: 0, synced, next: "S1" };
  member.onRead(start, { revision: "1", record });
  assert.is(member.next(start).do, "swap");
  member.onSwapped(start, "2");
  assert.is(member.mode(start), "leading");
});

/** Hears the same record until it counts as silent; returns the time that took. */
function silence(watch: SilenceWatch, from: number, epoch: number, isHeard = true): number {
  const record = { holder: "B1", epoch, beat: 0, synced: [], next: null };
  for (let now = from; ; now += POLL_MS) {
    watch.heard(now, { revision: String(epoch), record });
    if (watch.mayReplaceHolder(now, 0, isHeard)) return now - from;
  }
}

test("time without responses of the engine does not count as silence of the leader", () => {
  const watch = new SilenceWatch(TTL_MS, POLL_MS);
  const record = { holder: "B1", epoch: 1, beat: 0, synced: [], next: null };
  for (const now of [0, 10 * TTL_MS, 20 * TTL_MS]) {
    watch.heard(now, { revision: "1", record });
    assert.not.ok(watch.mayReplaceHolder(now, 0, false));
  }
  assert.ok(silence(new SilenceWatch(TTL_MS, POLL_MS), 0, 1) <= TTL_MS);
});

test("the first member founds its group once, whatever happens to the record", () => {
  const isLeader = (member: Member): boolean => {
    member.onRead(0, { revision: "0", record: null });
    return member.next(0).do === "swap";
  };
  const follower = new Leader().member;
  follower.onRead(0, { revision: "1", record: { ...RECORD, holder: "S1", epoch: 1 } });
  const leader = new Leader().member;
  assert.ok(isLeader(leader));
  leader.onSwapped(0, "1");
  assert.equal([isLeader(leader), isLeader(follower)], [false, false]);
});

test("a forced claim has a later epoch than a record that the engine has lost", () => {
  const member = new Member({
    ...{ id: "S1", incarnation: ONE, ttlMs: TTL_MS, minSynced: 1, whenAlone: "refuse" },
    ...{ mayCreateRecord: false, epoch: 1 },
  });
  member.onRead(0, { revision: "1", record: { ...RECORD, epoch: 5 } });
  member.onRead(0, { revision: "2", record: null });
  member.force();
  const call = member.next(0);
  assert.equal([member.epoch, call.do === "swap" && call.record.epoch], [5, 6]);
});

test("a group without a leader for long is abandoned", () => {
  const abandonedAfter = (leads: boolean): number | null => {
    const member = new Member({
      ...{ id: "S1", incarnation: ONE, ttlMs: TTL_MS, minSynced: 1, whenAlone: "refuse" },
      ...{ mayCreateRecord: false, epoch: 1 },
    });
    const handover = leads ? { holder: null, next: "S1" } : {};
    let reading = {
      revision: "1",
      record: { ...RECORD, epoch: 1, ...handover } as LeadershipRecord,
    };
    member.onRead(0, reading);
    const call = member.next(0);
    if (call.do === "swap") {
      reading = { revision: "2", record: call.record };
      member.onSwapped(0, reading.revision);
    }
    assert.is(member.isLeading, leads);
    // A leader that cannot write the record reads it.
    for (let now = 0; now <= 6 * TTL_MS; now += POLL_MS) {
      member.onRead(now, reading);
      if (member.isAbandoned) return now;
    }
    return null;
  };
  assert.equal([abandonedAfter(false), abandonedAfter(true)], [5 * TTL_MS, null]);
});

test("after a takeover, silence must last longer, and longer after another one", () => {
  const watch = new SilenceWatch(TTL_MS, POLL_MS);
  let now = silence(watch, 0, 1);
  assert.is(now, TTL_MS);
  for (let epoch = 2; epoch < 6; epoch++) {
    const ms = silence(watch, now + POLL_MS, epoch);
    assert.is(ms, 2 * TTL_MS, `epoch ${epoch}`);
    now += POLL_MS + ms;
  }
  assert.is(silence(watch, now + 400_000, 6), 2 * TTL_MS);
  assert.is(silence(watch, now + 900_000, 6), 0);
});

test("after a takeover, an unheard leader gets no additional time", () => {
  const watch = new SilenceWatch(TTL_MS, POLL_MS);
  const now = silence(watch, 0, 1, false);
  assert.is(silence(watch, now + POLL_MS, 2, false), TTL_MS);
});

test("a member hears of its leader through the engine and its connection", () => {
  const claimsAfter = (isHeard: boolean): number => {
    const member = new Member({
      ...{ id: "S1", incarnation: ONE, ttlMs: TTL_MS, minSynced: 1, whenAlone: "refuse" as const },
      ...{ mayCreateRecord: false, epoch: 1 },
    });
    const record: LeadershipRecord = { ...RECORD, epoch: 1 };
    member.onRead(0, { revision: "1", record });
    for (let now = POLL_MS; ; now += POLL_MS) {
      member.onRead(now, { revision: "2", record: { ...record, epoch: 2 } });
      if (isHeard) member.leaderHeardAtMs = now;
      if (member.next(now).do === "swap") return now - POLL_MS;
    }
  };
  assert.equal([claimsAfter(true), claimsAfter(false)], [2 * TTL_MS, TTL_MS]);
});

test.run();
