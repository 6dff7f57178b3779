// Executes the steps of a move. Each one is derived from the records of all instances, so that a
// run continues after any other one, and after crashes of instances.

import { SvcError } from "../../base/errors.js";
import {
  latestRecord,
  nextSlotStep,
  type SlotAttempt,
  type SlotStep,
} from "../../base/next-slot-step.js";
import type { SlotMove, SlotRecord } from "../../base/slot-record.js";
import type { InstanceCalls } from "../instance-calls.js";
import type { ProcedureLease } from "../procedure-lease.js";
import {
  listDispatchers,
  SlotInstances,
  type SurveyedInstance,
  toMember,
} from "./slot-instances.js";
import { isAway, SlotSurvey, WAIT_MS } from "./slot-survey.js";

const MAX_FAILURES = 100;

export type CopyStep = Extract<SlotStep, { do: "copy" | "apply" }>;

/** Acts of a run between the commands of an attempt. */
export interface AttemptActs {
  /** Sends the content of the slots, which do not change any more. */
  copy(step: CopyStep): Promise<void>;
  /** Lets the target write the content, and verifies it. */
  apply(step: CopyStep): Promise<void>;
}

const NO_ACTS: AttemptActs = {
  copy: () => Promise.resolve(),
  apply: () => Promise.resolve(),
};

export class SlotSteps {
  readonly #lease: ProcedureLease;
  readonly instances: SlotInstances;
  readonly survey: SlotSurvey;
  readonly #dispatchers: readonly string[];
  /** How long instances have removed content, in total. */
  removalMs = 0;

  /** @param patienceMs how long instances are awaited */
  constructor(calls: InstanceCalls, lease: ProcedureLease, patienceMs?: number) {
    this.#lease = lease;
    this.instances = new SlotInstances(calls, lease);
    this.survey = new SlotSurvey(calls, lease, this.instances, patienceMs);
    this.#dispatchers = listDispatchers(calls.system);
  }

  /** Completes or undoes what an earlier run has left, and lets all instances have one map. */
  async settle(): Promise<SlotRecord> {
    this.survey.forget();
    await this.#advance(null, NO_ACTS);
    return this.installEverywhere();
  }

  /**
   * Executes the steps of an attempt until requests may go on; `finish` executes the others.
   * @returns the record that dispatchers do not have yet
   */
  async attempt(move: SlotMove, acts: AttemptActs): Promise<SlotRecord> {
    try {
      await this.#advance({ move, isCopied: false, isApplied: false }, acts);
      return latestRecord((await this.survey.look()).map((found) => found.record))!;
    } catch (error) {
      // Before the source has given the slots, everything is as it was.
      await this.settle().catch(() => undefined);
      throw error;
    }
  }

  /** Lets the source of an attempt forget the move, once the removal of its content is durable. */
  finish(): Promise<void> {
    return this.#advance(null, NO_ACTS);
  }

  async #advance(begun: SlotAttempt | null, acts: AttemptActs): Promise<void> {
    let attempt = begun;
    for (let failures = 0; ; ) {
      const step = nextSlotStep((await this.survey.look()).map(toMember), attempt);
      if (step.do === "done") return;
      if (step.do === "lost") throw new SvcError("SVC3413", "another run has undone this move");
      if (step.do === "wait") {
        await this.survey.leaderOf(step.group);
        continue;
      }
      const act = () => {
        if (step.do === "copy" || step.do === "apply") return acts[step.do](step);
        return this.#execute(step, isLast);
      };
      // Nothing of the content remains there, and all others have been told meanwhile.
      const isLast = attempt !== null && step.do === "remove" && step.last?.do === "clear";
      const isDone = await this.#try(act, failures < MAX_FAILURES);
      if (isDone && isLast) return;
      if (!isDone) failures++;
      else if (step.do === "copy" || step.do === "apply") {
        attempt = { move: step.move, isCopied: true, isApplied: step.do === "apply" };
      }
    }
  }

  /** Returns false if an instance has stopped, and may be awaited: the next look waits for it. */
  async #try(act: () => Promise<void>, mayFail: boolean): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.survey.forget();
      if (!isAway(error) || !mayFail) throw error;
      await this.#lease.rest(WAIT_MS);
      return false;
    }
  }

  /** @param isLast of an attempt: the source still remembers the move */
  async #execute(
    step: Extract<SlotStep, { do: "tell" | "remove" }>,
    isLast = false,
  ): Promise<void> {
    if (step.do === "remove") {
      const { id, term } = step.at;
      const what = isLast ? { do: "clear-out" } : { do: "remove", last: step.last ?? undefined };
      const removal = this.instances.send(id, { ...what, id: step.move.id, term });
      const told = step.meanwhile.map((other) => this.#execute(other));
      // None may still be under way when the next step is chosen.
      const ended = await Promise.allSettled([removal, ...told]);
      for (const one of ended) if (one.status === "rejected") throw one.reason;
      const { ms, ...changed } = await removal;
      this.removalMs += Number(ms);
      this.survey.note(id, changed);
      const { own } = (await this.survey.look()).find((one) => one.id === id)!;
      await this.survey.untilReplicated(own!);
      return step.afterwards === null ? undefined : this.#execute(step.afterwards);
    }
    const command = { do: "tell", command: step.command };
    await Promise.all(
      step.to.map(async (id) => {
        this.survey.note(id, (await this.instances.send(id, command)) as Partial<SurveyedInstance>);
      }),
    );
  }

  /** Dispatchers have no move of their own: they only get the latest map. */
  async installEverywhere(): Promise<SlotRecord> {
    const survey = await this.survey.look();
    const record = latestRecord(survey.map((found) => found.record))!;
    const command = { do: "tell", command: { do: "install", record } };
    await Promise.all(this.#dispatchers.map((id) => this.instances.send(id, command)));
    return record;
  }
}
