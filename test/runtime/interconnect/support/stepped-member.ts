// The state machine of a member, step by step, and records of its group.

import type {
  Incarnation,
  LeadershipRecord,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import { Member, type MemberOptions } from "../../../../runtime/interconnect/leadership/member.js";

export const TTL_MS = 2_000;
export const POLL_MS = 200;
export const OWN: Incarnation = ["B1", "0".repeat(32)];
export const ONE: Incarnation = ["S1", "1".repeat(32)];
export const TWO: Incarnation = ["S2", "2".repeat(32)];
/** Record of another leader. */
export const FOLLOWED: LeadershipRecord = {
  ...{ holder: "S1", epoch: 3, beat: 0, synced: [ONE, OWN, TWO], next: null },
};

export function create(options: Partial<MemberOptions> = {}): Member {
  const [id, incarnation] = OWN;
  return new Member({
    ...{ id, incarnation, ttlMs: TTL_MS, minSynced: 1, whenAlone: "refuse" as const },
    ...{ mayCreateRecord: false, epoch: 2, ...options },
  });
}

/** The record that the member would write now. */
export function proposal(member: Member, now: number): LeadershipRecord {
  const call = member.next(now);
  if (call.do !== "swap") throw new Error(`it does not swap: ${JSON.stringify(call)}`);
  return call.record;
}

/** A leader since time 0, with synced followers of which the first one has everything. */
export function lead(options: Partial<MemberOptions> = {}, synced = [OWN, ONE]) {
  const member = create(options);
  const handed = { ...FOLLOWED, holder: null, next: "B1", synced };
  member.onRead(0, { revision: "1", record: handed });
  let record = proposal(member, 0);
  member.onSwapped(0, "2");
  member.onAcknowledged(0, ONE, 0);
  /** Writes the record as often as is due. */
  const renew = (now: number): LeadershipRecord => {
    for (let call = member.next(now); call.do === "swap"; call = member.next(now)) {
      record = call.record;
      member.onSwapped(now, `${now}`);
    }
    return record;
  };
  return { member, renew, epoch: record.epoch };
}
