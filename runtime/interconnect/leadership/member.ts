// One member of a group that chooses its leader by itself: decides when to claim, which members
// must acknowledge a change before it is answered, and which of them may lead next. A state machine
// without clock, network or disk: times, results of the engine and acknowledgements go in, the next
// call of the engine comes out.
//
//   following ──claim──► leading ⇄ refusing ──another epoch, or handed over──► following
//
// Rules, and why no acknowledged change is lost: only members of `synced` claim, each of them is in
// `required` of every earlier leader, and a change is acknowledged once all of `required` have it
// on disk. So a new leader has everything acknowledged before, and confirms nothing of an earlier
// leader any more. Clocks decide only when a member claims.

import { FollowerProgress } from "./follower-progress.js";
import {
  encodeRecord,
  type Incarnation,
  type LeadershipRecord,
  type Reading,
} from "./leadership.js";
import { SilenceWatch } from "./silence-watch.js";

/** Fraction of the `ttl` after which the record is read, and renewed by its holder. */
const POLLS_PER_TTL = 10;
const RENEWALS_PER_TTL = 4;
/** Delay of a claim by a member that lacks transactions: more advanced ones go first. */
const MAX_CLAIM_DELAY_MS = 100;
/** Fraction of the `ttl`, several heartbeats long: a leader that was heard in it is connected. */
const HEARD = 0.5;
/** A leader looks for late and new followers this often within a `ttl`. */
const CHECKS_PER_TTL = 20;

export interface MemberOptions {
  readonly id: string;
  readonly incarnation: string;
  readonly ttlMs: number;
  /** Other synced members that a change must reach. */
  readonly minSynced: number;
  /** Whether a leader with fewer synced members refuses changes, or acknowledges them alone. */
  readonly whenAlone: "refuse" | "go-on";
  /** May create the record of a new group: the first member, if its data folder never had one. */
  readonly mayFound: boolean;
  /** Highest epoch that its data folder knows. */
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
  /** Epoch that it leads or led last. */
  #epoch: number;
  /** Highest epoch of another leader that connected, or was connected to. */
  #metEpoch = 0;
  #isLeading = false;
  /** A swap without a known outcome: the record must be read before the next one. */
  #mustRead = true;
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** Record of the swap in progress, or of the last one with unknown outcome. */
  #proposed: LeadershipRecord | null = null;
  #proposedAtMs = 0;
  /** Start of the last successful renewal. */
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #followers = new FollowerProgress();
  /** It does not claim before: it could not lead. */
  #claimsAfterMs = Number.NEGATIVE_INFINITY;
  /** Successor of a planned handover; null: none. */
  #successor: string | null = null;
  #isForced = false;
  /** No change can follow those in its log. */
  #isFrozen = false;
  #isGivingUp = false;
  /** Transactions that its provider has and it lacks, as far as known. */
  lag = 0;
  /** When the leader was last heard over its connection to this member. */
  leaderHeardAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#epoch = options.epoch;
    this.#silence = new SilenceWatch(options.ttlMs, options.ttlMs / POLLS_PER_TTL);
  }

  /** Highest epoch of a leader of its group that it has met; 0: none. */
  get groupEpoch(): number {
    return Math.max(this.#metEpoch, this.#reading?.record?.epoch ?? 0);
  }

  /** Epoch that it leads, or the last one that it has heard of. */
  get epoch(): number {
    return this.#isLeading ? this.#epoch : Math.max(this.#epoch, this.#reading?.record?.epoch ?? 0);
  }

  get leader(): string | null {
    return this.#isLeading ? this.#options.id : (this.#reading?.record?.holder ?? null);
  }

  /** The group has no record although this member took part in one, so no member can claim. */
  get hasLostRecord(): boolean {
    return this.#reading !== null && this.#reading.record === null && !this.#options.mayFound;
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  mode(now: number): MemberMode {
    if (!this.#isLeading) return "following";
    const staysLeader = this.#successor === null && !this.#isGivingUp;
    return this.#mayAnswer(now) && staysLeader ? "leading" : "refusing";
  }

  /** Members that a change must reach, and whether they may lead next. */
  required(): { readonly id: string; readonly isSynced: boolean }[] {
    return this.#followers.required().map(({ id, isSynced }) => ({ id, isSynced }));
  }

  /** Last transaction that all of `required` have on disk. */
  confirmedSn(): number {
    if (!this.#isLeading || this.#isTooFew()) return -1;
    return this.#followers.confirmedSn();
  }

  /** Returns the next call of the engine. */
  next(now: number): EngineCall {
    if (this.#reading === null || this.#mustRead) return this.#read(now);
    const { revision, record } = this.#reading;
    const proposal = this.#isLeading ? this.#renewal(now, record) : this.#claim(now, record);
    if (proposal === null) return this.#isLeading ? this.#wait(now) : this.#read(now);
    this.#proposed = proposal;
    this.#proposedAtMs = now;
    this.#isGivingUp = this.#isLeading && proposal.holder === null;
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

  /** The next read is due at once: something has happened to the leader. */
  hurry(): void {
    if (!this.#isLeading) this.#readAtMs = Number.NEGATIVE_INFINITY;
  }

  /** The engine has answered a read. */
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
    this.#proposed = null;
  }

  /** The engine has answered a swap. */
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
    this.#reading = { revision, record };
  }

  /**
   * A call of the engine has failed; that of a swap may still have its effect. Whether it leads is
   * in doubt until the record is read, unless that fails, too.
   */
  failed(): void {
    if (this.#mustRead) this.#isGivingUp = false;
    this.#mustRead = true;
  }

  /** An instance of a higher epoch was met. */
  superseded(epoch: number): void {
    if (epoch <= this.#epoch) return;
    this.#epoch = epoch;
    this.#metEpoch = epoch;
    this.#mustRead = true;
    if (this.#isLeading) this.#stepDown();
  }

  /** A follower has everything up to a transaction on disk. */
  acknowledged(now: number, follower: Incarnation, sn: number): void {
    this.#followers.acknowledged(now, follower, sn);
  }

  /** A follower has disconnected. */
  lost(now: number, follower: Incarnation): void {
    this.#followers.lost(now, follower);
  }

  /** The end of its own log. */
  written(now: number, sn: number): void {
    this.#followers.written(now, sn);
  }

  /** Refuses changes, to hand over to a synced member. Returns false if it is not synced. */
  beginHandover(id: string): boolean {
    const isSynced = this.#followers.required().some((one) => one.id === id && one.isSynced);
    if (isSynced) this.#successor = id;
    return isSynced;
  }

  /**
   * Nothing changes any more: hands over as soon as the successor has everything, and all changes
   * are acknowledged. A response without acknowledgment would fail.
   */
  completeHandover(now: number, sn: number): void {
    this.#followers.written(now, sn);
    this.#isFrozen = true;
  }

  /** Whether it waits for acknowledgements, to hand over. */
  get isHandingOver(): boolean {
    return this.#isFrozen;
  }

  /** Whether a call in progress ends its leadership: a change could not be acknowledged. */
  get isGivingUp(): boolean {
    return this.#isGivingUp;
  }

  cancelHandover(): void {
    this.#successor = null;
    this.#isFrozen = false;
  }

  /** Members that the record names: all that may lead. */
  get recorded(): readonly Incarnation[] {
    return this.#reading?.record?.synced ?? [];
  }

  get isForced(): boolean {
    return this.#isForced;
  }

  /** Claims at once, even if others have more: an operator has accepted that. */
  force(): void {
    this.#isForced = true;
  }

  /** Stops leading, and lets others claim first: this instance cannot provide. */
  resign(now: number): void {
    this.#claimsAfterMs = now + 2 * this.#options.ttlMs;
    this.#stepDown();
  }

  #mayAnswer(now: number): boolean {
    if (this.#isTooFew()) return false;
    const { ttlMs } = this.#options;
    if (now - this.#renewedAtMs < ttlMs) return true;
    // Without a lease, acknowledgements show that no other member leads.
    return this.#followers.haveAllAnswered(now - ttlMs);
  }

  #isTooFew(): boolean {
    const { minSynced, whenAlone } = this.#options;
    return whenAlone === "refuse" && this.#followers.syncedCount() < minSynced;
  }

  /** Returns whether it leads still, judging by a record that it did not just write. */
  #mayKeep(now: number, record: LeadershipRecord | null): boolean {
    const { id, ttlMs } = this.#options;
    if (record !== null) return record.holder === id && record.epoch === this.#epoch;
    // The engine has lost the record.
    return this.#followers.haveAllAnswered(now - ttlMs);
  }

  #renewal(now: number, record: LeadershipRecord | null): LeadershipRecord | null {
    const { id, incarnation, ttlMs, minSynced, whenAlone } = this.#options;
    const epoch = this.#epoch;
    const beat = (record?.beat ?? 0) + 1;
    const recorded = record?.synced ?? [];
    const next = this.#successor;
    if (
      next !== null &&
      this.#isFrozen &&
      this.#followers.hasAll(next) &&
      this.#followers.haveAll()
    ) {
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
    const { id, incarnation, mayFound } = this.#options;
    if (now < this.#claimsAfterMs) return null;
    if (this.#isForced || (record === null && mayFound)) {
      const epoch = Math.max(record?.epoch ?? 0, this.#epoch) + 1;
      return { holder: id, epoch, beat: 0, synced: [[id, incarnation]], next: null };
    }
    if (record === null) return null;
    const { synced } = record;
    const isSynced = synced.some(([one, its]) => one === id && its === incarnation);
    if (!isSynced || !this.#isVacant(now, record)) return null;
    const epoch = Math.max(record.epoch, this.#epoch) + 1;
    return { holder: id, epoch, beat: 0, synced, next: null };
  }

  #isVacant(now: number, { holder, next }: LeadershipRecord): boolean {
    const { id } = this.#options;
    // A former process of this member held it, or it is handed over to this one.
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

  #stepDown(): void {
    this.#isLeading = false;
    this.cancelHandover();
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
