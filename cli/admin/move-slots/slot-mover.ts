// Moves slots from one group to another, in cuts so small that requests wait only briefly.

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
import { isUnavailable } from "../../../runtime/system/slot-moves/slot-survey.js";
import type { AdminContext } from "../context.js";
import { CutSize, MAX_CUT_WORDS } from "./cut-size.js";
import type { MoveRate } from "./move-rate.js";
import { BusyError, RequestHold } from "./request-hold.js";
import { SlotCopier } from "./slot-copier.js";

/** Small slots move together, because the fixed costs of a cut are the same. */
const MAX_SLOTS_PER_CUT = 512;
/** Slots considered for the first cut, and added to twice those of the last one for the next. */
const MORE_SLOTS = 16;
const BYTES_PER_WORD = 4;
/** Limits a cut to half a second at a limited rate, even if all of it is sent twice. */
const WORDS_PER_RATE = 1 / 8;
/** How long a run waits for an instance that restarts. */
const INSTANCE_TIMEOUT_MS = 60_000;
const WAIT_MS = 200;
/** How long changes wait for running requests; doubled with each attempt. */
const FIRST_DRAIN_MS = 100;
const LAST_DRAIN_MS = 800;
/** Pause before the next attempt, as a multiple of that time. */
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
  /** Groups of the current cut. */
  #groups = "";
  /** How long changes have waited for the current cut, in all attempts. */
  #heldMs = 0;
  /** How long the target has been writing the current cut. */
  #writtenMs = 0;
  /** Number of slots that the next cut may have. */
  #maxSlots = MORE_SLOTS;
  /** Slots of the next cuts. */
  #following: readonly number[] = [];
  /** Content that the target has received in the current attempt. */
  #copied: EncodedSlots | null = null;
  /** Settles when the source has removed the previous cut, while the next one is being copied. */
  #finished: Promise<void> = Promise.resolve();

  constructor(context: AdminContext, lease: ProcedureLease, rate: MoveRate) {
    this.#lease = lease;
    this.#size = new CutSize(Math.ceil(rate.perSecond * WORDS_PER_RATE) || MAX_CUT_WORDS);
    this.#steps = new SlotSteps(context, lease);
    const { instances } = this.#steps;
    this.#copier = new SlotCopier(instances, rate);
    this.#hold = new RequestHold(instances, listDispatchers(context.system));
  }

  /** Completes or undoes the move of an interrupted run, and installs one map on all instances. */
  async settle(): Promise<SlotRecord> {
    await this.#finished.catch(() => undefined);
    return this.#steps.settle();
  }

  /**
   * Moves the first slots of a planned move. @returns their number
   * @throws SvcError SVC3412 if requests run for too long
   */
  async move(planned: PlannedMove): Promise<number> {
    const deadline = performance.now() + INSTANCE_TIMEOUT_MS;
    const groups = `${planned.from} ${planned.to}`;
    if (groups !== this.#groups) this.#size.restart();
    this.#groups = groups;
    this.#heldMs = 0;
    this.#writtenMs = 0;
    this.#steps.removalMs = 0;
    for (let drainMs = FIRST_DRAIN_MS; ; ) {
      try {
        return await this.#moveOnce(planned, drainMs);
      } catch (error) {
        if (error instanceof BusyError) {
          if (drainMs === LAST_DRAIN_MS) throw createDrainError(error, drainMs);
          await this.#lease.rest(drainMs * PAUSE_PER_DRAIN);
          drainMs *= 2;
          continue;
        }
        if (performance.now() > deadline || !isUnavailable(error)) throw error;
      }
      // An instance may have restarted, and lost its state in memory.
      await this.#lease.rest(WAIT_MS);
      await this.settle();
    }
  }

  async #moveOnce({ from, to, slots }: PlannedMove, drainMs: number): Promise<number> {
    const { survey } = this.#steps;
    const record = latestRecord((await survey.readAll()).map((found) => found.record))!;
    const done = countOwnedPrefix(record, slots, to);
    if (done > 0) return done;
    const [source, target] = [await survey.waitForLeader(from), await survey.waitForLeader(to)];
    const candidates = slots.slice(0, this.#maxSlots);
    const first = await this.#copier.encode(source, candidates, this.#size.words);
    const count = first.slots.length;
    this.#maxSlots = Math.min(MAX_SLOTS_PER_CUT, 2 * count + MORE_SLOTS);
    this.#following = slots.slice(count, count + this.#maxSlots);
    const id = randomBytes(8).toString("hex");
    const move: SlotMove = { id, version: record.version + 1, from, to, slots: first.slots };
    await this.#copier.copy(first, id, source, target);
    const hooks = {
      copy: async (step: CopyStep) => {
        await this.#copy(step);
        await this.#hold.holdQueries();
      },
      apply: (step: CopyStep) => this.#apply(step),
    };
    const attempt = () => this.#steps.attempt(move, hooks);
    await this.#finished;
    await this.#hold.during(move.slots, drainMs, attempt, (...ms) => this.#countHeld(...ms));
    this.#count(first);
    this.#finished = this.#steps.finish();
    this.#finished.catch(() => undefined);
    return first.slots.length;
  }

  /** Stops changes of the slots at the source, and sends their final content. */
  async #copy({ move, from, to }: CopyStep): Promise<void> {
    const [encoded, prepared] = await Promise.allSettled([
      this.#copier.encodeHeld(from, move),
      this.#prepare(move, to),
    ]);
    if (prepared.status === "rejected") throw prepared.reason;
    if (encoded.status === "rejected") throw encoded.reason;
    const { record, ...copied } = encoded.value;
    this.#steps.survey.update(from.id, { record });
    this.#copied = copied;
    await this.#copier.copy(copied, move.id, from, to);
    if (countSlots(record, move.to) === 0) await this.#copier.copyAnchors(move.id, from, to);
  }

  /** Makes a target without replicas store the move, to save time while queries wait. */
  async #prepare(move: SlotMove, { id, term }: SlotLeader): Promise<void> {
    const { instances, survey } = this.#steps;
    if (!(await survey.isAlone(move.to))) return;
    const { record } = await instances.send(id, { do: "prepare", move, term });
    survey.update(id, { record: record as SlotRecord });
  }

  /** Makes the target write the content of the slots to its graphs. */
  async #apply(step: CopyStep): Promise<void> {
    try {
      await this.#write(step);
    } catch (error) {
      // The target may have restarted, or another member may lead its group.
      this.#copier.forget();
      this.#copied = null;
      throw error;
    }
  }

  async #write(step: CopyStep): Promise<void> {
    const { move, from, to } = step;
    const { instances, survey } = this.#steps;
    if (this.#copied === null) await this.#copy(step);
    const writing = instances.send(to.id, { do: "write", move, term: to.term });
    const { words } = this.#size;
    if (this.#following.length > 0) this.#copier.readAhead(from, this.#following, words, writing);
    const written = await writing;
    if (written.missing !== undefined) {
      this.#copier.forget();
      this.#copied = null;
      return this.#write(step);
    }
    const contents = written.contents as GraphDigests;
    survey.update(to.id, { record: written.record as SlotRecord, digests: contents });
    this.#writtenMs += Number(written.ms);
    const digests = written.digests as Record<string, Record<string, string>>;
    for (const { graph, slots: all } of this.#copied!.graphs) {
      const wrong = all.find(({ slot, digest }) => digests[graph]?.[slot] !== digest);
      if (wrong === undefined) continue;
      const text = `slot ${wrong.slot} of "${graph}" differs in ${to.id}`;
      throw new SvcError("SVC3413", text);
    }
    await survey.waitUntilReplicated(move.to);
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
    let words = 0;
    for (const slot of graphs.flatMap((graph) => graph.slots)) {
      totals.vertices += slot.vertices;
      totals.arcs += slot.arcs;
      words += slot.bytes / BYTES_PER_WORD;
    }
    this.#size.adapt(words, this.#heldMs, this.#writtenMs + this.#steps.removalMs);
  }
}

function createDrainError({ message }: BusyError, ms: number): SvcError {
  return new SvcError("SVC3412", `${message}: requests run for longer than ${ms} ms`);
}

/** Counts the leading slots in the list that the group owns. */
function countOwnedPrefix(
  { map, groups }: SlotRecord,
  slots: readonly number[],
  group: string,
): number {
  const owners = new SlotMap(map);
  const owner = groups.indexOf(group);
  const end = slots.findIndex((slot) => owners.ownerOf(slot) !== owner);
  return end < 0 ? slots.length : end;
}
