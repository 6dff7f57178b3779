// Faults of a simulated group, some at any moment, some at the worst: just after the acknowledgment
// of a change, or when another member may lead.

import type { LeadershipRecord } from "../../../../runtime/interconnect/leadership/leadership.js";
import type { SimulatedEngine } from "../leadership/simulated-engine.js";
import type { Random } from "../random.js";
import type { SimulatedBackup } from "./simulated-backup.js";
import { DISPATCHER } from "./simulated-dispatch.js";
import type { SimulatedMember } from "./simulated-member.js";
import { linkKey } from "./virtual-network.js";
import type { VirtualWorld } from "./virtual-world.js";

/** A member that loses its power has lost a connection for this time, at most. */
const LAST_MS = 900;
/** Longer than until another member leads. */
const SPLIT_MS = 4500;
/** Between two steps of a network that fails, and of one that recovers. */
const STEP_MS = 1500;
const SLOW_LINK_MS = [40, 400];
/** The others are back when the member that is left has claimed the lead. */
const LATE_MS = 4000;

export interface FaultParts {
  readonly world: VirtualWorld;
  readonly engine: SimulatedEngine;
  readonly members: readonly SimulatedMember[];
  readonly backup: SimulatedBackup | null;
  /** Leaders hand over, and nothing fails. */
  readonly isPlanned: boolean;
}

export class ClusterFaults {
  readonly #parts: FaultParts;
  readonly #random: Random;
  /** Waits for a moment. */
  #ambush: "acknowledged" | "synced" | null = null;
  /** Until then, no other fault disturbs the last one. */
  #quietUntil = 0;

  constructor(parts: FaultParts) {
    this.#parts = parts;
    this.#random = parts.world.random;
  }

  /** One fault begins. */
  next(): void {
    if (this.#parts.isPlanned) return this.#handOver();
    if (this.#parts.world.time.now < this.#quietUntil) return;
    const member = this.#random.of(this.#parts.members);
    const ms = this.#random.below(this.#random.of([500, 5000, 8000]));
    if (this.#random.below(10) === 0) this.#failBackup(ms);
    const leader = this.#leader;
    if (leader !== undefined && this.#random.below(2) === 0) this.#failLeader(leader, ms);
    else this.#fail(member, ms);
  }

  /** The last fault has begun. */
  calm(): void {
    const { world, engine, backup, members } = this.#parts;
    this.#ambush = null;
    world.network.cut.clear();
    world.network.slow.clear();
    engine.isAway = false;
    engine.isCalm = true;
    engine.unreachableFor.clear();
    backup?.calm();
    for (const member of members) {
      member.hasSlowDisk = false;
      if (!member.isUp) member.start();
    }
  }

  /** A client has got its response: members that have the change only in memory lose it. */
  acknowledged(): void {
    if (this.#ambush !== "acknowledged") return;
    this.#ambush = null;
    const leader = this.#leader;
    for (const member of this.#parts.members) this.#failNow(member, member === leader);
    this.#quietUntil = this.#parts.world.time.now + LATE_MS;
  }

  /** The record names the members that may lead: only one that was not named before survives. */
  recorded({ synced }: LeadershipRecord, previousRecord: LeadershipRecord | null): void {
    if (this.#ambush !== "synced" || previousRecord === null) return;
    const known = previousRecord.synced.map(([, incarnation]) => incarnation);
    const added = synced.find(([, incarnation]) => !known.includes(incarnation));
    if (added === undefined) return;
    this.#ambush = null;
    for (const member of this.#parts.members) {
      if (member.id !== added[0]) this.#failNow(member, true);
    }
    this.#quietUntil = this.#parts.world.time.now + LATE_MS;
  }

  get #leader(): SimulatedMember | undefined {
    return this.#parts.members.find(({ isLeading }) => isLeading);
  }

  #fail(member: SimulatedMember, ms: number): void {
    const { network } = this.#parts.world;
    switch (this.#random.below(11)) {
      case 0:
      case 1:
        return this.#crash(member, "process", ms);
      case 2:
        return this.#losePower(this.#random.below(2) === 0 ? member : (this.#leader ?? member), ms);
      case 3:
        // All disks of a small group would soon be gone.
        if (this.#random.below(3) === 0) return this.#crash(member, "disk", ms);
        return this.#losePower(member, ms);
      case 4:
      case 5:
        return member.pause(ms);
      case 6:
        return this.#hold(this.#parts.engine.unreachableFor, member.id, ms);
      case 7:
        return this.#isolate(member, ms);
      case 8:
        return network.resetOne();
      case 9:
        return this.#handOver();
      default:
        this.#parts.engine.isAway = true;
        this.#parts.world.after(ms, null, () => {
          this.#parts.engine.isAway = false;
        });
    }
  }

  #failLeader(leader: SimulatedMember, ms: number): void {
    const others = this.#parts.members.filter((member) => member !== leader);
    switch (this.#random.below(3)) {
      case 0:
        return this.#split(leader, SPLIT_MS + ms / 2);
      case 1:
        this.#ambush = "synced";
        return this.#slowLink(leader, this.#random.of(others), ms);
      default:
        this.#ambush = "acknowledged";
        for (const member of others) this.#slowDisk(member, ms);
    }
  }

  #isolate(member: SimulatedMember, ms: number): void {
    const { world, engine, members } = this.#parts;
    const others = [...members.map(({ id }) => id), DISPATCHER];
    // A dispatcher may still reach a leader that no member reaches.
    if (this.#random.below(2) === 0) others.pop();
    for (const id of others) this.#hold(world.network.cut, linkKey(member.id, id), ms);
    if (this.#random.below(2) === 0) this.#hold(engine.unreachableFor, member.id, ms);
  }

  /**
   * One member stays with the engine, the leader and all others with each other. These lose the
   * engine first, and some reach it again before they reach that member, which leads by then.
   */
  #split(leader: SimulatedMember, ms: number): void {
    const { world, engine, members } = this.#parts;
    const member = this.#random.of(members.filter((member) => member !== leader));
    const stepMs = this.#random.below(STEP_MS);
    for (const { id } of members) {
      if (id === member.id) continue;
      this.#hold(engine.unreachableFor, id, ms - this.#random.below(STEP_MS));
      const cut = (): void => this.#hold(world.network.cut, linkKey(member.id, id), ms - stepMs);
      world.after(stepMs, null, cut);
    }
    this.#quietUntil = world.time.now + ms;
  }

  /** A member is late, but not too late for the leader to wait for it, and connects again. */
  #slowLink(leader: SimulatedMember, { id }: SimulatedMember, ms: number): void {
    const { network } = this.#parts.world;
    const link = linkKey(leader.id, id);
    network.slow.set(link, this.#random.below(this.#random.of(SLOW_LINK_MS)));
    this.#parts.world.after(ms, null, () => network.slow.delete(link));
    network.resetOne(link);
  }

  #slowDisk(member: SimulatedMember, ms: number): void {
    member.hasSlowDisk = true;
    this.#parts.world.after(ms, null, () => {
      member.hasSlowDisk = false;
    });
  }

  #failBackup(ms: number): void {
    const { backup, members } = this.#parts;
    const isAway = this.#random.below(2) === 0;
    backup?.fail(isAway ? "away" : "power", ms);
    const archiving = members.find(({ isArchiving }) => isArchiving);
    // Its place is in the same machine: no writer takes for written what has been lost there.
    if (!isAway && archiving?.isUp) this.#crash(archiving, "power", ms);
  }

  #handOver(): void {
    const leader = this.#leader;
    const { id: to } = this.#random.of(this.#parts.members);
    const timeoutMs = this.#random.of([500, 5000]);
    leader?.run((instance) => {
      // Another member may not be able to lead.
      instance.control({ do: "handOver", to, timeoutMs }).catch(() => undefined);
    });
  }

  #crash(member: SimulatedMember, kind: "process" | "power" | "disk", ms: number): void {
    member.crash(kind);
    this.#parts.world.after(ms, null, () => {
      if (!member.isUp) member.start();
    });
  }

  /** After the present event, which goes on in a process. */
  #failNow(member: SimulatedMember, isLate: boolean): void {
    const ms = this.#random.below(500) + (isLate ? LATE_MS : 0);
    this.#parts.world.after(0, null, () => this.#crash(member, "power", ms));
  }

  /** Its last messages reach some of the others only. */
  #losePower(member: SimulatedMember, ms: number): void {
    const lastMs = this.#random.below(LAST_MS);
    const { id } = this.#random.of(this.#parts.members);
    const { world } = this.#parts;
    this.#hold(world.network.cut, linkKey(member.id, id), lastMs);
    world.after(lastMs, null, () => this.#crash(member, "power", ms));
  }

  #hold(set: Set<string>, item: string, ms: number): void {
    set.add(item);
    this.#parts.world.after(ms, null, () => set.delete(item));
  }
}
