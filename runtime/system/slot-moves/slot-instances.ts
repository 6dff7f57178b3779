// Sends the commands of a slot move to instances.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../base/errors.js";
import type { SlotMember } from "../../base/next-slot-step.js";
import type { SlotRecord } from "../../base/slot-record.js";
import type { InstanceCalls } from "../instance-calls.js";
import type { ProcedureLease } from "../procedure-lease.js";
import { findRoot } from "../read-slots.js";
import type { System } from "../system.js";
import type { GraphDigests } from "./graph-digests.js";

/** State that an instance reports about itself. */
export interface SurveyedInstance {
  readonly id: string;
  readonly record: SlotRecord;
  /** Group of the instance; null: a dispatcher. */
  readonly own: string | null;
  readonly build: string | null;
  readonly leads: boolean;
  /** Latest term of its group that it has seen; 0: the group elects no leader. */
  readonly term: number;
  readonly digests: GraphDigests;
  /** Whether this run holds its lease. */
  readonly isOwn: boolean;
  /** Whether any run holds its lease. */
  readonly isRun: boolean;
  readonly isDurable: boolean;
  readonly freeMemory: number;
  readonly freeDisk: number | null;
  readonly usedBytes: number;
}

/** One encoded slot of a graph. */
export interface EncodedSlot {
  readonly slot: number;
  readonly bytes: number;
  readonly digest: string;
  readonly vertices: number;
  readonly arcs: number;
}

export interface EncodedSlots {
  readonly slots: readonly number[];
  readonly graphs: readonly {
    readonly graph: string;
    readonly slots: readonly EncodedSlot[];
    readonly names: readonly unknown[];
  }[];
}

/** Error of an instance that has started with an empty data folder. */
export const SLOTS_UNKNOWN = "the slots of this instance are not known yet";
const START_MS = 10_000;
const START_POLL_MS = 100;
const LEASE_LOST = "lease lost on this instance";
/** Sufficient for a chunk of 512 KiB in base64, names and the envelope. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Short, because clients wait for a killed run; longer in large systems, to renew less often. */
const LEASE_SECONDS = 4;
const INSTANCES_PER_SECOND = 100;
const MAX_LEASE_SECONDS = 15;

/** Returns the duration of the lease of a slot move. */
export function chooseLeaseSeconds({ instances }: System): number {
  const more = Math.floor(instances.size / INSTANCES_PER_SECOND);
  return Math.min(MAX_LEASE_SECONDS, LEASE_SECONDS + more);
}

export class SlotInstances {
  readonly #calls: InstanceCalls;
  readonly #lease: ProcedureLease | null;

  /** @param lease null: for commands without side effects */
  constructor(calls: InstanceCalls, lease: ProcedureLease | null) {
    this.#calls = calls;
    this.#lease = lease;
  }

  /**
   * @throws SvcError SVC2701 without a response; SVC3115 for a rejection, or if the instance has
   *   restarted, because the caller must then survey the instances again
   */
  async send(id: string, command: object): Promise<Record<string, unknown>> {
    try {
      return await this.#send(id, command);
    } catch (error) {
      const isLost = error instanceof SvcError && error.message.includes(LEASE_LOST);
      if (!isLost || this.#lease === null) throw error;
    }
    await this.#lease.renew([id]);
    throw new SvcError("SVC3115", `${id} has restarted`);
  }

  async #send(id: string, command: object): Promise<Record<string, unknown>> {
    const body = JSON.stringify(command);
    const parameters = { lease: this.#lease?.holder ?? "" };
    const result = await this.#calls.call(id, "MoveSlots", parameters, body, MAX_BYTES);
    return result as Record<string, unknown>;
  }

  /** Returns the state of an instance; waits until it knows its slots. */
  async waitForState(id: string): Promise<SurveyedInstance> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      try {
        return await this.readState(id);
      } catch (error) {
        const isStarting = error instanceof SvcError && error.message.includes(SLOTS_UNKNOWN);
        if (!isStarting || performance.now() > deadline) throw error;
      }
      await sleep(START_POLL_MS);
    }
  }

  async readState(id: string): Promise<SurveyedInstance> {
    const found = await this.send(id, { do: "look" });
    // An instance added by the descriptor does not know its group yet.
    const group = findGroup(this.#calls.system, id);
    return { ...(found as unknown as SurveyedInstance), id, own: group };
  }
}

/** Returns the ids of all engines with slots. */
export function listMembers(system: System): string[] {
  return [...system.instances.keys()].filter((id) => findGroup(system, id) !== null);
}

/** Returns the group of an instance; null: a dispatcher or an engine without slots. */
export function findGroup(system: System, id: string): string | null {
  const { slots, providers, matrices } = system;
  const root = findRoot(providers, id);
  return !matrices.has(id) && slots!.groups.includes(root) ? root : null;
}

/** Returns the dispatchers top-down, so that each is paused before the ones below it. */
export function listDispatchers({ matrices }: System): string[] {
  const sorted: string[] = [];
  const visit = (id: string): void => {
    if (sorted.includes(id)) return;
    const above = [...matrices].filter(([, { partitions }]) => partitions.flat().includes(id));
    for (const [dispatcher] of above) if (dispatcher !== id) visit(dispatcher);
    sorted.push(id);
  };
  for (const id of matrices.keys()) visit(id);
  return sorted;
}

export function toMember({ id, own, record, leads, term }: SurveyedInstance): SlotMember {
  return { id, group: own!, record, leads, term };
}
