// Tracks the followers of a leader: the position of each, which must acknowledge a change before
// its response (`required`), and which may lead next (`synced`). A member first becomes required.
// It becomes synced once it has everything that was written before that. Removal is in the opposite
// order.

import type { Incarnation } from "./leadership.js";

/** A member whose lag exceeds this no longer delays responses. */
const LATE_MS = 1_000;
/** Interval at which the end of the log is sampled, and the number of samples in `LATE_MS`. */
const MARK_MS = 50;
const MARKS = LATE_MS / MARK_MS;

interface Follower {
  readonly id: string;
  readonly incarnation: string;
  /** Last transaction on its disk; -1: unknown. */
  sn: number;
  /** Time of its last acknowledgment. */
  ackedAtMs: number;
  /** Time of the last acknowledgment of further transactions, or of all. */
  advancedAtMs: number;
  /** Null while it is connected. */
  lostAtMs: number | null;
  isRequired: boolean;
  isSynced: boolean;
  /** End of the log when it became required. It is synced only after it has reached this. */
  target: number;
}

export class FollowerProgress {
  readonly #followers = new Map<string, Follower>();
  /** Samples of the end of the log; the first may be older than `LATE_MS`. */
  #marks: { readonly sn: number; readonly atMs: number }[] = [];
  #logEnd = 0;
  readonly #startMs: number;

  /**
   * @param synced synced members named by the record of a new leader
   * @param former previous leader; it counts as late at once, because it was silent before
   */
  constructor(synced: readonly Incarnation[] = [], now = 0, former: string | null = null) {
    this.#startMs = now;
    for (const member of synced) {
      const lostAtMs = member[0] === former ? now - LATE_MS : now;
      Object.assign(this.#follower(member, lostAtMs), { isRequired: true, isSynced: true });
    }
  }

  required(): readonly Follower[] {
    return [...this.#followers.values()].filter(({ isRequired }) => isRequired);
  }

  syncedCount(): number {
    return this.#synced().length;
  }

  /**
   * Counts the synced members that have stored transactions since `sinceMs`, or had all; all of
   * them at the start.
   */
  countHeard(sinceMs: number): number {
    const isNew = this.isNew(sinceMs);
    return this.#synced().filter(({ advancedAtMs }) => isNew || advancedAtMs > sinceMs).length;
  }

  /** Returns whether the leader has begun to lead since `sinceMs`. */
  isNew(sinceMs: number): boolean {
    return sinceMs <= this.#startMs;
  }

  confirmedSn(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.required().map(({ sn }) => sn));
  }

  /** Returns whether there are required members and each has acknowledged since `sinceMs`. */
  haveAllResponded(sinceMs: number): boolean {
    const required = this.required();
    return required.length > 0 && required.every(({ ackedAtMs }) => ackedAtMs >= sinceMs);
  }

  /** Returns whether a required member has the whole log. @param id null: no member */
  hasAll(id: string | null): boolean {
    return this.required().some((follower) => follower.id === id && follower.sn >= this.#logEnd);
  }

  /** Returns whether every required member has the whole log. */
  haveAll(): boolean {
    return this.confirmedSn() >= this.#logEnd;
  }

  recordAcknowledgment(now: number, member: Incarnation, sn: number): void {
    const follower = this.#follower(member, now);
    if (sn > follower.sn || sn >= this.#logEnd) follower.advancedAtMs = now;
    follower.sn = sn;
    follower.ackedAtMs = now;
    follower.lostAtMs = null;
  }

  recordLoss(now: number, [id, incarnation]: Incarnation): void {
    const follower = this.#followers.get(`${id} ${incarnation}`);
    if (follower !== undefined) follower.lostAtMs ??= now;
  }

  recordLogEnd(now: number, sn: number): void {
    if (sn === this.#logEnd) return;
    this.#logEnd = sn;
    if (now - (this.#marks.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) < MARK_MS) return;
    this.#marks = [...this.#marks.slice(-MARKS), { sn, atMs: now }];
  }

  /** Makes all connected followers required, except late ones. */
  admit(now: number): void {
    for (const follower of this.#followers.values()) {
      const isCurrent = follower.lostAtMs === null && !this.#isLate(follower, now);
      if (follower.isRequired || !isCurrent) continue;
      follower.isRequired = true;
      follower.target = this.#logEnd;
    }
  }

  /**
   * Returns the members that the record should name as synced.
   * @param minSynced late members stay in the record while it would name fewer members than this
   */
  selectSynced(now: number, minSynced: number): Incarnation[] {
    const required = this.required();
    const isComplete = ({ isSynced, sn, target }: Follower): boolean => isSynced || sn >= target;
    const current = required.filter((member) => isComplete(member) && !this.#isLate(member, now));
    // By id only: a member with an emptied data folder replaces its former incarnation.
    const currentIds = new Set(current.map(({ id }) => id));
    const late = required.filter(({ id, isSynced }) => isSynced && !currentIds.has(id));
    const missing = Math.max(0, minSynced - current.length);
    return [...current, ...late.slice(0, missing)].map(({ id, incarnation }) => [id, incarnation]);
  }

  /** Applies a record that the engine has stored, and that no delayed swap can replace any more. */
  applyRecord(now: number, synced: readonly Incarnation[]): void {
    const named = new Set(synced.map((member) => member.join(" ")));
    for (const [key, follower] of this.#followers) {
      const wasSynced = follower.isSynced;
      follower.isSynced = named.has(key);
      if (follower.isSynced || !(wasSynced || this.#isLate(follower, now))) continue;
      follower.isRequired = false;
      if (follower.lostAtMs !== null) this.#followers.delete(key);
    }
  }

  #synced(): readonly Follower[] {
    return this.required().filter(({ isSynced }) => isSynced);
  }

  #isLate({ sn, lostAtMs }: Follower, now: number): boolean {
    if (lostAtMs !== null && now - lostAtMs >= LATE_MS) return true;
    const mark = this.#marks.findLast(({ atMs }) => atMs <= now - LATE_MS);
    return mark !== undefined && sn < mark.sn;
  }

  #follower([id, incarnation]: Incarnation, now: number): Follower {
    const key = `${id} ${incarnation}`;
    const existing = this.#followers.get(key);
    if (existing !== undefined) return existing;
    const follower: Follower = {
      ...{ id, incarnation, sn: -1, lostAtMs: now },
      ...{ ackedAtMs: Number.NEGATIVE_INFINITY, advancedAtMs: Number.NEGATIVE_INFINITY },
      ...{ isRequired: false, isSynced: false, target: 0 },
    };
    this.#followers.set(key, follower);
    return follower;
  }
}
