// Decides whether a server is Service-IN or Service-OUT, and why (http-interface, "States and
// transitions"). All threads read the decision from shared memory.

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
  /** Why the graphs are not ready, which keeps the server out of service; null: they are ready. */
  #notReady: string | null = null;
  /** Whether an operator has forced Service-IN although the graphs are not ready. */
  #isForced = false;

  /**
   * @param outReason why the server starts out of service; null: it enters service once started
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

  /** Enters service after the start, unless the server is out of service for another reason. */
  started(): void {
    this.#isStarted = true;
    this.#apply();
  }

  /**
   * Enters service, whatever the reason of Service-OUT was.
   * @throws SvcError SVC3401 while the graphs are not ready
   */
  enter(): void {
    if (!this.#areGraphsReady) {
      throw new SvcError("SVC3401", `SVC3401: graphs are not caught up: ${this.#notReady}`);
    }
    this.#isStarted = true;
    this.#change(null);
  }

  /** Enters service even if the graphs are not ready. Applies until the restart. */
  force(): void {
    if (!this.#areGraphsReady) log(`Service-IN forced: ${this.#notReady}`, "warn");
    this.#isForced = true;
    this.enter();
  }

  /** Sets why the graphs are not ready, and leaves service until they are; null: ready. */
  setNotReady(notReady: string | null): void {
    if (notReady === this.#notReady) return;
    this.#notReady = notReady;
    this.#apply();
    this.#explain(this.#outReason);
  }

  leave(reason: string): void {
    this.#change(reason);
  }

  /** Runs a warm-up and reports it as the reason of Service-OUT meanwhile. */
  async warmUp(run: () => Promise<void>): Promise<void> {
    const former = this.#outReason;
    this.#explain(WARM_UP);
    try {
      await run();
    } finally {
      if (this.#outReason === WARM_UP) this.#explain(former);
    }
  }

  /** Leaves service because executors keep dying. */
  crashLoop(): void {
    logEvent("thread", "executor crash loop: out of service until one stays up", "error");
    const wasIn = this.isIn;
    this.leave(CRASH_LOOP);
    this.#isOutByCrashLoop = wasIn;
  }

  /** Enters service again after a crash loop, unless the state has been changed explicitly. */
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
