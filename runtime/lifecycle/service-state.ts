// Service-IN or Service-OUT of a server, and why (http-interface, "States and transitions"): the
// one place that decides whether plugins respond. Every thread reads the decision in shared memory.

import { SvcError } from "../base/errors.js";
import { log } from "../base/log.js";
import { logEvent, recordEvent } from "../base/recent-events.js";
import type { SharedState } from "../base/wire/shared-state.js";

const CRASH_LOOP = "executors keep dying";
const WARM_UP = "warm-up";

export class ServiceState {
  readonly #shared: SharedState;
  readonly #publish: (outReason: string | null) => void;
  #outReason: string | null;
  /** Out of service because of a crash loop, with no explicit change since. */
  #isOutByCrashLoop = false;
  #isStarted = false;
  /** Why the graphs are not ready, which keeps a wanted service out; null: they are. */
  #notReady: string | null = null;
  /** In service even if the graphs are not ready, by order of an operator. */
  #isForced = false;

  /**
   * @param outReason why the server starts out of service; null: it goes in once started
   * @param publish called with each new reason
   */
  constructor(
    shared: SharedState,
    outReason: string | null,
    publish: (outReason: string | null) => void,
  ) {
    this.#shared = shared;
    this.#outReason = outReason;
    this.#publish = publish;
  }

  get isIn(): boolean {
    return this.#shared.serviceIn;
  }

  /** Goes Service-IN after the start, unless configured otherwise or left meanwhile. */
  started(): void {
    this.#isStarted = true;
    this.#apply();
  }

  /**
   * Goes Service-IN; overrides what has taken it out.
   * @throws SvcError SVC3401 while the graphs are not ready
   */
  enter(): void {
    if (!this.#areGraphsReady) {
      throw new SvcError("SVC3401", `SVC3401: graphs are not caught up: ${this.#notReady}`);
    }
    this.#isStarted = true;
    this.#change(null);
  }

  /** Goes Service-IN with the graphs as they are, until the restart. */
  force(): void {
    if (!this.#areGraphsReady) log(`Service-IN forced: ${this.#notReady}`, "warn");
    this.#isForced = true;
    this.enter();
  }

  /** Sets why the graphs are not ready; a wanted service is out meanwhile. */
  setNotReady(notReady: string | null): void {
    if (notReady === this.#notReady) return;
    this.#notReady = notReady;
    this.#apply();
    this.#explain(this.#outReason);
  }

  leave(reason: string): void {
    this.#change(reason);
  }

  /** Runs a warm-up, which is the reason for being out meanwhile. */
  async warmUp(run: () => Promise<void>): Promise<void> {
    const former = this.#outReason;
    this.#explain(WARM_UP);
    try {
      await run();
    } finally {
      if (this.#outReason === WARM_UP) this.#explain(former);
    }
  }

  /** Executors die as fast as they are replaced. */
  crashLoop(): void {
    logEvent("thread", "executor crash loop: out of service until one stays up", "error");
    const wasIn = this.isIn;
    this.leave(CRASH_LOOP);
    this.#isOutByCrashLoop = wasIn;
  }

  /** An executor has stayed up after a crash loop: undoes what that did, and nothing else. */
  recovered(): void {
    if (!this.#isOutByCrashLoop) return;
    logEvent("thread", "executor stayed up: back in service", "warn");
    this.#change(null);
  }

  get #areGraphsReady(): boolean {
    return this.#notReady === null || this.#isForced;
  }

  #apply(): void {
    const wasIn = this.isIn;
    const isWanted = this.#isStarted && this.#outReason === null;
    this.#shared.serviceIn = isWanted && this.#areGraphsReady;
    if (this.isIn !== wasIn) this.#record();
  }

  #record(): void {
    const reason = this.#outReason ?? this.#notReady;
    if (this.isIn) recordEvent("service", "in service");
    else recordEvent("service", `out of service${reason === null ? "" : `: ${reason}`}`, "warn");
  }

  #change(outReason: string | null): void {
    this.#isOutByCrashLoop = false;
    this.#explain(outReason);
    this.#apply();
  }

  #explain(outReason: string | null): void {
    this.#outReason = outReason;
    this.#publish(outReason ?? (this.#isForced ? null : this.#notReady));
  }
}
