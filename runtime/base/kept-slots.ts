// The slot record of an instance, stored in its data folder. It survives restarts, and overrides
// the map that the descriptor implies.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { nowMs } from "./clock.js";
import { mkdirDurable } from "./durable-files.js";
import { SvcError } from "./errors.js";
import { identifySlots } from "./identify-slots.js";
import { installSlots, publishSlots, type SlotPlan } from "./instance-slots.js";
import { MAX_SLOTS, MIN_SLOTS } from "./limits.js";
import { log } from "./log.js";
import { isPlainObject } from "./plain-object.js";
import type { SlotRun } from "./slot-map.js";
import {
  changeSlots,
  isMixed,
  listMoved,
  type SlotCommand,
  type SlotMove,
  type SlotRecord,
} from "./slot-record.js";
import { AppendedState, readStateOrNull } from "./state-file.js";

/** File name in the data folder. */
const SLOTS_FILE = "_slots.json";
/** Moves are remembered for this long. Responses to older requests get no map id after a move. */
const LONGEST_REQUEST_MS = 60_000;

/** The slot record of this process, which only the main thread changes. */
export class KeptSlots {
  readonly #root: string;
  readonly #file: AppendedState;
  #plan: SlotPlan;
  #record: SlotRecord;
  #changedMs = 0;
  #moved: NonNullable<SlotPlan["moved"]> = [];
  #forgottenMs = 0;
  /** Whether the record applies to the data. False: the leader's record must be adopted first. */
  #isKnown: boolean;
  /** Id of the move of `setAbsentMove`. */
  #absentMove: string | null = null;

  /**
   * Installs the slots for this thread and later ones.
   * @param plan the slots that the descriptor implies
   * @throws SvcError SVC3413 for a corrupt file, or a descriptor that lacks a group with slots
   */
  constructor(root: string, plan: SlotPlan) {
    this.#root = root;
    this.#file = new AppendedState(join(root, SLOTS_FILE));
    this.#plan = plan;
    this.#record = readSlotRecord(root, plan);
    this.#isKnown = existsSync(join(root, SLOTS_FILE)) || plan.partitions !== null || plan.own < 0;
    installSlots(this.#createPlan());
  }

  get record(): SlotRecord {
    return this.#record;
  }

  /** Group of this instance; null: it has none. */
  get own(): string | null {
    return this.#plan.groups[this.#plan.own] ?? null;
  }

  /** While false, responses carry no map id. `storeInitial`, `adopt` or `change` set it. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get isDispatcher(): boolean {
    return this.#plan.partitions !== null;
  }

  get graphs(): readonly string[] {
    return this.#plan.graphs;
  }

  /**
   * Executes a command. The result is durable and visible to all threads.
   * @throws SvcError SVC3413
   */
  change(command: SlotCommand): SlotRecord {
    const next = changeSlots(this.#record, this.own, command);
    if (next === this.#record) return next;
    this.#store(next);
    return next;
  }

  /** Stores the record of the instance that the data come from, including its move. */
  adopt(record: SlotRecord): void {
    this.#store(record);
  }

  /**
   * Executes a command in a dispatcher without waiting for the disk, because its back-ends also
   * store the map.
   * @returns a function that makes the result durable
   */
  announce(command: SlotCommand): () => void {
    this.#replace(changeSlots(this.#record, this.own, command));
    return () => this.#write(this.#record);
  }

  /**
   * Records that the graphs contain no foreign content of a move, so that responses carry a map id.
   * Not durable.
   * @param id of the move; null: the graphs may contain foreign content
   */
  setAbsentMove(id: string | null): void {
    if (id === this.#absentMove) return;
    const before = this.#createPlan();
    this.#absentMove = id;
    this.#publishAfter(before);
  }

  /** At the end of the process: leaves a file that earlier releases read, too. */
  close(): void {
    try {
      this.#file.compact(this.#record);
    } catch (error) {
      log(`${SLOTS_FILE} keeps several lines: ${(error as Error).message}`, "warn");
    }
  }

  #store(next: SlotRecord): void {
    this.#write(next);
    this.#replace(next);
  }

  #write(record: SlotRecord): void {
    storeSlotRecord(this.#root, record, this.#file);
  }

  #replace(next: SlotRecord): void {
    const before = this.#createPlan();
    if (next.version !== this.#record.version) log(`slots: version ${next.version}`, "info");
    this.#recordMoved(listMoved(this.#record, next));
    this.#record = next;
    this.#isKnown = true;
    this.#publishAfter(before);
  }

  #publishAfter(before: SlotPlan): void {
    const after = this.#createPlan();
    const isChanged = before.id !== after.id || before.isMoving !== after.isMoving;
    if (isChanged) this.#changedMs = nowMs();
    this.#publish();
  }

  #recordMoved(slots: readonly number[]): void {
    const untilMs = nowMs();
    const movedAgain = new Set(slots);
    const remembered = [{ slots, untilMs }];
    for (const earlier of this.#moved) {
      const remaining = earlier.slots.filter((slot) => !movedAgain.has(slot));
      const isRecent = earlier.untilMs > untilMs - LONGEST_REQUEST_MS;
      if (!isRecent) this.#forgottenMs = Math.max(this.#forgottenMs, earlier.untilMs);
      else if (remaining.length > 0) remembered.push({ ...earlier, slots: remaining });
    }
    this.#moved = remembered;
  }

  /**
   * Stores the map that the descriptor implies, because a later descriptor may have more groups.
   * @param isStored false: only in memory
   */
  storeInitial(isStored = true): void {
    if (this.#isKnown && (!isStored || existsSync(join(this.#root, SLOTS_FILE)))) return;
    if (isStored) return this.#store(this.#record);
    this.#isKnown = true;
    this.#publish();
  }

  /** Replaces the plan after another descriptor has been accepted. */
  replan(plan: SlotPlan): void {
    this.#plan = plan;
    this.#publish();
  }

  /** Returns whether a descriptor is compatible: the same slots, and all groups that own some. */
  accepts(plan: SlotPlan): boolean {
    const { graphs, everywhere } = this.#plan;
    const isSame = `${graphs} ${everywhere}` === `${plan.graphs} ${plan.everywhere}`;
    const isCount = plan.map.count === this.#record.map.count;
    return isSame && isCount && listMissing(this.#record, plan).length === 0;
  }

  #publish(): void {
    publishSlots(this.#createPlan());
  }

  #createPlan(): SlotPlan {
    const planned = planWithRecord(this.#plan, this.#record, this.#changedMs);
    if (!this.#isKnown) return { ...planned, isMoving: true };
    const { move } = this.#record;
    const isMoving = planned.isMoving === true && move?.id !== this.#absentMove;
    const now = move === null ? [] : [{ slots: move.slots, untilMs: Number.MAX_SAFE_INTEGER }];
    return {
      ...planned,
      isMoving,
      moved: [...this.#moved, ...now],
      forgottenMs: this.#forgottenMs,
    };
  }
}

/** Returns the record that a descriptor implies. */
function makeSlotRecord({ map, groups }: SlotPlan): SlotRecord {
  return { version: 0, map, groups, move: null };
}

/**
 * Returns the stored record, or the one that the descriptor implies.
 * @throws SvcError SVC3413 for a corrupt file, or a descriptor that lacks a group with slots;
 *   SVC2506 for a file of a later release
 */
function readSlotRecord(root: string, plan: SlotPlan): SlotRecord {
  const file = join(root, SLOTS_FILE);
  const stored = readStateOrNull(file);
  if (stored === undefined) return makeSlotRecord(plan);
  const record = isSlotRecord(stored) ? stored : null;
  if (record === null) throw new SvcError("SVC3413", `${file} is corrupt`);
  const { count } = plan.map;
  if (record.map.count !== count) {
    const text = `${file} has ${record.map.count} slots, and the descriptor has ${count}`;
    throw new SvcError("SVC3413", `${text}: only without vertices, remove the file`);
  }
  const missing = listMissing(record, plan);
  if (missing.length === 0) return record;
  const text = `${missing.join(", ")} owns slots in ${file}, and the descriptor lacks it`;
  throw new SvcError("SVC3413", text);
}

/** Returns the groups that own slots and that a plan lacks. */
function listMissing({ map, groups }: SlotRecord, plan: SlotPlan): string[] {
  const owners = new Set(map.runs.map(([, owner]) => groups[owner]!));
  return [...owners].filter((group) => !plan.groups.includes(group));
}

/** Returns the record in a data folder; null: none, or a corrupt one. */
export function findSlotRecord(root: string): SlotRecord | null {
  const stored = readStateOrNull(join(root, SLOTS_FILE));
  return isSlotRecord(stored) ? stored : null;
}

/** Stores the record durably, by default in place of what the file contains. */
export function storeSlotRecord(
  root: string,
  record: SlotRecord,
  file = new AppendedState(join(root, SLOTS_FILE)),
): void {
  mkdirDurable(root);
  file.write(record);
}

/** Returns whether a value from outside is a record. */
export function isSlotRecord(value: unknown): value is SlotRecord {
  if (!isPlainObject(value) || !isPlainObject(value.map)) return false;
  const { version, groups, move } = value;
  const { count, runs } = value.map;
  if (!isCount(version) || !areNames(groups)) return false;
  if (!isCount(count) || count < MIN_SLOTS || count > MAX_SLOTS) return false;
  const isRun = (run: unknown, index: number, all: readonly unknown[]): run is SlotRun => {
    if (!Array.isArray(run) || run.length !== 2 || !isCount(run[0]) || !isCount(run[1]))
      return false;
    const isNext = index === 0 ? run[0] === 0 : run[0] > (all[index - 1] as SlotRun)[0];
    return isNext && run[0] < count && run[1] < groups.length;
  };
  if (!Array.isArray(runs) || runs.length === 0 || !runs.every(isRun)) return false;
  if (typeof (value.isRestored ?? false) !== "boolean") return false;
  if (value.undone !== undefined && !areNames([value.undone])) return false;
  return move === null || (isSlotMove(move, count) && typeof Object(move).isGiven === "boolean");
}

/** Returns whether a value from outside is a move. */
export function isSlotMove(value: unknown, count: number): value is SlotMove {
  if (!isPlainObject(value)) return false;
  const { id, version, from, to, slots } = value;
  if (!areNames([id, from, to]) || !isCount(version)) return false;
  if (!Array.isArray(slots) || slots.length === 0 || slots.length > count) return false;
  return (
    slots.every((slot) => isCount(slot) && slot < count) && new Set(slots).size === slots.length
  );
}

/** Returns a plan with the map and the move of a record. */
function planWithRecord(plan: SlotPlan, record: SlotRecord, changedMs = 0): SlotPlan {
  const { map, groups, move } = record;
  const ownGroup = plan.groups[plan.own];
  const partitions = plan.partitions && groups.map((group) => partitionOf(plan, group));
  const next = { ...plan, map, groups, partitions, own: groups.indexOf(ownGroup ?? "") };
  const isSource = move !== null && move.from === ownGroup && !move.isGiven;
  return {
    ...next,
    id: identifySlots(next),
    held: isSource ? move.slots : [],
    isMoving: isMixed(record, ownGroup ?? null),
    changedMs,
  };
}

function partitionOf({ partitions, groups }: SlotPlan, group: string): number {
  return partitions?.[groups.indexOf(group)] ?? -1;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function areNames(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length > 2 ** 15) return false;
  return value.every((name) => typeof name === "string" && name.length > 0 && name.length <= 200);
}
