// Lease of an operator procedure on this instance: at most one procedure runs at a time. The holder
// renews it; an unrenewed lease expires, because a holder may be killed at any time. It does not
// expire while this instance acts for its holder, which may take longer than the lease.

import { log } from "../base/log.js";
import type { RunningProcedure } from "../builtin/server-view.js";

/** Older superseded holders are forgotten. */
const MAX_SUPERSEDED = 20;

export interface LeaseClaim extends Omit<RunningProcedure, "sinceMs"> {
  /** Secret that identifies a run. */
  readonly holder: string;
  readonly seconds: number;
  /** Takes the lease from its present holder. */
  readonly isForced: boolean;
}

interface Held {
  readonly holder: string;
  readonly shown: RunningProcedure;
  readonly ms: number;
  readonly endsAtMs: number;
}

export class Lease {
  readonly #notify: (shown: RunningProcedure | null) => void;
  readonly #ended: () => void;
  #acts = 0;
  #held: Held | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Superseded holders and their successors: they do not get the lease again when it is free. */
  readonly #superseded = new Map<string, RunningProcedure>();

  /**
   * @param notify called when the holder changes
   * @param ended called when a holder has lost or released it
   */
  constructor(notify: (shown: RunningProcedure | null) => void, ended = () => {}) {
    this.#notify = notify;
    this.#ended = ended;
  }

  /**
   * Takes or renews the lease. Returns the present holder and the remaining time, or null if
   * granted.
   */
  take({ holder, seconds, isForced, what, operator }: LeaseClaim): LeaseConflict | null {
    const successor = this.#superseded.get(holder);
    if (successor !== undefined) return { ...successor, leftSeconds: 0 };
    const held = this.#held;
    const isOwn = held?.holder === holder;
    if (held !== null && !isOwn && !isForced) {
      const leftMs = Math.max(0, held.endsAtMs - performance.now());
      return { ...held.shown, leftSeconds: Math.ceil(leftMs / 1000) };
    }
    // A renewal may tell the progress.
    const shown = isOwn ? { ...held.shown, what } : { what, operator, sinceMs: Date.now() };
    if (held !== null && !isOwn) this.#supersede(held.holder, shown);
    const ms = seconds * 1000;
    this.#held = { holder, shown, ms, endsAtMs: performance.now() + ms };
    this.#expireLater();
    if (isOwn) {
      if (held.shown.what !== what) this.#notify(shown);
      return null;
    }
    log(`admin: ${what} by ${operator} started`, "info");
    this.#notify(shown);
    return null;
  }

  /** Releases the lease, if still held. */
  release(holder: string): void {
    if (this.#held?.holder !== holder) return;
    this.#neverExpire();
    const { what, operator } = this.#held.shown;
    log(`admin: ${what} by ${operator} finished`, "info");
    this.#held = null;
    this.#notify(null);
    this.#ended();
  }

  /** Acts for the holder. */
  async during<T>(act: () => Promise<T>): Promise<T> {
    this.#acts++;
    this.#neverExpire();
    try {
      return await act();
    } finally {
      this.#acts--;
      this.#expireLater();
    }
  }

  #expireLater(): void {
    this.#neverExpire();
    if (this.#held === null || this.#acts > 0) return;
    const { holder, ms } = this.#held;
    const expire = (): void => {
      if (this.#timer === timer) this.release(holder);
    };
    // A renewal may wait behind what has occupied this thread.
    const timer = setTimeout(() => setImmediate(expire), ms).unref();
    this.#timer = timer;
  }

  #neverExpire(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #supersede(holder: string, successor: RunningProcedure): void {
    const [oldest] = this.#superseded.keys();
    if (this.#superseded.size >= MAX_SUPERSEDED) this.#superseded.delete(oldest!);
    this.#superseded.set(holder, successor);
    this.#ended();
  }

  isHeldBy(holder: string): boolean {
    return this.#held?.holder === holder;
  }
}

export interface LeaseConflict extends RunningProcedure {
  readonly leftSeconds: number;
}
