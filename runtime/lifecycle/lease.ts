// Lease of an operator procedure on this instance: at most one procedure runs at a time. The holder
// must renew the lease, because it may be killed at any time. The lease does not expire while this
// instance executes a command of the holder, which may take longer.

import { log } from "../base/log.js";
import type { RunningProcedure } from "../builtin/server-view.js";

/** Maximum number of former holders to remember. */
const MAX_FORMER_HOLDERS = 20;

export interface LeaseClaim extends Omit<RunningProcedure, "sinceMs"> {
  /** Secret that identifies a run. */
  readonly holder: string;
  readonly seconds: number;
  /** Whether to preempt the current holder. */
  readonly isForced: boolean;
}

interface HeldLease {
  readonly holder: string;
  readonly shown: RunningProcedure;
  readonly ms: number;
}

export class Lease {
  readonly #notify: (shown: RunningProcedure | null) => void;
  readonly #onEnd: () => void;
  #runningCommands = 0;
  #held: HeldLease | null = null;
  #timer: NodeJS.Timeout | undefined;
  #endsAtMs = 0;
  /**
   * Successors of former holders; null: the holder has released the lease. A former holder is never
   * granted the lease again, because its late renewal would block other runs.
   */
  readonly #successors = new Map<string, HeldLease | null>();

  /**
   * @param notify called when the holder changes
   * @param onEnd called when a holder has lost or released it
   */
  constructor(notify: (shown: RunningProcedure | null) => void, onEnd = () => {}) {
    this.#notify = notify;
    this.#onEnd = onEnd;
  }

  /**
   * Acquires or renews the lease.
   * @returns the current holder and the remaining time; null: granted
   */
  take({ holder, seconds, isForced, what, operator }: LeaseClaim): LeaseConflict | null {
    const held = this.#held;
    const successor = this.#successors.get(holder);
    if (successor !== undefined) {
      const shown = successor?.shown ?? { what, operator, sinceMs: Date.now() };
      const holdsLease = successor !== null && successor.holder === held?.holder;
      return { ...shown, leftSeconds: holdsLease ? this.#leftSeconds : 0 };
    }
    const isOwn = held?.holder === holder;
    if (held !== null && !isOwn && !isForced) {
      return { ...held.shown, leftSeconds: this.#leftSeconds };
    }
    // A renewal may report the progress of the run.
    const shown = isOwn ? { ...held.shown, what } : { what, operator, sinceMs: Date.now() };
    const next = { holder, shown, ms: seconds * 1000 };
    if (held !== null && !isOwn) {
      this.#recordFormerHolder(held.holder, next);
      this.#onEnd();
    }
    this.#held = next;
    this.#startExpiry();
    if (isOwn) {
      if (held.shown.what !== what) this.#notify(shown);
      return null;
    }
    log(`admin: ${what} by ${operator} started`, "info");
    this.#notify(shown);
    return null;
  }

  /** Releases the lease if the holder has it, and bars the holder from acquiring it again. */
  release(holder: string): void {
    if (!this.#successors.has(holder)) this.#recordFormerHolder(holder, null);
    this.#free(holder);
  }

  #free(holder: string): void {
    if (this.#held?.holder !== holder) return;
    this.#stopExpiry();
    const { what, operator } = this.#held.shown;
    log(`admin: ${what} by ${operator} finished`, "info");
    this.#held = null;
    this.#notify(null);
    this.#onEnd();
  }

  /** Executes a command of the holder; the lease does not expire meanwhile. */
  async during<T>(command: () => Promise<T>): Promise<T> {
    this.#runningCommands++;
    this.#stopExpiry();
    try {
      return await command();
    } finally {
      this.#runningCommands--;
      this.#startExpiry();
    }
  }

  #startExpiry(): void {
    this.#stopExpiry();
    if (this.#held === null || this.#runningCommands > 0) return;
    const { holder, ms } = this.#held;
    const expire = (): void => {
      if (this.#timer === timer) this.#free(holder);
    };
    this.#endsAtMs = performance.now() + ms;
    // If this thread was blocked, a renewal may already be waiting in its queue.
    const timer = setTimeout(() => setImmediate(expire), ms).unref();
    this.#timer = timer;
  }

  #stopExpiry(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Minimum time until the lease expires. */
  get #leftSeconds(): number {
    if (this.#held === null) return 0;
    const leftMs = this.#runningCommands > 0 ? this.#held.ms : this.#endsAtMs - performance.now();
    return Math.ceil(Math.max(0, leftMs) / 1000);
  }

  #recordFormerHolder(holder: string, successor: HeldLease | null): void {
    const [oldest] = this.#successors.keys();
    if (this.#successors.size >= MAX_FORMER_HOLDERS) this.#successors.delete(oldest!);
    this.#successors.set(holder, successor);
  }

  isHeldBy(holder: string): boolean {
    return this.#held?.holder === holder;
  }
}

export interface LeaseConflict extends RunningProcedure {
  readonly leftSeconds: number;
}
