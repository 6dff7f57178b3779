// Coordinates moves of slots. Each step is derived from the records of all instances, so that a
// run continues after any other one, and after crashes of instances.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../../runtime/base/errors.js";
import {
  latestRecord,
  nextSlotStep,
  type SlotAttempt,
  type SlotStep,
} from "../../../runtime/base/next-slot-step.js";
import type { PlannedMove } from "../../../runtime/base/plan-slot-moves.js";
import { SlotMap } from "../../../runtime/base/slot-map.js";
import { countSlots, type SlotMove, type SlotRecord } from "../../../runtime/base/slot-record.js";
import type { AdminContext } from "../context.js";
import type { Lease } from "../lease.js";
import {
  type EncodedSlot,
  type EncodedSlots,
  listDispatchers,
  listMembers,
  SlotInstances,
  type SurveyedInstance,
  toMember,
} from "./instances.js";
import type { MoveRate } from "./move-rate.js";

const MAX_SLOTS_PER_CUT = 64;
/** Dispatchers hold their requests for as long as it takes to cut so much. */
const FIRST_CUT_WORDS = 2 ** 16;
const MIN_CUT_WORDS = 2 ** 12;
const MAX_CUT_WORDS = 2 ** 22;
const GOAL_HELD_MS = 150;
const ATTEMPTS = 6;
const MAX_FAILURES = 100;
const DRAIN_MS = 2000;
const DRAIN_ATTEMPTS = 20;
const WAIT_MS = 200;
/** Instances that restart come back in this time, or the run ends. */
const PATIENCE_MS = 60_000;
const REPLICA_MS = 30_000;

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
  readonly #lease: Lease;
  readonly #instances: SlotInstances;
  readonly #members: readonly string[];
  readonly #dispatchers: readonly string[];
  readonly #rate: MoveRate;
  #cutWords = FIRST_CUT_WORDS;
  #heldSince = 0;
  /** All engines as they were last seen, or answered; null: unknown after a failure. */
  #known: readonly SurveyedInstance[] | null = null;
  /** Digests of what the target of the attempt has received, by graph and slot. */
  readonly #staged = new Map<string, string>();

  constructor(context: AdminContext, lease: Lease, rate: MoveRate) {
    this.#lease = lease;
    this.#instances = new SlotInstances(context, lease);
    this.#members = listMembers(context.system);
    this.#dispatchers = listDispatchers(context.system);
    this.#rate = rate;
  }

  /** Completes or undoes what an earlier run has left, and lets all instances have one map. */
  async settle(): Promise<SlotRecord> {
    this.#known = null;
    await this.#advance(null);
    return this.#installEverywhere();
  }

  /** Moves the first slots of a planned move; returns how many. */
  async move(planned: PlannedMove): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#moveOnce(planned);
      } catch (error) {
        if (attempt === ATTEMPTS || !isAway(error)) throw error;
      }
      // An instance has restarted, and lost what it kept in memory.
      await this.#lease.rest(WAIT_MS);
      await this.settle();
    }
  }

  async #moveOnce({ from, to, slots }: PlannedMove): Promise<number> {
    const record = latestRecord((await this.#survey()).map((found) => found.record))!;
    const done = countOwned(record, slots, to);
    if (done > 0) return done;
    const source = await this.#leaderOf(from);
    const first = await this.#encode(source, slots.slice(0, MAX_SLOTS_PER_CUT));
    const id = randomBytes(8).toString("hex");
    const move: SlotMove = { id, version: record.version + 1, from, to, slots: first.slots };
    this.#staged.clear();
    await this.#copy(first, source, move);
    await this.#hold();
    try {
      await this.#advance(move);
      await this.#installEverywhere();
    } catch (error) {
      // Before the source has given the slots, everything is as it was.
      await this.#advance(null).catch(() => undefined);
      throw error;
    } finally {
      await this.#release();
    }
    this.#count(first);
    return first.slots.length;
  }

  /** Lets new requests wait at all dispatchers, and waits until none is running. */
  async #hold(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.#lease.renew();
      this.#heldSince = performance.now();
      const running = await this.#drain();
      if (running === null) return;
      await this.#release();
      if (attempt === DRAIN_ATTEMPTS) {
        const text = `${running}: requests run for longer than ${DRAIN_MS} ms`;
        throw new SvcError("SVC3412", text);
      }
      await this.#lease.rest(WAIT_MS * attempt);
    }
  }

  /** Returns the dispatcher that still runs requests; null: none does. */
  async #drain(): Promise<string | null> {
    for (const id of this.#dispatchers) {
      const command = { do: "hold-requests", drainMs: DRAIN_MS };
      const { running } = await this.#instances.send(id, command);
      if (Number(running) > 0) return id;
    }
    return null;
  }

  async #release(): Promise<void> {
    const ids = [...this.#dispatchers].reverse();
    // A dispatcher that cannot be reached ends its hold by itself.
    await Promise.allSettled(ids.map((id) => this.#instances.send(id, { do: "release-requests" })));
  }

  /** Executes steps until nothing is left to do. */
  async #advance(move: SlotMove | null): Promise<void> {
    let attempt: SlotAttempt | null = move && { move, isApplied: false };
    let failures = 0;
    for (;;) {
      const survey = await this.#survey();
      const step = nextSlotStep(survey.map(toMember), attempt);
      if (step.do === "done") return;
      if (step.do === "lost") throw new SvcError("SVC3413", "another run has undone this move");
      if (step.do === "wait") {
        this.#known = null;
        await this.#lease.rest(WAIT_MS);
      } else if (await this.#try(() => this.#step(step, survey), failures < MAX_FAILURES)) {
        if (step.do === "apply") attempt = { move: step.move, isApplied: true };
      } else failures++;
    }
  }

  async #step(
    step: Extract<SlotStep, { do: "tell" | "remove" | "apply" }>,
    survey: readonly SurveyedInstance[],
  ): Promise<void> {
    if (step.do === "apply") await this.#write(step.move, survey);
    else await this.#execute(step);
  }

  /** Returns false if an instance has stopped, and may be awaited: the next look waits for it. */
  async #try(act: () => Promise<void>, mayFail: boolean): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.#known = null;
      if (!isAway(error) || !mayFail) throw error;
      this.#staged.clear();
      await this.#lease.rest(WAIT_MS);
      return false;
    }
  }

  async #execute(step: Extract<SlotStep, { do: "tell" | "remove" }>): Promise<void> {
    if (step.do === "remove") {
      await this.#instances.send(step.at, { do: "remove", id: step.move.id });
      const { own } = (await this.#survey()).find(({ id }) => id === step.at)!;
      await this.#untilReplicated(own!);
      return this.#execute(step.then);
    }
    const command = { do: "tell", command: step.command };
    await Promise.all(
      step.to.map(async (id) => {
        const { record } = await this.#instances.send(id, command);
        this.#note(id, record as SlotRecord);
      }),
    );
  }

  #note(id: string, record: SlotRecord): void {
    this.#known = this.#known?.map((one) => (one.id === id ? { ...one, record } : one)) ?? null;
  }

  /** Writes the content of the slots, which do not change now, to the graphs of the target. */
  async #write(move: SlotMove, survey: readonly SurveyedInstance[]): Promise<void> {
    const source = leaderIn(survey, move.from);
    const target = leaderIn(survey, move.to);
    const { slots, id } = move;
    const encoded = await this.#encode(source, slots, Number.MAX_SAFE_INTEGER);
    await this.#copy(encoded, source, move, target);
    const { record } = survey.find(({ own }) => own === move.from)!;
    if (countSlots(record, move.to) === 0) await this.#copyAnchors(source, move, target);
    const written = await this.#instances.send(target, { do: "write", id, slots });
    if (written.missing !== undefined) {
      // It has restarted since.
      this.#staged.clear();
      return this.#write(move, survey);
    }
    const digests = written.digests as Record<string, Record<string, string>>;
    for (const { graph, slots: all } of encoded.graphs) {
      const wrong = all.find(({ slot, digest }) => digests[graph]?.[slot] !== digest);
      if (wrong === undefined) continue;
      const text = `slot ${wrong.slot} of "${graph}" differs in ${target}`;
      throw new SvcError("SVC3413", text);
    }
    await this.#untilReplicated(move.to);
  }

  /** A new group has none: arcs of the slots start there. */
  async #copyAnchors(source: string, move: SlotMove, target: string): Promise<void> {
    const anchors = await this.#instances.send(source, { do: "encode-anchors" });
    await this.#copy(anchors as unknown as EncodedSlots, source, move, target);
  }

  #encode(
    source: string,
    slots: readonly number[],
    maxWords = this.#cutWords,
  ): Promise<EncodedSlots> {
    const most = Math.min(maxWords, 2 ** 24);
    const command = { do: "encode", slots, maxWords: most };
    return this.#instances.send(source, command) as unknown as Promise<EncodedSlots>;
  }

  /** Sends what the target does not have yet. */
  async #copy(
    { graphs }: EncodedSlots,
    source: string,
    { id, to }: SlotMove,
    target?: string,
  ): Promise<void> {
    const receiver = target ?? (await this.#leaderOf(to));
    for (const { graph, slots, names } of graphs) {
      for (const encoded of slots) {
        const place = `${receiver} ${graph} ${encoded.slot}`;
        if (this.#staged.get(place) === encoded.digest) continue;
        await this.#copySlot({ id, graph, names, source, receiver }, encoded);
        this.#staged.set(place, encoded.digest);
      }
    }
  }

  async #copySlot(
    { id, graph, names, source, receiver }: CopyPlace,
    { slot, bytes: length, digest }: EncodedSlot,
  ): Promise<void> {
    for (let offset = 0; offset < length || offset === 0; ) {
      const { data } = await this.#instances.send(source, { do: "read", graph, slot, offset });
      const chunk = { graph, slot, offset, length, data, digest };
      const command = { do: "stage", id, ...chunk, names };
      const { received } = await this.#instances.send(receiver, command);
      await this.#rate.pass(Number(received) - offset);
      this.totals.bytes += Number(received) - offset;
      if (length === 0) return;
      offset = Number(received);
    }
  }

  /** Resolves when all members of a group have the same content. */
  async #untilReplicated(group: string): Promise<void> {
    const deadline = performance.now() + REPLICA_MS;
    const all = await this.#survey();
    if (all.filter(({ own }) => own === group).length === 1) return;
    for (;;) {
      this.#known = null;
      const survey = await this.#survey();
      const members = survey.filter(({ own }) => own === group);
      const texts = new Set(members.map(({ digests }) => JSON.stringify(digests)));
      if (texts.size === 1) return;
      if (performance.now() > deadline) {
        const ids = members.map(({ id }) => id).join(", ");
        throw new SvcError("SVC3413", `${ids}: the replicas do not catch up`);
      }
      await this.#lease.rest(WAIT_MS / 10);
    }
  }

  /** Looks at all engines; waits for ones that restart. */
  async #survey(): Promise<readonly SurveyedInstance[]> {
    if (this.#known !== null) return this.#known;
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        this.#known = await Promise.all(this.#members.map((id) => this.#instances.look(id)));
        return this.#known;
      } catch (error) {
        if (!isAway(error) || performance.now() > deadline) throw error;
      }
      await sleep(WAIT_MS);
      await Promise.all(this.#members.map((id) => this.#lease.renew(id)));
    }
  }

  async #leaderOf(group: string): Promise<string> {
    return leaderIn(await this.#survey(), group);
  }

  /** Dispatchers have no move of their own: they only get the latest map. */
  async #installEverywhere(): Promise<SlotRecord> {
    const survey = await this.#survey();
    const record = latestRecord(survey.map((found) => found.record))!;
    const command = { do: "tell", command: { do: "install", record } };
    await Promise.all(this.#dispatchers.map((id) => this.#instances.send(id, command)));
    return record;
  }

  #count({ slots, graphs }: EncodedSlots): void {
    const heldMs = performance.now() - this.#heldSince;
    const { totals } = this;
    totals.slots += slots.length;
    totals.cuts++;
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

interface CopyPlace {
  readonly id: string;
  readonly graph: string;
  readonly names: readonly unknown[];
  readonly source: string;
  readonly receiver: string;
}

/** Returns whether an instance may have restarted: it did not respond, or lacks what it had. */
function isAway(error: unknown): boolean {
  return error instanceof SvcError && (error.code === "SVC2701" || error.code === "SVC3115");
}

/** Returns how many slots at the start of a list a group owns. */
function countOwned({ map, groups }: SlotRecord, slots: readonly number[], group: string): number {
  const owners = new SlotMap(map);
  const owner = groups.indexOf(group);
  const end = slots.findIndex((slot) => owners.ownerOf(slot) !== owner);
  return end < 0 ? slots.length : end;
}

function leaderIn(survey: readonly SurveyedInstance[], group: string): string {
  const found = survey.find(({ own, leads }) => own === group && leads);
  if (found === undefined)
    throw new SvcError("SVC3412", `${group} has no instance that may change`);
  return found.id;
}
