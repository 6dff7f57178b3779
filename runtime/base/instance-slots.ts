// The slots of a system from the view of one instance. The main thread installs them before it
// starts other threads, which inherit them, and publishes each later map to all threads.

import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { SharedText } from "./shared-text.js";
import { renameOwners, SlotMap, type SlotRuns } from "./slot-map.js";

/** Plain data that can be sent between threads. */
export interface SlotPlan {
  /** Identifies the map: 16 hexadecimal digits. */
  readonly id: string;
  /** Owner of each slot, as an offset in `groups`. */
  readonly map: SlotRuns;
  /** Ids of the roots of the replication trees. */
  readonly groups: readonly string[];
  /** Group of this instance; -1: none, such as for a dispatcher. */
  readonly own: number;
  /** In a dispatcher: the partition of each group in its matrix; -1: not below it. */
  readonly partitions: readonly number[] | null;
  /** Names of the graphs whose vertices belong to slots. */
  readonly graphs: readonly string[];
  /** Types whose vertices exist in every group. */
  readonly everywhere: readonly string[];
  /** Slots that move away from this group, and must not change. Default: none. */
  readonly held?: readonly number[];
  /** Whether it may hold foreign content: then responses carry no map id. Default: false. */
  readonly isMoving?: boolean;
  /** Time of the last change of map or move, in milliseconds since 1970. Default: never. */
  readonly changedMs?: number;
  /** Slots that have moved recently or are moving. Default: unknown. */
  readonly moved?: readonly MovedSlots[];
  /** End of the moves that `moved` no longer lists, in milliseconds since 1970. Default: none. */
  readonly forgottenMs?: number;
}

interface MovedSlots {
  readonly slots: readonly number[];
  /** End of the move, in milliseconds since 1970. */
  readonly untilMs: number;
}

/** The slots of the system, by which its groups divide keys. */
export interface KeySlots {
  /** Number of slots. */
  readonly count: number;
  /** Returns the slot of a key. */
  of(key: string): number;
  /** Returns the id of the group that owns a key: that of the root of its replication tree. */
  groupOf(key: string): string;
}

/** A plan with its lookup tables. */
interface PlannedSlots {
  readonly plan: SlotPlan;
  readonly map: SlotMap;
  readonly anchors: ReadonlySet<string>;
  readonly held: ReadonlySet<number>;
}

export class InstanceSlots implements KeySlots {
  readonly #shared: SharedText | null;
  #version = 0;
  #current: PlannedSlots;

  /** @param source a constant plan, or the shared memory where the main thread publishes it */
  constructor(source: SlotPlan | SharedText) {
    this.#shared = source instanceof SharedText ? source : null;
    if (this.#shared !== null) this.#version = this.#shared.version;
    this.#current = indexPlan(source instanceof SharedText ? readPlan(source) : source);
  }

  get plan(): SlotPlan {
    return this.#latest.plan;
  }

  get map(): SlotMap {
    return this.#latest.map;
  }

  get #latest(): PlannedSlots {
    const shared = this.#shared;
    if (shared !== null && shared.version !== this.#version) {
      this.#version = shared.version;
      this.#current = indexPlan(readPlan(shared));
    }
    return this.#current;
  }

  /**
   * Returns the id of the map that has applied since a request arrived; null: the map has changed.
   * @param key limits the check to its slot; null: all slots
   */
  idSince(receivedMs: number, key: string | null = null): string | null {
    const { id, isMoving = false, changedMs = 0, moved, forgottenMs = 0 } = this.plan;
    if (!isMoving && receivedMs > changedMs) return id;
    if (key === null || moved === undefined || receivedMs <= forgottenMs) return null;
    const slot = this.of(key);
    const isMoved = moved.some(
      ({ slots, untilMs }) => receivedMs <= untilMs && slots.includes(slot),
    );
    return isMoved ? null : id;
  }

  /** Returns whether the group of this instance owns a key whose slot is not moving away. */
  mayChange(key: string): boolean {
    const { held, map, plan } = this.#latest;
    const slot = map.slotOf(key);
    return map.ownerOf(slot) === plan.own && (held.size === 0 || !held.has(slot));
  }

  /** Returns whether the slot of a key is moving to another group. */
  isHeld(key: string): boolean {
    const { held, map } = this.#latest;
    return held.size > 0 && held.has(map.slotOf(key));
  }

  /** Returns whether any slot is moving to another group. */
  get isAnyHeld(): boolean {
    return this.#latest.held.size > 0;
  }

  get count(): number {
    return this.map.count;
  }

  of(key: string): number {
    return this.map.slotOf(key);
  }

  /** Returns whether the group of this instance owns a key. */
  ownsKey(key: string): boolean {
    return this.map.ownerOfKey(key) === this.plan.own;
  }

  groupOf(key: string): string {
    return this.plan.groups[this.map.ownerOfKey(key)]!;
  }

  /** Returns the partition of a key in this dispatcher's matrix; elsewhere, its group number. */
  partitionOf(key: string): number {
    const group = this.map.ownerOfKey(key);
    return this.plan.partitions?.[group] ?? group;
  }

  /** Returns a map from slots to partitions. @param groups the groups of each partition */
  partitionMap(groups: readonly (readonly string[])[]): SlotMap {
    const { plan } = this;
    const partitions = plan.groups.map((name) => groups.findIndex((names) => names.includes(name)));
    return new SlotMap(renameOwners(plan.map, (group) => partitions[group]!));
  }

  hasGraph(name: string): boolean {
    return this.plan.graphs.includes(name);
  }

  /** Returns whether vertices of a type exist in every group. */
  isAnchorType(type: string): boolean {
    return this.#latest.anchors.has(type);
  }

  /** Returns why this instance must reject a request with a key; null: it must not. */
  explainRefusal(key: string): string | null {
    const isHere = this.plan.partitions !== null || this.ownsKey(key);
    return isHere ? null : this.describeOwner(key);
  }

  /** Describes the owner of a key for messages. */
  describeOwner(key: string): string {
    const { groups, own } = this.plan;
    const here = groups[own];
    const slot = `slot ${this.of(key)} belongs to ${this.groupOf(key)}`;
    return here === undefined ? `${slot}, and this instance owns no slots` : `${slot}, not ${here}`;
  }
}

function indexPlan(plan: SlotPlan): PlannedSlots {
  const anchors = new Set(plan.everywhere);
  return { plan, map: new SlotMap(plan.map), anchors, held: new Set(plan.held) };
}

function readPlan(shared: SharedText): SlotPlan {
  return JSON.parse(shared.read()) as SlotPlan;
}

/** Key of the slots in the environment data. */
export const SLOTS_KEY = "svc.slots";
/** Capacity for the JSON of the longest map, which has a run per slot, and of the names. */
const BYTES_PER_SLOT = 64;
const BYTES_OF_NAMES = 2 ** 18;
/** Undefined until this thread has read the inherited data. */
let threadLocal: InstanceSlots | null | undefined;

/** Sets the slots of this thread and of threads that it starts; null: the system has none. */
export function installSlots(plan: SlotPlan | null): void {
  threadLocal = undefined;
  if (plan === null) return setEnvironmentData(SLOTS_KEY, undefined);
  const shared = SharedText.create(BYTES_OF_NAMES + BYTES_PER_SLOT * plan.map.count);
  shared.write(JSON.stringify(plan));
  setEnvironmentData(SLOTS_KEY, shared.buffer);
}

/** Replaces the slots in all threads. */
export function publishSlots(plan: SlotPlan): void {
  new SharedText(getEnvironmentData(SLOTS_KEY) as unknown as SharedArrayBuffer).write(
    JSON.stringify(plan),
  );
}

/** Returns the slots of the system; null: it has none. */
export function threadSlots(): InstanceSlots | null {
  if (threadLocal === undefined) {
    const buffer = getEnvironmentData(SLOTS_KEY) as unknown as SharedArrayBuffer | undefined;
    threadLocal = buffer === undefined ? null : new InstanceSlots(new SharedText(buffer));
  }
  return threadLocal;
}
