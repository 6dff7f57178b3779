// Cached state of all instances with slots. A procedure reads it from all instances at once, and
// updates it with the response to each command instead of reading it again.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../base/errors.js";
import { findLeader, type SlotLeader } from "../../base/next-slot-step.js";
import type { InstanceCalls } from "../instance-calls.js";
import type { ProcedureLease } from "../procedure-lease.js";
import type { GraphDigests } from "./graph-digests.js";
import {
  listMembers,
  type SlotInstances,
  type SurveyedInstance,
  toMember,
} from "./slot-instances.js";

export const WAIT_MS = 200;
/** How long a run waits for an instance that restarts. */
const INSTANCE_TIMEOUT_MS = 60_000;
const CATCH_UP_TIMEOUT_MS = 60_000;

export class SlotSurvey {
  readonly #lease: ProcedureLease;
  readonly #instances: SlotInstances;
  readonly #members: readonly string[];
  readonly #timeoutMs: number;
  /** Last reported state of all engines; null: unknown after a failure. */
  #known: readonly SurveyedInstance[] | null = null;

  constructor(
    { system }: InstanceCalls,
    lease: ProcedureLease,
    instances: SlotInstances,
    timeoutMs: number = INSTANCE_TIMEOUT_MS,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#lease = lease;
    this.#instances = instances;
    this.#members = listMembers(system);
  }

  /** Discards the cached state, because instances may have changed. */
  invalidate(): void {
    this.#known = null;
  }

  /** Updates the cached state of an instance from its response to a command. */
  update(id: string, changed: Partial<SurveyedInstance>): void {
    this.#known =
      this.#known?.map((instance) =>
        instance.id === id ? { ...instance, ...changed } : instance,
      ) ?? null;
  }

  /** Returns the state of all engines; waits for engines that restart. */
  async readAll(): Promise<readonly SurveyedInstance[]> {
    if (this.#known !== null) return this.#known;
    const deadline = performance.now() + this.#timeoutMs;
    for (;;) {
      try {
        const found = await Promise.all(
          this.#members.map((id) => this.#instances.waitForState(id)),
        );
        const unleased = found.filter(({ isOwn }) => !isOwn);
        if (unleased.length === 0) {
          this.#known = found;
          return found;
        }
        // Another run may have changed the instance before this run acquires its lease.
        await this.#lease.renew(unleased.map(({ id }) => id));
      } catch (error) {
        if (!isUnavailable(error) || performance.now() > deadline) throw error;
      }
      await sleep(WAIT_MS);
    }
  }

  /** Waits for the leader of a group. @throws SvcError SVC3412 if the group elects none in time */
  async waitForLeader(group: string): Promise<SlotLeader> {
    const deadline = performance.now() + this.#timeoutMs;
    for (;;) {
      const found = findLeader((await this.readAll()).map(toMember), group);
      if (found !== null) return found;
      if (performance.now() > deadline) {
        throw new SvcError("SVC3412", `${group} has no instance that may change`);
      }
      this.invalidate();
      await this.#lease.rest(WAIT_MS);
    }
  }

  /** Returns whether a group has one member. */
  async isAlone(group: string): Promise<boolean> {
    return (await this.readAll()).filter(({ own }) => own === group).length === 1;
  }

  /** Resolves when all members of a group have all changes that its leader has reported. */
  async waitUntilReplicated(group: string): Promise<void> {
    const deadline = performance.now() + CATCH_UP_TIMEOUT_MS;
    if (await this.isAlone(group)) return;
    for (;;) {
      const leader = await this.waitForLeader(group);
      const members = (await this.readAll()).filter(({ own }) => own === group);
      const { digests } = members.find(({ id }) => id === leader.id)!;
      const others = members.filter(({ id }) => id !== leader.id);
      if (await this.#haveReached(others, digests)) return;
      if (performance.now() > deadline) {
        const ids = others.map(({ id }) => id).join(", ");
        throw new SvcError("SVC3413", `${ids}: the replicas do not catch up`);
      }
      this.invalidate();
      await this.#lease.rest(WAIT_MS);
    }
  }

  /** Asks instances to wait for some contents. @returns whether all have reached them */
  async #haveReached(
    instances: readonly SurveyedInstance[],
    digests: GraphDigests,
  ): Promise<boolean> {
    if (Object.values(digests).includes("")) return false;
    const responses = instances.map(({ id }) => this.#instances.send(id, { do: "await", digests }));
    return (await Promise.all(responses)).every((response) => response.isReached === true);
  }
}

/** Returns whether an error may result from a restart of an instance. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof SvcError && (error.code === "SVC2701" || error.code === "SVC3115");
}
