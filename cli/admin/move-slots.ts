// `svc admin grow`, `shrink` and `rebalance`: move slots between groups while the system serves.

import { SvcError } from "../../runtime/base/errors.js";
import type { SlotRecord } from "../../runtime/base/slot-record.js";
import { ProcedureLease } from "../../runtime/system/procedure-lease.js";
import {
  chooseLeaseSeconds,
  listDispatchers,
  listMembers,
  SlotInstances,
} from "../../runtime/system/slot-moves/slot-instances.js";
import type { AdminContext, VerbArguments } from "./context.js";
import { readMoveRate } from "./move-slots/move-rate.js";
import { type MovePlan, prepareMove } from "./move-slots/prepare.js";
import { SlotMover } from "./move-slots/slot-mover.js";
import { operate } from "./remote.js";
import { table } from "./table.js";

const PROGRESS_INTERVAL_MS = 1000;

/** Moves slots to the groups that the descriptor adds. */
export const grow = {
  async run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
    if (ids !== undefined)
      throw new SvcError("SVC3004", "grow takes no ids: the descriptor contains the new groups");
    return run(context, "grow", []);
  },
};

/** Moves all slots away from groups, so that the descriptor can drop them. */
export const shrink = {
  async run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
    if (ids === undefined) throw new SvcError("SVC3004", "missing <groups>");
    return run(context, "shrink", context.select(ids));
  },
};

/** Distributes the slots evenly among all groups of the descriptor. */
export const rebalance = {
  run: (context: AdminContext): Promise<number> => run(context, "rebalance", []),
};

async function run(
  context: AdminContext,
  verb: string,
  leaving: readonly string[],
): Promise<number> {
  const rate = readMoveRate(context.values.rate);
  if (context.values["dry-run"] === true) {
    showPlan(context, await prepareMove(context, leaving), false);
    return 0;
  }
  const moveSlots = async (lease: ProcedureLease): Promise<number> => {
    const mover = new SlotMover(context, lease, rate);
    const initialPlan = await prepareMove(context, leaving);
    if (initialPlan.isUnfinished) await mover.settle();
    const plan = initialPlan.isUnfinished ? await prepareMove(context, leaving) : initialPlan;
    showPlan(context, plan, true);
    await installGroups(context, lease, plan.record);
    await mover.settle();
    await moveAll(context, lease, verb, mover, plan);
    return 0;
  };
  const seconds = chooseLeaseSeconds(context.system);
  return ProcedureLease.during(context, `svc admin ${verb}`, moveSlots, seconds);
}

/** Installs the groups of the descriptor and the current slot map on all instances. */
async function installGroups(
  context: AdminContext,
  lease: ProcedureLease,
  record: SlotRecord,
): Promise<void> {
  const instances = new SlotInstances(context, lease);
  const { system } = context;
  const [members, dispatchers] = [listMembers(system), listDispatchers(system)];
  const ids = [...members, ...dispatchers];
  await lease.renew(ids);
  const states = await Promise.all(ids.map((id) => instances.waitForState(id)));
  const isInstalled = states.every(({ record: { groups, version } }) => {
    return version === record.version && record.groups.every((group) => groups.includes(group));
  });
  const command = { do: "install", record: { ...record, version: record.version + 1 } };
  const body = JSON.stringify(system.descriptor);
  for (const id of members) {
    await operate(context.address(id), "SystemDescriptor", {}, body);
    if (!isInstalled) await instances.send(id, { do: "tell", command });
  }
  for (const id of dispatchers) {
    if (!isInstalled) await instances.send(id, { do: "tell", command });
    await operate(context.address(id), "SystemDescriptor", {}, body);
  }
}

async function moveAll(
  context: AdminContext,
  lease: ProcedureLease,
  verb: string,
  mover: SlotMover,
  { moves }: MovePlan,
): Promise<void> {
  const { totals } = mover;
  const total = moves.reduce((sum, { slots }) => sum + slots.length, 0);
  const startMs = performance.now();
  let printedMs = 0;
  for (const move of moves) {
    for (let done = 0; done < move.slots.length; ) {
      done += await mover.move({ ...move, slots: move.slots.slice(done) });
      lease.describe(`svc admin ${verb}: ${totals.slots} of ${total} slots`);
      if (performance.now() - printedMs < PROGRESS_INTERVAL_MS || context.isJson) continue;
      printedMs = performance.now();
      const timeLeft = formatTimeLeft(startMs, totals.slots, total);
      context.print(null, [
        `${totals.slots} of ${total} slots, ${megabytes(totals.bytes)}${timeLeft}`,
      ]);
    }
  }
  await mover.settle();
  const { slots, vertices, arcs, bytes, cuts } = totals;
  const [changes, queries] = [
    [totals.longestHeldMs, totals.heldMs],
    [totals.longestQueriesHeldMs, totals.queriesHeldMs],
  ].map(
    ([longest, all]) => `for at most ${Math.round(longest!)} ms, ${Math.round(all!)} ms in all`,
  );
  const seconds = (performance.now() - startMs) / 1000;
  context.print({ ...totals, seconds }, [
    `moved ${slots} slots with ${vertices} vertices and ${arcs} arcs, ${megabytes(bytes)}`,
    `${cuts} cuts in ${seconds.toFixed(1)} s`,
    `changes of the slots of a cut waited ${changes}`,
    `queries of all slots waited ${queries}`,
  ]);
}

function formatTimeLeft(startMs: number, done: number, total: number): string {
  const seconds = (performance.now() - startMs) / 1000;
  return `, about ${Math.ceil((seconds / done) * (total - done))} s left`;
}

function showPlan(context: AdminContext, { moves, slots }: MovePlan, isMoving: boolean): void {
  const rows = [...slots].map(([group, { before, after }]) => [group, `${before}`, `${after}`]);
  const moved = moves.reduce((sum, move) => sum + move.slots.length, 0);
  const total = [...slots.values()].reduce((sum, { before }) => sum + before, 0);
  if (isMoving && context.isJson) return;
  const share = ((moved / total) * 100).toFixed(1);
  const end = moved === 0 ? "nothing to move" : `${moved} of ${total} slots move: ${share} %`;
  const planned = moves.map(({ from, to, slots: all }) => ({ from, to, slots: all.length }));
  context.print({ moves: planned, slots: Object.fromEntries(slots) }, [
    ...table(["Group", "Slots", "After"], rows),
    end,
  ]);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
