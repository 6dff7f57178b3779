// State of the instances with slots as a procedure knows it: looked at together, and noted after
// each command, so that a step needs no further look.

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
/** Instances that restart come back in this time, or the run ends. */
const PATIENCE_MS = 60_000;
const REPLICA_MS = 60_000;

export class SlotSurvey {
  readonly #lease: ProcedureLease;
  readonly #instances: SlotInstances;
  readonly #members: readonly string[];
  readonly #patienceMs: number;
  /** All engines as they were last seen, or answered; null: unknown after a failure. */
  #known: readonly SurveyedInstance[] | null = null;

  constructor(
    { system }: InstanceCalls,
    lease: ProcedureLease,
    instances: SlotInstances,
    patienceMs: number = PATIENCE_MS,
  ) {
    this.#patienceMs = patienceMs;
    this.#lease = lease;
    this.#instances = instances;
    this.#members = listMembers(system);
  }

  /** Instances may have changed: the next look is at all of them. */
  forget(): void {
    this.#known = null;
  }

  /** An instance has answered a command. */
  note(id: string, changed: Partial<SurveyedInstance>): void {
    this.#known = this.#known?.map((one) => (one.id === id ? { ...one, ...changed } : one)) ?? null;
  }

  /** Looks at all engines; waits for ones that restart. */
  async look(): Promise<readonly SurveyedInstance[]> {
    if (this.#known !== null) return this.#known;
    const deadline = performance.now() + this.#patienceMs;
    for (;;) {
      try {
        const found = await Promise.all(this.#members.map((id) => this.#instances.look(id)));
        const others = found.filter(({ isOwn }) => !isOwn);
        if (others.length === 0) {
          this.#known = found;
          return found;
        }
        // Another run may have acted between this look and the lease.
        await this.#lease.renew(others.map(({ id }) => id));
      } catch (error) {
        if (!isAway(error) || performance.now() > deadline) throw error;
      }
      await sleep(WAIT_MS);
    }
  }

  /** Waits while a group chooses its leader. @throws SvcError SVC3412 if it has none for long */
  async leaderOf(group: string): Promise<SlotLeader> {
    const deadline = performance.now() + this.#patienceMs;
    for (;;) {
      const found = findLeader((await this.look()).map(toMember), group);
      if (found !== null) return found;
      if (performance.now() > deadline) {
        throw new SvcError("SVC3412", `${group} has no instance that may change`);
      }
      this.forget();
      await this.#lease.rest(WAIT_MS);
    }
  }

  /** Returns whether a group has one member. */
  async isAlone(group: string): Promise<boolean> {
    return (await this.look()).filter(({ own }) => own === group).length === 1;
  }

  /** Resolves when all members of a group have what its leader had when it was last noted. */
  async untilReplicated(group: string): Promise<void> {
    const deadline = performance.now() + REPLICA_MS;
    if (await this.isAlone(group)) return;
    for (;;) {
      const leader = await this.leaderOf(group);
      const members = (await this.look()).filter(({ own }) => own === group);
      const { digests } = members.find(({ id }) => id === leader.id)!;
      const others = members.filter(({ id }) => id !== leader.id);
      if (await this.#have(others, digests)) return;
      if (performance.now() > deadline) {
        const ids = others.map(({ id }) => id).join(", ");
        throw new SvcError("SVC3413", `${ids}: the replicas do not catch up`);
      }
      this.forget();
      await this.#lease.rest(WAIT_MS);
    }
  }

  /** Returns whether instances have certain contents soon. */
  async #have(instances: readonly SurveyedInstance[], digests: GraphDigests): Promise<boolean> {
    if (Object.values(digests).includes("")) return false;
    const asked = instances.map(({ id }) => this.#instances.send(id, { do: "await", digests }));
    return (await Promise.all(asked)).every((response) => response.isReached === true);
  }
}

/** Returns whether an instance may have restarted: it did not respond, or lacks what it had. */
export function isAway(error: unknown): boolean {
  return error instanceof SvcError && (error.code === "SVC2701" || error.code === "SVC3115");
}
