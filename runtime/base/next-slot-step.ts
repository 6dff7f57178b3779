// Derives the next step of a slot move from the records of all instances. A coordinator has no
// durable state: after its crash, another one completes the move, or undoes it before `give`.

import { SlotMap } from "./slot-map.js";
import type { SlotCommand, SlotMove, SlotRecord } from "./slot-record.js";

/** An instance with slots of its own, or a replica of one. */
export interface SlotMember {
  readonly id: string;
  readonly group: string;
  readonly record: SlotRecord;
  /** Whether it leads its group, according to its own knowledge. */
  readonly leads: boolean;
  /** Latest term of its group that it has seen, with one leader per term; 0: no elections. */
  readonly term: number;
}

/** A leader in a term. It rejects commands of a move once it no longer leads in this term. */
export interface SlotLeader {
  readonly id: string;
  readonly term: number;
}

/** State of the attempt of this run. */
export interface SlotAttempt {
  readonly move: SlotMove;
  /** The target has received the final content of the slots. */
  readonly isCopied: boolean;
  /** The target has verified and flushed the content. */
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
  /** `copy` sends the content to the target; `apply` makes the target write it. */
  | ({ readonly do: "copy" } & CopyPlaces)
  | ({ readonly do: "apply" } & CopyPlaces)
  /** Removes the content of the slots from the source, or from the target of an undone move. */
  | {
      readonly do: "remove";
      readonly at: SlotLeader;
      readonly move: SlotMove;
      /** Commands for other members, sent during the removal in any order. */
      readonly meanwhile: readonly TellStep[];
      /** Command that `at` executes after the removal, in the same request; null: none. */
      readonly last: SlotCommand | null;
      /** Commands for the group of `at` after the removal; null: it has no other member. */
      readonly afterwards: TellStep | null;
    }
  /** A group without a leader blocks the next step. */
  | { readonly do: "wait"; readonly group: string }
  /** Another coordinator has undone the move. */
  | { readonly do: "lost" }
  | { readonly do: "done" };

const DONE: SlotStep = { do: "done" };

/** @param members all members of all groups: a decision requires every record */
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

/** Slow steps come before `apply`, during which the target holds foreign content. */
function attemptStep(
  { move, isCopied, isApplied }: SlotAttempt,
  members: readonly SlotMember[],
  sources: readonly SlotMember[],
  targets: readonly SlotMember[],
): SlotStep {
  const sourcesToHold = sources.filter(({ record }) => !holds(record, move));
  if (sourcesToHold.length > 0 && isCopied) return { do: "lost" };
  // A source without replicas executes `hold` when it encodes the slots.
  if (sourcesToHold.length > 0 && sources.length > 1)
    return tell(sourcesToHold, { do: "hold", move });
  if (!isCopied) return copyStep("copy", move, members);
  const targetsToHold = targets.filter(({ record }) => !holds(record, move));
  if (targetsToHold.length > 0 && isApplied) return { do: "lost" };
  // A target without replicas executes `hold` when it writes the content.
  if (targetsToHold.length > 0 && targets.length > 1)
    return tell(targetsToHold, { do: "hold", move });
  if (!isApplied) return copyStep("apply", move, members);
  return tell(sources, { do: "give", id: move.id });
}

/** Requires that all sources hold the slots: their latest leader then has all changes. */
function copyStep(
  operation: "copy" | "apply",
  move: SlotMove,
  members: readonly SlotMember[],
): SlotStep {
  const from = findLeader(members, move.from);
  const to = findLeader(members, move.to);
  if (from === null || to === null)
    return { do: "wait", group: from === null ? move.from : move.to };
  return { do: operation, move, from, to };
}

/**
 * Returns the member that leads a group in the latest term that any member has seen; null: none.
 * A former leader may not have noticed that another member leads.
 */
export function findLeader(members: readonly SlotMember[], group: string): SlotLeader | null {
  const groupMembers = members.filter((member) => member.group === group);
  const term = Math.max(0, ...groupMembers.map((member) => member.term));
  const leader = groupMembers.find((member) => isLeading(member, term));
  return leader === undefined ? null : { id: leader.id, term };
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

/** Completes a move after `give`. A source without the move still has the map without the slots. */
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
  const source = sources.find(({ record }) => hasGiven(record, move))!;
  const next = { ...source.record, move: null };
  const meanwhile = [
    ...(untaken.length > 0 ? [tell(untaken, { do: "take", id })] : []),
    ...(older.length > 0 ? [tell(older, { do: "install", record: next })] : []),
  ];
  if (uncleared.length === 0) return meanwhile[0] ?? installStep(members);
  return remove(move, sources, tell(uncleared, { do: "clear", id }), meanwhile);
}

/** Undoes a move. Sources abort first: `give` must fail before the target drops its copy. */
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
  afterwards: TellStep,
  meanwhile: readonly TellStep[] = [],
): SlotStep {
  const name = group[0]?.group ?? move.from;
  const leader = findLeader(group, name);
  if (leader === null) return meanwhile[0] ?? { do: "wait", group: name };
  const { record } = group.find(({ id }) => id === leader.id)!;
  // The leader has already removed the content and settled, or it never received any.
  if (!holds(record, move)) return meanwhile[0] ?? afterwards;
  const removal = { do: "remove", at: leader, move, meanwhile } as const;
  if (group.length === 1) return { ...removal, last: afterwards.command, afterwards: null };
  return { ...removal, last: null, afterwards };
}

/** Installs the latest map on all members with an older one. */
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

/** Returns whether a source has executed `give`, and possibly `clear` since. */
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
