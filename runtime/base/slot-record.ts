// State machine of the slot record of an instance: the map of the system and the move in progress.
// Pure: the caller makes each new record durable before it acknowledges the command.
//
//   settled ──hold──► held ──give──► given ──clear──► settled, version + 1   in the source
//   settled ──hold──► held ─────────take────────────► settled, version + 1   in the target
//                      └──abort──► settled, same version                     in both
//
// `give` is the point of no return. Before it, a source that has aborted rejects `give`, so that
// the target may drop its copy. After it, any coordinator completes the move.

import { isDeepStrictEqual } from "node:util";
import { SvcError } from "./errors.js";
import { SlotMap, type SlotRun, type SlotRuns } from "./slot-map.js";

export interface SlotMove {
  /** Identifies the attempt: a retried move has another id. */
  readonly id: string;
  /** Version of the map after the move. */
  readonly version: number;
  readonly from: string;
  readonly to: string;
  readonly slots: readonly number[];
}

export interface SlotRecord {
  /** Version of the map; 0: the map that the descriptor implies. */
  readonly version: number;
  /** Owner of each slot, as an offset in `groups`. */
  readonly map: SlotRuns;
  readonly groups: readonly string[];
  /** The unfinished move from or to this group. */
  readonly move: (SlotMove & { readonly isGiven: boolean }) | null;
  /** The data come from a backup, and match exactly this version. */
  readonly isRestored?: boolean;
  /** Id of the last undone move to this group. The group had a part of its content until then. */
  readonly undone?: string;
}

export type SlotCommand =
  | { readonly do: "hold"; readonly move: SlotMove }
  | { readonly do: "give" | "take" | "clear" | "abort"; readonly id: string }
  | { readonly do: "install"; readonly record: SlotRecord };

/**
 * Returns the record after a command. Idempotent: repeating the last command changes nothing.
 * @param ownGroup group of the instance; null: none, such as for a dispatcher
 * @throws SvcError SVC3413 for a command that does not fit the record
 */
export function changeSlots(
  record: SlotRecord,
  ownGroup: string | null,
  command: SlotCommand,
): SlotRecord {
  if (command.do === "hold") return hold(record, ownGroup, command.move);
  if (command.do === "install") return install(record, ownGroup, command.record);
  const { move } = record;
  const isKnown = move !== null && move.id === command.id;
  if (command.do === "abort") {
    if (!isKnown) return record;
    if (move.isGiven) throw createRefusal("the slots are given: the move can only go forward");
    const undone = move.to === ownGroup ? { undone: move.id } : {};
    return { ...record, ...undone, move: null };
  }
  const requiredGroup = command.do === "take" ? move?.to : move?.from;
  if (!isKnown || requiredGroup !== ownGroup)
    throw createRefusal(`${command.do}: no such move is held here`);
  if (command.do === "clear") {
    if (!move.isGiven) throw createRefusal("clear: the slots are not given");
    return { ...record, move: null };
  }
  if (command.do === "give") {
    return move.isGiven
      ? record
      : { ...transferSlots(record, move), move: { ...move, isGiven: true } };
  }
  return { ...transferSlots(record, move), move: null };
}

function hold(record: SlotRecord, ownGroup: string | null, move: SlotMove): SlotRecord {
  if (record.move?.id === move.id) return record;
  if (record.move !== null) throw createRefusal("hold: another move is not finished");
  if (ownGroup !== move.from && ownGroup !== move.to)
    throw createRefusal("hold: the move concerns other groups");
  if (move.version !== record.version + 1) {
    throw createRefusal(`hold: version ${move.version} does not follow ${record.version}`);
  }
  const from = record.groups.indexOf(move.from);
  const owners = new SlotMap(record.map);
  const isOwned = from >= 0 && move.slots.every((slot) => owners.ownerOf(slot) === from);
  const isKnown = move.from !== move.to && record.groups.includes(move.to);
  if (!isOwned || !isKnown) throw createRefusal(`hold: ${move.from} does not own the slots`);
  return { ...record, move: { ...move, isGiven: false } };
}

/** Replaces the map with a later one. A dispatcher has no data and accepts any map. */
function install(record: SlotRecord, ownGroup: string | null, next: SlotRecord): SlotRecord {
  if (ownGroup === null) return settle(next);
  if (record.move !== null) throw createRefusal("install: a move is not finished");
  if (
    record.isRestored === true &&
    !isDeepStrictEqual(listBoundaries(record, ownGroup), listBoundaries(next, ownGroup))
  ) {
    const text = `${ownGroup} was restored with version ${record.version} of the slot map`;
    throw createRefusal(
      `${text}, and others have version ${next.version}: restore all to one time`,
    );
  }
  if (next.version < record.version) {
    throw createRefusal(`install: version ${next.version} is older than ${record.version}`);
  }
  const isSame = isDeepStrictEqual(namedOwners(record), namedOwners(next));
  if (next.version === record.version && !isSame) {
    throw createRefusal(`install: there is another map of version ${next.version}`);
  }
  const { undone } = record;
  return { ...settle(next), ...(undone !== undefined && { undone }) };
}

function settle({ isRestored: _, undone: __, ...next }: SlotRecord): SlotRecord {
  return { ...next, move: null };
}

/** Returns the offsets where ranges of a group's slots begin and end. */
function listBoundaries({ map, groups }: SlotRecord, ownGroup: string): readonly number[] {
  const owned = map.runs.map(([first, owner]) => [first, groups[owner] === ownGroup] as const);
  const isOther = ([, is]: readonly [number, boolean], at: number) =>
    is !== (owned[at - 1]?.[1] ?? false);
  return owned.filter(isOther).map(([first]) => first);
}

function transferSlots(record: SlotRecord, { version, slots, to }: SlotMove): SlotRecord {
  const owner = record.groups.indexOf(to);
  return { ...settle(record), version, map: withOwner(record.map, slots, owner) };
}

/** Returns whether a group may hold content of slots that it does not own. */
export function isMixed({ move }: SlotRecord, ownGroup: string | null): boolean {
  return move !== null && (move.isGiven || move.from !== ownGroup);
}

/** Returns the slots whose owner differs between two records, or that one of them moves. */
export function listMoved(before: SlotRecord, after: SlotRecord): number[] {
  const moved = new Set([...(before.move?.slots ?? []), ...(after.move?.slots ?? [])]);
  const [former, next] = [new SlotMap(before.map), new SlotMap(after.map)];
  for (let slot = 0; slot < before.map.count; slot++) {
    const owner = before.groups[former.ownerOf(slot)];
    if (owner !== after.groups[next.ownerOf(slot)]) moved.add(slot);
  }
  return [...moved];
}

/** Returns the number of slots that a group owns. */
export function countSlots({ map, groups }: SlotRecord, group: string): number {
  const groupIndex = groups.indexOf(group);
  const ends = [...map.runs.slice(1).map(([first]) => first), map.count];
  return map.runs.reduce((sum, [first, owner], run) => {
    return owner === groupIndex ? sum + ends[run]! - first : sum;
  }, 0);
}

/** Returns a map with another owner of some slots. */
function withOwner(map: SlotRuns, slots: readonly number[], owner: number): SlotRuns {
  const before = new SlotMap(map);
  const owners = Array.from({ length: map.count }, (_, slot) => before.ownerOf(slot));
  for (const slot of slots) owners[slot] = owner;
  return { count: map.count, runs: findRuns(owners) };
}

/** Returns the runs of equal owners. */
function findRuns(owners: readonly number[]): SlotRun[] {
  const runs: SlotRun[] = [];
  for (const [slot, owner] of owners.entries()) {
    if (runs.at(-1)?.[1] !== owner) runs.push([slot, owner]);
  }
  return runs;
}

/** Returns a form of the map that is equal for equal owners, independent of other groups. */
export function namedOwners({ map, groups }: Pick<SlotRecord, "map" | "groups">) {
  return { count: map.count, runs: map.runs.map(([first, owner]) => [first, groups[owner]!]) };
}

function createRefusal(text: string): SvcError {
  return new SvcError("SVC3413", text);
}
