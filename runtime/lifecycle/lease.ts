// Lease of an operator procedure on this instance: at most one procedure runs at a time. The holder
// renews it; an unrenewed lease expires, because a holder may be killed at any time. It does not
// expire while this instance acts for its holder, which may take longer than the lease.

import { log } from "../base/log.js";
import type { RunningProcedure } from "../builtin/server-view.js";

/** Older ones are forgotten. */
const MAX_OVER = 20;

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
}

export class Lease {
  readonly #notify: (shown: RunningProcedure | null) => void;
  readonly #ended: () => void;
  #acts = 0;
  #held: Held | null = null;
  #timer: NodeJS.Timeout | undefined;
  #endsAtMs = 0;
  /**
   * Holders that have released it, or were superseded, and who came after them. They do not get it
   * again when it is free: a late renewal would keep others waiting.
   */
  readonly #over = new Map<string, Held | null>();

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
    const held = this.#held;
    const successor = this.#over.get(holder);
    if (successor !== undefined) {
      const shown = successor?.shown ?? { what, operator, sinceMs: Date.now() };
      const isPresent = successor !== null && successor.holder === held?.holder;
      return { ...shown, leftSeconds: isPresent ? this.#leftSeconds : 0 };
    }
    const isOwn = held?.holder === holder;
    if (held !== null && !isOwn && !isForced) {
      return { ...held.shown, leftSeconds: this.#leftSeconds };
    }
    // A renewal may tell the progress.
    const shown = isOwn ? { ...held.shown, what } : { what, operator, sinceMs: Date.now() };
    const next = { holder, shown, ms: seconds * 1000 };
    if (held !== null && !isOwn) {
      this.#noteOver(held.holder, next);
      this.#ended();
    }
    this.#held = next;
    this.#expireLater();
    if (isOwn) {
      if (held.shown.what !== what) this.#notify(shown);
      return null;
    }
    log(`admin: ${what} by ${operator} started`, "info");
    this.#notify(shown);
    return null;
  }

  /** Releases the lease, if still held. The holder does not take it again. */
  release(holder: string): void {
    if (!this.#over.has(holder)) this.#noteOver(holder, null);
    this.#free(holder);
  }

  #free(holder: string): void {
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
      if (this.#timer === timer) this.#free(holder);
    };
    this.#endsAtMs = performance.now() + ms;
    // A renewal may wait behind what has occupied this thread.
    const timer = setTimeout(() => setImmediate(expire), ms).unref();
    this.#timer = timer;
  }

  #neverExpire(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Until it expires, at the earliest. */
  get #leftSeconds(): number {
    if (this.#held === null) return 0;
    const leftMs = this.#acts > 0 ? this.#held.ms : this.#endsAtMs - performance.now();
    return Math.ceil(Math.max(0, leftMs) / 1000);
  }

  #noteOver(holder: string, successor: Held | null): void {
    const [oldest] = this.#over.keys();
    if (this.#over.size >= MAX_OVER) this.#over.delete(oldest!);
    this.#over.set(holder, successor);
  }

  isHeldBy(holder: string): boolean {
    return this.#held?.holder === holder;
  }
}

export interface LeaseConflict extends RunningProcedure {
  readonly leftSeconds: number;
}
