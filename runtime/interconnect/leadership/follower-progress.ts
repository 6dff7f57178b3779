// Followers of a leader: how far each of them is, which must acknowledge a change before it is
// answered (`required`), and which may lead next (`synced`). A member is added to `required` first,
// and to `synced` once it has everything from before; it is removed in the opposite order.

import type { Incarnation } from "./leadership.js";

/** A member later than this is not waited for. */
const LATE_MS = 1_000;
/** Interval of remembered ends of the log, and how many of them reach back `LATE_MS`. */
const MARK_MS = 50;
const MARKS = LATE_MS / MARK_MS;

interface Follower {
  readonly id: string;
  readonly incarnation: string;
  /** Last transaction on its disk; -1: unknown. */
  sn: number;
  answeredAtMs: number;
  /** Null while it is connected. */
  lostAtMs: number | null;
  isRequired: boolean;
  isSynced: boolean;
  /** End of the log when it became required: what it must have before it is synced. */
  target: number;
}

export class FollowerProgress {
  readonly #followers = new Map<string, Follower>();
  /** Ends of the log and when they were reached; the first may be older than `LATE_MS`. */
  #marks: { readonly sn: number; readonly atMs: number }[] = [];
  #last = 0;

  /**
   * @param synced members that a new leader depends on
   * @param former leader that was silent: it is not waited for
   */
  constructor(synced: readonly Incarnation[] = [], now = 0, former: string | null = null) {
    for (const one of synced) {
      const lostAtMs = one[0] === former ? now - LATE_MS : now;
      Object.assign(this.#follower(one, lostAtMs), { isRequired: true, isSynced: true });
    }
  }

  required(): readonly Follower[] {
    return [...this.#followers.values()].filter(({ isRequired }) => isRequired);
  }

  syncedCount(): number {
    return this.required().filter(({ isSynced }) => isSynced).length;
  }

  confirmedSn(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.required().map(({ sn }) => sn));
  }

  /** Returns whether there are required members, and all have answered since a time. */
  haveAllAnswered(sinceMs: number): boolean {
    const required = this.required();
    return required.length > 0 && required.every((one) => one.answeredAtMs >= sinceMs);
  }

  /** @param id null: no follower */
  hasAll(id: string | null): boolean {
    return this.required().some((one) => one.id === id && one.sn >= this.#last);
  }

  /** Returns whether all required members have everything. */
  haveAll(): boolean {
    return this.confirmedSn() >= this.#last;
  }

  acknowledged(now: number, follower: Incarnation, sn: number): void {
    const one = this.#follower(follower, now);
    one.sn = sn;
    one.answeredAtMs = now;
    one.lostAtMs = null;
  }

  lost(now: number, [id, incarnation]: Incarnation): void {
    const one = this.#followers.get(`${id} ${incarnation}`);
    if (one !== undefined) one.lostAtMs ??= now;
  }

  written(now: number, sn: number): void {
    if (sn === this.#last) return;
    this.#last = sn;
    if (now - (this.#marks.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) < MARK_MS) return;
    this.#marks = [...this.#marks.slice(-MARKS), { sn, atMs: now }];
  }

  /** Makes those required that follow without delay. */
  admit(now: number): void {
    for (const one of this.#followers.values()) {
      const isThere = one.lostAtMs === null && !this.#isLate(one, now);
      if (one.isRequired || !isThere) continue;
      one.isRequired = true;
      one.target = this.#last;
    }
  }

  /**
   * Returns the members that the record should name.
   * @param least number of members that stay named, even if they are late
   */
  wanted(now: number, least: number): Incarnation[] {
    const required = this.required();
    const isComplete = (one: Follower): boolean => one.isSynced || one.sn >= one.target;
    const good = required.filter((one) => isComplete(one) && !this.#isLate(one, now));
    // Also a member that was emptied: it replaces itself.
    const isGood = ({ id }: Follower): boolean => good.some((other) => other.id === id);
    const late = required.filter((one) => one.isSynced && !isGood(one));
    const missing = Math.max(0, least - good.length);
    return [...good, ...late.slice(0, missing)].map(({ id, incarnation }) => [id, incarnation]);
  }

  /** The record names these members, and no delayed swap can change that any more. */
  recorded(now: number, synced: readonly Incarnation[]): void {
    const named = new Set(synced.map((one) => one.join(" ")));
    for (const [key, one] of this.#followers) {
      const wasSynced = one.isSynced;
      one.isSynced = named.has(key);
      if (one.isSynced || !(wasSynced || this.#isLate(one, now))) continue;
      one.isRequired = false;
      if (one.lostAtMs !== null) this.#followers.delete(key);
    }
  }

  #isLate({ sn, lostAtMs }: Follower, now: number): boolean {
    if (lostAtMs !== null && now - lostAtMs >= LATE_MS) return true;
    const due = this.#marks.findLast(({ atMs }) => atMs <= now - LATE_MS);
    return due !== undefined && sn < due.sn;
  }

  #follower([id, incarnation]: Incarnation, now: number): Follower {
    const key = `${id} ${incarnation}`;
    const known = this.#followers.get(key);
    if (known !== undefined) return known;
    const one: Follower = {
      ...{ id, incarnation, sn: -1, answeredAtMs: Number.NEGATIVE_INFINITY, lostAtMs: now },
      ...{ isRequired: false, isSynced: false, target: 0 },
    };
    this.#followers.set(key, one);
    return one;
  }
}
