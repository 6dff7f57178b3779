// The next step of a coordinator, derived from the records of the instances. A coordinator has no
// state that matters: after a crash, another one continues, or undoes the steps before `give`.

import { SlotMap } from "./slot-map.js";
import type { SlotCommand, SlotMove, SlotRecord } from "./slot-record.js";

/** An instance with slots of its own, or a replica of one. */
export interface SlotMember {
  readonly id: string;
  readonly group: string;
  readonly record: SlotRecord;
  /** It changes the graphs of its group, as far as it knows. */
  readonly leads: boolean;
  /** Latest term of its group that it knows, with one leader per term; 0: leaders never change. */
  readonly term: number;
}

/** A leader in a term. It refuses commands of a move once it does not lead in this term. */
export interface SlotLeader {
  readonly id: string;
  readonly term: number;
}

/** The attempt of this run; null: it only finishes what others have begun. */
export interface SlotAttempt {
  readonly move: SlotMove;
  /** The target has received the content of the slots, which do not change any more. */
  readonly isCopied: boolean;
  /** The target has verified the content, and flushed it. */
  readonly isApplied: boolean;
}

interface CopyPlaces {
  readonly move: SlotMove;
  readonly from: SlotLeader;
  readonly to: SlotLeader;
}

interface TellStep {
  readonly do: "tell";
  readonly to: readonly string[];
  readonly command: SlotCommand;
}

export type SlotStep =
  | TellStep
  /** Sends the content to the target, or lets the target write what it has. */
  | ({ readonly do: "copy" } & CopyPlaces)
  | ({ readonly do: "apply" } & CopyPlaces)
  /** Removes the content of the slots in the source, or in a target that gets none. */
  | {
      readonly do: "remove";
      readonly at: SlotLeader;
      readonly move: SlotMove;
      /** Told to others meanwhile, in any order. */
      readonly meanwhile: readonly TellStep[];
      /** Executed there after the removal, without another request; null: others of the group. */
      readonly last: SlotCommand | null;
      /** Told to a group of several once all of it is done. */
      readonly afterwards: TellStep | null;
    }
  /** A group that the step needs has no leader. */
  | { readonly do: "wait"; readonly group: string }
  /** Another coordinator has undone the move. */
  | { readonly do: "lost" }
  | { readonly do: "done" };

const DONE: SlotStep = { do: "done" };

/** @param members all of all groups: without one of them nothing may be decided */
export function nextSlotStep(
  members: readonly SlotMember[],
  attempt: SlotAttempt | null,
): SlotStep {
  const move = members.find(({ record }) => record.move !== null)?.record.move ?? attempt?.move;
  if (move === undefined || isOver(members, move)) return installStep(members);
  const sources = members.filter(({ group }) => group === move.from);
  const targets = members.filter(({ group }) => group === move.to);
  if (sources.some(({ record }) => hasGiven(record, move)))
    return forwardStep(move, members, sources, targets);
  if (attempt?.move.id !== move.id) return undoStep(move, sources, targets);
  return attemptStep(attempt, members, sources, targets);
}

/** Only the target is mixed while it writes: what takes long comes before. */
function attemptStep(
  { move, isCopied, isApplied }: SlotAttempt,
  members: readonly SlotMember[],
  sources: readonly SlotMember[],
  targets: readonly SlotMember[],
): SlotStep {
  const changing = sources.filter(({ record }) => !holds(record, move));
  if (changing.length > 0 && isCopied) return { do: "lost" };
  // A group of one has no other member that takes changes, and holds the move as it encodes.
  if (changing.length > 0 && sources.length > 1) return tell(changing, { do: "hold", move });
  if (!isCopied) return copyStep("copy", move, members);
  const unheld = targets.filter(({ record }) => !holds(record, move));
  if (unheld.length > 0 && isApplied) return { do: "lost" };
  // A group of one has no other member that answers, and holds the move as it writes.
  if (unheld.length > 0 && targets.length > 1) return tell(unheld, { do: "hold", move });
  if (!isApplied) return copyStep("apply", move, members);
  return tell(sources, { do: "give", id: move.id });
}

/** All sources hold the slots, so that their latest leader has all changes there will be. */
function copyStep(
  what: "copy" | "apply",
  move: SlotMove,
  members: readonly SlotMember[],
): SlotStep {
  const from = findLeader(members, move.from);
  const to = findLeader(members, move.to);
  if (from === null || to === null)
    return { do: "wait", group: from === null ? move.from : move.to };
  return { do: what, move, from, to };
}

/**
 * Returns the member that leads a group in the latest term that any member knows; null: none does.
 * A former leader may not know yet that there is another one.
 */
export function findLeader(members: readonly SlotMember[], group: string): SlotLeader | null {
  const own = members.filter((member) => member.group === group);
  const term = Math.max(0, ...own.map((member) => member.term));
  const found = own.find((member) => isLeading(member, term));
  return found === undefined ? null : { id: found.id, term };
}

/** Returns whether a member leads in a term, as far as it knows. */
export function isLeading(member: Pick<SlotMember, "leads" | "term">, term: number): boolean {
  return member.leads && member.term === term;
}

function isOver(members: readonly SlotMember[], { version, from, to }: SlotMove): boolean {
  return members.every(({ group, record }) => {
    return record.move === null && (record.version >= version || (group !== from && group !== to));
  });
}

/** A source that has forgotten the move still has the map without the slots. */
function forwardStep(
  move: SlotMove,
  members: readonly SlotMember[],
  sources: readonly SlotMember[],
  targets: readonly SlotMember[],
): SlotStep {
  const { id } = move;
  const ungiven = sources.filter(({ record }) => holds(record, move) && !record.move?.isGiven);
  if (ungiven.length > 0) return tell(ungiven, { do: "give", id });
  const uncleared = sources.filter(({ record }) => holds(record, move));
  const untaken = targets.filter(({ record }) => holds(record, move));
  const older = members.filter(({ group, record }) => {
    return group !== move.from && group !== move.to && record.version < move.version;
  });
  const given = sources.find(({ record }) => hasGiven(record, move))!;
  const next = { ...given.record, move: null };
  const meanwhile = [
    ...(untaken.length > 0 ? [tell(untaken, { do: "take", id })] : []),
    ...(older.length > 0 ? [tell(older, { do: "install", record: next })] : []),
  ];
  if (uncleared.length === 0) return meanwhile[0] ?? installStep(members);
  return remove(move, sources, tell(uncleared, { do: "clear", id }), meanwhile);
}

/** A source that has aborted cannot give: only then the target may drop what it has. */
function undoStep(
  move: SlotMove,
  sources: readonly SlotMember[],
  targets: readonly SlotMember[],
): SlotStep {
  const command = { do: "abort", id: move.id } as const;
  const holding = sources.filter(({ record }) => holds(record, move));
  if (holding.length > 0) return tell(holding, command);
  const taking = targets.filter(({ record }) => holds(record, move));
  return remove(move, targets, tell(taking, command));
}

function remove(
  move: SlotMove,
  group: readonly SlotMember[],
  then: TellStep,
  meanwhile: readonly TellStep[] = [],
): SlotStep {
  const name = group[0]?.group ?? move.from;
  const leader = findLeader(group, name);
  if (leader === null) return meanwhile[0] ?? { do: "wait", group: name };
  const { record } = group.find(({ id }) => id === leader.id)!;
  // Told before others of its group, after the removal; or not all had held, and nothing came.
  if (!holds(record, move)) return meanwhile[0] ?? then;
  const removal = { do: "remove", at: leader, move, meanwhile } as const;
  if (group.length === 1) return { ...removal, last: then.command, afterwards: null };
  return { ...removal, last: null, afterwards: then };
}

/** All others learn the latest map. */
function installStep(members: readonly SlotMember[]): SlotStep {
  const latest = latestRecord(members.map(({ record }) => record));
  const older = members.filter(({ record }) => record.version < (latest?.version ?? 0));
  if (latest === null || older.length === 0) return DONE;
  return tell(older, { do: "install", record: { ...latest, move: null } });
}

/** Returns the record with the highest version. */
export function latestRecord(records: readonly SlotRecord[]): SlotRecord | null {
  let latest: SlotRecord | null = null;
  for (const record of records) {
    if (latest === null || record.version > latest.version) latest = record;
  }
  return latest;
}

/** Returns whether a source has given the slots, and may have forgotten the move since. */
function hasGiven(record: SlotRecord, move: SlotMove): boolean {
  if (holds(record, move)) return record.move!.isGiven;
  if (record.version < move.version) return false;
  const { map, groups } = record;
  return groups[new SlotMap(map).ownerOf(move.slots[0]!)] === move.to;
}

function holds({ move: held }: SlotRecord, { id }: SlotMove): boolean {
  return held !== null && held.id === id;
}

function tell(members: readonly SlotMember[], command: SlotCommand) {
  return { do: "tell", to: members.map(({ id }) => id), command } as const;
}
