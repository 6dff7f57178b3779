// A group of instances that choose their leader, with the product's whole interconnect: provider,
// follower, log, recovery, fencing and leadership. One thread, virtual time, one seed. Random
// faults, then a calm time after which all must be equal.

import { isDeepStrictEqual } from "node:util";
import * as assert from "uvu/assert";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { digestCheckpoint } from "../../../../runtime/graph/store/verify-digest.js";
import type { LeadershipRecord } from "../../../../runtime/interconnect/leadership/leadership.js";
import type { Instance } from "../../../runtime/interconnect/support/instance.js";
import { SimulatedEngine } from "../leadership/simulated-engine.js";
import { Random } from "../random.js";
import { ClusterFaults } from "./cluster-faults.js";
import { SecondGraph } from "./second-graph.js";
import { SimulatedBackup } from "./simulated-backup.js";
import { SimulatedDispatch } from "./simulated-dispatch.js";
import { SimulatedMember } from "./simulated-member.js";
import { VirtualWorld } from "./virtual-world.js";
import { WireCheck } from "./wire-check.js";

const MIN_FAULTS_MS = 2000;
const MAX_FAULTS_MS = 9000;
const MAX_FAULT_GAP_MS = 1500;
const CALM_MS = 30_000;
const CHECK_MS = 100;
/** One of as many changes is one of the second graph. */
const SECOND = 4;
const FIRST_PORT = 10_000;
const FIRST_HTTP_PORT = 20_000;

export interface Outcome {
  readonly acknowledged: number;
  readonly takeovers: number;
  /** How often a member had more than its leader, although it was not the leader before. */
  readonly discards: number;
  /** Longest time between acknowledged changes, virtual milliseconds. */
  readonly longestGapMs: number;
  /** All members that could lead have lost their disk. */
  readonly isStuck: boolean;
  /** Hash of everything that happened. */
  readonly trace: number;
}

interface Acknowledged {
  readonly id: string;
  /** Result of a counter: acknowledged ones never repeat. */
  readonly count: number;
  readonly epoch: number;
  readonly timeMs: number;
}

/** Runs one seed. @throws Error if something acknowledged was lost or doubled */
export async function simulateCluster(seed: number): Promise<Outcome> {
  const random = new Random(seed);
  // Similar seeds begin alike.
  for (let n = 0; n < 10; n++) random.below(2);
  return new Simulation(random).run();
}

class Simulation {
  readonly #random: Random;
  readonly #world: VirtualWorld;
  readonly #engine: SimulatedEngine;
  readonly #dispatch: SimulatedDispatch;
  /** Null: no member makes one. */
  readonly #backup: SimulatedBackup | null;
  /** Null: there is none. */
  readonly #second: SecondGraph | null;
  readonly #members: SimulatedMember[] = [];
  readonly #clusterFaults: ClusterFaults;
  readonly #acknowledged: Acknowledged[] = [];
  readonly #counts = new Set<number>();
  /** Which member acknowledged changes of an epoch. */
  readonly #answerers = new Map<number, string>();
  /** Stores of members that may lead, and how many acknowledged changes they were asked for. */
  readonly #checkedUntil = new WeakMap<GraphStore, number>();
  /** Leaders that were checked, with their epochs. */
  readonly #checked = new Set<string>();
  /** One after the other. */
  readonly #leaders: string[] = [];
  #discards = 0;
  #changes = 0;
  /** Minus the number of changes answered through the dispatcher. */
  #responses = 0;
  readonly #faultsMs: number;
  /** Leaders hand over, and nothing fails: then no change fails either. */
  readonly #isPlanned: boolean;
  /** Longest time between two changes. */
  readonly #changeGapMs: number;
  #isOver = false;
  #failure: Error | null = null;

  constructor(random: Random) {
    this.#random = random;
    this.#changeGapMs = random.of([20, 60, 200, 400]);
    this.#faultsMs = MIN_FAULTS_MS + random.below(MAX_FAULTS_MS - MIN_FAULTS_MS);
    this.#isPlanned = random.below(10) === 0;
    this.#world = new VirtualWorld(random);
    this.#engine = new SimulatedEngine(this.#world.time, random);
    this.#engine.isCalm = this.#isPlanned;
    this.#backup = random.below(3) === 0 ? new SimulatedBackup(this.#world) : null;
    // A backup is compared with states of one graph. Few seeds have a second one: it takes time.
    const hasSecond = this.#backup === null && random.below(4) === 0;
    this.#second = hasSecond ? new SecondGraph(random) : null;
    const count = 2 + random.below(2);
    const ids = Array.from({ length: count }, (_, n) => `B${n + 1}`);
    const archiving = random.of(ids);
    const ports = new Map(ids.map((id, n) => [id, FIRST_PORT + n]));
    const rules = {
      ...{ engine: "simulated:", group: "B1", ttl: 2000, minSynced: 1 },
      whenAlone: random.of(["refuse", "go-on"] as const),
    };
    this.#dispatch = new SimulatedDispatch({
      ...{ world: this.#world, ports: ids.map((_, n) => FIRST_HTTP_PORT + n) },
      acknowledge: ({ id, epoch, member }) => {
        const [count, timeMs] = [--this.#responses, this.#world.time.now];
        this.#acknowledge(member, { id, count, epoch, timeMs });
      },
      committed: (member) => this.#backup?.committed(member.store),
      unconfirmed: (id) => this.#unconfirmed(id),
      check: (run) => this.#guarded(run),
    });
    this.#clusterFaults = new ClusterFaults({
      ...{ world: this.#world, engine: this.#engine, backup: this.#backup },
      ...{ members: this.#members, isPlanned: this.#isPlanned },
    });
    this.#watch();
    for (const [n, id] of ids.entries()) {
      const others = [...ports].filter(([memberId]) => memberId !== id);
      const members = Object.fromEntries(
        others.map(([memberId, port]) => [memberId, `127.0.0.1:${port}`]),
      );
      this.#members.push(
        new SimulatedMember({
          ...{ id, world: this.#world, engine: this.#engine, port: ports.get(id)! },
          settings: { ...rules, id, members },
          archive: id === archiving ? (this.#backup?.config ?? null) : null,
          httpPort: FIRST_HTTP_PORT + n,
          serve: (...args) => this.#dispatch.serve(...args),
          discarded: (member) => {
            if (this.#leaders.at(-2) !== member) this.#discards++;
          },
          inService: (member) => this.#guarded(() => this.#checkReady(member)),
          readiness: (member, notReady) => {
            if (notReady !== null) return;
            member.run(({ shown }) => {
              if (shown.replica.state !== "caught-up") return;
              member.readyEpoch = member.group?.epoch ?? 0;
              this.#guarded(() => this.#checkReady(member));
            });
          },
        }),
      );
    }
  }

  /** Checks all that is recorded, and sent. */
  #watch(): void {
    this.#engine.onRecord = (record, previousRecord) => {
      this.#checkSynced(record);
      this.#clusterFaults.recorded(record, previousRecord);
    };
    const wire = new WireCheck((owner) => {
      const member = this.#members.find(({ process }) => process === owner);
      // One that has just claimed the lead keeps all that it acknowledges to the former leader.
      const hasClaimed = this.#engine.record?.holder === member?.id;
      return hasClaimed ? 0 : (member?.group?.epoch ?? 0);
    });
    this.#world.network.onSent = (...sent) => this.#guarded(() => wire.sent(...sent));
  }

  /**
   * A member that may lead has everything that was acknowledged. Records are renewed many times: a
   * store is only asked for what is new.
   */
  #checkSynced({ synced, epoch }: LeadershipRecord): void {
    for (const [id, incarnation] of synced) {
      const member = this.#members.find((member) => member.id === id)!;
      if (!member.isFollowing || member.incarnation !== incarnation) continue;
      const { store } = member;
      this.#guarded(() => this.#checkHasAll(member, epoch, this.#checkedUntil.get(store)));
      const next = this.#acknowledged.findIndex((acknowledgment) => acknowledgment.epoch > epoch);
      this.#checkedUntil.set(store, next < 0 ? this.#acknowledged.length : next);
    }
  }

  async run(): Promise<Outcome> {
    this.#world.install();
    try {
      for (const member of this.#members) member.start();
      this.#dispatch.start();
      this.#clients();
      this.#faults();
      await this.#runUntil(this.#faultsMs, () => false);
      this.#isOver = true;
      this.#clusterFaults.calm();
      let checkedAt = 0;
      await this.#runUntil(this.#faultsMs + CALM_MS, () => {
        const { now } = this.#world.time;
        if (now < checkedAt + CHECK_MS) return false;
        checkedAt = now;
        return this.#isSettled();
      });
      const outcome = this.#end();
      await this.#checkBackup();
      return outcome;
    } catch (error) {
      const logs = this.#members.map(({ id, log }) => `${id}\n${log}`).join("\n---\n");
      throw new Error(`${(error as Error).stack}\n${logs}`);
    } finally {
      this.#isOver = true;
      for (const member of this.#members) member.free();
      await this.#dispatch.stop();
      this.#world.uninstall();
    }
  }

  async #runUntil(end: number, isOver: () => boolean): Promise<void> {
    await this.#world.runUntil(end, () => {
      // The others are as they were before this event.
      const member = this.#members.find(({ process }) => process === this.#world.current);
      if (member?.process != null) this.#checkLeader(member);
      return this.#failure !== null || isOver();
    });
    if (this.#failure !== null) throw this.#failure;
  }

  /** Returns whether all are equal, or none can lead. */
  #isSettled(): boolean {
    if (this.#isStuck) return true;
    if (this.#areEqual()) return this.#backup?.isComplete(this.#archiving!) ?? true;
    this.#backup?.unsettle();
    return false;
  }

  /** Returns whether all run and have the same content, and one leads. */
  #areEqual(): boolean {
    if (!this.#dispatch.isIdle) return false;
    const leaders = this.#members.filter(({ isLeading }) => isLeading);
    if (leaders.length !== 1 || this.#members.some(({ isPaused }) => isPaused)) return false;
    const [first, ...others] = this.#members.map(({ state }) => state);
    return first !== null && others.every((state) => isDeepStrictEqual(state, first));
  }

  get #archiving(): SimulatedMember | undefined {
    return this.#members.find(({ isArchiving }) => isArchiving);
  }

  async #checkBackup(): Promise<void> {
    if (this.#backup === null) return;
    const member = this.#archiving!;
    // A group that none can lead has no state to expect, and this member may just be starting.
    const { count = 0, digest = null } =
      (this.#isStuck ? null : digestCheckpoint(member.store)) ?? {};
    // Without any change there is nothing to back up.
    const expected = count === 0 ? null : digest;
    if (expected !== null) assert.ok(this.#backup.isComplete(member), "the backup goes on");
    // It would remove what is being restored.
    member.crash("process");
    await this.#backup.check(member.root, expected);
  }

  get #isStuck(): boolean {
    const { record } = this.#engine;
    const folders = this.#members.map(({ incarnation }) => incarnation);
    return record?.synced.some(([, incarnation]) => folders.includes(incarnation)) === false;
  }

  #end(): Outcome {
    const acknowledged = this.#acknowledged.length;
    const { trace } = this.#world;
    const times = [0, ...this.#acknowledged.map(({ timeMs }) => timeMs)];
    const longestGapMs = Math.max(...times.map((timeMs, n) => timeMs - (times[n - 1] ?? timeMs)));
    const figures = { takeovers: this.#checked.size, discards: this.#discards, longestGapMs };
    const outcome = { acknowledged, ...figures, trace };
    const leaders = this.#members.filter(({ isLeading }) => isLeading);
    if (this.#isStuck) return { ...outcome, isStuck: true };
    assert.is(leaders.length, 1, "one leader after the last fault");
    assert.ok(this.#dispatch.isIdle, "each request has an outcome");
    const [leader] = leaders as [SimulatedMember];
    this.#checkHasAll(leader, Number.POSITIVE_INFINITY);
    for (const member of this.#members) {
      assert.ok(member.failure === null, `${member.id}: ${member.failure?.stack}`);
      assert.equal(member.state, leader.state, member.id);
    }
    return { ...outcome, isStuck: false };
  }

  /** The first failed check ends the simulation. */
  #guarded(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  /** A new leader has everything that was acknowledged before. */
  #checkLeader(member: SimulatedMember): void {
    const { group } = member;
    if (group?.role !== "leading") return;
    const key = `${member.id} ${group.epoch}`;
    if (this.#checked.has(key)) return;
    this.#checked.add(key);
    this.#leaders.push(member.id);
    this.#guarded(() => this.#checkHasAll(member, group.epoch));
  }

  #checkHasAll(member: SimulatedMember, epoch: number, from = 0): void {
    const { graph } = member;
    for (let n = from; n < this.#acknowledged.length; n++) {
      const acknowledgment = this.#acknowledged[n]!;
      if (acknowledgment.epoch > epoch || graph.hasVertex(acknowledgment.id)) continue;
      throw new Error(`${member.id} of epoch ${epoch} lacks ${JSON.stringify(acknowledgment)}`);
    }
    this.#second?.check(member, epoch);
  }

  /** A replica in service has what was acknowledged before it started, as far as it can know. */
  #checkReady(member: SimulatedMember): void {
    const { readyEpoch, startedAt } = member;
    if (!member.hasGraph) return;
    for (const acknowledgment of this.#acknowledged) {
      if (
        acknowledgment.timeMs >= startedAt ||
        acknowledgment.epoch > readyEpoch ||
        member.graph.hasVertex(acknowledgment.id)
      )
        continue;
      throw new Error(`${member.id} is in service without ${JSON.stringify(acknowledgment)}`);
    }
  }

  #clients(): void {
    if (this.#isOver) return;
    const member = this.#random.of(this.#members);
    if (this.#random.below(3) === 0) this.#dispatch.send();
    else if (member.isLeading) member.run((instance) => void this.#change(member, instance));
    this.#world.after(5 + this.#random.below(this.#changeGapMs), null, () => this.#clients());
  }

  async #change(member: SimulatedMember, instance: Instance): Promise<void> {
    const { group } = member;
    if (group?.role !== "leading") return;
    if (this.#second !== null && this.#random.below(SECOND) === 0) {
      const isAcknowledged = await this.#second.change(member, instance);
      return isAcknowledged ? undefined : this.#unconfirmed("a change of the second graph");
    }
    const id = `v${this.#changes++}`;
    let count: number;
    try {
      count = member.graph.count("sold", "units", "total");
      this.#backup?.committed(member.store);
      member.graph.createVertex(id, { properties: { text: id.repeat(this.#random.below(8)) } });
      this.#backup?.committed(member.store);
    } catch {
      return;
    }
    if (!(await instance.isConfirmed())) return this.#unconfirmed(id);
    const sample = { id, count, epoch: group.epoch, timeMs: this.#world.time.now };
    this.#guarded(() => this.#acknowledge(member.id, sample));
  }

  #unconfirmed(id: string): void {
    this.#guarded(() => assert.not.ok(this.#isPlanned, `${id} failed during a handover`));
  }

  #acknowledge(member: string, acknowledgment: Acknowledged): void {
    const { epoch, count } = acknowledgment;
    assert.is(this.#answerers.get(epoch) ?? member, member, `two leaders of epoch ${epoch}`);
    this.#answerers.set(epoch, member);
    assert.not.ok(this.#counts.has(count), `count ${count} was acknowledged twice`);
    this.#counts.add(count);
    this.#acknowledged.push(acknowledgment);
    this.#clusterFaults.acknowledged();
    this.#world.note(`${member} ${acknowledgment.id} ${count} ${epoch}`);
    // A member that leads a later epoch already must have it.
    for (const member of this.#members) {
      if (member.isLeading && member.group!.epoch > epoch) this.#checkHasAll(member, epoch);
    }
  }

  #faults(): void {
    if (this.#isOver) return;
    this.#clusterFaults.next();
    this.#world.after(this.#random.below(MAX_FAULT_GAP_MS), null, () => this.#faults());
  }
}
