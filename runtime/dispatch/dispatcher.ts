// Sends requests through the matrix and keeps it in order: requests that wait for channels, answers
// that are overdue, back-ends that were down, connections that nobody uses. What an answer becomes
// is for others to say.

import { isDeepStrictEqual } from "node:util";
import { SvcError } from "../base/errors.js";
import {
  CHANNEL_TRIM_MS,
  DEFAULT_DISPATCH_TIMEOUT_MS,
  HEDGE_SWEEP_MS,
  RESPONSE_TIMEOUT_SWEEP_MS,
} from "../base/limits.js";
import { log } from "../base/log.js";
import { Log2Histogram } from "../metrics/log2-histogram.js";
import type { MatrixConfig } from "../settings/matrix-config.js";
import type { BackEnd } from "./back-end.js";
import { type Connect, Connector } from "./connector.js";
import { type CallOwner, type Dispatch, DispatchCall } from "./dispatch-call.js";
import type { Outcome } from "./dispatch-outcome.js";
import { DispatchQueue } from "./dispatch-queue.js";
import type { ForwardedRequest } from "./forwarded-request.js";
import { HealthChecker } from "./health-checker.js";
import { Matrix } from "./matrix.js";
import { RetryableRequests } from "./retryable-requests.js";

const FULL_TEXTS = {
  first: "Cannot accept new connection at this time",
  retry: "Client backlog full",
  resubmission: "Client backlog full after re-dispatch attempt",
};
const SERVICE_OUT = "Service Out";
/** Between two lines of the log that say the same. */
const QUIET_MS = 1000;
const CLIENT_GONE = "client closed the connection";
const BUSY = "Service Unavailable: all back-ends are busy";
/** Overdue answers are found within this part of the time-out. */
const SWEEPS_PER_TIMEOUT = 20;

export class Dispatcher implements CallOwner {
  #matrix: Matrix;
  #connector: Connector;
  readonly #folder: string;
  readonly #connect: Connect | undefined;
  readonly #health: HealthChecker;
  readonly #waiting = new DispatchQueue();
  readonly #repeatable = new RetryableRequests();
  /**
   * In no order. Not a Set: one in which many come and go gets new tables, and each of the former
   * keeps alive what it held until a collection of old memory.
   */
  readonly #calls: DispatchCall[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  #isPumping = false;
  #quietUntilMs = 0;
  #isClosed = false;
  /** Settles when no change of the matrix is under way. */
  #changed: Promise<void> = Promise.resolve();
  /** Requests that had to wait, since the start. */
  waited = 0;
  /** How long those waited that went on. */
  readonly waits = new Log2Histogram();

  /**
   * @param folder what paths of certificates are relative to
   * @param connect another way to back-ends than by sockets
   */
  constructor(config: MatrixConfig, folder = ".", connect?: Connect) {
    this.#folder = folder;
    this.#connect = connect;
    this.#connector = new Connector(config.tls, folder, connect);
    this.#matrix = new Matrix(config, null, this.#connector);
    this.#health = new HealthChecker(this.#matrix, () => this.freed());
  }

  /** It changes while requests are under way: those keep theirs. */
  get matrix(): Matrix {
    return this.#matrix;
  }

  /**
   * Puts another matrix in the place of this one, and loses no request: what runs comes to its end
   * where it is, what waits and what comes goes to the new one. Back-ends that are new are asked
   * for their health before. Changes come one after the other, the last asked for at the end.
   * @throws SvcError SVC2800 where requests would have nowhere to go, SVC2940 and further ones for
   *   certificates that cannot be used
   */
  change(config: MatrixConfig): Promise<void> {
    const changed = this.#changed.then(() => this.#change(config));
    this.#changed = changed.catch(() => {});
    return changed;
  }

  async #change(config: MatrixConfig): Promise<void> {
    const connector = await this.#connectorFor(config);
    const next = new Matrix(config, this.#matrix, connector);
    await this.#health.ask([...next.all()]);
    if (this.#isClosed) return;
    const former = this.#matrix;
    const isWorse = next.alive / next.width < former.alive / former.width;
    if (isWorse && !(config.allowIncomplete && next.alive > 0)) {
      next.leaveTo(former);
      const text = `of ${next.width} partitions ${next.alive} would have a back-end that answers`;
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
    former.leaveTo(next);
    this.freed();
  }

  /** Requests that wait for channels. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Requests in back-ends, and those that wait. */
  get working(): number {
    return this.#calls.length;
  }

  /** The same where a matrix asks for the same certificates. */
  async #connectorFor({ tls }: MatrixConfig): Promise<Connector> {
    if (isDeepStrictEqual(tls, this.#matrix.config.tls)) return this.#connector;
    const connector = new Connector(tls, this.#folder, this.#connect);
    await connector.load();
    return connector;
  }

  /** @throws SvcError for certificates that cannot be used */
  loadCertificates(): Promise<void> {
    return this.#connector.load();
  }

  /** Resolves when every back-end was asked for its health once. */
  async start(): Promise<void> {
    this.#setTimers();
    await this.#health.start();
  }

  #setTimers(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    const { timeoutMs, softTimeoutMs, hedge } = this.matrix.config;
    if (hedge) this.#every(HEDGE_SWEEP_MS, () => this.#hedge());
    if (softTimeoutMs > 0) {
      this.#every(sweepMs(softTimeoutMs), () => this.#completeLateCalls(softTimeoutMs));
    }
    if (timeoutMs > 0) this.#every(sweepMs(timeoutMs), () => this.#expire(timeoutMs));
    this.#every(CHANNEL_TRIM_MS, () => this.#trim());
  }

  #every(ms: number, sweep: () => void): void {
    this.#timers.push(setInterval(sweep, ms));
  }

  /** Ends everything; requests under way are answered with 503. */
  close(): void {
    this.#isClosed = true;
    this.#health.stop();
    for (const timer of this.#timers) clearInterval(timer);
    for (const call of [...this.#calls]) call.cancel(503, SERVICE_OUT);
    this.#waiting.clear();
    this.matrix.close();
  }

  /** What is in back-ends or waits for them. */
  get calls(): readonly DispatchCall[] {
    return this.#calls;
  }

  dispatch(dispatch: Dispatch): void {
    const call = new DispatchCall(this.matrix, dispatch, this);
    call.place = this.#calls.push(call) - 1;
    if (this.#isClosed) call.cancel(503, SERVICE_OUT);
    // Who waits for the same has come before.
    else if (this.#waiting.isBefore(call) || !call.advance()) this.wait(call);
    this.#repeatable.sent();
  }

  wait(call: DispatchCall): void {
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
    call.cancel(429, FULL_TEXTS[text]);
  }

  /** Lets the requests that wait go on, the first one first. */
  freed(): void {
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

  /** To be called at times. Requests whose clients are gone, or that wait too long, give up. */
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
    this.freed();
  }

  recordFailure(backEnd: BackEnd): void {
    this.#health.check(backEnd);
  }

  isRetryable(request: ForwardedRequest): boolean {
    return this.#repeatable.has(request);
  }

  isRetryAllowed(): boolean {
    return this.#repeatable.spend();
  }

  succeeded(request: ForwardedRequest, isReadonly: boolean, ms: number): void {
    this.#repeatable.answered(request, isReadonly, ms);
  }

  exhausted(reason: string): void {
    if (performance.now() < this.#quietUntilMs) return;
    this.#quietUntilMs = performance.now() + QUIET_MS;
    log(`cannot connect to back-ends: ${reason}; raise \`ulimit -n\` or lower channels`, "error");
  }

  ended(call: DispatchCall, outcome: Outcome): void {
    call.dispatch.ended(outcome, call.matrix);
  }

  left(call: DispatchCall): void {
    if (call.place < 0) return;
    const last = this.#calls.pop()!;
    if (last !== call) {
      this.#calls[call.place] = last;
      last.place = call.place;
    }
    call.place = -1;
  }

  #expire(timeoutMs: number): void {
    for (const call of [...this.#calls]) call.expire(timeoutMs);
  }

  #completeLateCalls(softTimeoutMs: number): void {
    for (const call of [...this.#calls]) call.completePartially(softTimeoutMs);
  }

  #hedge(): void {
    for (const call of [...this.#calls]) {
      if (this.#repeatable.has(call.request)) call.hedge(this.#repeatable.slowMs(call.request));
    }
  }

  #trim(): void {
    for (const backEnd of this.matrix.all()) {
      backEnd.trim();
      // It may be another version by now.
      if (!backEnd.isDefunct && backEnd.takesTrunk === null) this.#health.check(backEnd);
    }
  }
}

/** How often calls are looked at for a time that they may take. */
function sweepMs(timeoutMs: number): number {
  return Math.max(RESPONSE_TIMEOUT_SWEEP_MS, timeoutMs / SWEEPS_PER_TIMEOUT);
}
