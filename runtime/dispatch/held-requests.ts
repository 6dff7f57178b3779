// Requests that wait at a dispatcher while slots move: requests for keys of these slots, and
// requests for all partitions. Requests for other keys continue.

import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatch } from "./dispatch-call.js";
import type { ForwardedRequest } from "./forwarded-request.js";
import type { Matrix } from "./matrix.js";

/** Selects the requests that wait. */
export interface RequestHold {
  /** Slots that move. */
  readonly slots: readonly number[];
  /** Readonly requests wait, too: the slots exist twice or not at all during the switch. */
  readonly withQueries: boolean;
  /** Maximum wait for running requests to end. */
  readonly drainMs: number;
}

interface HoldOwner {
  readonly matrix: Matrix;
  isReadonly(request: ForwardedRequest): boolean;
  dispatch(dispatch: Dispatch): void;
  /** Returns the requests that back-ends execute or will execute. */
  running(): Iterable<ForwardedRequest>;
}

/** Maximum number of waiting requests; others get 503. */
const MAX_HELD = 10_000;
const DRAIN_POLL_MS = 2;
/** After this time a hold is safe to end: engines refuse changes of moving slots on their own. */
const MAX_HOLD_MS = 10_000;

export class HeldRequests {
  readonly #owner: HoldOwner;
  readonly #waiting: Dispatch[] = [];
  #hold: RequestHold | null = null;
  #slots: ReadonlySet<number> = new Set();
  readonly #maxMs: number;
  #releaseTimer: NodeJS.Timeout | undefined;

  /** @param maxMs maximum duration of a hold, unless it is renewed */
  constructor(owner: HoldOwner, maxMs = MAX_HOLD_MS) {
    this.#owner = owner;
    this.#maxMs = maxMs;
  }

  /**
   * Starts or renews a hold. Resolves when no held request is running, or after `drainMs`.
   * @returns number of requests that are still running
   */
  async hold(hold: RequestHold): Promise<number> {
    this.#hold = hold;
    this.#slots = new Set(hold.slots);
    clearTimeout(this.#releaseTimer);
    this.#releaseTimer = setTimeout(() => this.release(), this.#maxMs).unref();
    const deadline = performance.now() + hold.drainMs;
    for (;;) {
      const running = [...this.#owner.running()].filter((request) => this.mustWait(request)).length;
      if (running === 0 || performance.now() >= deadline) return running;
      await sleep(DRAIN_POLL_MS);
    }
  }

  /** Ends the hold: sends the waiting requests in the order of their arrival. */
  release(): void {
    this.#hold = null;
    clearTimeout(this.#releaseTimer);
    for (const dispatch of this.#waiting.splice(0)) this.#owner.dispatch(dispatch);
  }

  /** Returns whether a request must wait now. */
  mustWait(request: ForwardedRequest): boolean {
    if (this.#hold === null) return false;
    const { slots } = this.#owner.matrix;
    const { key } = request;
    if (key !== null && slots !== null && !this.#slots.has(slots.slotOf(key))) return false;
    return this.#hold.withQueries || !this.#owner.isReadonly(request);
  }

  /** Adds a waiting request; returns false if there are too many. */
  push(dispatch: Dispatch): boolean {
    if (this.#waiting.length >= MAX_HELD) return false;
    this.#waiting.push(dispatch);
    return true;
  }
}
