// Dispatches requests through the matrix and maintains it: waiting requests, overdue responses,
// health checks, idle connections. Merging responses is the caller's task.

import { isDeepStrictEqual } from "node:util";
import { SvcError } from "../base/errors.js";
import {
  CHANNEL_TRIM_MS,
  DEFAULT_DISPATCH_TIMEOUT_MS,
  HEDGE_SWEEP_MS,
  RESPONSE_TIMEOUT_SWEEP_MS,
} from "../base/limits.js";
import { log } from "../base/log.js";
import { Log2Histogram } from "../base/log2-histogram.js";
import type { MatrixConfig } from "../settings/matrix-config.js";
import type { BackEnd } from "./back-end.js";
import { type Connect, Connector } from "./connector.js";
import { type CallOwner, type Dispatch, DispatchCall, SLOTS_MOVE } from "./dispatch-call.js";
import { DispatchQueue } from "./dispatch-queue.js";
import type { ForwardedRequest } from "./forwarded-request.js";
import { HealthChecker } from "./health-checker.js";
import { HeldRequests, type RequestHold } from "./held-requests.js";
import { Matrix } from "./matrix.js";
import type { Outcome } from "./partition-call.js";
import { RetryableRequests } from "./retryable-requests.js";

const BACKLOG_FULL = {
  first: "Cannot accept new connection at this time",
  retry: "Client backlog full",
  resubmission: "Client backlog full after re-dispatch attempt",
};
const SERVICE_OUT = "Service Out";
/** Minimum interval between equal log lines. */
const LOG_INTERVAL_MS = 1000;
const CLIENT_GONE = "client closed the connection";
/** Latency of a leader after which other group members are probed, and the check interval. */
const LATE_LEADER_MS = 500;
const LATE_LEADER_SWEEP_MS = 250;
const BUSY = "Service Unavailable: all back-ends are busy";
/** Overdue responses are detected within this fraction of the timeout. */
const SWEEPS_PER_TIMEOUT = 20;

export class Dispatcher implements CallOwner {
  #matrix: Matrix;
  #connector: Connector;
  readonly #folder: string;
  readonly #connect: Connect | undefined;
  readonly #health: HealthChecker;
  readonly #waiting = new DispatchQueue();
  readonly #retryable: RetryableRequests;
  /**
   * Unordered. Not a Set, which would reallocate its tables after many additions and removals, and
   * retain the entries of old tables until a major garbage collection.
   */
  readonly #calls: DispatchCall[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  /** Runs only while there are requests: it would wake an idle process 200 times a second. */
  #hedging: NodeJS.Timeout | null = null;
  readonly #held = new HeldRequests(this);
  #isPumping = false;
  #nextExhaustedLogMs = 0;
  #isClosed = false;
  /** Settles when no matrix change is in progress. */
  #changed: Promise<void> = Promise.resolve();
  /** Total number of requests that had to wait. */
  waited = 0;
  /** Waiting times of requests before they were sent. */
  readonly waits = new Log2Histogram();

  /**
   * @param folder base of relative certificate paths
   * @param connect transport other than sockets
   * @param sign returns a header line for a health check
   */
  constructor(config: MatrixConfig, folder = ".", connect?: Connect, sign?: () => string) {
    this.#folder = folder;
    this.#connect = connect;
    this.#connector = new Connector(config.tls, folder, connect);
    this.#matrix = new Matrix(config, null, this.#connector);
    this.#retryable = new RetryableRequests(config.partitions.length);
    this.#health = new HealthChecker(
      this.#matrix,
      () => this.onChannelFree(),
      (former) => this.#failRequests(former),
      sign,
    );
  }

  /** The current matrix. Requests in progress keep the one they started with. */
  get matrix(): Matrix {
    return this.#matrix;
  }

  /**
   * Replaces the matrix without losing a request: running ones complete on the former matrix,
   * waiting and new ones go to the new one, whose new back-ends are health-checked first. Changes
   * run one after the other; the last one requested wins.
   * @throws SvcError SVC2800 if too few partitions would be alive, SVC2940 and others for unusable
   *   certificates
   */
  change(config: MatrixConfig): Promise<void> {
    const changed = this.#changed.then(() => this.#change(config));
    this.#changed = changed.catch(() => {});
    return changed;
  }

  async #change(config: MatrixConfig): Promise<void> {
    const connector = await this.#selectConnector(config);
    const next = new Matrix(config, this.#matrix, connector);
    await this.#health.probeAll([...next.all()]);
    if (this.#isClosed) return;
    const former = this.#matrix;
    const isWorse = next.alive / next.width < former.alive / former.width;
    if (isWorse && !(config.allowIncomplete && next.alive > 0)) {
      next.releaseUnused(former);
      const text = `only ${next.alive} of ${next.width} partitions would have a live back-end`;
      throw new SvcError("SVC2800", text);
    }
    this.#connector = connector;
    this.#matrix = next;
    this.#health.watch(next);
    this.#setTimers();
    for (const call of this.#waiting.clear()) {
      call.moveTo(next);
      this.#waiting.push(call);
    }
    former.releaseUnused(next);
    this.onChannelFree();
  }

  /** Requests waiting for channels. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Requests in execution or waiting. */
  get working(): number {
    return this.#calls.length;
  }

  /** Returns the current connector if the certificate settings are equal. */
  async #selectConnector({ tls }: MatrixConfig): Promise<Connector> {
    if (isDeepStrictEqual(tls, this.#matrix.config.tls)) return this.#connector;
    const connector = new Connector(tls, this.#folder, this.#connect);
    await connector.load();
    return connector;
  }

  /** @throws SvcError if the certificates are unusable */
  loadCertificates(): Promise<void> {
    return this.#connector.load();
  }

  /** Resolves when each back-end was health-checked once. */
  async start(): Promise<void> {
    this.#setTimers();
    await this.#health.start();
  }

  #setTimers(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    this.#endHedging();
    this.#beginHedging();
    const { timeoutMs, softTimeoutMs } = this.matrix.config;
    if (softTimeoutMs > 0) {
      this.#every(sweepMs(softTimeoutMs), () => this.#completeLateCalls(softTimeoutMs));
    }
    if (timeoutMs > 0) this.#every(sweepMs(timeoutMs), () => this.#expire(timeoutMs));
    if (this.matrix.hasLeaders) this.#every(LATE_LEADER_SWEEP_MS, () => this.#findLeaders());
    this.#every(CHANNEL_TRIM_MS, () => this.#trim());
  }

  #every(ms: number, sweep: () => void): void {
    this.#timers.push(setInterval(sweep, ms));
  }

  /** Closes everything; requests in progress get 503. */
  close(): void {
    this.#isClosed = true;
    this.release();
    this.#health.stop();
    for (const timer of this.#timers) clearInterval(timer);
    this.#endHedging();
    for (const call of [...this.#calls]) call.cancel(503, SERVICE_OUT);
    this.#waiting.clear();
    this.matrix.close();
  }

  /** Requests in execution or waiting. */
  get calls(): readonly DispatchCall[] {
    return this.#calls;
  }

  /** Returns whether a request must wait because its slots move. */
  isHeld(request: ForwardedRequest): boolean {
    return this.#held.mustWait(request);
  }

  /** Holds requests for moving slots; returns the number of those still running. */
  hold(hold: RequestHold): Promise<number> {
    return this.#held.hold(hold);
  }

  release(): void {
    this.#held.release();
  }

  *running(): Generator<ForwardedRequest> {
    for (const { isPaused, request } of this.#calls) if (!isPaused) yield request;
  }

  dispatch(dispatch: Dispatch): void {
    const isHeld = !this.#isClosed && this.isHeld(dispatch.request);
    if (isHeld && this.#held.push(dispatch)) return;
    const call = new DispatchCall(this.matrix, dispatch, this);
    call.listIndex = this.#calls.push(call) - 1;
    this.#beginHedging();
    if (this.#isClosed) call.cancel(503, SERVICE_OUT);
    else if (isHeld) call.cancel(503, SLOTS_MOVE);
    // Calls that wait for the same resource go first.
    else if (this.#waiting.mustWait(call) || !call.advance()) this.enqueue(call);
    this.#retryable.recordSubmission();
  }

  enqueue(call: DispatchCall): void {
    const refused = this.#waiting.makeRoom(call);
    if (refused !== null) this.#reject(refused);
    if (refused === call) return;
    this.waited++;
    call.isWaiting = true;
    call.waitsSinceMs = performance.now();
    this.#waiting.push(call);
  }

  #reject(call: DispatchCall): void {
    call.isWaiting = false;
    const isFirst = call.dispatch.resubmits === 0;
    const text = call.isRetried ? "retry" : isFirst ? "first" : "resubmission";
    call.cancel(429, BACKLOG_FULL[text]);
  }

  /** Sends waiting calls in order, as far as channels are free. */
  onChannelFree(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#waiting.offer((call) => {
      if (!call.isEnded && call.dispatch.isAborted()) call.cancel(503, CLIENT_GONE);
      if (!call.isEnded && !call.advance()) return false;
      call.isWaiting = false;
      this.waits.add(performance.now() - call.waitsSinceMs);
      return true;
    });
    this.#isPumping = false;
  }

  /** Cancels requests of disconnected clients and requests that wait too long; periodic. */
  tick(): void {
    this.#connector.refresh();
    const before =
      performance.now() - (this.matrix.config.timeoutMs || DEFAULT_DISPATCH_TIMEOUT_MS);
    this.#isPumping = true;
    for (const call of [...this.#calls]) {
      if (!call.isEnded && call.dispatch.isAborted()) call.cancel(503, CLIENT_GONE);
    }
    const isOver = (call: DispatchCall): boolean => call.isEnded || call.waitsSinceMs < before;
    for (const call of this.#waiting.remove(isOver)) {
      call.isWaiting = false;
      if (!call.isEnded) call.cancel(503, BUSY);
    }
    this.#isPumping = false;
    this.onChannelFree();
  }

  recordFailure(backEnd: BackEnd): void {
    this.#health.check(backEnd);
  }

  isQuery(request: ForwardedRequest): boolean {
    return this.#retryable.isQuery(request);
  }

  /** Returns whether back-ends have reported its plugin as readonly. */
  isReadonly(request: ForwardedRequest): boolean {
    return this.#retryable.isReadonly(request);
  }

  isRetryable(request: ForwardedRequest): boolean {
    return this.#retryable.has(request);
  }

  isRetryAllowed(): boolean {
    return this.#retryable.spend(performance.now());
  }

  recordSuccess(request: ForwardedRequest, isReadonly: boolean, ms: number): void {
    this.#retryable.recordSuccess(request, isReadonly, ms);
  }

  reportExhaustion(reason: string): void {
    if (performance.now() < this.#nextExhaustedLogMs) return;
    this.#nextExhaustedLogMs = performance.now() + LOG_INTERVAL_MS;
    log(
      `cannot connect to back-ends: ${reason}; raise \`ulimit -n\` or lower \`channels\``,
      "error",
    );
  }

  onEnd(call: DispatchCall, outcome: Outcome): void {
    call.dispatch.onEnd(outcome, call.matrix);
  }

  onRelease(call: DispatchCall): void {
    if (call.listIndex < 0) return;
    const last = this.#calls.pop()!;
    if (last !== call) {
      this.#calls[call.listIndex] = last;
      last.listIndex = call.listIndex;
    }
    call.listIndex = -1;
  }

  #expire(timeoutMs: number): void {
    for (const call of [...this.#calls]) call.expire(timeoutMs);
  }

  #completeLateCalls(softTimeoutMs: number): void {
    for (const call of [...this.#calls]) call.completePartially(softTimeoutMs);
  }

  #beginHedging(): void {
    if (!this.matrix.config.hedge || this.#isClosed) return;
    this.#hedging ??= setInterval(() => this.#hedge(), HEDGE_SWEEP_MS);
  }

  #endHedging(): void {
    if (this.#hedging !== null) clearInterval(this.#hedging);
    this.#hedging = null;
  }

  #hedge(): void {
    if (this.#calls.length === 0) this.#endHedging();
    for (const call of [...this.#calls]) {
      if (this.#retryable.has(call.request)) call.hedge(this.#retryable.slowMs(call.request));
    }
  }

  /** Probes groups of late leaders: a frozen leader is replaced without closing its connections. */
  #findLeaders(): void {
    const sentBefore = performance.now() - LATE_LEADER_MS;
    const lateLeaders = new Set<BackEnd>();
    for (const call of this.#calls) {
      for (const { backEnd, channel } of call.channels()) {
        if (backEnd.row.isLeader === true && channel.sinceMs < sentBefore) lateLeaders.add(backEnd);
      }
    }
    for (const backEnd of lateLeaders) this.#health.suspect(backEnd);
  }

  /** Fails the requests at a former leader, so that the next one executes them if that is safe. */
  #failRequests(former: BackEnd): void {
    for (const call of [...this.#calls]) {
      for (const { backEnd, channel } of [...call.channels()]) {
        if (backEnd === former) channel.lose("another instance leads");
      }
    }
  }

  #trim(): void {
    for (const backEnd of this.matrix.all()) {
      backEnd.trim();
      // The back-end may have been updated to a version that accepts trunks.
      if (!backEnd.isDown && backEnd.takesTrunk === null) this.#health.check(backEnd);
    }
  }
}

/** Returns the interval of the sweep for a timeout. */
function sweepMs(timeoutMs: number): number {
  return Math.max(RESPONSE_TIMEOUT_SWEEP_MS, timeoutMs / SWEEPS_PER_TIMEOUT);
}
