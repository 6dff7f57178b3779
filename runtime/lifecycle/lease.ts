// Which procedure of an operator is at work on this instance, so that two never are at once. Its
// holder renews it; what nobody renews is free again, for a holder may be killed at any time.

import { log } from "../base/log.js";
import type { RunningProcedure } from "../builtin/server-view.js";

/** Those before them are no more. */
const MAX_DISPLACED = 20;

export interface LeaseClaim extends Omit<RunningProcedure, "sinceMs"> {
  /** What tells one run from another; only the run itself knows it. */
  readonly holder: string;
  readonly seconds: number;
  /** Whoever has it loses it. */
  readonly isForced: boolean;
}

interface Held {
  readonly holder: string;
  readonly shown: RunningProcedure;
  readonly endsAtMs: number;
}

export class Lease {
  readonly #tell: (shown: RunningProcedure | null) => void;
  #held: Held | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Who has lost it, and to whom: they do not get it again when it is free. */
  readonly #superseded = new Map<string, RunningProcedure>();

  /** @param tell is called whenever somebody else has it, or nobody */
  constructor(tell: (shown: RunningProcedure | null) => void) {
    this.#tell = tell;
  }

  /** Takes or renews it. Returns who has it instead, and for how long at least; null: granted. */
  take({ holder, seconds, isForced, what, operator }: LeaseClaim): LeaseConflict | null {
    const successor = this.#superseded.get(holder);
    if (successor !== undefined) return { ...successor, leftSeconds: 0 };
    const held = this.#held;
    const isOwn = held?.holder === holder;
    if (held !== null && !isOwn && !isForced) {
      const leftMs = Math.max(0, held.endsAtMs - performance.now());
      return { ...held.shown, leftSeconds: Math.ceil(leftMs / 1000) };
    }
    const shown = isOwn ? held.shown : { what, operator, sinceMs: Date.now() };
    if (held !== null && !isOwn) this.#supersede(held.holder, shown);
    const ms = seconds * 1000;
    this.#held = { holder, shown, endsAtMs: performance.now() + ms };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.release(holder), ms).unref();
    if (isOwn) return null;
    log(`admin: ${what} of ${operator} begins`, "info");
    this.#tell(shown);
    return null;
  }

  /** Gives it back; nothing where somebody else has it by now. */
  release(holder: string): void {
    if (this.#held?.holder !== holder) return;
    clearTimeout(this.#timer);
    const { what, operator } = this.#held.shown;
    log(`admin: ${what} of ${operator} is over`, "info");
    this.#held = null;
    this.#tell(null);
  }

  #supersede(holder: string, successor: RunningProcedure): void {
    const [oldest] = this.#superseded.keys();
    if (this.#superseded.size >= MAX_DISPLACED) this.#superseded.delete(oldest!);
    this.#superseded.set(holder, successor);
  }

  isHeldBy(holder: string): boolean {
    return this.#held?.holder === holder;
  }
}

export interface LeaseConflict extends RunningProcedure {
  readonly leftSeconds: number;
}
