// An instance in virtual time: the state machine of its leadership over a log, a disk and
// connections that are as simple as possible.

import type {
  Incarnation,
  Reading,
} from "../../../../runtime/interconnect/leadership/leadership.js";
import { Member } from "../../../../runtime/interconnect/leadership/member.js";
import type { Random } from "../random.js";
import type { SimulatedEngine } from "./simulated-engine.js";
import type { VirtualTime } from "./virtual-time.js";

const CALL_TIMEOUT_MS = 1000;
const ANSWER_MS = 500;
const DIAL_MS = 50;
/** Longer than two late messages. */
const DIAL_LIMIT_MS = 8000;

/** Between two messages: more than an error of rounding. */
const ORDER_MS = 0.001;

/** One change, with the epoch that it was made in. */
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
  isCut(one: string, other: string): boolean;
  leads(node: SimulatedNode): void;
  acknowledged(node: SimulatedNode, entry: Entry): void;
  took(node: SimulatedNode, epoch: number): void;
}

/** A connection of a leader to a follower. */
interface Connection {
  readonly leader: SimulatedNode;
  readonly follower: SimulatedNode;
  readonly epoch: number;
  readonly incarnation: Incarnation;
  /** A message was lost, so no later one arrives. */
  isBroken: boolean;
  isClosed: boolean;
  sent: number;
  /** Messages arrive in order. */
  arrivesAt: number;
  /** The process of the follower. */
  readonly lives: number;
}

export class SimulatedNode {
  readonly id: string;
  readonly #world: World;
  /** Its clock is faster or slower than that of the world. */
  readonly #rate: number;
  member!: Member;
  log: Entry[] = [];
  flushed = 0;
  /** Highest epoch on its disk. */
  epoch = 0;
  incarnation = "";
  #lives = 0;
  isUp = false;
  #pausedUntil = 0;
  /** Tasks until the end of its standstill, in order. */
  #waiting: (() => void)[] = [];
  #leads = 0;
  #held: { readonly sn: number; readonly entry: Entry }[] = [];
  readonly #providing = new Map<string, Connection>();
  /** Members that it is connecting to. */
  readonly #dialing = new Set<string>();
  #following: Connection | null = null;
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
    this.#lives++;
    const { id, incarnation, epoch } = this;
    const mayCreateRecord = settings.first === id && epoch === 0;
    this.member = new Member({ id, incarnation, epoch, mayCreateRecord, ...settings });
    this.#turn();
    this.#dial();
  }

  crash(what: "process" | "power" | "disk"): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.#lives++;
    this.#leads = 0;
    this.#held = [];
    for (const connection of this.#providing.values()) this.#close(connection);
    this.#providing.clear();
    this.#dialing.clear();
    if (this.#following !== null) this.#close(this.#following);
    this.#following = null;
    this.#isFlushing = false;
    if (what === "disk") this.#empty();
    if (what === "process") this.flushed = this.log.length;
    const unflushed = this.log.length - this.flushed;
    if (what === "power") this.log.length -= this.#world.random.below(unflushed + 1);
    this.flushed = this.log.length;
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#world.time.now + ms);
  }

  /** A client sends a change; it is refused unless this node answers changes. */
  change(name: string): void {
    if (!this.isUp || this.#isPaused || this.member.mode(this.#now) !== "leading") return;
    const entry = `${name}@${this.#leads}`;
    this.log.push(entry);
    this.#held.push({ sn: this.log.length, entry });
    this.member.written(this.#now, this.log.length);
    this.#flush();
  }

  get isLeading(): boolean {
    return this.isUp && this.#leads > 0;
  }

  get leadsEpoch(): number {
    return this.#leads;
  }

  get #now(): number {
    return this.#world.time.now * this.#rate;
  }

  get #isPaused(): boolean {
    return this.#world.time.now < this.#pausedUntil;
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

  /** Runs in this process, after its standstill; never if it dies before. */
  #later(ms: number, run: () => void): void {
    const lives = this.#lives;
    const runAlive = (): void => {
      if (lives === this.#lives && this.isUp) run();
    };
    this.#world.time.after(ms, () => {
      if (!this.#isPaused && this.#waiting.length === 0) return runAlive();
      if (this.#waiting.push(runAlive) === 1) this.#resume();
    });
  }

  /** Runs the delayed tasks once the standstill is over. */
  #resume(): void {
    const { time } = this.#world;
    time.after(this.#pausedUntil - time.now, () => {
      if (this.#isPaused) return this.#resume();
      for (const run of this.#waiting.splice(0)) run();
    });
  }

  /** Calls the engine as the state machine wants. */
  #turn(): void {
    this.#observe();
    const call = this.member.next(this.#now);
    if (call.do === "wait") {
      return this.#later((call.untilMs - this.#now) / this.#rate, () => this.#turn());
    }
    let isOver = false;
    const lives = this.#lives;
    this.#world.engine.call(this.id, call, (result) =>
      this.#later(0, () => {
        if (isOver || lives !== this.#lives) return;
        isOver = true;
        if (call.do === "read") this.member.heard(this.#now, result as Reading);
        else this.member.swapped(this.#now, result as string | null);
        this.#turn();
      }),
    );
    this.#later(CALL_TIMEOUT_MS, () => {
      if (isOver) return;
      isOver = true;
      this.member.failed();
      this.#turn();
    });
  }

  /** Follows the role of the state machine. */
  #observe(): void {
    const { isLeading, epoch } = this.member;
    if (this.#leads > 0 && (!isLeading || epoch !== this.#leads)) {
      this.#leads = 0;
      this.#held = [];
      for (const connection of this.#providing.values()) this.#close(connection);
      this.#providing.clear();
    }
    if (!isLeading || this.#leads > 0) return;
    if (this.#following !== null) this.#close(this.#following);
    this.#following = null;
    this.flushed = this.log.length;
    this.epoch = epoch;
    this.#leads = epoch;
    this.member.written(this.#now, this.log.length);
    this.#world.leads(this);
  }

  /** A leader connects to all others. */
  #dial(): void {
    if (this.#leads > 0) {
      for (const other of this.#world.nodes) {
        const isBusy = this.#providing.has(other.id) || this.#dialing.has(other.id);
        if (other !== this && !isBusy) this.#connect(other);
      }
    }
    this.#later(DIAL_MS + this.#world.random.below(DIAL_MS), () => this.#dial());
  }

  #connect(follower: SimulatedNode): void {
    const epoch = this.#leads;
    if (!follower.isUp || this.#world.isCut(this.id, follower.id)) return;
    this.#dialing.add(follower.id);
    this.#later(DIAL_LIMIT_MS, () => this.#dialing.delete(follower.id));
    follower.#later(this.#latency(), () => {
      const position = follower.#accept(epoch);
      this.#later(this.#latency(), () => this.#provide(follower, epoch, position));
    });
  }

  /** Returns the epoch by which it fences the provider, or its log. */
  #accept(epoch: number): number | readonly Entry[] {
    if (this.#leads > 0 || this.epoch > epoch) return this.epoch;
    this.epoch = epoch;
    if (this.#following !== null) this.#close(this.#following);
    this.#following = null;
    return [...this.log];
  }

  #provide(follower: SimulatedNode, epoch: number, position: number | readonly Entry[]): void {
    if (this.#leads !== epoch || this.#providing.has(follower.id)) return;
    this.#dialing.delete(follower.id);
    if (typeof position === "number") {
      this.member.superseded(position);
      return this.#observe();
    }
    const isBehind = position.every((entry, at) => this.log[at] === entry);
    if (!isBehind) return follower.#later(this.#latency(), () => follower.#replaced(epoch));
    const connection: Connection = {
      ...{ leader: this, follower, epoch, incarnation: [follower.id, follower.incarnation] },
      ...{ isBroken: false, isClosed: false, sent: position.length, arrivesAt: 0 },
      lives: follower.#lives,
    };
    this.#providing.set(follower.id, connection);
    this.#send(connection, follower, () => follower.#follow(connection, position));
    this.#stream(connection);
  }

  /** It has changes that the leader lacks: it starts with an empty data folder. */
  #replaced(epoch: number): void {
    if (this.#leads > 0 || this.epoch > epoch) return;
    this.crash("disk");
    this.#world.time.after(100, () => {
      if (!this.isUp) this.start();
    });
  }

  #follow(connection: Connection, position: readonly Entry[]): void {
    const isSame = position.length === this.log.length && connection.epoch === this.epoch;
    if (this.#leads > 0 || !isSame || this.incarnation !== connection.incarnation[1]) {
      return this.#close(connection);
    }
    this.#following = connection;
    this.#answer(connection);
  }

  #stream(connection: Connection): void {
    if (connection.isClosed || this.#leads !== connection.epoch) return;
    if (connection.lives !== connection.follower.#lives) return this.#close(connection);
    const entries = this.log.slice(connection.sent, this.flushed);
    const { follower, sent } = connection;
    if (entries.length > 0) {
      connection.sent = this.flushed;
      this.#send(connection, follower, () => follower.#take(connection, sent, entries));
    }
    this.#later(5 + this.#world.random.below(20), () => this.#stream(connection));
  }

  #take(connection: Connection, at: number, entries: readonly Entry[]): void {
    if (this.#following !== connection) return;
    if (at !== this.log.length) return this.#close(connection);
    this.#world.took(this, connection.epoch);
    this.log.push(...entries);
    this.#flush();
  }

  #flush(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    const end = this.log.length;
    const isSlow = this.#world.random.below(100) === 0;
    this.#later(1 + this.#world.random.below(isSlow ? 2000 : 10), () => {
      this.#isFlushing = false;
      this.flushed = Math.max(this.flushed, Math.min(end, this.log.length));
      if (this.#following !== null) this.#acknowledge(this.#following);
      this.#confirm();
      if (this.flushed < this.log.length) this.#flush();
    });
  }

  /** Acknowledges regularly, also without changes. */
  #answer(connection: Connection): void {
    if (this.#following !== connection) return;
    this.#acknowledge(connection);
    this.#later(ANSWER_MS, () => this.#answer(connection));
  }

  #acknowledge(connection: Connection): void {
    const { leader, incarnation, epoch } = connection;
    const sn = this.flushed;
    this.#send(connection, leader, () => {
      if (leader.#leads !== epoch) return;
      leader.member.acknowledged(leader.#now, incarnation, sn);
      leader.#confirm();
    });
  }

  #confirm(): void {
    if (this.#leads === 0) return;
    const confirmed = Math.min(this.member.confirmedSn(), this.flushed);
    while (this.#held.length > 0 && this.#held[0]!.sn <= confirmed) {
      this.#world.acknowledged(this, this.#held.shift()!.entry);
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
    const next = connection.arrivesAt + ORDER_MS;
    connection.arrivesAt = Math.max(next, time.now + this.#latency());
    to.#later(connection.arrivesAt - time.now, () => {
      if (!connection.isClosed) run();
    });
  }

  #close(connection: Connection): void {
    if (connection.isClosed) return;
    connection.isClosed = true;
    const { leader, follower, incarnation } = connection;
    follower.#later(0, () => {
      if (follower.#following !== connection) return;
      follower.#following = null;
      follower.member.readNow();
    });
    leader.#later(0, () => {
      if (leader.#providing.get(follower.id) !== connection) return;
      leader.#providing.delete(follower.id);
      leader.member.lost(leader.#now, incarnation);
    });
  }

  #latency(): number {
    const { random } = this.#world;
    return random.below(100) === 0 ? random.below(3000) : 1 + random.below(5);
  }
}
