// Moves slots from a group to another one, in cuts that are small enough for requests to wait.

import { randomBytes } from "node:crypto";
import { SvcError } from "../../../runtime/base/errors.js";
import { latestRecord } from "../../../runtime/base/next-slot-step.js";
import type { PlannedMove } from "../../../runtime/base/plan-slot-moves.js";
import { SlotMap } from "../../../runtime/base/slot-map.js";
import { countSlots, type SlotMove, type SlotRecord } from "../../../runtime/base/slot-record.js";
import type { ProcedureLease } from "../../../runtime/system/procedure-lease.js";
import {
  type EncodedSlots,
  listDispatchers,
} from "../../../runtime/system/slot-moves/slot-instances.js";
import { type ApplyStep, SlotSteps } from "../../../runtime/system/slot-moves/slot-steps.js";
import { isAway } from "../../../runtime/system/slot-moves/slot-survey.js";
import type { AdminContext } from "../context.js";
import type { MoveRate } from "./move-rate.js";
import { RequestHold } from "./request-hold.js";
import { SlotCopier } from "./slot-copier.js";

const MAX_SLOTS_PER_CUT = 64;
/** Dispatchers hold their requests for as long as it takes to cut so much. */
const FIRST_CUT_WORDS = 2 ** 14;
const MIN_CUT_WORDS = 2 ** 12;
const MAX_CUT_WORDS = 2 ** 22;
const GOAL_HELD_MS = 150;
/** Instances that restart come back in this time, or the run ends. */
const PATIENCE_MS = 60_000;
const WAIT_MS = 200;

export interface MoveTotals {
  slots: number;
  vertices: number;
  arcs: number;
  bytes: number;
  cuts: number;
  heldMs: number;
  longestHeldMs: number;
}

export class SlotMover {
  readonly totals: MoveTotals = {
    ...{ slots: 0, vertices: 0, arcs: 0, bytes: 0, cuts: 0, heldMs: 0, longestHeldMs: 0 },
  };
  readonly #lease: ProcedureLease;
  readonly #steps: SlotSteps;
  readonly #copier: SlotCopier;
  readonly #hold: RequestHold;
  #cutWords = FIRST_CUT_WORDS;

  constructor(context: AdminContext, lease: ProcedureLease, rate: MoveRate) {
    this.#lease = lease;
    this.#steps = new SlotSteps(context, lease);
    const { instances } = this.#steps;
    this.#copier = new SlotCopier(instances, rate);
    this.#hold = new RequestHold(lease, instances, listDispatchers(context.system));
  }

  /** Completes or undoes what an earlier run has left, and lets all instances have one map. */
  settle(): Promise<SlotRecord> {
    return this.#steps.settle();
  }

  /** Moves the first slots of a planned move; returns how many. */
  async move(planned: PlannedMove): Promise<number> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.#moveOnce(planned);
      } catch (error) {
        if (performance.now() > deadline || !isAway(error)) throw error;
      }
      // An instance has restarted, and lost what it kept in memory.
      await this.#lease.rest(WAIT_MS);
      await this.settle();
    }
  }

  async #moveOnce({ from, to, slots }: PlannedMove): Promise<number> {
    const { survey } = this.#steps;
    const record = latestRecord((await survey.look()).map((found) => found.record))!;
    const done = countOwned(record, slots, to);
    if (done > 0) return done;
    const [source, target] = [await survey.leaderOf(from), await survey.leaderOf(to)];
    const wanted = slots.slice(0, MAX_SLOTS_PER_CUT);
    const first = await this.#copier.encode(source, wanted, this.#cutWords);
    const id = randomBytes(8).toString("hex");
    const move: SlotMove = { id, version: record.version + 1, from, to, slots: first.slots };
    this.#copier.forget();
    await this.#copier.copy(first, id, source, target);
    const heldMs = await this.#hold.during(() => {
      return this.#steps.attempt(move, (step) => this.#apply(step));
    });
    this.#count(first, heldMs);
    return first.slots.length;
  }

  /** Writes the content of the slots, which do not change now, to the graphs of the target. */
  async #apply(step: ApplyStep): Promise<void> {
    try {
      await this.#write(step);
    } catch (error) {
      // The target may have restarted, or another one leads.
      this.#copier.forget();
      throw error;
    }
  }

  async #write({ move, from, to }: ApplyStep): Promise<void> {
    const { slots, id } = move;
    const { instances, survey } = this.#steps;
    const encoded = await this.#copier.encode(from, slots);
    await this.#copier.copy(encoded, id, from, to);
    const record = latestRecord((await survey.look()).map((found) => found.record))!;
    if (countSlots(record, move.to) === 0) await this.#copier.copyAnchors(id, from, to);
    const written = await instances.send(to.id, { do: "write", id, slots, term: to.term });
    if (written.missing !== undefined) {
      this.#copier.forget();
      return this.#write({ do: "apply", move, from, to });
    }
    const digests = written.digests as Record<string, Record<string, string>>;
    for (const { graph, slots: all } of encoded.graphs) {
      const wrong = all.find(({ slot, digest }) => digests[graph]?.[slot] !== digest);
      if (wrong === undefined) continue;
      const text = `slot ${wrong.slot} of "${graph}" differs in ${to.id}`;
      throw new SvcError("SVC3413", text);
    }
    await survey.untilReplicated(move.to);
  }

  #count({ slots, graphs }: EncodedSlots, heldMs: number): void {
    const { totals } = this;
    totals.slots += slots.length;
    totals.cuts++;
    totals.bytes = this.#copier.bytes;
    totals.heldMs += heldMs;
    totals.longestHeldMs = Math.max(totals.longestHeldMs, heldMs);
    for (const { slots: all } of graphs) {
      for (const { vertices, arcs } of all) {
        totals.vertices += vertices;
        totals.arcs += arcs;
      }
    }
    const wanted = this.#cutWords * Math.min(2, GOAL_HELD_MS / heldMs);
    this.#cutWords = Math.round(Math.min(MAX_CUT_WORDS, Math.max(MIN_CUT_WORDS, wanted)));
  }
}

/** Returns how many slots at the start of a list a group owns. */
function countOwned({ map, groups }: SlotRecord, slots: readonly number[], group: string): number {
  const owners = new SlotMap(map);
  const owner = groups.indexOf(group);
  const end = slots.findIndex((slot) => owners.ownerOf(slot) !== owner);
  return end < 0 ? slots.length : end;
}
