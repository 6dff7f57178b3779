// Instances of one group as the engine of leadership sees them: terms, leaders that do not know yet
// that another one leads, and members that have all confirmed changes.

import { isLeading } from "../../../../runtime/base/next-slot-step.js";
import { isMixed, type SlotMove, type SlotRecord } from "../../../../runtime/base/slot-record.js";
import type { Random } from "../random.js";
import { slotOf } from "./simulated-dispatcher.js";

/** A command or request got no response. */
export class Lost extends Error {}

/** Changes by key. */
export type Content = Map<number, Set<number>>;

export interface Member {
  readonly id: string;
  readonly group: string;
  record: SlotRecord;
  /** The record that it has after a crash. */
  kept: SlotRecord;
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
  /** Content that it has stored durably, and shows only later. */
  stage: { readonly id: string; readonly content: Content } | null;
  /** Id of the move whose content it has written since its start. */
  written: string | null;
  /** Keys whose content it has written, and may lack after a crash. */
  readonly unflushed: Set<number>;
}

/** Returns whether the responses of a member are of a map. */
export function isSettled({ record, group, absent }: Member): boolean {
  return !isMixed(record, group) || record.move?.id === absent;
}

/** @param forgets what it knows only until the restart */
export function crash(member: Member, random: Random, forgets: boolean): void {
  member.isUp = false;
  member.leads = false;
  if (forgets) member.absent = null;
  const isBack = random.below(2) === 0;
  for (const [key, changes] of member.removed) if (isBack) member.content.set(key, changes);
  member.removed = new Map();
  for (const key of member.unflushed) if (random.below(2) === 0) member.content.delete(key);
  member.unflushed.clear();
  member.written = null;
  member.record = member.kept;
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
    member.content = copyOf(leader.content);
    if (!member.isKnown && this.adopts) keep(member, leader.record);
    member.isKnown = true;
    this.synced.add(member);
  }

  /** A member loses its data folder, and starts again without. */
  empty(member: Member, record: SlotRecord): void {
    const isLast = [...this.synced].every((other) => other === member);
    if (isLast || this.leading === member) return;
    this.synced.delete(member);
    member.starts++;
    keep(member, record);
    Object.assign(member, { content: new Map(), term: 0, leads: false, isKnown: false });
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

/** Returns a member with content that is not durable, rather than another one. */
export function chooseVictim(members: readonly Member[], other: Member, random: Random): Member {
  const found = members.filter(({ unflushed }) => unflushed.size > 0);
  return found.length > 0 && random.below(4) > 0 ? random.of(found) : other;
}

/** Writes what was stored, unless the target has done so since its start. */
export function applyStage(member: Member, { id, slots }: SlotMove): void {
  if (member.written === id) return;
  if (member.stage?.id !== id) throw new Lost();
  member.absent = null;
  for (const key of member.content.keys()) {
    if (slots.includes(slotOf(key))) member.content.delete(key);
  }
  for (const [key, changes] of member.stage.content) {
    member.content.set(key, new Set(changes));
    member.unflushed.add(key);
  }
  member.written = id;
}

/** A member has a record durably. */
export function keep(member: Member, record: SlotRecord): void {
  member.record = record;
  member.kept = record;
}

export function copyOf(content: Content): Content {
  return new Map([...content].map(([key, changes]) => [key, new Set(changes)]));
}
