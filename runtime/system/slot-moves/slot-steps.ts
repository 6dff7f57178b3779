// Executes the steps of a slot move. Each step is derived from the current records of all
// instances, so that a run can continue an interrupted one, also after instances have crashed.

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
import { isUnavailable, SlotSurvey, WAIT_MS } from "./slot-survey.js";

const MAX_FAILURES = 100;

export type CopyStep = Extract<SlotStep, { do: "copy" | "apply" }>;

/** Work that the coordinator does between the commands of an attempt. */
export interface AttemptHooks {
  /** Sends the content of the slots to the target. The slots no longer change. */
  copy(step: CopyStep): Promise<void>;
  /** Makes the target write the content, and verifies the result. */
  apply(step: CopyStep): Promise<void>;
}

const NO_HOOKS: AttemptHooks = {
  copy: () => Promise.resolve(),
  apply: () => Promise.resolve(),
};

export class SlotSteps {
  readonly #lease: ProcedureLease;
  readonly instances: SlotInstances;
  readonly survey: SlotSurvey;
  readonly #dispatchers: readonly string[];
  /** Total time that instances have spent removing content. */
  removalMs = 0;

  /** @param timeoutMs how long to wait for an instance */
  constructor(calls: InstanceCalls, lease: ProcedureLease, timeoutMs?: number) {
    this.#lease = lease;
    this.instances = new SlotInstances(calls, lease);
    this.survey = new SlotSurvey(calls, lease, this.instances, timeoutMs);
    this.#dispatchers = listDispatchers(calls.system);
  }

  /** Completes or undoes the move of an interrupted run, and installs one map on all instances. */
  async settle(): Promise<SlotRecord> {
    this.survey.invalidate();
    await this.#advance(null, NO_HOOKS);
    return this.installEverywhere();
  }

  /**
   * Executes the steps of an attempt until requests can continue; `finish` executes the others.
   * @returns the new record, which dispatchers have not received yet
   */
  async attempt(move: SlotMove, hooks: AttemptHooks): Promise<SlotRecord> {
    try {
      await this.#advance({ move, isCopied: false, isApplied: false }, hooks);
      return latestRecord((await this.survey.readAll()).map((found) => found.record))!;
    } catch (error) {
      // Until the source has handed over the slots, the move can be undone.
      await this.settle().catch(() => undefined);
      throw error;
    }
  }

  /** Removes the content from the source, and then the record of the move. */
  finish(): Promise<void> {
    return this.#advance(null, NO_HOOKS);
  }

  async #advance(initial: SlotAttempt | null, hooks: AttemptHooks): Promise<void> {
    let attempt = initial;
    for (let failures = 0; ; ) {
      const step = nextSlotStep((await this.survey.readAll()).map(toMember), attempt);
      if (step.do === "done") return;
      if (step.do === "lost") throw new SvcError("SVC3413", "another run has undone this move");
      if (step.do === "wait") {
        await this.survey.waitForLeader(step.group);
        continue;
      }
      const act = () => {
        if (step.do === "copy" || step.do === "apply") return hooks[step.do](step);
        return this.#execute(step, isLast);
      };
      // The content is gone and all other instances have been notified: no step follows.
      const isLast = attempt !== null && step.do === "remove" && step.last?.do === "clear";
      const isDone = await this.#try(act, failures < MAX_FAILURES);
      if (isDone && isLast) return;
      if (!isDone) failures++;
      else if (step.do === "copy" || step.do === "apply") {
        attempt = { move: step.move, isCopied: true, isApplied: step.do === "apply" };
      }
    }
  }

  /** Returns false if an instance does not respond: the next survey waits for its restart. */
  async #try(act: () => Promise<void>, canFail: boolean): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.survey.invalidate();
      if (!isUnavailable(error) || !canFail) throw error;
      await this.#lease.rest(WAIT_MS);
      return false;
    }
  }

  /** @param isLast whether the attempt ends: then the source also deletes its record of the move */
  async #execute(
    step: Extract<SlotStep, { do: "tell" | "remove" }>,
    isLast = false,
  ): Promise<void> {
    if (step.do === "remove") {
      const { id, term } = step.at;
      const operation = isLast
        ? { do: "clear-out" }
        : { do: "remove", last: step.last ?? undefined };
      const removal = this.instances.send(id, { ...operation, id: step.move.id, term });
      const notifications = step.meanwhile.map((command) => this.#execute(command));
      // All must have settled before the next step is chosen.
      const results = await Promise.allSettled([removal, ...notifications]);
      for (const result of results) if (result.status === "rejected") throw result.reason;
      const { ms, ...changed } = await removal;
      this.removalMs += Number(ms);
      this.survey.update(id, changed);
      const { own } = (await this.survey.readAll()).find((instance) => instance.id === id)!;
      await this.survey.waitUntilReplicated(own!);
      return step.afterwards === null ? undefined : this.#execute(step.afterwards);
    }
    const command = { do: "tell", command: step.command };
    await Promise.all(
      step.to.map(async (id) => {
        this.survey.update(
          id,
          (await this.instances.send(id, command)) as Partial<SurveyedInstance>,
        );
      }),
    );
  }

  /** Sends the latest record to all dispatchers, which take part in no move. */
  async installEverywhere(): Promise<SlotRecord> {
    const survey = await this.survey.readAll();
    const record = latestRecord(survey.map((found) => found.record))!;
    const command = { do: "tell", command: { do: "install", record } };
    await Promise.all(this.#dispatchers.map((id) => this.instances.send(id, command)));
    return record;
  }
}
