// Assigns plugin requests to executors and takes their results: slots, waiting requests, revocation
// from executors stuck in a plugin call, plugin timeouts, dead executors. It is independent of
// HTTP; the engine turns results into responses.

import type { MessagePort } from "node:worker_threads";
import { elapsedUs, nowMs } from "../base/clock.js";
import { EXECUTOR_SWEEP_MS, JOB_GRACE_MS } from "../base/limits.js";
import {
  RESULT_REVOKED,
  RESULT_SLICE_OVER,
  RESULT_STREAM,
  ResultField,
} from "../base/wire/batch.js";
import {
  type SharedState,
  SLOT_CLAIMED,
  SLOT_FREE,
  SLOT_QUEUED,
  SLOTS,
} from "../base/wire/shared-state.js";
import type { CommitClock } from "../graph/manager/logging-entry-points.js";
import { isDisconnected } from "../http/disconnect-errors.js";
import { CallQueue } from "./call-queue.js";
import { ChangesInProgress } from "./changes-in-progress.js";
import { ClientLimit } from "./client-limit.js";
import { DurabilityGate } from "./durability-gate.js";
import { ExecutorLink } from "./executor-link.js";
import type { PluginCall, ResultHandler, ResultPayload } from "./plugin-call.js";
import { overtakableSlots, preemptibleSlots } from "./preemption.js";
import { executorId, NO_SLOT, SlotTable } from "./slot-table.js";
import { dropStream, type StreamPayload } from "./streams.js";

const TICK_MS = 1000;

/** Reason why a request has no result. */
export type Failure = "timeout" | "executor-died" | "not-durable";

export interface SchedulerEvents {
  result(call: PluginCall, ...result: Parameters<ResultHandler>): void;
  onFailure(call: PluginCall, executorId: number, failure: Failure): void;
  /** Called for a request that was not claimed: its client disconnected, or it waited too long. */
  onDrop(call: PluginCall): void;
  /** Requests the end of an executor that does not recover: it exceeds a timeout, or hangs. */
  terminate(executor: number, reason: string): void;
  /** Called when an executor of an older build has finished its last request. */
  onRetire(executor: number): void;
  /** Passes a request to another scheduler, which calls `release` of this one with the outcome. */
  sliceOver?(call: PluginCall): void;
}

/** Counts the use of slots; null without metrics. */
export interface SlotMetrics {
  countDispatch(slot: number): void;
  countCompletion(slot: number): void;
  countJob(slot: number, startedMs: number, endedMs: number): void;
}

/** Limits of one client. */
export interface SchedulerLimits {
  /** Requests of one client in the queue and in slots (0: no limit). */
  readonly perClient: number;
  /** There is only one executor, which runs one call at a time. */
  readonly isSerial: boolean;
}

const NO_LIMITS: SchedulerLimits = { perClient: 0, isSerial: false };

export class Scheduler {
  readonly #state: SharedState;
  readonly #metrics: SlotMetrics | null;
  readonly #events: SchedulerEvents;
  readonly #timeoutMs: number;
  readonly #changes: ChangesInProgress;
  readonly #slots = new SlotTable();
  readonly #waiting = new CallQueue();
  readonly #clients: ClientLimit;
  readonly #isSerial: boolean;
  readonly #maxWaitTicks: number;
  /** Requests whose executors were notified of a disconnected client. */
  readonly #disconnectSent = new WeakSet<PluginCall>();
  #ticks = 0;
  #executors: ExecutorLink[] = [];
  #retiring: ExecutorLink[] = [];
  #sweep: NodeJS.Timeout | null = null;
  #running = 0;
  readonly #held: DurabilityGate;

  constructor(
    state: SharedState,
    metrics: SlotMetrics | null,
    timeoutMs: number,
    maxWaitMs: number,
    events: SchedulerEvents,
    clock: CommitClock | null = null,
    { perClient, isSerial }: SchedulerLimits = NO_LIMITS,
    number = 0,
  ) {
    this.#changes = new ChangesInProgress(clock, number);
    this.#clients = new ClientLimit(perClient);
    this.#isSerial = isSerial;
    this.#held = new DurabilityGate(clock);
    this.#state = state;
    this.#metrics = metrics;
    this.#timeoutMs = timeoutMs;
    this.#maxWaitTicks = Math.ceil(maxWaitMs / TICK_MS);
    this.#events = events;
  }

  /** Number of requests in executors. */
  get working(): number {
    return this.#running + this.#held.count;
  }

  /** Number of requests that wait for a slot, or for earlier requests of their client. */
  get waiting(): number {
    return this.#waiting.size + this.#clients.size;
  }

  /** When the request running in a slot was claimed, milliseconds since 1970; 0 for none. */
  startedAtMs(slot: number): number {
    const running = this.#state.slotState(slot) === SLOT_CLAIMED;
    return running ? this.#state.claimedAtMs(slot) : 0;
  }

  /** Yields unanswered requests, with their slots if assigned. */
  *calls(): Generator<{ readonly call: PluginCall; readonly executor: number | null }> {
    for (let slot = 0; slot < SLOTS; slot++) {
      const call = this.#slots.call(slot);
      if (call !== null) yield { call, executor: executorId(slot) };
    }
    for (const queue of [this.#waiting, this.#clients]) {
      for (const call of queue.calls()) yield { call, executor: null };
    }
  }

  /** Submits a request; returns false for a change if this instance no longer leads its group. */
  submit(call: PluginCall): boolean {
    if (call.isChange === true && !this.#changes.begin(call)) return false;
    this.resume(call);
    return true;
  }

  /** Continues a request of another scheduler, which counts it as a change if it is one. */
  resume(call: PluginCall): void {
    call.submittedAt = this.#ticks;
    if (this.#clients.admit(call)) this.#enqueue(call);
  }

  #enqueue(call: PluginCall): void {
    const isBehind = this.#waiting.mustWait(call.slots, call.minQueue);
    if (isBehind || !this.#assignSlot(call)) this.#waiting.push(call);
    else if (this.#isSerial && this.#running > 1) this.#overtake(call);
  }

  /** Requeues unclaimed requests of other clients, except their first ones, behind this one. */
  #overtake(call: PluginCall): void {
    const slots = overtakableSlots(this.#slots, call);
    if (slots.length === 0) return;
    this.#requeue(slots);
    this.#pump();
  }

  /** Releases a request that has its outcome, and enqueues the next one of its client. */
  release(call: PluginCall): void {
    if (call.isChange === true) this.#changes.end(call);
    let next = this.#clients.release(call);
    for (; next !== null; next = this.#clients.release(next)) {
      if (!next.exchange.aborted) return this.#enqueue(next);
      this.#events.onDrop(next);
    }
  }

  #drop(call: PluginCall): void {
    this.#events.onDrop(call);
    this.release(call);
  }

  /** Replaces all executors; the former ones finish their requests, then `retired` is called. */
  setExecutors(executors: readonly { id: number; port: MessagePort }[]): void {
    const retiring = this.#executors;
    this.#executors = executors.map(({ id, port }) => this.#link(id, port));
    this.#slots.share(this.#executors);
    this.#retiring.push(...retiring);
    this.#retireIdle();
    this.#pump();
  }

  /** Replaces a dead executor. */
  replaceExecutor(died: number, id: number, port: MessagePort): void {
    const index = this.#executors.findIndex((link) => link.id === died);
    if (index < 0) {
      // The dead executor belonged to an older build, or a reload has replaced it.
      port.close();
      this.#events.onRetire(id);
      return;
    }
    this.#executors[index] = this.#link(id, port);
    this.#slots.share(this.#executors);
    this.#pump();
  }

  /**
   * Handles a dead executor: sends its finished results, fails the claimed requests and requeues
   * the rest. Returns the number of requests that were running.
   */
  executorDied(id: number): number {
    const link = [...this.#executors, ...this.#retiring].find((candidate) => candidate.id === id);
    if (link === undefined || !link.alive) return 0;
    link.replaceDeadThread();
    this.#retiring = this.#retiring.filter((other) => other !== link);
    let begun = 0;
    for (const slot of [...this.#slots.slotsOf(link)].reverse()) {
      if (this.#respondIfFinished(slot)) {
        this.#free(slot);
        continue;
      }
      const call = this.#slots.call(slot);
      const isBegun = this.#state.slotState(slot) === SLOT_CLAIMED;
      this.#free(slot);
      if (isBegun) begun++;
      if (call === null) continue;
      if (!isBegun) {
        this.#waiting.unshift(call);
        continue;
      }
      this.#events.onFailure(call, executorId(slot), "executor-died");
      this.release(call);
    }
    this.#pump();
    return begun;
  }

  /** Removes and returns all requests without a slot. */
  rejectQueued(): PluginCall[] {
    const held = this.#clients.remove(() => true);
    const queued = this.#waiting.remove(() => true);
    for (const call of queued) this.#clients.release(call);
    for (const call of [...held, ...queued]) this.#changes.end(call);
    return [...queued, ...held];
  }

  /**
   * Called once a second. Drops unclaimed requests whose clients disconnected or that waited too
   * long: they would pile up behind a stuck plugin.
   */
  tick(): void {
    const now = nowMs();
    this.#ticks++;
    const isOver = (call: PluginCall): boolean => {
      // Complete seconds since the request was submitted.
      const waited = this.#ticks - call.submittedAt - 1;
      if (waited >= this.#maxWaitTicks || isDisconnected(call.exchange, now)) return true;
      return isOverdue(call, now);
    };
    for (const call of this.#clients.remove(isOver)) {
      this.#changes.end(call);
      this.#events.onDrop(call);
    }
    for (const call of this.#waiting.remove(isOver)) this.#drop(call);
    for (let slot = 0; slot < SLOTS; slot++) {
      const call = this.#slots.call(slot);
      if (call === null || this.#state.slotState(slot) !== SLOT_QUEUED || !isOver(call)) continue;
      // The slot stays taken until the executor reaches the revoked request.
      if (!this.#state.revoke(slot)) continue;
      this.#slots.abandon(slot);
      this.#drop(call);
    }
  }

  close(): void {
    if (this.#sweep !== null) clearInterval(this.#sweep);
    for (const link of [...this.#executors, ...this.#retiring]) if (link.alive) link.close();
  }

  #link(id: number, port: MessagePort): ExecutorLink {
    return new ExecutorLink(id, port, (link, results) => this.#onResults(link, results));
  }

  #assignSlot(call: PluginCall): boolean {
    const slot = this.#slots.choose(call.slots, call.minQueue);
    if (slot === NO_SLOT) return false;
    const link = this.#slots.owner(slot);
    this.#state.setSlotState(slot, SLOT_QUEUED);
    this.#slots.take(slot, call, link);
    this.#running++;
    this.#metrics?.countDispatch(slot);
    link.send(slot, call);
    this.#sweep ??= setInterval(() => this.#onSweep(), EXECUTOR_SWEEP_MS);
    return true;
  }

  #pump(): void {
    let aborted: PluginCall[] | null = null;
    this.#waiting.offer((call) => {
      if (!call.exchange.aborted) return this.#assignSlot(call);
      aborted ??= [];
      aborted.push(call);
      return true;
    });
    // Answered although the client is gone, because that releases resources of the requests.
    for (const call of aborted ?? []) this.#drop(call);
  }

  #free(slot: number): void {
    this.#state.setSlotState(slot, SLOT_FREE);
    this.#slots.release(slot);
    this.#metrics?.countCompletion(slot);
    this.#running--;
  }

  #onResults(link: ExecutorLink, results: unknown[]): void {
    const now = nowMs();
    for (let at = 1; at < results.length; at += ResultField.Stride) {
      const slot = results[at + ResultField.Slot] as number;
      // A late result after a timeout: the slot belongs to another request now.
      if (!this.#slots.holds(slot, results[at + ResultField.Serial] as number, link)) {
        dropExpired(results, at);
        continue;
      }
      const call = this.#slots.call(slot);
      this.#free(slot);
      const kind = results[at + ResultField.Kind] as number;
      if (kind === RESULT_REVOKED) continue;
      const ranFromMs = this.#state.claimedAtMs(slot);
      this.#metrics?.countJob(slot, ranFromMs, now);
      if (call === null) {
        dropExpired(results, at);
        continue;
      }
      const status = results[at + ResultField.Status] as number;
      const { exchange } = call;
      exchange.queueUs = elapsedUs(exchange.t0Ms, ranFromMs);
      exchange.runUs = elapsedUs(ranFromMs, now);
      exchange.trace?.ran(call.plugin.name, ranFromMs, now, executorId(slot), status);
      const flush = results[at + ResultField.Flush] as number;
      const payload = results[at + ResultField.Payload] as ResultPayload;
      this.#deliver(call, slot, status, kind, payload, flush);
    }
    if (this.#retiring.length > 0) this.#retireIdle();
    if (this.waiting > 0) this.#pump();
  }

  #onSweep(): void {
    if (this.#running === 0 && this.waiting === 0) {
      clearInterval(this.#sweep!);
      this.#sweep = null;
      return;
    }
    for (const link of [...this.#executors, ...this.#retiring]) {
      if (!link.alive || !link.silent) continue;
      for (const slot of this.#slots.slotsOf(link)) this.#respondIfFinished(slot);
    }
    if (this.#executors.length > 1) {
      for (const link of this.#executors) if (link.alive && link.silent) this.#revokeFrom(link);
    }
    for (const port of [0, 1] as const) if (this.waiting > 0) this.#preempt(port);
    this.#expire();
  }

  /** Preempts unclaimed requests in favor of other clients. */
  #preempt(port: 0 | 1): void {
    this.#requeue(preemptibleSlots(this.#slots, this.#waiting, port));
  }

  #requeue(slots: readonly number[]): void {
    const calls: PluginCall[] = [];
    for (const slot of slots) {
      const call = this.#slots.call(slot)!;
      if (this.#state.slotState(slot) !== SLOT_QUEUED || !this.#state.revoke(slot)) continue;
      this.#slots.abandon(slot);
      calls.push(call);
    }
    this.#waiting.requeue(calls.sort((a, b) => a.serial - b.serial));
  }

  /**
   * Sends a result that its executor has finished but could not post yet; the slot stays taken
   * until the executor releases it.
   */
  #respondIfFinished(slot: number): boolean {
    const call = this.#slots.call(slot);
    const result = call === null ? null : this.#state.results.read(slot, call.serial);
    if (call === null || result === null) return false;
    this.#slots.abandon(slot);
    const { status, kind, payload, flush } = result;
    this.#deliver(call, slot, status, kind, payload, flush);
    return true;
  }

  /** Sends a result when the changes of the request are durable. */
  #deliver(
    call: PluginCall,
    slot: number,
    status: number,
    kind: number,
    payload: ResultPayload,
    flush: number,
  ): void {
    const id = executorId(slot);
    if (kind === RESULT_SLICE_OVER) return this.#events.sliceOver!(call);
    this.release(call);
    if (!this.#held.mustHold(flush)) return this.#events.result(call, id, status, kind, payload);
    this.#deliverAfter(flush, call, id, status, kind, payload);
  }

  /** A separate function: in #deliver, V8 would allocate a context for the closures each time. */
  #deliverAfter(flush: number, ...result: Parameters<SchedulerEvents["result"]>): void {
    const fail = () => this.#events.onFailure(result[0], result[1], "not-durable");
    this.#held.hold(flush, () => this.#events.result(...result), fail);
  }

  /** Revokes unclaimed requests from a silent executor and assigns them to responsive ones. */
  #revokeFrom(silent: ExecutorLink): void {
    for (const slot of this.#slots.slotsOf(silent)) {
      const call = this.#slots.call(slot);
      if (call === null || this.#state.slotState(slot) !== SLOT_QUEUED) continue;
      const newSlot = this.#slots.choose(call.slots, call.minQueue);
      if (newSlot === NO_SLOT || this.#slots.owner(newSlot).silent) return;
      if (!this.#state.revoke(slot)) continue;
      this.#slots.abandon(slot);
      this.#assignSlot(call);
    }
  }

  #expire(): void {
    const now = nowMs();
    for (let slot = 0; slot < SLOTS; slot++) {
      const call = this.#slots.call(slot);
      if (call === null || this.#state.slotState(slot) !== SLOT_CLAIMED) continue;
      const ranMs = now - this.#state.claimedAtMs(slot);
      const timeoutMs = call.plugin.timeoutMs || this.#timeoutMs;
      const isTooLong = (timeoutMs > 0 && ranMs > timeoutMs) || isCancelledJob(call, now);
      const isPastDeadline = call.plugin.isJob === true && ranMs > timeoutMs - JOB_GRACE_MS;
      if (isPastDeadline || isDisconnected(call.exchange, now)) {
        this.#notifyDisconnected(slot, call);
      }
      if (!isTooLong && !isOverdue(call, now)) continue;
      this.#timeOut(slot, call, isTooLong);
    }
    for (const link of [...this.#executors, ...this.#retiring]) {
      if (!link.awaitsReply || !link.unresponsive) continue;
      // Requested only once: termination takes longer than the interval of checks.
      link.awaitsReply = false;
      this.#events.terminate(link.id, "unresponsive after a plugin timeout");
    }
  }

  #notifyDisconnected(slot: number, call: PluginCall): void {
    if (this.#disconnectSent.has(call)) return;
    this.#disconnectSent.add(call);
    this.#slots.link(slot)?.notifyDisconnected(slot, call);
  }

  /**
   * @param isTooLong exceeds the server's limit: deadlines of clients must not end executors
   */
  #timeOut(slot: number, call: PluginCall, isTooLong: boolean): void {
    const link = this.#slots.link(slot)!;
    const burning = call.plugin.isJob || this.#state.runningSlot(link.id) === slot;
    this.#events.onFailure(call, executorId(slot), "timeout");
    if (burning) {
      this.#slots.abandon(slot);
      if (isTooLong) {
        this.#events.terminate(link.id, `plugin "${call.plugin.name}" timed out`);
      }
    } else {
      this.#free(slot);
      link.notifyTimedOut(slot, call);
    }
    this.release(call);
  }

  #retireIdle(): void {
    this.#retiring = this.#retiring.filter((link) => {
      if (link.inFlight > 0) return true;
      link.close();
      this.#events.onRetire(link.id);
      return false;
    });
  }
}

/** Returns whether the client's deadline has passed. */
function isOverdue({ exchange: { headers, t0Ms } }: PluginCall, now: number): boolean {
  return headers.deadlineMs > 0 && now - t0Ms > headers.deadlineMs;
}

/** Returns whether a cancelled job is still running after the grace period. */
function isCancelledJob({ plugin, exchange }: PluginCall, now: number): boolean {
  const { endedAtMs } = exchange.connection;
  return plugin.isJob === true && endedAtMs > 0 && now - endedAtMs > JOB_GRACE_MS;
}

/** Discards a late result; a stream must be cancelled. */
function dropExpired(results: readonly unknown[], at: number): void {
  if (results[at + ResultField.Kind] !== RESULT_STREAM) return;
  dropStream(results[at + ResultField.Payload] as StreamPayload);
}
