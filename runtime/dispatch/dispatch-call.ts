// One request on its way through the matrix. It takes channels in all its partitions or in none,
// retries on another replica where that is safe, and completes once: with the responses of all
// partitions, or with a failure.
//
//   waiting ──advance()──► running ──(last response, fault or timeout)──► done
//      ▲                      │ a replica failed and the others are busy
//      └──────────────────────┘

import type { Trace } from "../base/tracing/trace.js";
import type { BackEnd } from "./back-end.js";
import type { Channel, ChannelFault } from "./channel.js";
import { type BackEndError, backEndError, connectionError, partialError } from "./error-chain.js";
import type { Explanation } from "./explanation.js";
import type { ForwardedRequest } from "./forwarded-request.js";
import type { Matrix, UnavailableReason } from "./matrix.js";
import {
  type Attempt,
  type AttemptOwner,
  classifyOutcome,
  type DispatchRefusal,
  meetsCoverage,
  type Outcome,
  PartitionCall,
  type PartitionFailure,
  toRefusal,
} from "./partition-call.js";
import { type BackEndResponse, isOutcomeUnknown, isPartial } from "./response-parser.js";

/** A request to dispatch, and the receiver of its outcome. */
export interface Dispatch {
  readonly request: ForwardedRequest;
  /** Earlier submissions of the same client request. */
  readonly resubmits: number;
  /** Records the steps for the client; null: not requested. */
  readonly explanation: Explanation | null;
  /** Records each attempt; null: not traced. */
  readonly trace: Trace | null;
  /** Client key for the fair queue. */
  readonly client: string;
  /** Returns whether the client has disconnected. */
  isAborted(): boolean;
  /** @param matrix that the request went through */
  onEnd(outcome: Outcome, matrix: Matrix): void;
}

/** The dispatcher, as a call sees it. */
export interface CallOwner {
  /** The current matrix. */
  readonly matrix: Matrix;
  /** Returns whether a request must wait because its slots move. */
  isHeld(request: ForwardedRequest): boolean;
  /** Queues a call that needs busy channels. */
  enqueue(call: DispatchCall): void;
  /** Called when a channel becomes free. */
  onChannelFree(): void;
  /** Reports a back-end that failed a request, so that it is probed. */
  recordFailure(backEnd: BackEnd): void;
  /** Returns whether a request changes nothing, so that its response may lack partitions. */
  isQuery(request: ForwardedRequest): boolean;
  /** Returns whether a request may go to a second back-end while the first may still execute it. */
  isRetryable(request: ForwardedRequest): boolean;
  /** Takes one retry from the retry budget; returns false if it is exhausted. */
  isRetryAllowed(): boolean;
  /** Reports a successful response and its latency. */
  recordSuccess(request: ForwardedRequest, isReadonly: boolean, ms: number): void;
  /** Reports that this process is out of file descriptors. */
  reportExhaustion(reason: string): void;
  /** Receives the final outcome of a call; back-ends may still execute it. */
  onEnd(call: DispatchCall, outcome: Outcome): void;
  /** Called when a call has ended and released all its channels. */
  onRelease(call: DispatchCall): void;
}

export interface ChannelInUse {
  readonly backEnd: BackEnd;
  readonly channel: Channel;
}

/** Status of group members for requests that only their leader executes. */
const MISDIRECTED = 421;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** A back-end whose disk is full refuses changes, but still reads. */
const INSUFFICIENT_STORAGE = 507;
const OTHER_SLOTS = "back-end has other slots: restart it with the descriptor in use";
export const SLOTS_MOVE = "slots are moving: the back-ends do not have one slot map yet";
/** How long a readonly request is repeated until all its responses have one slot map. */
const SLOTS_WAIT_MS = 5_000;
const SLOTS_RETRY_MS = 25;
const CHANGE_NEEDS_ALL =
  "Partition(s) down: a POST needs all partitions, unless its plugin is @readonly";
export const NO_LEADER = "Partition(s) down: no instance leads the group";
/** How long a request waits for the next leader. */
const LEADER_WAIT_MS = 5_000;
/** Queue keys of requests that are not for one partition. */
const PRIMARY_ROW = -1;
export const ANY_ROW = -2;
/** How long a failure waits for those of other partitions, which usually arrive together. */
const FAILURE_GRACE_MS = 20;

export class DispatchCall implements AttemptOwner {
  readonly dispatch: Dispatch;
  /** True while the call is in the owner's queue. */
  isWaiting = false;
  /** Start of waiting, monotonic milliseconds. */
  waitsSinceMs = 0;
  /** Turn in the queue; lower ones go first. */
  turn = 0;
  /** Index in the owner's list, -1 once removed. */
  listIndex = -1;
  readonly request: ForwardedRequest;
  /**
   * Queue key: a partition for its primary replica, `PRIMARY_ROW` or `ANY_ROW` for all partitions,
   * and lower values for any replica of one partition.
   */
  queueKey = ANY_ROW;
  #matrix!: Matrix;
  readonly #owner: CallOwner;
  #parts: PartitionCall[] = [];
  readonly #sinceMs = performance.now();
  #allowsPartial = false;
  /** A change in a matrix that allows partial results: it needs all partitions, unlike queries. */
  #isChange = false;
  /** A group member has refused the request: only the leader executes it. */
  #needsLeader = false;
  #isEnded = false;
  #graceTimer: NodeJS.Timeout | null = null;
  /** Id of the slot map that all responses must have; null: any. */
  #slotsId: string | null = null;
  /** Set while the call waits to be repeated for all partitions. */
  #repeatTimer: NodeJS.Timeout | null = null;

  constructor(matrix: Matrix, dispatch: Dispatch, owner: CallOwner) {
    this.#owner = owner;
    this.dispatch = dispatch;
    this.request = dispatch.request;
    this.#enter(matrix);
  }

  /** The matrix that the request goes through. */
  get matrix(): Matrix {
    return this.#matrix;
  }

  /** Moves an unsent call to the matrix that has replaced its own. */
  moveTo(matrix: Matrix): void {
    const isBegun = this.#parts.some(({ isDone, isBegun, tried }) => {
      return isDone || isBegun || tried.length > 0;
    });
    // A relayed request is encoded for a single back-end.
    const isUnsuitable = this.request.isRelayed && matrix.width * matrix.height > 1;
    const hasPartition = matrix.partitionFor(this.request) !== -1;
    if (!isBegun && !isUnsuitable && hasPartition && !this.#isEnded) this.#enter(matrix);
  }

  #enter(matrix: Matrix): void {
    this.#matrix = matrix;
    this.#slotsId = matrix.slotsId;
    const { preference } = this.request;
    const partition = matrix.partitionFor(this.request);
    const mayLack = matrix.allowsPartialResults(partition, preference);
    this.#isChange = mayLack && !this.#owner.isQuery(this.request);
    this.#allowsPartial = mayLack && !this.#isChange;
    const first = partition ?? 0;
    const end = partition === null ? matrix.width : first + 1;
    if (preference.isPrimary) this.queueKey = partition ?? PRIMARY_ROW;
    else this.queueKey = partition === null ? ANY_ROW : ANY_ROW - 1 - partition;
    this.#parts = [];
    for (let partition = first; partition < end; partition++) {
      this.#parts.push(new PartitionCall(this, partition));
    }
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** True once a back-end has failed the request. */
  get isRetried(): boolean {
    return this.#parts.some((part) => part.tried.length > 0);
  }

  /** Yields the channels in use. */
  *channels(): Generator<ChannelInUse> {
    for (const { attempts } of this.#parts) yield* attempts;
  }

  /** Sends all unsent parts if channels are free for all of them; false if the call must wait. */
  advance(): boolean {
    if (this.isPaused) return false;
    let isBusy = false;
    for (const part of this.#parts) {
      if (!part.isUnsent) continue;
      const choice = this.#choose(part);
      if (choice === "busy") isBusy = true;
      else if (choice !== "down") part.backEnd = choice;
      else if (this.#awaitsLeader(part)) isBusy = true;
      else if (!this.#handleUnavailable(part)) return true;
    }
    if (isBusy) return false;
    for (const part of this.#parts) if (part.isUnsent) this.#send(part);
    this.#endIfComplete();
    return true;
  }

  get #isForLeader(): boolean {
    return this.#needsLeader || this.#matrix.isForLeader(this.request.preference);
  }

  /** Returns whether a request for a leader waits for the election of the next one. */
  #awaitsLeader(part: PartitionCall): boolean {
    if (!this.#isForLeader || !this.#matrix.lacksLeader(part.partition)) return false;
    if (performance.now() - this.#sinceMs > LEADER_WAIT_MS) return false;
    part.tried = [];
    return true;
  }

  /** Abandons back-ends that have not responded within the timeout. */
  expire(timeoutMs: number): void {
    const sentBefore = performance.now() - timeoutMs;
    const attempts = this.#parts.flatMap((part) => part.attempts);
    const overdue = attempts.filter(({ sentMs }) => sentMs < sentBefore);
    if (overdue.length === 0) return;
    for (const attempt of overdue) {
      const { part, backEnd } = attempt;
      attempt.abort();
      backEnd.abandon(attempt.sentMs);
      backEnd.outlier.recordTimeout();
      backEnd.metrics.failures.timeout++;
      this.#recordFailure(backEnd, `no answer after ${timeoutMs} ms`);
      this.dispatch.trace?.dispatched(attempt.step, "timeout");
      if (this.#isEnded || part.isDone) continue;
      this.dispatch.explanation?.recordEnd(part.partition, "timeout");
      if (part.attempts.length > 0) continue;
      if (this.#isRetryable(part, backEnd)) part.exclude(backEnd);
      else if (this.#allowsPartial) part.omit();
      else this.#fail(part, UNAVAILABLE, connectionError(`timeout after ${timeoutMs} ms`), false);
    }
    this.#complete();
  }

  /** Completes with partial results after the soft timeout, if the coverage suffices. */
  completePartially(softTimeoutMs: number): void {
    if (this.#isEnded || !this.#allowsPartial) return;
    if (performance.now() - this.#sinceMs < softTimeoutMs) return;
    const responses = this.#parts.map(({ response }) => response);
    if (!meetsCoverage(responses, this.#matrix.config)) return;
    for (const part of this.#parts) {
      // An error of a back-end fails the request, like one that arrives before the soft timeout.
      if (part.isDone) continue;
      part.omit();
      for (const attempt of part.attempts) attempt.abort();
    }
    this.#complete();
  }

  /** Hedges slow partitions: sends retryable requests to a second replica. */
  hedge(slowMs: number): void {
    if (this.#isEnded) return;
    const sentBefore = performance.now() - slowMs;
    for (const part of this.#parts) {
      const [first] = part.attempts;
      if (part.isDone || part.attempts.length !== 1 || first!.sentMs > sentBefore) continue;
      const tried = [...part.tried, first!.backEnd];
      const choice = this.#matrix.choose(part.partition, this.request.preference, tried, true);
      if (typeof choice === "string" || !this.#owner.isRetryAllowed()) continue;
      part.backEnd = choice;
      this.#send(part);
    }
  }

  /** Ends the call without a response and aborts running attempts. */
  cancel(status: DispatchRefusal["status"], message: string): void {
    for (const part of this.#parts) for (const attempt of part.attempts) attempt.abort();
    if (this.#isEnded) this.#leave();
    else this.#end(toRefusal(this.#parts, status, message));
  }

  /** Handles a response. */
  onResponse(attempt: Attempt, response: BackEndResponse): void {
    const { part, backEnd } = attempt;
    const { status } = response;
    const ms = performance.now() - attempt.sentMs;
    backEnd.metrics.recordResponse(status, ms);
    this.dispatch.trace?.dispatched(attempt.step, status);
    attempt.release(response.backlog);
    if (status === UNAVAILABLE) this.#recordFailure(backEnd, "returned 503");
    else if (backEnd.row.isLeader && (status === MISDIRECTED || isOutcomeUnknown(response))) {
      // Marks it as down: requests wait for the next leader only while there is no leader.
      this.#recordFailure(backEnd, "does not lead");
    } else if (status === TOO_MANY_REQUESTS) backEnd.penalize();
    else backEnd.outlier.recordResponse(status >= 500 && status !== INSUFFICIENT_STORAGE);
    if (isPartial(response)) {
      this.#owner.recordSuccess(this.request, response.isReadonly, ms);
      backEnd.speed.observe(this.#matrix.pluginMeans.relate(this.request.path, ms / attempt.load));
    }
    if (!this.#isEnded && !part.isDone) this.#handleResponse(part, backEnd, response);
    this.#complete();
  }

  #handleResponse(part: PartitionCall, backEnd: BackEnd, response: BackEndResponse): void {
    const { status } = response;
    this.dispatch.explanation?.recordEnd(part.partition, status, response.explain);
    if (status === MISDIRECTED && this.#matrix.hasLeaders) {
      part.markNotExecuted();
      part.exclude(backEnd);
      this.#needsLeader = true;
    } else if (status === UNAVAILABLE || status === TOO_MANY_REQUESTS) {
      part.markNotExecuted();
      part.exclude(backEnd);
      if (status === UNAVAILABLE) return;
      part.failure = this.#describeFailure(part, status, backEndError(response.body), true);
    } else if (isOutcomeUnknown(response) && this.#isSafeAtNextLeader(backEnd))
      part.exclude(backEnd);
    else if (this.request.isRelayed) part.succeed(response);
    else if (isPartial(response)) this.#acceptPartial(part, backEnd, response);
    else this.#fail(part, status, backEndError(response.body), true);
  }

  /** Accepts a partial. Partials of different slot maps would lack keys or contain them twice. */
  #acceptPartial(part: PartitionCall, backEnd: BackEnd, response: BackEndResponse): void {
    const expectedId = this.#slotsId;
    if (expectedId === null || response.slots === expectedId) return part.succeed(response);
    // A back-end that executes a request for a key owns it, whichever map it has.
    if (this.request.key !== null && response.slots !== null) return part.succeed(response);
    if (this.#isRetryable(part, backEnd)) part.exclude(backEnd);
    else if (this.#owner.isRetryable(this.request)) this.#repeatLater();
    else this.#fail(part, 500, connectionError(OTHER_SLOTS), false);
  }

  /** Repeats the request for all partitions: earlier responses may have another slot map, too. */
  #repeatLater(): void {
    for (const part of this.#parts) for (const attempt of part.attempts) attempt.abort();
    if (performance.now() - this.#sinceMs > SLOTS_WAIT_MS) {
      return this.#end(toRefusal([], UNAVAILABLE, SLOTS_MOVE));
    }
    this.#repeatTimer ??= setTimeout(() => {
      this.#repeatTimer = null;
      if (!this.#isEnded) this.#repeat();
    }, SLOTS_RETRY_MS);
  }

  #repeat(): void {
    const { matrix } = this.#owner;
    if (this.#owner.isHeld(this.request)) return this.#repeatLater();
    if (matrix.partitionFor(this.request) === -1) return this.cancel(UNAVAILABLE, SLOTS_MOVE);
    this.#enter(matrix);
    if (this.isWaiting) this.#owner.onChannelFree();
    else if (!this.advance()) this.#owner.enqueue(this);
  }

  /** True while the call waits to be repeated: no back-end executes it. */
  get isPaused(): boolean {
    return this.#repeatTimer !== null;
  }

  /** Handles a fault. */
  onFailure(attempt: Attempt, fault: ChannelFault, reason: string): void {
    const { part, backEnd } = attempt;
    attempt.release(-1);
    if (fault === "no-descriptor") {
      this.#owner.reportExhaustion(reason);
      return this.cancel(UNAVAILABLE, reason);
    }
    backEnd.metrics.failures.connection++;
    this.dispatch.trace?.dispatched(attempt.step, fault);
    this.#recordFailure(backEnd, reason);
    if (!this.#isEnded && !part.isDone) this.#handleFault(part, backEnd, fault, reason);
    this.#complete();
  }

  #handleFault(
    part: PartitionCall,
    backEnd: BackEnd,
    fault: Exclude<ChannelFault, "no-descriptor">,
    reason: string,
  ): void {
    this.dispatch.explanation?.recordEnd(part.partition, reason);
    if (fault === "unconnected") part.markNotExecuted();
    const isNotExecuted =
      fault === "unconnected" || (fault === "no-answer" && this.request.method === "GET");
    if (isNotExecuted) part.exclude(backEnd);
    else if (part.attempts.length > 0) return;
    // The truncated response can be dropped: no byte of it was sent to the client.
    else if (this.#isRetryable(part, backEnd)) part.exclude(backEnd);
    else if (this.#allowsPartial) part.omit();
    else this.#fail(part, UNAVAILABLE, connectionError(reason), false);
  }

  #choose({ partition, tried }: PartitionCall): BackEnd | UnavailableReason {
    const isRetryable = this.#owner.isRetryable(this.request);
    const { preference } = this.request;
    return this.#matrix.choose(partition, preference, tried, isRetryable, this.#isForLeader);
  }

  /** Returns whether another replica may get the request while `backEnd` may still execute it. */
  #isRetryable({ partition, tried }: PartitionCall, backEnd: BackEnd): boolean {
    if (this.#isSafeAtNextLeader(backEnd)) return true;
    if (!this.#owner.isRetryable(this.request)) return false;
    const excluded = [...tried, backEnd];
    const choice = this.#matrix.choose(partition, this.request.preference, excluded, true);
    return choice !== "down" && this.#owner.isRetryAllowed();
  }

  /**
   * Returns whether the next leader may get a request that this leader failed: because of its
   * `Idempotency-Key`, it is not executed twice.
   */
  #isSafeAtNextLeader({ row }: BackEnd): boolean {
    if (this.request.isKeyed !== true || row.isLeader !== true) return false;
    if (performance.now() - this.#sinceMs > LEADER_WAIT_MS) return false;
    this.#needsLeader = true;
    return true;
  }

  #send(part: PartitionCall): void {
    const replicas = this.#matrix.backEnds[part.partition]!;
    this.dispatch.explanation?.recordChoice(part.backEnd!, replicas, part.tried);
    if (part.tried.length > 0 || part.attempts.length > 0) part.backEnd!.metrics.retries++;
    part.send(this.request);
  }

  #recordFailure(backEnd: BackEnd, reason: string): void {
    backEnd.markDown(reason);
    this.#owner.recordFailure(backEnd);
  }

  #fail(part: PartitionCall, status: number, error: BackEndError, isAnswered: boolean): void {
    part.fail(this.#describeFailure(part, status, error, isAnswered));
    this.#endSoon();
  }

  #describeFailure(
    { partition }: PartitionCall,
    status: number,
    error: BackEndError,
    isAnswered: boolean,
  ): PartitionFailure {
    const text = partialError(partition, this.#matrix.width, status, error.text);
    return { ...error, text, status, isAnswered, isKeyed: this.request.isKeyed === true };
  }

  /** Handles a partition without replicas left; returns false if that ends the call. */
  #handleUnavailable(part: PartitionCall): boolean {
    // A failure was recorded only if a replica reported overload.
    const isDown = part.failure === null;
    if (isDown && !this.#allowsPartial) {
      const reason = this.#isForLeader ? NO_LEADER : "Partition(s) down";
      this.cancel(UNAVAILABLE, this.#isChange ? CHANGE_NEEDS_ALL : reason);
      return false;
    }
    part.isDone = true;
    if (!isDown) this.#endSoon();
    return true;
  }

  /** Continues, waits or ends after a response or fault. */
  #complete(): void {
    if (this.#isEnded) this.#leave();
    else if (this.#repeatTimer === null) {
      let isUnsent = false;
      for (const part of this.#parts) if (part.isUnsent) isUnsent = true;
      if (!isUnsent) this.#endIfComplete();
      else if (!this.isWaiting && !this.advance()) this.#owner.enqueue(this);
    }
    this.#owner.onChannelFree();
  }

  #endIfComplete(): void {
    if (this.#isEnded) return;
    for (const part of this.#parts) if (!part.isDone) return;
    this.#end(this.#outcome());
  }

  /** Fails the request soon after the first failure, without waiting for the slowest partition. */
  #endSoon(): void {
    this.#graceTimer ??= setTimeout(() => {
      if (!this.#isEnded) this.#end(this.#outcome());
    }, FAILURE_GRACE_MS);
  }

  #outcome(): Outcome {
    return classifyOutcome(this.#parts, this.#matrix.config, this.#allowsPartial);
  }

  #end(outcome: Outcome): void {
    this.#isEnded = true;
    if (this.#graceTimer !== null) clearTimeout(this.#graceTimer);
    if (this.#repeatTimer !== null) clearTimeout(this.#repeatTimer);
    this.#repeatTimer = null;
    this.#leave();
    this.#owner.onEnd(this, outcome);
  }

  #leave(): void {
    for (const { attempts } of this.#parts) if (attempts.length > 0) return;
    this.#owner.onRelease(this);
  }
}
