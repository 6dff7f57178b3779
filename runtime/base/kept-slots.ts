// Slots that an instance keeps in its data folder: they outlive restarts, and are later than those
// that the descriptor implies.

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
import { readStateOrNull, writeState } from "./state-file.js";

/** In a data folder. */
const SLOTS_FILE = "_slots.json";
/** A response to an older request is of no map if any slot has moved since. */
const LONGEST_REQUEST_MS = 60_000;

/** The slots of this process; its main thread alone changes them. */
export class KeptSlots {
  readonly #root: string;
  #plan: SlotPlan;
  #record: SlotRecord;
  #changedMs = 0;
  #moved: NonNullable<SlotPlan["moved"]> = [];
  #forgottenMs = 0;
  /** The data folder has a record: without one, an instance with data of others has to ask. */
  #isKnown: boolean;
  /** Id of the move of `noteAbsent`. */
  #absent: string | null = null;

  /**
   * Installs the slots for this thread and later ones.
   * @param plan what the descriptor implies
   * @throws SvcError SVC3413 for a corrupt file, or a descriptor that lacks a group with slots
   */
  constructor(root: string, plan: SlotPlan) {
    this.#root = root;
    this.#plan = plan;
    this.#record = readSlotRecord(root, plan);
    this.#isKnown = existsSync(join(root, SLOTS_FILE)) || plan.partitions !== null || plan.own < 0;
    installSlots(this.#planned());
  }

  get record(): SlotRecord {
    return this.#record;
  }

  /** Group of this instance; null: none. */
  get own(): string | null {
    return this.#plan.groups[this.#plan.own] ?? null;
  }

  /** False: its responses are of no map until `keepFirst`, `adopt` or `change`. */
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
   * Executes a command: all threads know the result, which is durable.
   * @throws SvcError SVC3413
   */
  change(command: SlotCommand): SlotRecord {
    const next = changeSlots(this.#record, this.own, command);
    if (next === this.#record) return next;
    this.#keep(next);
    return next;
  }

  /** Takes over the record of the instance that its data come from, with its move. */
  adopt(record: SlotRecord): void {
    this.#keep(record);
  }

  /**
   * Executes a command of a dispatcher, and returns what makes the result durable: its back-ends
   * know the map, too, so that requests need not wait for that.
   */
  announce(command: SlotCommand): () => void {
    this.#replace(changeSlots(this.#record, this.own, command));
    return () => keepSlotRecord(this.#root, this.#record);
  }

  /**
   * Notes that the graphs have no content of a move that another group owns, so that responses are
   * of a map; null: they may have some. After a restart they may, too.
   */
  noteAbsent(id: string | null): void {
    if (id === this.#absent) return;
    const before = this.#planned();
    this.#absent = id;
    this.#publishAfter(before);
  }

  #keep(next: SlotRecord): void {
    keepSlotRecord(this.#root, next);
    this.#replace(next);
  }

  #replace(next: SlotRecord): void {
    const before = this.#planned();
    if (next.version !== this.#record.version) log(`slots: version ${next.version}`, "info");
    this.#noteMoved(listMoved(this.#record, next));
    this.#record = next;
    this.#isKnown = true;
    this.#publishAfter(before);
  }

  #publishAfter(before: SlotPlan): void {
    const after = this.#planned();
    const isOther = before.id !== after.id || before.isMoving !== after.isMoving;
    if (isOther) this.#changedMs = nowMs();
    this.#publish();
  }

  #noteMoved(slots: readonly number[]): void {
    const untilMs = nowMs();
    const again = new Set(slots);
    const kept = [{ slots, untilMs }];
    for (const former of this.#moved) {
      const others = former.slots.filter((slot) => !again.has(slot));
      const isRecent = former.untilMs > untilMs - LONGEST_REQUEST_MS;
      if (!isRecent) this.#forgottenMs = Math.max(this.#forgottenMs, former.untilMs);
      else if (others.length > 0) kept.push({ ...former, slots: others });
    }
    this.#moved = kept;
  }

  /**
   * Keeps the map that the descriptor implies: a later descriptor may have more groups.
   * @param isStored false: only in memory
   */
  keepFirst(isStored = true): void {
    if (this.#isKnown && (!isStored || existsSync(join(this.#root, SLOTS_FILE)))) return;
    if (isStored) return this.#keep(this.#record);
    this.#isKnown = true;
    this.#publish();
  }

  /** Another descriptor has been accepted. */
  replan(plan: SlotPlan): void {
    this.#plan = plan;
    this.#publish();
  }

  /** Returns whether a descriptor has all groups that own slots, so that it may be accepted. */
  fits(plan: SlotPlan): boolean {
    const { graphs, everywhere } = this.#plan;
    const isSame = `${graphs} ${everywhere}` === `${plan.graphs} ${plan.everywhere}`;
    const isCount = plan.map.count === this.#record.map.count;
    return isSame && isCount && listMissing(this.#record, plan).length === 0;
  }

  #publish(): void {
    publishSlots(this.#planned());
  }

  #planned(): SlotPlan {
    const planned = planWithRecord(this.#plan, this.#record, this.#changedMs);
    if (!this.#isKnown) return { ...planned, isMoving: true };
    const { move } = this.#record;
    const isMoving = planned.isMoving === true && move?.id !== this.#absent;
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
 * Returns what the instance has kept, otherwise what the descriptor implies.
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

/** Returns the groups that own slots and are not in a plan. */
function listMissing({ map, groups }: SlotRecord, plan: SlotPlan): string[] {
  const owners = new Set(map.runs.map(([, owner]) => groups[owner]!));
  return [...owners].filter((group) => !plan.groups.includes(group));
}

/** Returns the record that a data folder has now; null: none, or a corrupt one. */
export function findSlotRecord(root: string): SlotRecord | null {
  const stored = readStateOrNull(join(root, SLOTS_FILE));
  return isSlotRecord(stored) ? stored : null;
}

export function keepSlotRecord(root: string, record: SlotRecord): void {
  mkdirDurable(root);
  writeState(join(root, SLOTS_FILE), record);
}

/** Returns whether a value from outside is a record. */
export function isSlotRecord(given: unknown): given is SlotRecord {
  if (!isPlainObject(given) || !isPlainObject(given.map)) return false;
  const { version, groups, move } = given;
  const { count, runs } = given.map;
  if (!isCount(version) || !areNames(groups)) return false;
  if (!isCount(count) || count < MIN_SLOTS || count > MAX_SLOTS) return false;
  const isRun = (run: unknown, index: number, all: readonly unknown[]): run is SlotRun => {
    if (!Array.isArray(run) || run.length !== 2 || !isCount(run[0]) || !isCount(run[1]))
      return false;
    const isNext = index === 0 ? run[0] === 0 : run[0] > (all[index - 1] as SlotRun)[0];
    return isNext && run[0] < count && run[1] < groups.length;
  };
  if (!Array.isArray(runs) || runs.length === 0 || !runs.every(isRun)) return false;
  if (typeof (given.isRestored ?? false) !== "boolean") return false;
  if (given.undone !== undefined && !areNames([given.undone])) return false;
  return move === null || (isSlotMove(move, count) && typeof Object(move).isGiven === "boolean");
}

/** Returns whether a value from outside is a move. */
export function isSlotMove(given: unknown, count: number): given is SlotMove {
  if (!isPlainObject(given)) return false;
  const { id, version, from, to, slots } = given;
  if (!areNames([id, from, to]) || !isCount(version)) return false;
  if (!Array.isArray(slots) || slots.length === 0 || slots.length > count) return false;
  return (
    slots.every((slot) => isCount(slot) && slot < count) && new Set(slots).size === slots.length
  );
}

/** Returns a plan with the map and the move of a record. */
function planWithRecord(plan: SlotPlan, record: SlotRecord, changedMs = 0): SlotPlan {
  const { map, groups, move } = record;
  const own = plan.groups[plan.own];
  const partitions = plan.partitions && groups.map((group) => partitionOf(plan, group));
  const next = { ...plan, map, groups, partitions, own: groups.indexOf(own ?? "") };
  const isGiver = move !== null && move.from === own && !move.isGiven;
  return {
    ...next,
    id: identifySlots(next),
    held: isGiver ? move.slots : [],
    isMoving: isMixed(record, own ?? null),
    changedMs,
  };
}

function partitionOf({ partitions, groups }: SlotPlan, group: string): number {
  return partitions?.[groups.indexOf(group)] ?? -1;
}

function isCount(given: unknown): given is number {
  return typeof given === "number" && Number.isSafeInteger(given) && given >= 0;
}

function areNames(given: unknown): given is string[] {
  if (!Array.isArray(given) || given.length > 2 ** 15) return false;
  return given.every((name) => typeof name === "string" && name.length > 0 && name.length <= 200);
}
