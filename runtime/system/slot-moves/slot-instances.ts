// Requests of a move of slots to instances.

import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../base/errors.js";
import type { SlotMember } from "../../base/next-slot-step.js";
import type { SlotRecord } from "../../base/slot-record.js";
import type { InstanceCalls } from "../instance-calls.js";
import type { ProcedureLease } from "../procedure-lease.js";
import { findRoot } from "../read-slots.js";
import type { System } from "../system.js";
import type { GraphDigests } from "./graph-digests.js";

/** An instance, as it describes itself. */
export interface SurveyedInstance {
  readonly id: string;
  readonly record: SlotRecord;
  /** Null: a dispatcher. */
  readonly own: string | null;
  readonly build: string | null;
  readonly leads: boolean;
  /** Latest term of its group that it knows; 0: its leader never changes by itself. */
  readonly term: number;
  readonly digests: GraphDigests;
  /** This run has its lease. */
  readonly isOwn: boolean;
  /** It knows of a running procedure. */
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

/** Response of an instance that has started with an empty data folder. */
export const SLOTS_UNKNOWN = "the slots of this instance are not known yet";
const START_MS = 10_000;
const START_POLL_MS = 100;
const LEASE_LOST = "lease lost on this instance";
/** A chunk of 512 KiB as base64 in an envelope, and names. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Requests wait for a run that was killed, but large systems are not renewed that often. */
const LEASE_SECONDS = 4;
const INSTANCES_PER_SECOND = 100;
const MAX_LEASE_SECONDS = 15;

/** Returns the seconds after which a run that moves slots is over unless it renews its lease. */
export function chooseLeaseSeconds({ instances }: System): number {
  const more = Math.floor(instances.size / INSTANCES_PER_SECOND);
  return Math.min(MAX_LEASE_SECONDS, LEASE_SECONDS + more);
}

export class SlotInstances {
  readonly #calls: InstanceCalls;
  readonly #lease: ProcedureLease | null;

  /** @param lease null: only looks */
  constructor(calls: InstanceCalls, lease: ProcedureLease | null) {
    this.#calls = calls;
    this.#lease = lease;
  }

  /**
   * @throws SvcError SVC2701 without a response, SVC3115 if it was refused, also by an instance
   *   that has restarted: what was decided before does not count any more
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

  /** Waits for an instance that does not know its slots yet. */
  async look(id: string): Promise<SurveyedInstance> {
    const deadline = performance.now() + START_MS;
    for (;;) {
      try {
        return await this.lookOnce(id);
      } catch (error) {
        const isStarting = error instanceof SvcError && error.message.includes(SLOTS_UNKNOWN);
        if (!isStarting || performance.now() > deadline) throw error;
      }
      await sleep(START_POLL_MS);
    }
  }

  async lookOnce(id: string): Promise<SurveyedInstance> {
    const found = await this.send(id, { do: "look" });
    // An instance that the descriptor adds to the slots does not know its group yet.
    const own = findGroup(this.#calls.system, id);
    return { ...(found as unknown as SurveyedInstance), id, own };
  }
}

/** Returns the engines with slots: their groups' tops and replicas. */
export function listMembers(system: System): string[] {
  return [...system.instances.keys()].filter((id) => findGroup(system, id) !== null);
}

/** Returns the group of an instance; null: a dispatcher, or an instance without slots. */
export function findGroup(system: System, id: string): string | null {
  const { slots, providers, matrices } = system;
  const root = findRoot(providers, id);
  return !matrices.has(id) && slots!.groups.includes(root) ? root : null;
}

/** Returns the dispatchers from the top, so that each is held before the ones below it. */
export function listDispatchers({ matrices }: System): string[] {
  const listed: string[] = [];
  const visit = (id: string): void => {
    if (listed.includes(id)) return;
    const above = [...matrices].filter(([, { partitions }]) => partitions.flat().includes(id));
    for (const [other] of above) if (other !== id) visit(other);
    listed.push(id);
  };
  for (const id of matrices.keys()) visit(id);
  return listed;
}

export function toMember({ id, own, record, leads, term }: SurveyedInstance): SlotMember {
  return { id, group: own!, record, leads, term };
}
