// One request on its way through the matrix: takes channels in all partitions that it is for, or in
// none; sends; goes to another replica where that is safe; and ends once, with an answer of every
// partition or with what went wrong.
//
//   waiting ──advance()──► running ──(last answer, fault or time-out)──► done
//      ▲                      │ a replica failed and the other ones are busy
//      └──────────────────────┘

import { MEDIA_TYPES } from "../plugin/contract/media-types.js";
import type { Trace } from "../tracing/trace.js";
import type { BackEnd } from "./back-end.js";
import type { Channel, ChannelFault } from "./channel.js";
import {
  type DispatchRefusal,
  meetsCoverage,
  type Outcome,
  outcomeOf,
  refusalOf,
} from "./dispatch-outcome.js";
import { type BackEndError, backEndError, partialError } from "./error-chain.js";
import type { Explanation } from "./explanation.js";
import type { ForwardedRequest } from "./forwarded-request.js";
import type { Matrix, UnavailableReason } from "./matrix.js";
import { type Attempt, type AttemptOwner, PartitionCall } from "./partition-call.js";
import type { BackEndResponse } from "./response-parser.js";

/** A request to send and whom to tell what became of it. */
export interface Dispatch {
  readonly request: ForwardedRequest;
  /** How often the same client request was sent before. */
  readonly resubmits: number;
  /** Is told how the answer comes about; null where nobody asks. */
  readonly explanation: Explanation | null;
  /** Records each attempt; null where nothing is recorded. */
  readonly trace: Trace | null;
  /** Whose request it is: clients take turns. */
  readonly client: string;
  /** Nobody waits for the answer any more. */
  isAborted(): boolean;
  /** @param matrix that it went through */
  ended(outcome: Outcome, matrix: Matrix): void;
}

/** Whom a call tells that it moves on. */
export interface CallOwner {
  /** It needs channels that are not free. */
  wait(call: DispatchCall): void;
  /** A channel has become free. */
  freed(): void;
  /** A back-end has failed a request; it may be well for others. */
  recordFailure(backEnd: BackEnd): void;
  /** Whether it may be sent to a second back-end while the first one may be at work. */
  isRetryable(request: ForwardedRequest): boolean;
  /** Whether there is room for one more request that was sent before; it then counts as sent. */
  isRetryAllowed(): boolean;
  /** A back-end has answered with success after so many milliseconds. */
  succeeded(request: ForwardedRequest, isReadonly: boolean, ms: number): void;
  /** This process cannot open another connection. */
  exhausted(reason: string): void;
  /** The outcome is known; back-ends may still be at work for it. */
  ended(call: DispatchCall, outcome: Outcome): void;
  /** It has ended and holds no channel any more. */
  left(call: DispatchCall): void;
}

export interface ChannelInUse {
  readonly backEnd: BackEnd;
  readonly channel: Channel;
}

const OK = 200;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** What requests wait for that are for no one partition. */
const PRIMARY_ROW = -1;
export const ANY_ROW = -2;
/** Back-ends that would fail alike do so within this time: then the first of them is told. */
const FAILURE_GRACE_MS = 20;

export class DispatchCall implements AttemptOwner {
  readonly dispatch: Dispatch;
  /** It stands in the owner's queue. */
  isWaiting = false;
  /** Since when, monotonic milliseconds. */
  waitsSinceMs = 0;
  /** Among those that wait, lower ones go first. */
  turn = 0;
  /** Where it stands in the owner's list, -1 once it has left. */
  place = -1;
  readonly request: ForwardedRequest;
  /** What it waits for: the primary replica of a partition, `PRIMARY_ROW` or `ANY_ROW`. */
  need = ANY_ROW;
  #matrix!: Matrix;
  readonly #owner: CallOwner;
  #parts: PartitionCall[] = [];
  readonly #sinceMs = performance.now();
  #isLenient = false;
  #isEnded = false;
  #graceTimer: NodeJS.Timeout | null = null;

  constructor(matrix: Matrix, dispatch: Dispatch, owner: CallOwner) {
    this.#owner = owner;
    this.dispatch = dispatch;
    this.request = dispatch.request;
    this.#enter(matrix);
  }

  /** The matrix whose partitions it is for. */
  get matrix(): Matrix {
    return this.#matrix;
  }

  /** Another matrix has taken the place of its own: what was begun in that ends there. */
  moveTo(matrix: Matrix): void {
    const isBegun = this.#parts.some(({ isDone, isBegun, tried }) => {
      return isDone || isBegun || tried.length > 0;
    });
    // What is passed on as it comes is made for one back-end.
    const isMade = this.request.isRelayed && matrix.width * matrix.height > 1;
    if (!isBegun && !isMade && !this.#isEnded) this.#enter(matrix);
  }

  #enter(matrix: Matrix): void {
    this.#matrix = matrix;
    const { target, preference } = this.request;
    this.#isLenient = matrix.allowsPartialResults(target, preference);
    const first = target === null ? 0 : matrix.partitionOf(target);
    const end = target === null ? matrix.width : first + 1;
    this.need = target !== null ? first : preference.isPrimary ? PRIMARY_ROW : ANY_ROW;
    this.#parts = [];
    for (let partition = first; partition < end; partition++) {
      this.#parts.push(new PartitionCall(this, partition));
    }
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** True once a back-end has failed it. */
  get isRetried(): boolean {
    return this.#parts.some((part) => part.tried.length > 0);
  }

  /** The channels that it holds at this moment. */
  *channels(): Generator<ChannelInUse> {
    for (const { attempts } of this.#parts) yield* attempts;
  }

  /** Sends what is not sent yet, if channels are free for all of it; false if it has to wait. */
  advance(): boolean {
    let isBusy = false;
    for (const part of this.#parts) {
      if (!part.isUnsent) continue;
      const choice = this.#choose(part);
      if (choice === "busy") isBusy = true;
      else if (choice !== "down") part.backEnd = choice;
      else if (!this.#giveUp(part)) return true;
    }
    if (isBusy) return false;
    for (const part of this.#parts) if (part.isUnsent) this.#send(part);
    this.#endIfComplete();
    return true;
  }

  /** Gives up on back-ends that have not answered for so long. */
  expire(timeoutMs: number): void {
    const before = performance.now() - timeoutMs;
    const attempts = this.#parts.flatMap((part) => part.attempts);
    const overdue = attempts.filter(({ sentMs }) => sentMs < before);
    if (overdue.length === 0) return;
    for (const attempt of overdue) {
      const { part, backEnd } = attempt;
      attempt.abort();
      backEnd.abandon(attempt.sentMs);
      backEnd.outlier.timedOut();
      backEnd.figures.failures.timeout++;
      this.#recordFailure(backEnd, `no answer after ${timeoutMs} ms`);
      this.dispatch.trace?.dispatched(attempt.step, "timeout");
      if (this.#isEnded || part.isDone) continue;
      this.dispatch.explanation?.ended(part.partition, "timeout");
      if (part.attempts.length > 0) continue;
      if (this.#isRetryable(part, backEnd)) part.giveUp(backEnd);
      else if (this.#isLenient) part.leaveOut();
      else this.#fail(part, UNAVAILABLE, said(`timeout after ${timeoutMs} ms`));
    }
    this.#complete();
  }

  /** Answers with what is there once that is enough, when it has taken so long. */
  completePartially(softTimeoutMs: number): void {
    if (this.#isEnded || !this.#isLenient) return;
    if (performance.now() - this.#sinceMs < softTimeoutMs) return;
    if (!meetsCoverage(this.#parts, this.#matrix.config)) return;
    for (const part of this.#parts) {
      if (part.answer !== null) continue;
      part.leaveOut();
      for (const attempt of [...part.attempts]) attempt.abort();
    }
    this.#complete();
  }

  /** Asks a second replica where the first one is late, if the request may be repeated. */
  hedge(slowMs: number): void {
    if (this.#isEnded) return;
    const before = performance.now() - slowMs;
    for (const part of this.#parts) {
      const [first] = part.attempts;
      if (part.isDone || part.attempts.length !== 1 || first!.sentMs > before) continue;
      const tried = [...part.tried, first!.backEnd];
      const choice = this.#matrix.choose(part.partition, this.request.preference, tried, true);
      if (typeof choice === "string" || !this.#owner.isRetryAllowed()) continue;
      part.backEnd = choice;
      this.#send(part);
    }
  }

  /** Ends it without an answer; what is under way is cut off. */
  cancel(status: DispatchRefusal["status"], message: string): void {
    for (const part of this.#parts) for (const attempt of [...part.attempts]) attempt.abort();
    if (this.#isEnded) this.#leave();
    else this.#end(refusalOf(this.#parts, status, message));
  }

  /** A back-end has answered. */
  answered(attempt: Attempt, answer: BackEndResponse): void {
    const { part, backEnd } = attempt;
    const { status } = answer;
    const ms = performance.now() - attempt.sentMs;
    backEnd.figures.answered(status, ms);
    this.dispatch.trace?.dispatched(attempt.step, status);
    attempt.release(answer.backlog);
    if (status === UNAVAILABLE) this.#recordFailure(backEnd, "it answers with 503");
    else if (status === TOO_MANY_REQUESTS) backEnd.penalize();
    else backEnd.outlier.answered(status >= 500);
    if (isPartial(answer)) this.#owner.succeeded(this.request, answer.isReadonly, ms);
    if (!this.#isEnded && !part.isDone) this.#take(part, backEnd, answer);
    this.#complete();
  }

  #take(part: PartitionCall, backEnd: BackEnd, answer: BackEndResponse): void {
    const { status } = answer;
    this.dispatch.explanation?.ended(part.partition, status, answer.explain);
    if (status === UNAVAILABLE || status === TOO_MANY_REQUESTS) {
      part.markUnseen();
      part.giveUp(backEnd);
      if (status === UNAVAILABLE) return;
      part.failure = this.#failureOf(part, status, backEndError(answer.body));
    } else if (this.request.isRelayed || isPartial(answer)) part.succeed(answer);
    else this.#fail(part, status, backEndError(answer.body));
  }

  /** A back-end has not answered. */
  failed(attempt: Attempt, fault: ChannelFault, reason: string): void {
    const { part, backEnd } = attempt;
    attempt.release(-1);
    if (fault === "no-descriptor") {
      this.#owner.exhausted(reason);
      return this.cancel(UNAVAILABLE, reason);
    }
    backEnd.figures.failures.connection++;
    this.dispatch.trace?.dispatched(attempt.step, fault);
    this.#recordFailure(backEnd, reason);
    if (!this.#isEnded && !part.isDone) this.#lose(part, backEnd, fault, reason);
    this.#complete();
  }

  #lose(
    part: PartitionCall,
    backEnd: BackEnd,
    fault: Exclude<ChannelFault, "no-descriptor">,
    reason: string,
  ): void {
    this.dispatch.explanation?.ended(part.partition, reason);
    if (fault === "unconnected") part.markUnseen();
    const isUnseen =
      fault === "unconnected" || (fault === "no-answer" && this.request.method === "GET");
    if (isUnseen) part.giveUp(backEnd);
    else if (part.attempts.length > 0) return;
    // Of an answer that broke off nobody has seen a byte.
    else if (this.#isRetryable(part, backEnd)) part.giveUp(backEnd);
    else if (this.#isLenient) part.leaveOut();
    else this.#fail(part, UNAVAILABLE, said(reason));
  }

  #choose({ partition, tried }: PartitionCall): BackEnd | UnavailableReason {
    const isRepeatable = this.#owner.isRetryable(this.request);
    return this.#matrix.choose(partition, this.request.preference, tried, isRepeatable);
  }

  /** Whether the request may go to another replica although this one may still be at work. */
  #isRetryable({ partition, tried }: PartitionCall, backEnd: BackEnd): boolean {
    if (!this.#owner.isRetryable(this.request)) return false;
    const all = [...tried, backEnd];
    const choice = this.#matrix.choose(partition, this.request.preference, all, true);
    return choice !== "down" && this.#owner.isRetryAllowed();
  }

  #send(part: PartitionCall): void {
    const replicas = this.#matrix.backEnds[part.partition]!;
    this.dispatch.explanation?.chosen(part.backEnd!, replicas, part.tried);
    if (part.tried.length > 0 || part.attempts.length > 0) part.backEnd!.figures.retries++;
    part.send(this.request);
  }

  #recordFailure(backEnd: BackEnd, reason: string): void {
    backEnd.retire(reason);
    this.#owner.recordFailure(backEnd);
  }

  #fail(part: PartitionCall, status: number, error: BackEndError): void {
    part.fail(this.#failureOf(part, status, error));
    this.#endSoon();
  }

  #failureOf({ partition }: PartitionCall, status: number, error: BackEndError) {
    const text = partialError(partition, this.#matrix.width, status, error.text);
    return { ...error, text, status };
  }

  /** No replica of a partition is left; false if that ends the call. */
  #giveUp(part: PartitionCall): boolean {
    // Those that were tried failed, unless one had too much to do.
    const isDown = part.failure === null;
    if (isDown && !this.#isLenient) {
      this.cancel(UNAVAILABLE, "Partition(s) down");
      return false;
    }
    part.isDone = true;
    if (!isDown) this.#endSoon();
    return true;
  }

  /** After answers or faults: goes on, waits, or ends. */
  #complete(): void {
    if (this.#isEnded) this.#leave();
    else {
      let isUnsent = false;
      for (const part of this.#parts) if (part.isUnsent) isUnsent = true;
      if (!isUnsent) this.#endIfComplete();
      else if (!this.isWaiting && !this.advance()) this.#owner.wait(this);
    }
    this.#owner.freed();
  }

  #endIfComplete(): void {
    if (this.#isEnded) return;
    for (const part of this.#parts) if (!part.isDone) return;
    this.#end(this.#outcome());
  }

  /** One partition's failure is that of all: nobody waits for the slowest. */
  #endSoon(): void {
    this.#graceTimer ??= setTimeout(() => {
      if (!this.#isEnded) this.#end(this.#outcome());
    }, FAILURE_GRACE_MS);
  }

  #outcome(): Outcome {
    return outcomeOf(this.#parts, this.#matrix.config, this.#isLenient);
  }

  #end(outcome: Outcome): void {
    this.#isEnded = true;
    if (this.#graceTimer !== null) clearTimeout(this.#graceTimer);
    this.#leave();
    this.#owner.ended(this, outcome);
  }

  #leave(): void {
    for (const { attempts } of this.#parts) if (attempts.length > 0) return;
    this.#owner.left(this);
  }
}

function isPartial({ status, mediaType }: BackEndResponse): boolean {
  return status === OK && mediaType === MEDIA_TYPES.partial;
}

/** What happened to a connection, in place of what a back-end says. */
function said(text: string): BackEndError {
  return { text, level: 0, deep: 0 };
}
