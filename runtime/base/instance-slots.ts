// The slots of a system as one of its instances sees them. The main thread installs them before it
// starts other threads, which inherit them, and publishes each later map to all of them.

import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { SharedText } from "./shared-text.js";
import { renameOwners, SlotMap, type SlotRuns } from "./slot-map.js";

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
  /** Slots that this group is giving away: they do not change. Default: none. */
  readonly held?: readonly number[];
  /** It has contents of slots that it does not own: its responses are of no map. Default: not. */
  readonly isMoving?: boolean;
  /** When map or move last changed, milliseconds since 1970; default: never. */
  readonly changedMs?: number;
  /** Slots that have moved lately, or move now; default: unknown. */
  readonly moved?: readonly MovedSlots[];
  /** Earlier moves are forgotten, milliseconds since 1970; default: there were none. */
  readonly forgottenMs?: number;
}

interface MovedSlots {
  readonly slots: readonly number[];
  /** Milliseconds since 1970. */
  readonly untilMs: number;
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

/** A plan as it is used. */
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

  /** @param given never changes, or is where the main thread publishes it */
  constructor(given: SlotPlan | SharedText) {
    this.#shared = given instanceof SharedText ? given : null;
    if (this.#shared !== null) this.#version = this.#shared.version;
    this.#current = prepare(given instanceof SharedText ? readPlan(given) : given);
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
      this.#current = prepare(readPlan(shared));
    }
    return this.#current;
  }

  /**
   * Returns the id of the map that a response to a request was made with; null: of none.
   * @param key whose slot alone matters; null: all slots
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

  /** Returns whether the group of this instance owns a key, and keeps it. */
  mayChange(key: string): boolean {
    const { held, map, plan } = this.#latest;
    const slot = map.slotOf(key);
    return map.ownerOf(slot) === plan.own && (held.size === 0 || !held.has(slot));
  }

  /** Returns whether a slot is being given to another group. */
  isHeld(key: string): boolean {
    const { held, map } = this.#latest;
    return held.size > 0 && held.has(map.slotOf(key));
  }

  /** Returns whether any slot is being given to another group. */
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

  /** Returns the partition of each slot, given the groups of each partition. */
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

function prepare(plan: SlotPlan): PlannedSlots {
  const anchors = new Set(plan.everywhere);
  return { plan, map: new SlotMap(plan.map), anchors, held: new Set(plan.held) };
}

function readPlan(shared: SharedText): SlotPlan {
  return JSON.parse(shared.read()) as SlotPlan;
}

/** Key of the slots in the environment data. */
export const SLOTS_KEY = "svc.slots";
/** JSON of the longest map, with an owner per slot, and of the names. */
const BYTES_PER_SLOT = 64;
const BYTES_OF_NAMES = 2 ** 18;
/** Undefined until this thread has read what it inherited. */
let known: InstanceSlots | null | undefined;

/** Sets the slots of this thread and of threads that it starts; null: the system has none. */
export function installSlots(plan: SlotPlan | null): void {
  known = undefined;
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
  if (known === undefined) {
    const buffer = getEnvironmentData(SLOTS_KEY) as unknown as SharedArrayBuffer | undefined;
    known = buffer === undefined ? null : new InstanceSlots(new SharedText(buffer));
  }
  return known;
}
