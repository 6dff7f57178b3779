// Instances of one group as the engine of leadership sees them: terms, leaders that do not know yet
// that another one leads, and members that have all confirmed changes.

import { isLeading } from "../../../../runtime/base/next-slot-step.js";
import { isMixed, type SlotRecord } from "../../../../runtime/base/slot-record.js";
import type { Random } from "../random.js";

/** Changes by key. */
export type Content = Map<number, Set<number>>;

export interface Member {
  readonly id: string;
  readonly group: string;
  record: SlotRecord;
  isUp: boolean;
  /** Number of the coordinator whose commands it takes. */
  lease: number;
  content: Content;
  /** Latest term that it knows. */
  term: number;
  /** It believes that it leads in that term. */
  leads: boolean;
  /** Its record is that of its group: an empty data folder has none. */
  isKnown: boolean;
  /** Number of its starts, which end its requests. */
  starts: number;
  /** When each slot was last moved. */
  readonly touched: Map<number, number>;
  /** Id of the move of whose content it has nothing that another group owns, as far as it knows. */
  absent: string | null;
  /** Content that it has removed, which may be there again after a crash. */
  removed: Content;
}

/** Returns whether the responses of a member are of a map. */
export function isSettled({ record, group, absent }: Member): boolean {
  return !isMixed(record, group) || record.move?.id === absent;
}

/** @param forgets discards the state that does not survive a restart */
export function crash(member: Member, random: Random, forgets: boolean): void {
  member.isUp = false;
  member.leads = false;
  if (forgets) member.absent = null;
  const isBack = random.below(2) === 0;
  for (const [key, changes] of member.removed) if (isBack) member.content.set(key, changes);
  member.removed = new Map();
}

export class SimulatedGroup {
  /** They have all that is confirmed. */
  readonly synced: Set<Member>;
  term = 1;

  /** @param adopts an emptied member takes over the record of its leader */
  constructor(
    readonly name: string,
    readonly members: readonly Member[],
    readonly adopts: boolean,
  ) {
    this.synced = new Set(members);
  }

  get leading(): Member | undefined {
    return this.members.find((member) => member.isUp && isLeading(member, this.term));
  }

  /** A synced member leads in a new term. The former leader does not know it yet. */
  elect(random: Random): void {
    const up = this.members.filter((member) => member.isUp && this.synced.has(member));
    if (up.length === 0) return;
    const next = random.of(up);
    this.term++;
    next.term = this.term;
    next.leads = true;
  }

  /** A member hears of the latest term, and gets all that its leader has. */
  follow(member: Member): void {
    const leader = this.leading;
    if (!member.isUp || leader === undefined || leader === member) return;
    member.leads = false;
    member.term = this.term;
    member.content = copyContent(leader.content);
    if (!member.isKnown && this.adopts) member.record = leader.record;
    member.isKnown = true;
    this.synced.add(member);
  }

  /** A member loses its data folder, and starts again without. */
  empty(member: Member, record: SlotRecord): void {
    const isLast = [...this.synced].every((syncedMember) => syncedMember === member);
    if (isLast || this.leading === member) return;
    this.synced.delete(member);
    member.starts++;
    Object.assign(member, { content: new Map(), record, term: 0, leads: false, isKnown: false });
  }

  /**
   * Sends everything to the members of a group. Members that are down or away are not
   * synced any more. Returns false in a former term: no member takes anything.
   */
  confirm(leader: Member, random: Random): boolean {
    if (!leader.isUp || !isLeading(leader, this.term)) return false;
    for (const member of this.members) {
      if (member === leader) continue;
      // A former leader that does not hear of this one is mostly unreachable.
      const isAway = random.below(member.leads ? 2 : 20) === 0;
      if (!member.isUp || isAway) this.synced.delete(member);
      else if (this.synced.has(member)) this.follow(member);
    }
    return true;
  }
}

export function copyContent(content: Content): Content {
  return new Map([...content].map(([key, changes]) => [key, new Set(changes)]));
}
