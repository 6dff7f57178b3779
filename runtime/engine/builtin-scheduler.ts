// Assigns the requests of built-in plugins to two executors: the admin executor runs all of them,
// and the long-query executor repeats queries that exceeded their time slice. So a costly query
// delays other clients by at most one time slice. Each executor starts with its first request.

import type { MessagePort } from "node:worker_threads";
import { ADMIN_SLOTS } from "../base/limits.js";
import type { SharedState } from "../base/wire/shared-state.js";
import type { CommitClock } from "../graph/manager/logging-entry-points.js";
import type { PluginCall } from "./plugin-call.js";
import { Scheduler, type SchedulerEvents } from "./scheduler.js";

/** The admin executor and the long-query executor. */
export type BuiltinExecutor = 0 | 1;

/** An untrusted client uses at most half of the slots; others overtake its queued queries. */
const LIMITS = { perClient: ADMIN_SLOTS / 2, isSerial: true };
/** No limit per client: that of the admin executor includes these requests. */
const LONG_LIMITS = { perClient: 0, isSerial: true };

export interface BuiltinEvents extends Pick<SchedulerEvents, "result" | "onFailure" | "onDrop"> {
  terminate(executor: BuiltinExecutor, reason: string): void;
  /** An executor is needed for the first time. */
  start(executor: BuiltinExecutor): void;
}

export class BuiltinScheduler {
  readonly #schedulers: readonly [quick: Scheduler, long: Scheduler];
  readonly #events: BuiltinEvents;
  readonly #isStarted: [quick: boolean, long: boolean] = [false, false];

  constructor(
    states: readonly [quick: SharedState, long: SharedState],
    timeoutMs: number,
    events: BuiltinEvents,
    clock: CommitClock | null = null,
  ) {
    this.#events = events;
    const quick: SchedulerEvents = {
      ...{ result: events.result, onFailure: events.onFailure, onDrop: events.onDrop },
      terminate: (_, reason) => events.terminate(0, reason),
      onRetire: () => {},
      sliceOver: (call) => {
        this.#schedulers[1].resume(call);
        this.#start(1);
      },
    };
    const long: SchedulerEvents = {
      result: (call, ...outcome) => this.#leave(call, () => events.result(call, ...outcome)),
      onFailure: (call, ...outcome) => this.#leave(call, () => events.onFailure(call, ...outcome)),
      onDrop: (call) => this.#leave(call, () => events.onDrop(call)),
      terminate: (_, reason) => events.terminate(1, reason),
      onRetire: () => {},
    };
    this.#schedulers = [
      new Scheduler(states[0], null, timeoutMs, timeoutMs, quick, clock, LIMITS, 1),
      new Scheduler(states[1], null, timeoutMs, timeoutMs, long, clock, LONG_LIMITS, 2),
    ];
  }

  get working(): number {
    return this.#schedulers[0].working + this.#schedulers[1].working;
  }

  get waiting(): number {
    return this.#schedulers[0].waiting + this.#schedulers[1].waiting;
  }

  submit(call: PluginCall): boolean {
    if (!this.#schedulers[0].submit(call)) return false;
    this.#start(0);
    return true;
  }

  *calls(): ReturnType<Scheduler["calls"]> {
    for (const scheduler of this.#schedulers) yield* scheduler.calls();
  }

  rejectQueued(): PluginCall[] {
    return this.#schedulers.flatMap((scheduler) => scheduler.rejectQueued());
  }

  setExecutor(executor: BuiltinExecutor, port: MessagePort): void {
    this.#isStarted[executor] = true;
    this.#schedulers[executor].setExecutors([{ id: 0, port }]);
  }

  executorDied(executor: BuiltinExecutor): number {
    return this.#schedulers[executor].executorDied(0);
  }

  tick(): void {
    for (const scheduler of this.#schedulers) scheduler.tick();
  }

  close(): void {
    for (const scheduler of this.#schedulers) scheduler.close();
  }

  #start(executor: BuiltinExecutor): void {
    if (!this.#isStarted[executor]) this.#events.start(executor);
    this.#isStarted[executor] = true;
  }

  /** Ends a request of the long-query executor, which still counts in the admin executor. */
  #leave(call: PluginCall, respond: () => void): void {
    this.#schedulers[0].release(call);
    respond();
  }
}
