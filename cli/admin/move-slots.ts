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

const SHOW_EVERY_MS = 1000;

/** Gives new groups of the descriptor their share. */
export const grow = {
  async run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
    if (ids !== undefined)
      throw new SvcError("SVC3004", "grow takes no ids: the descriptor has them");
    return run(context, "grow", []);
  },
};

/** Empties groups, so that they can be removed from the descriptor. */
export const shrink = {
  async run(context: AdminContext, { ids }: VerbArguments): Promise<number> {
    if (ids === undefined) throw new SvcError("SVC3004", "missing <groups>");
    return run(context, "shrink", context.select(ids));
  },
};

/** Gives all groups of the descriptor equal shares. */
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
  const act = async (lease: ProcedureLease): Promise<number> => {
    const mover = new SlotMover(context, lease, rate);
    const found = await prepareMove(context, leaving);
    if (found.isUnfinished) await mover.settle();
    const plan = found.isUnfinished ? await prepareMove(context, leaving) : found;
    showPlan(context, plan, true);
    await tellGroups(context, lease, plan.record);
    await mover.settle();
    await moveAll(context, lease, verb, mover, plan);
    return 0;
  };
  const seconds = chooseLeaseSeconds(context.system);
  return ProcedureLease.during(context, `svc admin ${verb}`, act, seconds);
}

/** Lets all instances know the groups of the descriptor, and who owns which slot so far. */
async function tellGroups(
  context: AdminContext,
  lease: ProcedureLease,
  record: SlotRecord,
): Promise<void> {
  const instances = new SlotInstances(context, lease);
  const { system } = context;
  const [members, dispatchers] = [listMembers(system), listDispatchers(system)];
  const all = [...members, ...dispatchers];
  await lease.renew(all);
  const found = await Promise.all(all.map((id) => instances.look(id)));
  const isKnown = found.every(({ record: { groups, version } }) => {
    return version === record.version && record.groups.every((group) => groups.includes(group));
  });
  const command = { do: "install", record: { ...record, version: record.version + 1 } };
  const body = JSON.stringify(system.descriptor);
  for (const id of members) {
    await operate(context.address(id), "SystemDescriptor", {}, body);
    if (!isKnown) await instances.send(id, { do: "tell", command });
  }
  for (const id of dispatchers) {
    if (!isKnown) await instances.send(id, { do: "tell", command });
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
  const begunMs = performance.now();
  let shownMs = 0;
  for (const move of moves) {
    for (let done = 0; done < move.slots.length; ) {
      done += await mover.move({ ...move, slots: move.slots.slice(done) });
      lease.describe(`svc admin ${verb}: ${totals.slots} of ${total} slots`);
      if (performance.now() - shownMs < SHOW_EVERY_MS || context.isJson) continue;
      shownMs = performance.now();
      const rest = formatRest(begunMs, totals.slots, total);
      context.print(null, [`${totals.slots} of ${total} slots, ${megabytes(totals.bytes)}${rest}`]);
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
  const seconds = (performance.now() - begunMs) / 1000;
  context.print({ ...totals, seconds }, [
    `moved ${slots} slots with ${vertices} vertices and ${arcs} arcs, ${megabytes(bytes)}`,
    `${cuts} cuts in ${seconds.toFixed(1)} s`,
    `changes of the slots of a cut waited ${changes}`,
    `queries of all slots waited ${queries}`,
  ]);
}

function formatRest(begunMs: number, done: number, total: number): string {
  const seconds = (performance.now() - begunMs) / 1000;
  return `, about ${Math.ceil((seconds / done) * (total - done))} s left`;
}

function showPlan(context: AdminContext, { moves, slots }: MovePlan, isBegun: boolean): void {
  const rows = [...slots].map(([group, { before, after }]) => [group, `${before}`, `${after}`]);
  const moved = moves.reduce((sum, move) => sum + move.slots.length, 0);
  const total = [...slots.values()].reduce((sum, { before }) => sum + before, 0);
  if (isBegun && context.isJson) return;
  const share = ((moved / total) * 100).toFixed(1);
  const end = moved === 0 ? "nothing to move" : `${moved} of ${total} slots move: ${share} %`;
  const planned = moves.map(({ from, to, slots: all }) => ({ from, to, slots: all.length }));
  context.print({ moves: planned, slots: Object.fromEntries(slots) }, [
    ...table(["Group", "Slots", "Then"], rows),
    end,
  ]);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
