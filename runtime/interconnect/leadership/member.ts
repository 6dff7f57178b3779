// State machine of one member of a group that elects its leader. It decides when the member claims
// leadership, which members must acknowledge a change before the response, and which may lead next.
// It has no clock, network or disk: its inputs are times, results of the engine and
// acknowledgments; its output is the next call of the engine.
//
//   following ──claim──► leading ⇄ refusing ──another epoch, or handed over──► following
//
// Why no acknowledged change is lost: only members of `synced` claim, each of them is in `required`
// of every earlier leader, and a change is acknowledged once all of `required` have it on disk. A
// new leader therefore has all acknowledged changes, and an earlier leader gets no more
// acknowledgments from it. Clocks only decide when a member claims.

import { FollowerProgress } from "./follower-progress.js";
import {
  encodeRecord,
  type Incarnation,
  type LeadershipRecord,
  type Reading,
} from "./leadership.js";
import { SilenceWatch } from "./silence-watch.js";

/** How often within a `ttl` followers read the record, and its holder renews it. */
const POLLS_PER_TTL = 10;
const RENEWALS_PER_TTL = 4;
/** Maximum delay of a claim by a member with lag, so that more advanced members claim first. */
const MAX_CLAIM_DELAY_MS = 100;
/** Fraction of the `ttl` within which a member with more claims: several of its reads. */
const YIELD = 0.3;
/** Fraction of the `ttl`, several heartbeats long, within which a connected leader is heard. */
const HEARD = 0.5;
/** How often the `ttl` has passed without leader when no claim is expected any more. */
const ABANDONED = 5;
/** How often within a `ttl` a leader looks for late and new followers. */
const CHECKS_PER_TTL = 20;

export interface MemberOptions {
  readonly id: string;
  readonly incarnation: string;
  readonly ttlMs: number;
  /** Minimum number of other synced members that a change must reach. */
  readonly minSynced: number;
  /** With fewer synced members, a leader refuses changes, or acknowledges them alone. */
  readonly whenAlone: "refuse" | "go-on";
  /** True for the first member of a new group, whose data folder never belonged to a group. */
  readonly mayCreateRecord: boolean;
  /** Highest epoch recorded in its data folder. */
  readonly epoch: number;
}

export type MemberMode = "following" | "leading" | "refusing";

export type EngineCall =
  | { readonly do: "wait"; readonly untilMs: number }
  | { readonly do: "read" }
  | { readonly do: "swap"; readonly revision: string; readonly record: LeadershipRecord };

export class Member {
  readonly #options: MemberOptions;
  readonly #silence: SilenceWatch;
  #reading: Reading | null = null;
  /** Epoch of its leadership, or else the highest epoch that it knows of. */
  #epoch: number;
  /** Highest epoch of another leader that it was connected with. */
  #metEpoch = 0;
  #isLeading = false;
  /** False once there was a record: if the engine loses it, other members may have more. */
  #mayCreateRecord: boolean;
  /** True at first, and after a swap of unknown outcome: the record must be read first. */
  #mustRead = true;
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** Record of the swap in progress, or of the last one with unknown outcome. */
  #proposed: LeadershipRecord | null = null;
  #proposedAtMs = 0;
  /** Start of the last successful renewal. */
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #followers = new FollowerProgress();
  /** Earliest time of the next claim: it could not lead, or another member has more. */
  #claimsAfterMs = Number.NEGATIVE_INFINITY;
  /** Revision of the record at which it has asked its rivals. */
  #askedAt: string | null = null;
  /** Successor of a planned handover; null: none. */
  #successor: string | null = null;
  #isForced = false;
  /** True when the log accepts no more changes, for a handover. */
  #isFrozen = false;
  #isGivingUp = false;
  /** Milliseconds by which it is behind its provider, as far as it knows. */
  lag = 0;
  /** When the leader was last heard over its connection to this member. */
  leaderHeardAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#epoch = options.epoch;
    this.#mayCreateRecord = options.mayCreateRecord;
    this.#silence = new SilenceWatch(options.ttlMs, options.ttlMs / POLLS_PER_TTL);
  }

  /** Highest epoch of any leader of its group that it knows of; 0: none. */
  get groupEpoch(): number {
    return Math.max(this.#metEpoch, this.#reading?.record?.epoch ?? 0);
  }

  get epoch(): number {
    return this.#epoch;
  }

  get leader(): string | null {
    return this.#isLeading ? this.#options.id : (this.#reading?.record?.holder ?? null);
  }

  /** True if no member may be able to lead: none has claimed for long. */
  get isAbandoned(): boolean {
    return !this.#isLeading && this.#silence.silentMs >= this.#options.ttlMs * ABANDONED;
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  mode(now: number): MemberMode {
    if (!this.#isLeading) return "following";
    const staysLeader = this.#successor === null && !this.#isGivingUp;
    return this.#mayAnswer(now) && staysLeader ? "leading" : "refusing";
  }

  /** Returns the members that a change must reach; synced ones may lead next. */
  required(): { readonly id: string; readonly isSynced: boolean }[] {
    return this.#followers.required().map(({ id, isSynced }) => ({ id, isSynced }));
  }

  /** Returns the last transaction that all of `required` have on disk; -1 if it may not confirm. */
  confirmedSn(): number {
    if (!this.#isLeading || this.#lacksSyncedMembers()) return -1;
    return this.#followers.confirmedSn();
  }

  /** Returns the next call of the engine. */
  next(now: number): EngineCall {
    if (this.#mustRead) return this.#read(now);
    const { revision, record } = this.#reading!;
    const proposal = this.#isLeading ? this.#renewal(now, record) : this.#claim(now, record);
    if (proposal === null) return this.#isLeading ? this.#wait(now) : this.#read(now);
    this.#proposed = proposal;
    this.#proposedAtMs = now;
    this.#isGivingUp = proposal.holder === null;
    return { do: "swap", revision, record: proposal };
  }

  #wait(now: number): EngineCall {
    return { do: "wait", untilMs: now + this.#options.ttlMs / CHECKS_PER_TTL };
  }

  #read(now: number): EngineCall {
    const dueMs = this.#readAtMs + this.#options.ttlMs / POLLS_PER_TTL;
    if (now < dueMs) return { do: "wait", untilMs: dueMs };
    this.#readAtMs = now;
    return { do: "read" };
  }

  /** Makes the next read due at once, for example after the leader's connection broke. */
  hurry(): void {
    if (!this.#isLeading) this.#readAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Handles the result of a read. */
  heard(now: number, reading: Reading): void {
    this.#silence.heard(now, reading);
    this.#reading = reading;
    this.#mustRead = false;
    this.#isGivingUp = false;
    const { record } = reading;
    const isProposed = record !== null && this.#isProposed(record);
    if (this.#isLeading) {
      if (isProposed && record.holder !== null) this.#renewed(now, record);
      else if (!this.#mayKeep(now, record)) this.#stepDown();
    } else if (isProposed && record.holder === this.#options.id) this.#lead(now, record);
    if (record !== null) this.#remember(record);
    this.#proposed = null;
  }

  /** Handles the result of a swap. @param revision null: another member had changed the record */
  swapped(now: number, revision: string | null): void {
    const record = this.#proposed!;
    this.#proposed = null;
    this.#isGivingUp = false;
    if (revision === null) {
      this.#mustRead = true;
      this.#readAtMs = Number.NEGATIVE_INFINITY;
      return;
    }
    this.#silence.heard(now, { revision, record });
    if (record.holder === null) this.#stepDown();
    else if (this.#isLeading) this.#renewed(now, record);
    else this.#lead(now, record);
    this.#remember(record);
    this.#reading = { revision, record };
  }

  /** Handles a failed call of the engine. A read follows, since a swap may have taken effect. */
  failed(): void {
    if (this.#mustRead) this.#isGivingUp = false;
    this.#mustRead = true;
  }

  /** Handles contact with an instance of a higher epoch. */
  superseded(epoch: number): void {
    if (epoch <= this.#epoch) return;
    this.#epoch = epoch;
    this.#metEpoch = epoch;
    this.#mustRead = true;
    if (this.#isLeading) this.#stepDown();
  }

  /** Records that a follower has everything up to a transaction on disk. */
  acknowledged(now: number, follower: Incarnation, sn: number): void {
    this.#followers.acknowledged(now, follower, sn);
  }

  /** Records that a follower has disconnected. */
  lost(now: number, follower: Incarnation): void {
    this.#followers.lost(now, follower);
  }

  /** Records the last transaction of its own log. */
  written(now: number, sn: number): void {
    this.#followers.written(now, sn);
  }

  /** Begins a handover by refusing changes. Returns false if the member is not synced. */
  beginHandover(id: string): boolean {
    const isSynced = this.#followers.required().some((one) => one.id === id && one.isSynced);
    if (isSynced) this.#successor = id;
    return isSynced;
  }

  /**
   * Hands over as soon as all required members have everything, since unacknowledged requests would
   * fail. Call when the log accepts no more changes.
   * @param sn last transaction of the log
   */
  completeHandover(now: number, sn: number): void {
    this.#followers.written(now, sn);
    this.#isFrozen = true;
  }

  /** True while a handover waits for acknowledgments. */
  get isHandingOver(): boolean {
    return this.#isFrozen;
  }

  /** True during a call that ends its leadership: its changes might not be acknowledged. */
  get isGivingUp(): boolean {
    return this.#isGivingUp;
  }

  cancelHandover(): void {
    this.#successor = null;
    this.#isFrozen = false;
  }

  /** Members named by the record: only these may lead. */
  get recorded(): readonly Incarnation[] {
    return this.#reading?.record?.synced ?? [];
  }

  get isForced(): boolean {
    return this.#isForced;
  }

  /** Claims at once, on behalf of an operator, even if other members have more changes. */
  force(): void {
    this.#isForced = true;
  }

  /** Claims no more on behalf of the operator. */
  cancelForce(): void {
    this.#isForced = false;
  }

  /** Stops leading because the instance cannot provide, and lets other members claim first. */
  resign(now: number): void {
    this.#claimsAfterMs = now + 2 * this.#options.ttlMs;
    this.#stepDown();
  }

  /** Other members that may claim in place of a silent leader, until they were asked. */
  get rivals(): readonly string[] {
    const { revision = null, record = null } = this.#reading ?? {};
    const holder = record?.holder ?? this.#options.id;
    if (holder === this.#options.id || revision === this.#askedAt) return [];
    const ids = record!.synced.map(([id]) => id);
    return ids.filter((id) => id !== holder && id !== this.#options.id);
  }

  /**
   * Rivals were asked, once while a leader is silent: each time would delay the claim.
   * @param isBehind another member has more: it claims first
   */
  asked(now: number, isBehind: boolean): void {
    this.#askedAt = this.#reading!.revision;
    if (isBehind) this.#claimsAfterMs = now + this.#options.ttlMs * YIELD;
  }

  #mayAnswer(now: number): boolean {
    if (this.#lacksSyncedMembers()) return false;
    const { ttlMs } = this.#options;
    if (now - this.#renewedAtMs < ttlMs) return true;
    // After the lease, only acknowledgments show that no other member leads.
    return this.#followers.haveAllAnswered(now - ttlMs);
  }

  #lacksSyncedMembers(): boolean {
    const { minSynced, whenAlone } = this.#options;
    return whenAlone === "refuse" && this.#followers.syncedCount() < minSynced;
  }

  /** Returns whether a record that this member did not just write permits it to lead. */
  #mayKeep(now: number, record: LeadershipRecord | null): boolean {
    const { id, ttlMs } = this.#options;
    if (record !== null) return record.holder === id && record.epoch === this.#epoch;
    // Without a record, only acknowledgments show that no other member leads.
    return this.#followers.haveAllAnswered(now - ttlMs);
  }

  #renewal(now: number, record: LeadershipRecord | null): LeadershipRecord | null {
    const { id, incarnation, ttlMs, minSynced, whenAlone } = this.#options;
    const epoch = this.#epoch;
    const beat = (record?.beat ?? 0) + 1;
    const recorded = record?.synced ?? [];
    const next = this.#successor;
    if (this.#isFrozen && this.#followers.hasAll(next) && this.#followers.haveAll()) {
      return { holder: null, epoch, beat, synced: recorded, next };
    }
    this.#followers.admit(now);
    const least = whenAlone === "refuse" ? minSynced : 0;
    const synced: Incarnation[] = [[id, incarnation], ...this.#followers.wanted(now, least)];
    const isDue = now - this.#renewedAtMs >= ttlMs / RENEWALS_PER_TTL;
    if (!isDue && areSame(synced, recorded)) return null;
    return { holder: id, epoch, beat, synced, next: null };
  }

  #claim(now: number, record: LeadershipRecord | null): LeadershipRecord | null {
    const { id, incarnation } = this.#options;
    if (now < this.#claimsAfterMs && !this.#isForced) return null;
    const epoch = this.#epoch + 1;
    if (this.#isForced || this.#mayCreateRecord) {
      return { holder: id, epoch, beat: 0, synced: [[id, incarnation]], next: null };
    }
    if (record === null) return null;
    const { synced } = record;
    const isSynced = synced.some(([one, its]) => one === id && its === incarnation);
    if (!isSynced || !this.#isVacant(now, record)) return null;
    return { holder: id, epoch, beat: 0, synced, next: null };
  }

  #isVacant(now: number, { holder, next }: LeadershipRecord): boolean {
    const { id } = this.#options;
    // Held by a former process of this member, or handed over to this one.
    if (holder === id || (holder === null && next === id)) return true;
    const isHeard = now - this.leaderHeardAtMs < this.#options.ttlMs * HEARD;
    return this.#silence.isOver(now, Math.min(this.lag, MAX_CLAIM_DELAY_MS), isHeard);
  }

  #isProposed(record: LeadershipRecord): boolean {
    return this.#proposed !== null && encodeRecord(record) === encodeRecord(this.#proposed);
  }

  #lead(now: number, record: LeadershipRecord): void {
    const { id } = this.#options;
    const former = this.#reading?.record?.holder ?? null;
    this.#isLeading = true;
    this.#epoch = record.epoch;
    this.#renewedAtMs = this.#proposedAtMs;
    this.cancelHandover();
    this.#isForced = false;
    this.#followers = new FollowerProgress(others(record, id), now, former);
  }

  #renewed(now: number, record: LeadershipRecord): void {
    this.#renewedAtMs = this.#proposedAtMs;
    this.#followers.recorded(now, others(record, this.#options.id));
  }

  /** Keeps what a record tells, also if the engine loses it. */
  #remember({ epoch }: LeadershipRecord): void {
    this.#mayCreateRecord = false;
    if (!this.#isLeading) this.#epoch = Math.max(this.#epoch, epoch);
  }

  #stepDown(): void {
    this.#isLeading = false;
    this.#followers = new FollowerProgress();
  }
}

function others({ synced }: LeadershipRecord, id: string): Incarnation[] {
  return synced.filter(([one]) => one !== id);
}

function areSame(one: readonly Incarnation[], other: readonly Incarnation[]): boolean {
  const sorted = (list: readonly Incarnation[]) => list.map((item) => item.join(" ")).sort();
  return sorted(one).join() === sorted(other).join();
}
