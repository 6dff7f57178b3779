// Conditions for a move of slots, checked before anything moves. Each violation is reported.

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

const FOLLOW_MS = 10_000;
const POLL_MS = 100;
/** Memory and disk that the target needs, per byte of the slots: data, log, snapshot. */
const MEMORY_FACTOR = 2;
const DISK_FACTOR = 4;

export interface MovePlan {
  readonly record: SlotRecord;
  readonly moves: readonly PlannedMove[];
  /** An earlier run has left a move, which comes first. */
  readonly isUnfinished: boolean;
  /** By group. */
  readonly slots: ReadonlyMap<string, { readonly before: number; readonly after: number }>;
}

/**
 * @param leaving groups that own no slots afterwards
 * @param followMs time for replicas to catch up
 * @throws SvcError SVC3004 without slots, SVC3412 for what forbids a move
 */
export async function prepareMove(
  context: AdminContext,
  leaving: readonly string[],
  followMs = FOLLOW_MS,
): Promise<MovePlan> {
  const { slots } = context.system;
  if (slots === null) throw new SvcError("SVC3004", "the descriptor has no `slots`");
  const survey = await surveyAll(context);
  requireEqualBuilds(survey);
  const engines = survey.filter(({ own }) => own !== null);
  await requireFollowers(context, engines, followMs);
  const volatile = engines.find(({ isDurable }) => !isDurable);
  if (volatile !== undefined) throw refused(`${volatile.id} has no log: \`durability\` is off`);
  const record = currentRecord(engines);
  const unknown = record.groups.filter(
    (group) => owns(record, group) && !slots.groups.includes(group),
  );
  if (unknown.length > 0)
    throw refused(`${unknown.join(", ")} owns slots: the descriptor lacks it`);
  for (const group of leaving) {
    if (!slots.groups.includes(group)) {
      throw refused(`${group} is no group: must be one of ${slots.groups.join(", ")}`);
    }
  }
  const kept = slots.groups.filter((group) => !leaving.includes(group));
  if (kept.length === 0) throw refused("no group would be left");
  const groups = [...new Set([...record.groups, ...slots.groups])];
  const next = { ...record, groups };
  const moves = planSlotMoves(record.map, groups, kept);
  await requireOwnData(context, next, engines);
  for (const group of kept) requireRoom(group, moves, record, engines);
  const isUnfinished = engines.some(({ record: kept }) => kept.move !== null);
  return { record: next, moves, isUnfinished, slots: shares(next, moves) };
}

/** @throws SvcError SVC3412 if one of them does not respond */
async function surveyAll(context: AdminContext): Promise<SurveyedInstance[]> {
  const instances = new SlotInstances(context, null);
  const ids = [...listDispatchers(context.system), ...listMembers(context.system)];
  const found = await Promise.allSettled(ids.map((id) => instances.look(id)));
  return found.map((result, place) => {
    if (result.status === "fulfilled") return result.value;
    const { message } = unexpectedResponse(ids[place]!, result.reason);
    throw refused(`${ids[place]} must be up: ${message}`);
  });
}

function requireEqualBuilds(survey: readonly SurveyedInstance[]): void {
  const engines = survey.filter(({ own }) => own !== null);
  const [first, ...others] = engines;
  const other = others.find(({ build }) => build !== first!.build);
  if (other === undefined) return;
  throw refused(`${other.id} has other plugins than ${first!.id}: update it first`);
}

/** Replicas reach what their provider has now: a cut waits for them. */
async function requireFollowers(
  context: AdminContext,
  engines: readonly SurveyedInstance[],
  followMs: number,
): Promise<void> {
  const instances = new SlotInstances(context, null);
  const deadline = performance.now() + followMs;
  for (const { id, own, digests } of engines) {
    const leader = findLeader(engines.map(toMember), own!)?.id;
    if (leader === undefined) throw refused(`${own} has no instance that may change`);
    const provider = engines.find((other) => other.id === leader)!;
    for (let seen = digests; !isReached(seen, provider.digests); ) {
      if (performance.now() > deadline) throw refused(`${id} is not caught up with ${leader}`);
      await sleep(POLL_MS);
      seen = (await instances.look(id)).digests;
    }
  }
}

/**
 * The groups that own slots agree. A new instance has the map that the descriptor implies, which
 * nothing has been divided by.
 */
function currentRecord(engines: readonly SurveyedInstance[]): SlotRecord {
  const known = engines.filter(({ usedBytes, record }) => usedBytes > 0 && record.version > 0);
  const latest = latestRecord(known.map(({ record }) => record));
  if (latest !== null) return { ...latest, move: null };
  // Nothing has moved so far: the map with the fewest groups is that of before.
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
    // An unfinished move removes the rest when it ends.
    if (!leads || kept.move !== null) continue;
    const { graphs } = (await instances.send(id, { do: "count" })) as {
      readonly graphs: Readonly<Record<string, readonly number[]>>;
    };
    for (const [graph, counts] of Object.entries(graphs)) {
      const slot = counts.findIndex((count, at) => {
        return count > 0 && record.groups[owners.ownerOf(at)] !== own;
      });
      if (slot < 0) continue;
      const owner = record.groups[owners.ownerOf(slot)];
      throw refused(
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
      throw noRoom(id, "memory", bytes * MEMORY_FACTOR, freeMemory);
    if (disk < bytes * DISK_FACTOR) throw noRoom(id, "disk", bytes * DISK_FACTOR, disk);
  }
}

function noRoom(id: string, what: string, needed: number, free: number): SvcError {
  const [wanted, there] = [needed, free].map((bytes) => `${Math.ceil(bytes / 2 ** 20)} MiB`);
  return refused(`${id} has no room: ${wanted} of ${what} needed, ${there} free`);
}

function shares(record: SlotRecord, moves: readonly PlannedMove[]): MovePlan["slots"] {
  const found = new Map<string, { before: number; after: number }>();
  for (const group of record.groups) {
    const before = countSlots(record, group);
    let after = before;
    for (const { from, to, slots } of moves) {
      if (from === group) after -= slots.length;
      if (to === group) after += slots.length;
    }
    found.set(group, { before, after });
  }
  return found;
}

function owns(record: SlotRecord, group: string): boolean {
  return countSlots(record, group) > 0;
}

function refused(text: string): SvcError {
  return new SvcError("SVC3412", text);
}
