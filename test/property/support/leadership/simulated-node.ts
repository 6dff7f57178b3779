// An instance in virtual time: the state machine of leadership with a minimal log, disk and
// connections.

import type {
  Incarnation,
  Reading,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import { Member } from "../../../../runtime/interconnect/leadership/member.js";
import type { Random } from "../random.js";
import type { SimulatedEngine } from "./simulated-engine.js";
import type { VirtualTime } from "./virtual-time.js";

const CALL_TIMEOUT_MS = 1000;
const ACKNOWLEDGE_MS = 500;
const DIAL_MS = 50;
/** Exceeds the delay of two late messages. */
const DIAL_TIMEOUT_MS = 8000;
/** Minimum interval between two messages, so that rounding does not reorder them. */
const ORDER_MS = 0.001;

/** Name of a change and the epoch in which it was made. */
export type Entry = string;

export interface Settings {
  readonly ttlMs: number;
  readonly minSynced: number;
  readonly whenAlone: "refuse" | "go-on";
  readonly first: string;
}

export interface World {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly engine: SimulatedEngine;
  readonly settings: Settings;
  readonly nodes: readonly SimulatedNode[];
  isCut(first: string, second: string): boolean;
  onLead(node: SimulatedNode): void;
  onAcknowledged(node: SimulatedNode, entry: Entry): void;
  onAppend(node: SimulatedNode, epoch: number): void;
}

/** A connection of a leader to a follower. */
interface Connection {
  readonly leader: SimulatedNode;
  readonly follower: SimulatedNode;
  readonly epoch: number;
  readonly incarnation: Incarnation;
  /** A message was lost, so none after it arrives. */
  isBroken: boolean;
  isClosed: boolean;
  sent: number;
  /** When the last message arrives. Messages keep their order. */
  arrivalMs: number;
  /** Identifies the process of the follower. */
  readonly processNumber: number;
}

export class SimulatedNode {
  readonly id: string;
  readonly #world: World;
  /** Speed of its clock, relative to that of the world. */
  readonly #rate: number;
  member!: Member;
  log: Entry[] = [];
  flushed = 0;
  /** Highest epoch on its disk. */
  epoch = 0;
  incarnation = "";
  #processNumber = 0;
  isUp = false;
  #pausedUntilMs = 0;
  /** Tasks that became due during its pause, in order. */
  #pausedTasks: (() => void)[] = [];
  /** 0: it does not lead. */
  #ledEpoch = 0;
  /** Changes that have no response yet. */
  #unconfirmed: { readonly sn: number; readonly entry: Entry }[] = [];
  readonly #connections = new Map<string, Connection>();
  /** Ids of the nodes to which it is connecting. */
  readonly #dialing = new Set<string>();
  #provider: Connection | null = null;
  #isFlushing = false;

  constructor(id: string, world: World) {
    this.id = id;
    this.#world = world;
    this.#rate = 0.9 + world.random.below(201) / 1000;
    this.#empty();
  }

  start(): void {
    const { settings } = this.#world;
    this.isUp = true;
    this.#processNumber++;
    const { id, incarnation, epoch } = this;
    const mayCreateRecord = settings.first === id && epoch === 0;
    this.member = new Member({ id, incarnation, epoch, mayCreateRecord, ...settings });
    this.#step();
    this.#dial();
  }

  crash(loss: "process" | "power" | "disk"): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.#processNumber++;
    this.#ledEpoch = 0;
    this.#unconfirmed = [];
    for (const connection of this.#connections.values()) this.#close(connection);
    this.#connections.clear();
    this.#dialing.clear();
    if (this.#provider !== null) this.#close(this.#provider);
    this.#provider = null;
    this.#isFlushing = false;
    if (loss === "disk") this.#empty();
    if (loss === "process") this.flushed = this.log.length;
    const unflushed = this.log.length - this.flushed;
    if (loss === "power") this.log.length -= this.#world.random.below(unflushed + 1);
    this.flushed = this.log.length;
  }

  pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#world.time.now + ms);
  }

  /** Handles a change from a client, which only a leader accepts. */
  submitChange(name: string): void {
    if (!this.isUp || this.#isPaused || this.member.mode(this.#now) !== "leading") return;
    const entry = `${name}@${this.#ledEpoch}`;
    this.log.push(entry);
    this.#unconfirmed.push({ sn: this.log.length, entry });
    this.member.recordLogEnd(this.#now, this.log.length);
    this.#flush();
  }

  get isLeading(): boolean {
    return this.isUp && this.#ledEpoch > 0;
  }

  get ledEpoch(): number {
    return this.#ledEpoch;
  }

  get #now(): number {
    return this.#world.time.now * this.#rate;
  }

  get #isPaused(): boolean {
    return this.#world.time.now < this.#pausedUntilMs;
  }

  #empty(): void {
    const { random } = this.#world;
    this.log = [];
    this.flushed = 0;
    this.epoch = 0;
    const word = (): string =>
      random
        .below(2 ** 31)
        .toString(16)
        .padStart(8, "0");
    this.incarnation = `${word()}${word()}${word()}${word()}`;
  }

  /** Schedules a task of the current process: after a pause if it is paused, never if it dies. */
  #schedule(ms: number, run: () => void): void {
    const processNumber = this.#processNumber;
    const runAlive = (): void => {
      if (processNumber === this.#processNumber && this.isUp) run();
    };
    this.#world.time.after(ms, () => {
      if (!this.#isPaused && this.#pausedTasks.length === 0) return runAlive();
      if (this.#pausedTasks.push(runAlive) === 1) this.#resume();
    });
  }

  /** Runs the delayed tasks after the pause. */
  #resume(): void {
    const { time } = this.#world;
    time.after(this.#pausedUntilMs - time.now, () => {
      if (this.#isPaused) return this.#resume();
      for (const run of this.#pausedTasks.splice(0)) run();
    });
  }

  /** Executes the next engine call of the state machine. */
  #step(): void {
    this.#observe();
    const call = this.member.next(this.#now);
    if (call.do === "wait") {
      return this.#schedule((call.untilMs - this.#now) / this.#rate, () => this.#step());
    }
    let isOver = false;
    const processNumber = this.#processNumber;
    this.#world.engine.call(this.id, call, (result) =>
      this.#schedule(0, () => {
        if (isOver || processNumber !== this.#processNumber) return;
        isOver = true;
        if (call.do === "read") this.member.onRead(this.#now, result as Reading);
        else this.member.onSwapped(this.#now, result as string | null);
        this.#step();
      }),
    );
    this.#schedule(CALL_TIMEOUT_MS, () => {
      if (isOver) return;
      isOver = true;
      this.member.onFailed();
      this.#step();
    });
  }

  /** Adopts the role of the state machine. */
  #observe(): void {
    const { isLeading, epoch } = this.member;
    if (this.#ledEpoch > 0 && (!isLeading || epoch !== this.#ledEpoch)) {
      this.#ledEpoch = 0;
      this.#unconfirmed = [];
      for (const connection of this.#connections.values()) this.#close(connection);
      this.#connections.clear();
    }
    if (!isLeading || this.#ledEpoch > 0) return;
    if (this.#provider !== null) this.#close(this.#provider);
    this.#provider = null;
    this.flushed = this.log.length;
    this.epoch = epoch;
    this.#ledEpoch = epoch;
    this.member.recordLogEnd(this.#now, this.log.length);
    this.#world.onLead(this);
  }

  /** Lets a leader connect to all other nodes, at intervals. */
  #dial(): void {
    if (this.#ledEpoch > 0) {
      for (const peer of this.#world.nodes) {
        const isBusy = this.#connections.has(peer.id) || this.#dialing.has(peer.id);
        if (peer !== this && !isBusy) this.#connect(peer);
      }
    }
    this.#schedule(DIAL_MS + this.#world.random.below(DIAL_MS), () => this.#dial());
  }

  #connect(follower: SimulatedNode): void {
    const epoch = this.#ledEpoch;
    if (!follower.isUp || this.#world.isCut(this.id, follower.id)) return;
    this.#dialing.add(follower.id);
    this.#schedule(DIAL_TIMEOUT_MS, () => this.#dialing.delete(follower.id));
    follower.#schedule(this.#latency(), () => {
      const position = follower.#accept(epoch);
      this.#schedule(this.#latency(), () => this.#provide(follower, epoch, position));
    });
  }

  /** Returns its log, or the higher epoch that fences the provider. */
  #accept(epoch: number): number | readonly Entry[] {
    if (this.#ledEpoch > 0 || this.epoch > epoch) return this.epoch;
    this.epoch = epoch;
    if (this.#provider !== null) this.#close(this.#provider);
    this.#provider = null;
    return [...this.log];
  }

  #provide(follower: SimulatedNode, epoch: number, position: number | readonly Entry[]): void {
    if (this.#ledEpoch !== epoch || this.#connections.has(follower.id)) return;
    this.#dialing.delete(follower.id);
    if (typeof position === "number") {
      this.member.onSuperseded(position);
      return this.#observe();
    }
    const isPrefix = position.every((entry, index) => this.log[index] === entry);
    if (!isPrefix) return follower.#schedule(this.#latency(), () => follower.#replaceData(epoch));
    const connection: Connection = {
      ...{ leader: this, follower, epoch, incarnation: [follower.id, follower.incarnation] },
      ...{ isBroken: false, isClosed: false, sent: position.length, arrivalMs: 0 },
      processNumber: follower.#processNumber,
    };
    this.#connections.set(follower.id, connection);
    this.#send(connection, follower, () => follower.#follow(connection, position));
    this.#stream(connection);
  }

  /** Starts with an empty data folder, because the log has changes that the leader lacks. */
  #replaceData(epoch: number): void {
    if (this.#ledEpoch > 0 || this.epoch > epoch) return;
    this.crash("disk");
    this.#world.time.after(100, () => {
      if (!this.isUp) this.start();
    });
  }

  #follow(connection: Connection, position: readonly Entry[]): void {
    const isSame = position.length === this.log.length && connection.epoch === this.epoch;
    if (this.#ledEpoch > 0 || !isSame || this.incarnation !== connection.incarnation[1]) {
      return this.#close(connection);
    }
    this.#provider = connection;
    this.#keepAcknowledging(connection);
  }

  #stream(connection: Connection): void {
    if (connection.isClosed || this.#ledEpoch !== connection.epoch) return;
    if (connection.processNumber !== connection.follower.#processNumber)
      return this.#close(connection);
    const entries = this.log.slice(connection.sent, this.flushed);
    const { follower, sent } = connection;
    if (entries.length > 0) {
      connection.sent = this.flushed;
      this.#send(connection, follower, () => follower.#append(connection, sent, entries));
    }
    this.#schedule(5 + this.#world.random.below(20), () => this.#stream(connection));
  }

  #append(connection: Connection, start: number, entries: readonly Entry[]): void {
    if (this.#provider !== connection) return;
    if (start !== this.log.length) return this.#close(connection);
    this.#world.onAppend(this, connection.epoch);
    this.log.push(...entries);
    this.#flush();
  }

  #flush(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    const end = this.log.length;
    const isSlow = this.#world.random.below(100) === 0;
    this.#schedule(1 + this.#world.random.below(isSlow ? 2000 : 10), () => {
      this.#isFlushing = false;
      this.flushed = Math.max(this.flushed, Math.min(end, this.log.length));
      if (this.#provider !== null) this.#acknowledge(this.#provider);
      this.#confirm();
      if (this.flushed < this.log.length) this.#flush();
    });
  }

  /** Acknowledges at intervals, even without changes. */
  #keepAcknowledging(connection: Connection): void {
    if (this.#provider !== connection) return;
    this.#acknowledge(connection);
    this.#schedule(ACKNOWLEDGE_MS, () => this.#keepAcknowledging(connection));
  }

  #acknowledge(connection: Connection): void {
    const { leader, incarnation, epoch } = connection;
    const sn = this.flushed;
    this.#send(connection, leader, () => {
      if (leader.#ledEpoch !== epoch) return;
      leader.member.onAcknowledged(leader.#now, incarnation, sn);
      leader.#confirm();
    });
  }

  #confirm(): void {
    if (this.#ledEpoch === 0) return;
    const confirmed = Math.min(this.member.confirmedSn(), this.flushed);
    while (this.#unconfirmed.length > 0 && this.#unconfirmed[0]!.sn <= confirmed) {
      this.#world.onAcknowledged(this, this.#unconfirmed.shift()!.entry);
    }
  }

  #send(connection: Connection, to: SimulatedNode, run: () => void): void {
    const { time, random } = this.#world;
    const { leader, follower } = connection;
    const isLost = this.#world.isCut(leader.id, follower.id) || random.below(500) === 0;
    if (isLost && !connection.isBroken) {
      connection.isBroken = true;
      time.after(random.below(4000), () => this.#close(connection));
    }
    if (connection.isBroken || connection.isClosed) return;
    const next = connection.arrivalMs + ORDER_MS;
    connection.arrivalMs = Math.max(next, time.now + this.#latency());
    to.#schedule(connection.arrivalMs - time.now, () => {
      if (!connection.isClosed) run();
    });
  }

  #close(connection: Connection): void {
    if (connection.isClosed) return;
    connection.isClosed = true;
    const { leader, follower, incarnation } = connection;
    follower.#schedule(0, () => {
      if (follower.#provider !== connection) return;
      follower.#provider = null;
      follower.member.readNow();
    });
    leader.#schedule(0, () => {
      if (leader.#connections.get(follower.id) !== connection) return;
      leader.#connections.delete(follower.id);
      leader.member.onLost(leader.#now, incarnation);
    });
  }

  #latency(): number {
    const { random } = this.#world;
    return random.below(100) === 0 ? random.below(3000) : 1 + random.below(5);
  }
}
