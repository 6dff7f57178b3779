// The slots of a system as one of its instances sees them. The main thread installs them before it
// starts other threads, which inherit them.

import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { SlotMap, type SlotRuns } from "./slot-map.js";

/** Plain data, which crosses threads. */
export interface SlotPlan {
  /** Identifies the map: 16 hexadecimal digits. */
  readonly id: string;
  /** Owner of each slot: offset in `groups`. */
  readonly map: SlotRuns;
  /** Ids of the instances at the top of the replication trees. */
  readonly groups: readonly string[];
  /** Group of this instance; -1: none, as for a dispatcher. */
  readonly own: number;
  /** In a dispatcher: the partition of each group in its matrix; -1: not below it. */
  readonly partitions: readonly number[] | null;
  /** Names of the graphs whose vertices belong to slots. */
  readonly graphs: readonly string[];
  /** Types whose vertices exist in every group. */
  readonly everywhere: readonly string[];
}

/** The slots of the system, by which its groups divide keys. */
export interface KeySlots {
  /** Number of slots. */
  readonly count: number;
  /** Returns the slot of a key. */
  of(key: string): number;
  /** Returns the id of the group that owns a key: the instance at the top of its replication. */
  groupOf(key: string): string;
}

export class InstanceSlots implements KeySlots {
  readonly map: SlotMap;
  readonly plan: SlotPlan;
  readonly #anchors: ReadonlySet<string>;

  constructor(plan: SlotPlan) {
    this.plan = plan;
    this.map = new SlotMap(plan.map);
    this.#anchors = new Set(plan.everywhere);
  }

  get count(): number {
    return this.map.count;
  }

  of(key: string): number {
    return this.map.slotOf(key);
  }

  /** Returns whether the group of this instance owns a key. */
  owns(key: string): boolean {
    return this.map.ownerOfKey(key) === this.plan.own;
  }

  groupOf(key: string): string {
    return this.plan.groups[this.map.ownerOfKey(key)]!;
  }

  /** Returns the partition of the matrix of this dispatcher, otherwise the number of the group. */
  partitionOf(key: string): number {
    const group = this.map.ownerOfKey(key);
    return this.plan.partitions?.[group] ?? group;
  }

  hasGraph(name: string): boolean {
    return this.plan.graphs.includes(name);
  }

  /** Returns whether vertices of a type exist in every group. */
  isAnchorType(type: string): boolean {
    return this.#anchors.has(type);
  }

  /** Returns which group must answer a request with a key; null: this one, or one below it. */
  refusal(key: string): string | null {
    const isHere = this.plan.partitions !== null || this.owns(key);
    return isHere ? null : this.describeOwner(key);
  }

  /** Returns which group owns a key, for messages. */
  describeOwner(key: string): string {
    const { groups, own } = this.plan;
    const here = groups[own];
    const slot = `slot ${this.of(key)} belongs to ${this.groupOf(key)}`;
    return here === undefined ? `${slot}, and this instance owns no slots` : `${slot}, not ${here}`;
  }
}

const NAME = "svc.slots";
/** Undefined until this thread has read what it inherited. */
let known: InstanceSlots | null | undefined;

/** Sets the slots of this thread and of threads that it starts; null: the system has none. */
export function installSlots(plan: SlotPlan | null): void {
  setEnvironmentData(NAME, plan ?? undefined);
  known = undefined;
}

/** Returns the slots of the system; null: it has none. */
export function threadSlots(): InstanceSlots | null {
  if (known === undefined) {
    const plan = getEnvironmentData(NAME) as unknown as SlotPlan | undefined;
    known = plan === undefined ? null : new InstanceSlots(plan);
  }
  return known;
}
