// State machine of one member of a group that elects its leader. It decides when the member claims
// leadership, which members must acknowledge a change before its response, and which may lead next.
// It has no clock, network or disk: its inputs are times, results of the engine and
// acknowledgments; its output is the next call of the engine.
//
//   following ──claim──► leading ⇄ readonly ⇄ refusing ──another epoch, or handed over──► following
//
// `readonly`: with `whenAlone: "refuse"`, too few members acknowledge changes, so none is accepted.
// `refusing`: another member may lead by now, so that reads could be stale. Or it is a new leader
// that too few members have joined yet.
//
// Why no acknowledged change is lost: only members of `synced` claim, each of them is in `required`
// of every earlier leader, and a change is acknowledged once all of `required` have it on disk. A
// new leader therefore has all acknowledged changes, and no longer acknowledges changes of an
// earlier leader. Clocks only decide when a member claims.

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
/** Fraction of the `ttl` for which a member defers its claim to a more advanced member. */
const YIELD = 0.3;
/** Fraction of the `ttl`, several heartbeats, within which a live connection shows a leader. */
const HEARD = 0.5;
/** Number of `ttl` without a change of the record after which no claim is expected. */
const ABANDONED = 5;
/** Number of `ttl` without an acknowledgment after which no change waits for a synced member. */
const SILENT = 5;
/** How often within a `ttl` a leader checks for late and new followers. */
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

export type MemberMode = "following" | "leading" | "readonly" | "refusing";

export type EngineCall =
  | { readonly do: "wait"; readonly untilMs: number }
  | { readonly do: "read" }
  | { readonly do: "swap"; readonly revision: string; readonly record: LeadershipRecord };

export class Member {
  readonly #options: MemberOptions;
  readonly #silence: SilenceWatch;
  #reading: Reading | null = null;
  /** Epoch in which it leads, or else the highest known epoch. */
  #epoch: number;
  /** Highest epoch of another leader that it was connected to. */
  #metEpoch = 0;
  #isLeading = false;
  /** False once a record existed: if the engine loses it, other members may have more changes. */
  #mayCreateRecord: boolean;
  /** True at the start and after a swap with unknown outcome: the next call must be a read. */
  #mustRead = true;
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** Record of the swap that is in progress, or whose outcome is unknown. */
  #proposed: LeadershipRecord | null = null;
  #proposedAtMs = 0;
  /** Start of the last successful renewal. */
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #followers = new FollowerProgress();
  /** Earliest time of the next claim, after it could not lead or deferred to another member. */
  #claimsAfterMs = Number.NEGATIVE_INFINITY;
  /** Revision of the record for which it has compared its positions with those of its rivals. */
  #comparedAt: string | null = null;
  /** Successor in a handover; null: none in progress. */
  #successor: string | null = null;
  #isForced = false;
  /** True once the log accepts no more changes, for a handover. */
  #isFrozen = false;
  #isGivingUp = false;
  /** Last known lag behind its provider, in milliseconds. */
  lag = 0;
  /** When the leader last sent anything over its connection to this member. */
  leaderHeardAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#epoch = options.epoch;
    this.#mayCreateRecord = options.mayCreateRecord;
    this.#silence = new SilenceWatch(options.ttlMs, options.ttlMs / POLLS_PER_TTL);
  }

  /** Highest known epoch of a leader of its group; 0: none. */
  get groupEpoch(): number {
    return Math.max(this.#metEpoch, this.#reading?.record?.epoch ?? 0);
  }

  get epoch(): number {
    return this.#epoch;
  }

  get leader(): string | null {
    return this.#isLeading ? this.#options.id : (this.#reading?.record?.holder ?? null);
  }

  /** True if no member has claimed for so long that perhaps none can lead. */
  get isAbandoned(): boolean {
    return !this.#isLeading && this.#silence.silentMs >= this.#options.ttlMs * ABANDONED;
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  mode(now: number): MemberMode {
    if (!this.#isLeading) return "following";
    const staysLeader = this.#successor === null && !this.#isGivingUp;
    if (!staysLeader || !this.#mayRespond(now)) return "refusing";
    // A member that restarts is silent for less.
    const sinceMs = now - this.#options.ttlMs * SILENT;
    if (!this.#isTooFew(this.#followers.countHeard(sinceMs))) return "leading";
    // At first, dispatchers keep changes until members have connected.
    return this.#followers.isNew(sinceMs) ? "refusing" : "readonly";
  }

  /** Returns the members that must acknowledge a change. Synced ones may lead next. */
  required(): { readonly id: string; readonly isSynced: boolean }[] {
    return this.#followers.required().map(({ id, isSynced }) => ({ id, isSynced }));
  }

  /** Returns the last transaction that all required members have on disk; -1: confirm nothing. */
  confirmedSn(): number {
    if (!this.#isLeading || this.#isTooFew(this.#followers.syncedCount())) return -1;
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

  /** Makes the next read due at once, for example after the connection to the leader broke. */
  readNow(): void {
    if (!this.#isLeading) this.#readAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Handles the result of a read. */
  onRead(now: number, reading: Reading): void {
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
  onSwapped(now: number, revision: string | null): void {
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

  /** Handles a failed call of the engine. A read follows, because a swap may have taken effect. */
  onFailed(): void {
    if (this.#mustRead) this.#isGivingUp = false;
    this.#mustRead = true;
  }

  /** Handles contact with an instance of a higher epoch. */
  onSuperseded(epoch: number): void {
    if (epoch <= this.#epoch) return;
    this.#epoch = epoch;
    this.#metEpoch = epoch;
    this.#mustRead = true;
    if (this.#isLeading) this.#stepDown();
  }

  /** Records that a follower has everything up to a transaction on disk. */
  onAcknowledged(now: number, follower: Incarnation, sn: number): void {
    this.#followers.recordAcknowledgment(now, follower, sn);
  }

  /** Records that a follower has disconnected. */
  onLost(now: number, follower: Incarnation): void {
    this.#followers.recordLoss(now, follower);
  }

  /** Records the last transaction of its own log. */
  recordLogEnd(now: number, sn: number): void {
    this.#followers.recordLogEnd(now, sn);
  }

  /** Begins a handover by refusing changes. Returns false if the member is not synced. */
  beginHandover(id: string): boolean {
    const isSynced = this.required().some((member) => member.id === id && member.isSynced);
    if (isSynced) this.#successor = id;
    return isSynced;
  }

  /**
   * Hands over once all required members have the whole log: requests with unacknowledged changes
   * would fail. Call it when the log accepts no more changes.
   * @param sn last transaction of the log
   */
  completeHandover(now: number, sn: number): void {
    this.#followers.recordLogEnd(now, sn);
    this.#isFrozen = true;
  }

  /** True while a handover waits for acknowledgments. */
  get isHandingOver(): boolean {
    return this.#isFrozen;
  }

  /** True from a swap that ends its leadership until its outcome is known. */
  get isGivingUp(): boolean {
    return this.#isGivingUp;
  }

  cancelHandover(): void {
    this.#successor = null;
    this.#isFrozen = false;
  }

  /** Members that the record permits to lead. */
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

  /** Cancels a forced claim that has not succeeded. */
  cancelForce(): void {
    this.#isForced = false;
  }

  /** Stops leading because the instance cannot provide, and defers its next claim. */
  resign(now: number): void {
    this.#claimsAfterMs = now + 2 * this.#options.ttlMs;
    this.#stepDown();
  }

  /**
   * Other members that may replace a silent leader; empty once `onRivalsCompared` was called for
   * this record.
   */
  get rivals(): readonly string[] {
    const { revision = null, record = null } = this.#reading ?? {};
    const holder = record?.holder ?? this.#options.id;
    if (holder === this.#options.id || revision === this.#comparedAt) return [];
    const ids = record!.synced.map(([id]) => id);
    return ids.filter((id) => id !== holder && id !== this.#options.id);
  }

  /**
   * Handles the comparison with the rivals. There is one per silent leader: each delays the claim.
   * @param isBehind true if a rival has more of the log, so that it should claim first
   */
  onRivalsCompared(now: number, isBehind: boolean): void {
    this.#comparedAt = this.#reading!.revision;
    if (isBehind) this.#claimsAfterMs = now + this.#options.ttlMs * YIELD;
  }

  #mayRespond(now: number): boolean {
    const { ttlMs } = this.#options;
    if (now - this.#renewedAtMs < ttlMs) return true;
    // Once the lease has expired, only acknowledgments show that no other member leads.
    return this.#followers.haveAllResponded(now - ttlMs);
  }

  /** Returns whether a number of synced members is too small to acknowledge changes. */
  #isTooFew(members: number): boolean {
    const { minSynced, whenAlone } = this.#options;
    return whenAlone === "refuse" && members < minSynced;
  }

  /** Returns whether a record that this member did not just write permits it to lead. */
  #mayKeep(now: number, record: LeadershipRecord | null): boolean {
    const { id, ttlMs } = this.#options;
    if (record !== null) return record.holder === id && record.epoch === this.#epoch;
    // Without a record, only acknowledgments show that no other member leads.
    return this.#followers.haveAllResponded(now - ttlMs);
  }

  #renewal(now: number, record: LeadershipRecord | null): LeadershipRecord | null {
    const { id, incarnation, ttlMs, minSynced, whenAlone } = this.#options;
    const epoch = this.#epoch;
    const beat = (record?.beat ?? 0) + 1;
    const recordedSynced = record?.synced ?? [];
    const next = this.#successor;
    if (this.#isFrozen && this.#followers.hasAll(next) && this.#followers.haveAll()) {
      return { holder: null, epoch, beat, synced: recordedSynced, next };
    }
    this.#followers.admit(now);
    const minFollowers = whenAlone === "refuse" ? minSynced : 0;
    const syncedFollowers = this.#followers.selectSynced(now, minFollowers);
    const synced: Incarnation[] = [[id, incarnation], ...syncedFollowers];
    const isDue = now - this.#renewedAtMs >= ttlMs / RENEWALS_PER_TTL;
    if (!isDue && haveSameMembers(synced, recordedSynced)) return null;
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
    const isSynced = synced.some((member) => member[0] === id && member[1] === incarnation);
    if (!isSynced || !this.#isVacant(now, record)) return null;
    return { holder: id, epoch, beat: 0, synced, next: null };
  }

  #isVacant(now: number, { holder, next }: LeadershipRecord): boolean {
    const { id } = this.#options;
    // A former process of this member holds it, or the last leader has handed over to this member.
    if (holder === id || (holder === null && next === id)) return true;
    const isHeard = now - this.leaderHeardAtMs < this.#options.ttlMs * HEARD;
    const delayMs = Math.min(this.lag, MAX_CLAIM_DELAY_MS);
    return this.#silence.mayReplaceHolder(now, delayMs, isHeard);
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
    this.#followers.applyRecord(now, others(record, this.#options.id));
  }

  /** Remembers that a record existed, and its epoch, in case the engine loses it. */
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
  return synced.filter(([memberId]) => memberId !== id);
}

function haveSameMembers(left: readonly Incarnation[], right: readonly Incarnation[]): boolean {
  const sorted = (list: readonly Incarnation[]) => list.map((member) => member.join(" ")).sort();
  return sorted(left).join() === sorted(right).join();
}
