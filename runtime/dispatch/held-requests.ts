// Requests that wait at a dispatcher while slots move: those for keys of the slots, and those for
// all partitions. Requests for other keys go on.

import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatch } from "./dispatch-call.js";
import type { ForwardedRequest } from "./forwarded-request.js";
import type { Matrix } from "./matrix.js";

/** Selects the requests that wait. */
export interface RequestHold {
  /** Slots that move. */
  readonly slots: readonly number[];
  /** Requests of readonly plugins wait, too: groups have the slots twice, or not at all. */
  readonly withQueries: boolean;
  /** Time for running requests to end. */
  readonly drainMs: number;
}

interface HoldOwner {
  readonly matrix: Matrix;
  isReadonly(request: ForwardedRequest): boolean;
  dispatch(dispatch: Dispatch): void;
  /** Returns the requests that back-ends execute, or will. */
  running(): Iterable<ForwardedRequest>;
}

/** Others get 503. */
const MAX_HELD = 10_000;
const DRAIN_POLL_MS = 2;
/** A hold ends by itself: engines refuse changes of what moves, and mixed answers get 503. */
const MAX_HOLD_MS = 10_000;

export class HeldRequests {
  readonly #owner: HoldOwner;
  readonly #waiting: Dispatch[] = [];
  #hold: RequestHold | null = null;
  #slots: ReadonlySet<number> = new Set();
  readonly #maxMs: number;
  #limit: NodeJS.Timeout | undefined;

  /** @param maxMs for which requests wait at most, unless they are held once more */
  constructor(owner: HoldOwner, maxMs = MAX_HOLD_MS) {
    this.#owner = owner;
    this.#maxMs = maxMs;
  }

  /**
   * Holds requests back. Resolves when none of them is running, or after `drainMs`.
   * @returns number of requests that are still running
   */
  async hold(hold: RequestHold): Promise<number> {
    this.#hold = hold;
    this.#slots = new Set(hold.slots);
    clearTimeout(this.#limit);
    this.#limit = setTimeout(() => this.release(), this.#maxMs).unref();
    const deadline = performance.now() + hold.drainMs;
    for (;;) {
      const running = [...this.#owner.running()].filter((request) => this.includes(request)).length;
      if (running === 0 || performance.now() >= deadline) return running;
      await sleep(DRAIN_POLL_MS);
    }
  }

  /** Ends the hold: sends the waiting requests in the order of their arrival. */
  release(): void {
    this.#hold = null;
    clearTimeout(this.#limit);
    for (const dispatch of this.#waiting.splice(0)) this.#owner.dispatch(dispatch);
  }

  /** Returns whether a request waits now. */
  includes(request: ForwardedRequest): boolean {
    if (this.#hold === null) return false;
    const { slots } = this.#owner.matrix;
    const { key } = request;
    if (key !== null && slots !== null && !this.#slots.has(slots.slotOf(key))) return false;
    return this.#hold.withQueries || !this.#owner.isReadonly(request);
  }

  /** Takes a request that must wait; returns false if too many do. */
  push(dispatch: Dispatch): boolean {
    if (this.#waiting.length >= MAX_HELD) return false;
    this.#waiting.push(dispatch);
    return true;
  }
}
