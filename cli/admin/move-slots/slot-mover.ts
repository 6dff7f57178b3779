// Moves slots from a group to another one, in cuts that are small enough for requests to wait.

import { randomBytes } from "node:crypto";
import { SvcError } from "../../../runtime/base/errors.js";
import { latestRecord, type SlotLeader } from "../../../runtime/base/next-slot-step.js";
import type { PlannedMove } from "../../../runtime/base/plan-slot-moves.js";
import { SlotMap } from "../../../runtime/base/slot-map.js";
import { countSlots, type SlotMove, type SlotRecord } from "../../../runtime/base/slot-record.js";
import type { ProcedureLease } from "../../../runtime/system/procedure-lease.js";
import type { GraphDigests } from "../../../runtime/system/slot-moves/graph-digests.js";
import {
  type EncodedSlots,
  listDispatchers,
} from "../../../runtime/system/slot-moves/slot-instances.js";
import { type CopyStep, SlotSteps } from "../../../runtime/system/slot-moves/slot-steps.js";
import { isAway } from "../../../runtime/system/slot-moves/slot-survey.js";
import type { AdminContext } from "../context.js";
import { CutSize, MAX_CUT_WORDS } from "./cut-size.js";
import type { MoveRate } from "./move-rate.js";
import { BusyError, RequestHold } from "./request-hold.js";
import { SlotCopier } from "./slot-copier.js";

const MAX_SLOTS_PER_CUT = 64;
/** A cut has at most the words of half a second at a limited rate: all may be sent twice. */
const WORDS_PER_RATE = 1 / 8;
/** Instances that restart come back in this time, or the run ends. */
const PATIENCE_MS = 60_000;
const WAIT_MS = 200;
/** Changes wait so long for running requests at first; twice as long in each next attempt. */
const FIRST_DRAIN_MS = 100;
const LAST_DRAIN_MS = 800;
/** Pause before the next attempt, as a multiple. */
const PAUSE_PER_DRAIN = 10;

export interface MoveTotals {
  slots: number;
  vertices: number;
  arcs: number;
  bytes: number;
  cuts: number;
  /** How long changes of the slots of each cut waited. */
  heldMs: number;
  longestHeldMs: number;
  /** How long queries of all slots waited. */
  queriesHeldMs: number;
  longestQueriesHeldMs: number;
}

export class SlotMover {
  readonly totals: MoveTotals = {
    ...{ slots: 0, vertices: 0, arcs: 0, bytes: 0, cuts: 0, heldMs: 0, longestHeldMs: 0 },
    ...{ queriesHeldMs: 0, longestQueriesHeldMs: 0 },
  };
  readonly #lease: ProcedureLease;
  readonly #steps: SlotSteps;
  readonly #copier: SlotCopier;
  readonly #hold: RequestHold;
  readonly #size: CutSize;
  /** Of the present cut, in all attempts. */
  #heldMs = 0;
  /** How long the target has written it. */
  #writtenMs = 0;
  /** Slots of the next cuts. */
  #following: readonly number[] = [];
  /** Identifies the next cut, whose content is copied already; null: it is not. */
  #aheadId: string | null = null;
  /** Content that the target has received in the present attempt. */
  #copied: EncodedSlots | null = null;
  /** Settles once the source has forgotten the cut before, while the next one is copied. */
  #finished: Promise<void> = Promise.resolve();

  constructor(context: AdminContext, lease: ProcedureLease, rate: MoveRate) {
    this.#lease = lease;
    this.#size = new CutSize(Math.ceil(rate.perSecond * WORDS_PER_RATE) || MAX_CUT_WORDS);
    this.#steps = new SlotSteps(context, lease);
    const { instances } = this.#steps;
    this.#copier = new SlotCopier(instances, rate);
    this.#hold = new RequestHold(lease, instances, listDispatchers(context.system));
  }

  /** Completes or undoes what an earlier run has left, and lets all instances have one map. */
  async settle(): Promise<SlotRecord> {
    await this.#finished.catch(() => undefined);
    return this.#steps.settle();
  }

  /**
   * Moves the first slots of a planned move; returns how many.
   * @throws SvcError SVC3412 if requests run for too long
   */
  async move(planned: PlannedMove): Promise<number> {
    const deadline = performance.now() + PATIENCE_MS;
    this.#heldMs = 0;
    this.#writtenMs = 0;
    this.#steps.removalMs = 0;
    for (let drainMs = FIRST_DRAIN_MS; ; ) {
      try {
        return await this.#moveOnce(planned, drainMs);
      } catch (error) {
        this.#aheadId = null;
        if (error instanceof BusyError) {
          if (drainMs === LAST_DRAIN_MS) throw tooLong(error, drainMs);
          await this.#lease.rest(drainMs * PAUSE_PER_DRAIN);
          drainMs *= 2;
          continue;
        }
        if (performance.now() > deadline || !isAway(error)) throw error;
      }
      // An instance has restarted, and lost what it kept in memory.
      await this.#lease.rest(WAIT_MS);
      await this.settle();
    }
  }

  async #moveOnce({ from, to, slots }: PlannedMove, drainMs: number): Promise<number> {
    const { survey } = this.#steps;
    const record = latestRecord((await survey.look()).map((found) => found.record))!;
    const done = countOwned(record, slots, to);
    if (done > 0) return done;
    const [source, target] = [await survey.leaderOf(from), await survey.leaderOf(to)];
    const wanted = slots.slice(0, MAX_SLOTS_PER_CUT);
    const first = await this.#copier.encode(source, wanted, this.#size.words);
    const next = first.slots.length;
    this.#following = slots.slice(next, next + MAX_SLOTS_PER_CUT);
    const id = this.#aheadId ?? newId();
    if (this.#aheadId === null) this.#copier.forget();
    this.#aheadId = null;
    const move: SlotMove = { id, version: record.version + 1, from, to, slots: first.slots };
    await this.#copier.copy(first, id, source, target);
    const acts = {
      copy: async (step: CopyStep) => {
        await this.#copy(step);
        await this.#hold.holdQueries();
      },
      apply: (step: CopyStep) => this.#apply(step),
    };
    const attempt = () => this.#steps.attempt(move, acts);
    await this.#finished;
    await this.#hold.during(move.slots, drainMs, attempt, (...ms) => this.#countHeld(...ms));
    this.#count(first);
    this.#finished = this.#steps.finish();
    this.#finished.catch(() => undefined);
    return first.slots.length;
  }

  /** Lets the source hold the slots, and sends their content as it remains. */
  async #copy({ move, from, to }: CopyStep): Promise<void> {
    const [encoded, prepared] = await Promise.allSettled([
      this.#copier.encodeHeld(from, move),
      this.#prepare(move, to),
    ]);
    if (prepared.status === "rejected") throw prepared.reason;
    if (encoded.status === "rejected") throw encoded.reason;
    const { record, ...copied } = encoded.value;
    this.#steps.survey.note(from.id, { record });
    this.#copied = copied;
    await this.#copier.copy(copied, move.id, from, to);
  }

  /** Lets a target of one member hold the move before queries wait. */
  async #prepare(move: SlotMove, { id, term }: SlotLeader): Promise<void> {
    const { instances, survey } = this.#steps;
    if (!(await survey.isAlone(move.to))) return;
    const { record } = await instances.send(id, { do: "prepare", move, term });
    survey.note(id, { record: record as SlotRecord });
  }

  /** Lets the target write the content of the slots to its graphs. */
  async #apply(step: CopyStep): Promise<void> {
    try {
      await this.#write(step);
    } catch (error) {
      // The target may have restarted, or another one leads.
      this.#copier.forget();
      this.#copied = null;
      throw error;
    }
  }

  async #write(step: CopyStep): Promise<void> {
    const { move, from, to } = step;
    const { instances, survey } = this.#steps;
    if (this.#copied === null) await this.#copy(step);
    const record = latestRecord((await survey.look()).map((found) => found.record))!;
    if (countSlots(record, move.to) === 0) await this.#copier.copyAnchors(move.id, from, to);
    const writing = instances.send(to.id, { do: "write", move, term: to.term });
    this.#copyAhead(from, to, writing);
    const written = await writing;
    if (written.missing !== undefined) {
      this.#copier.forget();
      this.#copied = null;
      return this.#write(step);
    }
    const contents = written.contents as GraphDigests;
    survey.note(to.id, { record: written.record as SlotRecord, digests: contents });
    this.#writtenMs += Number(written.ms);
    const digests = written.digests as Record<string, Record<string, string>>;
    for (const { graph, slots: all } of this.#copied!.graphs) {
      const wrong = all.find(({ slot, digest }) => digests[graph]?.[slot] !== digest);
      if (wrong === undefined) continue;
      const text = `slot ${wrong.slot} of "${graph}" differs in ${to.id}`;
      throw new SvcError("SVC3413", text);
    }
    await survey.untilReplicated(move.to);
  }

  /** Copies the next cut; the target receives it only after it has written the present one. */
  #copyAhead(
    from: SlotLeader,
    to: SlotLeader,
    writing: Promise<Readonly<Record<string, unknown>>>,
  ): void {
    if (this.#following.length === 0) return;
    const { words } = this.#size;
    const written = writing.then(({ missing }) => {
      if (missing !== undefined) throw new Error("the target lacks slots");
    });
    this.#aheadId = newId();
    this.#copier.copyAhead(this.#aheadId, from, to, this.#following, words, written);
  }

  #countHeld(changesMs: number, queriesMs: number): void {
    const { totals } = this;
    this.#heldMs += changesMs;
    totals.heldMs += changesMs;
    totals.longestHeldMs = Math.max(totals.longestHeldMs, this.#heldMs);
    totals.queriesHeldMs += queriesMs;
    totals.longestQueriesHeldMs = Math.max(totals.longestQueriesHeldMs, queriesMs);
  }

  #count({ slots, graphs }: EncodedSlots): void {
    const { totals } = this;
    totals.slots += slots.length;
    totals.cuts++;
    totals.bytes = this.#copier.bytes;
    for (const { slots: all } of graphs) {
      for (const { vertices, arcs } of all) {
        totals.vertices += vertices;
        totals.arcs += arcs;
      }
    }
    this.#size.adapt(this.#heldMs, this.#writtenMs + this.#steps.removalMs);
  }
}

function newId(): string {
  return randomBytes(8).toString("hex");
}

function tooLong({ message }: BusyError, ms: number): SvcError {
  return new SvcError("SVC3412", `${message}: requests run for longer than ${ms} ms`);
}

/** Returns how many slots at the start of a list a group owns. */
function countOwned({ map, groups }: SlotRecord, slots: readonly number[], group: string): number {
  const owners = new SlotMap(map);
  const owner = groups.indexOf(group);
  const end = slots.findIndex((slot) => owners.ownerOf(slot) !== owner);
  return end < 0 ? slots.length : end;
}
