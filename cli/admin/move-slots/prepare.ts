// Plans a slot move and checks its preconditions before anything changes.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../../runtime/base/errors.js";
import { findLeader, latestRecord } from "../../../runtime/base/next-slot-step.js";
import { type PlannedMove, planSlotMoves } from "../../../runtime/base/plan-slot-moves.js";
import { SlotMap } from "../../../runtime/base/slot-map.js";
import { countSlots, type SlotRecord } from "../../../runtime/base/slot-record.js";
import { isReached } from "../../../runtime/system/slot-moves/graph-digests.js";
import {
  listDispatchers,
  listMembers,
  SlotInstances,
  type SurveyedInstance,
  toMember,
} from "../../../runtime/system/slot-moves/slot-instances.js";
import { unexpectedResponse } from "../../../runtime/system/unexpected-response.js";
import type { AdminContext } from "../context.js";

const CATCH_UP_MS = 10_000;
const POLL_MS = 100;
/** Memory and disk for data, log and snapshot that the target needs per byte of the slots. */
const MEMORY_FACTOR = 2;
const DISK_FACTOR = 4;

export interface MovePlan {
  readonly record: SlotRecord;
  readonly moves: readonly PlannedMove[];
  /** Whether an interrupted move must be completed first. */
  readonly isUnfinished: boolean;
  /** Numbers of slots by group. */
  readonly slots: ReadonlyMap<string, { readonly before: number; readonly after: number }>;
}

/**
 * @param leaving groups that give up all their slots
 * @param catchUpMs time for replicas to catch up
 * @throws SvcError SVC3004 without slots, SVC3412 for the first unmet precondition
 */
export async function prepareMove(
  context: AdminContext,
  leaving: readonly string[],
  catchUpMs = CATCH_UP_MS,
): Promise<MovePlan> {
  const { slots } = context.system;
  if (slots === null) throw new SvcError("SVC3004", "the descriptor has no `slots`");
  const survey = await surveyAll(context);
  requireEqualBuilds(survey);
  const engines = survey.filter(({ own }) => own !== null);
  await requireCaughtUpReplicas(context, engines, catchUpMs);
  const volatile = engines.find(({ isDurable }) => !isDurable);
  if (volatile !== undefined)
    throw createRefusal(`${volatile.id} has no log: \`durability\` is off`);
  const record = currentRecord(engines);
  const unknown = record.groups.filter(
    (group) => ownsSlots(record, group) && !slots.groups.includes(group),
  );
  if (unknown.length > 0)
    throw createRefusal(`${unknown.join(", ")} owns slots: the descriptor lacks it`);
  for (const group of leaving) {
    if (!slots.groups.includes(group)) {
      throw createRefusal(`${group} is no group: must be one of ${slots.groups.join(", ")}`);
    }
  }
  const receiving = slots.groups.filter((group) => !leaving.includes(group));
  if (receiving.length === 0) throw createRefusal("no group would be left");
  const groups = [...new Set([...record.groups, ...slots.groups])];
  const next = { ...record, groups };
  const moves = planSlotMoves(record.map, groups, receiving);
  await requireOwnData(context, next, engines);
  for (const group of receiving) requireRoom(group, moves, record, engines);
  const isUnfinished = engines.some(({ record: kept }) => kept.move !== null);
  return { record: next, moves, isUnfinished, slots: countShares(next, moves) };
}

/** @throws SvcError SVC3412 if an instance does not respond */
async function surveyAll(context: AdminContext): Promise<SurveyedInstance[]> {
  const instances = new SlotInstances(context, null);
  const ids = [...listDispatchers(context.system), ...listMembers(context.system)];
  const results = await Promise.allSettled(ids.map((id) => instances.waitForState(id)));
  return results.map((result, index) => {
    if (result.status === "fulfilled") return result.value;
    const { message } = unexpectedResponse(ids[index]!, result.reason);
    throw createRefusal(`${ids[index]} must be up: ${message}`);
  });
}

function requireEqualBuilds(survey: readonly SurveyedInstance[]): void {
  const engines = survey.filter(({ own }) => own !== null);
  const [first, ...others] = engines;
  const differing = others.find(({ build }) => build !== first!.build);
  if (differing === undefined) return;
  throw createRefusal(`${differing.id} has other plugins than ${first!.id}: update it first`);
}

/** Waits for lagging replicas, because each cut of the move waits for all replicas. */
async function requireCaughtUpReplicas(
  context: AdminContext,
  engines: readonly SurveyedInstance[],
  catchUpMs: number,
): Promise<void> {
  const instances = new SlotInstances(context, null);
  const deadline = performance.now() + catchUpMs;
  for (const { id, own, digests } of engines) {
    const leader = findLeader(engines.map(toMember), own!)?.id;
    if (leader === undefined) throw createRefusal(`${own} has no instance that may change`);
    const provider = engines.find((other) => other.id === leader)!;
    for (let seen = digests; !isReached(seen, provider.digests); ) {
      if (performance.now() > deadline)
        throw createRefusal(`${id} is not caught up with ${leader}`);
      await sleep(POLL_MS);
      seen = (await instances.waitForState(id)).digests;
    }
  }
}

/**
 * Returns the latest record of the groups with data. An empty instance does not count: its map
 * comes from the descriptor, and no data has been divided by it.
 */
function currentRecord(engines: readonly SurveyedInstance[]): SlotRecord {
  const inUse = engines.filter(({ usedBytes, record }) => usedBytes > 0 && record.version > 0);
  const latest = latestRecord(inUse.map(({ record }) => record));
  if (latest !== null) return { ...latest, move: null };
  // Nothing has moved so far: the map with the fewest groups precedes the change.
  const [oldest] = [...engines].sort((a, b) => a.record.groups.length - b.record.groups.length);
  return { ...oldest!.record, move: null };
}

/** @throws SvcError SVC3412 if a group has vertices of slots that it does not own */
async function requireOwnData(
  context: AdminContext,
  record: SlotRecord,
  engines: readonly SurveyedInstance[],
): Promise<void> {
  const instances = new SlotInstances(context, null);
  const owners = new SlotMap(record.map);
  for (const { id, own, record: kept, leads } of engines) {
    // Foreign vertices may belong to an unfinished move, which removes them.
    if (!leads || kept.move !== null) continue;
    const { graphs } = (await instances.send(id, { do: "count" })) as {
      readonly graphs: Readonly<Record<string, readonly number[]>>;
    };
    for (const [graph, counts] of Object.entries(graphs)) {
      const slot = counts.findIndex((count, index) => {
        return count > 0 && record.groups[owners.ownerOf(index)] !== own;
      });
      if (slot < 0) continue;
      const owner = record.groups[owners.ownerOf(slot)];
      throw createRefusal(
        `${id} has ${counts[slot]} vertices of slot ${slot} in "${graph}", of ${owner}`,
      );
    }
  }
}

function requireRoom(
  group: string,
  moves: readonly PlannedMove[],
  record: SlotRecord,
  engines: readonly SurveyedInstance[],
): void {
  let bytes = 0;
  for (const { from, to, slots } of moves) {
    if (to !== group) continue;
    const source = engines.find(({ own, leads }) => own === from && leads);
    bytes += ((source?.usedBytes ?? 0) * slots.length) / Math.max(1, countSlots(record, from));
  }
  for (const { id, own, freeMemory, freeDisk } of engines) {
    if (own !== group || bytes === 0) continue;
    const disk = freeDisk ?? Number.POSITIVE_INFINITY;
    if (freeMemory < bytes * MEMORY_FACTOR)
      throw createRoomError(id, "memory", bytes * MEMORY_FACTOR, freeMemory);
    if (disk < bytes * DISK_FACTOR) throw createRoomError(id, "disk", bytes * DISK_FACTOR, disk);
  }
}

function createRoomError(id: string, resource: string, needed: number, free: number): SvcError {
  const [required, available] = [needed, free].map((bytes) => `${Math.ceil(bytes / 2 ** 20)} MiB`);
  return createRefusal(`${id} has too little ${resource}: ${required} needed, ${available} free`);
}

function countShares(record: SlotRecord, moves: readonly PlannedMove[]): MovePlan["slots"] {
  const shares = new Map<string, { before: number; after: number }>();
  for (const group of record.groups) {
    const before = countSlots(record, group);
    let after = before;
    for (const { from, to, slots } of moves) {
      if (from === group) after -= slots.length;
      if (to === group) after += slots.length;
    }
    shares.set(group, { before, after });
  }
  return shares;
}

function ownsSlots(record: SlotRecord, group: string): boolean {
  return countSlots(record, group) > 0;
}

function createRefusal(text: string): SvcError {
  return new SvcError("SVC3412", text);
}
