// One request on its way through the matrix: takes channels in all partitions that it is for, or in
// none; sends; goes to another replica where that is safe; and ends once, with an answer of every
// partition or with what went wrong.
//
//   waiting ──advance()──► running ──(last answer, fault or time-out)──► done
//      ▲                      │ a replica failed and the other ones are busy
//      └──────────────────────┘

import { MEDIA_TYPES } from "../plugin/contract/media-types.js";
import type { Answer } from "./answer-parser.js";
import type { BackEnd } from "./back-end.js";
import type { Channel, ChannelFault } from "./channel.js";
import { DispatchPart, type PartFailure, type PartOwner } from "./dispatch-part.js";
import { type BackEndError, backEndError, partialError } from "./error-chain.js";
import { type ErrorHierarchy, errorHierarchy } from "./error-hierarchy.js";
import type { Explanation } from "./explanation.js";
import type { ForwardedRequest } from "./forwarded-request.js";
import type { Matrix } from "./matrix.js";

export type Outcome =
  /** Answers by partition; null where the partition is down, or the request not for it. */
  { readonly kind: "answered"; readonly answers: readonly (Answer | null)[] } | Refusal | Failure;

/** A back-end answered with an error, or with nothing. */
export interface Failure {
  readonly kind: "failed";
  readonly status: 414 | 500;
  readonly message: string;
  readonly hierarchy: ErrorHierarchy;
}

/** A request to send and whom to tell what became of it. */
export interface Dispatch {
  readonly request: ForwardedRequest;
  /** How often the same client request was sent before. */
  readonly resubmits: number;
  /** Is told how the answer comes about; null where nobody asks. */
  readonly explanation: Explanation | null;
  /** Nobody waits for the answer any more. */
  isAborted(): boolean;
  ended(outcome: Outcome): void;
}

/** It was turned away, or cut off. */
export interface Refusal {
  readonly kind: "refused";
  readonly status: 429 | 503;
  readonly message: string;
  /** A back-end may have executed it, or its part of it. */
  readonly isBegun: boolean;
}

/** Whom a call tells that it moves on. */
export interface CallOwner {
  /** It needs channels that are not free. */
  wait(call: DispatchCall): void;
  /** A channel has become free. */
  freed(): void;
  /** A back-end has failed a request; it may be well for others. */
  suspect(backEnd: BackEnd): void;
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
const URI_TOO_LONG = 414;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** Back-ends that would fail alike do so within this time: then the first of them is told. */
const FAILURE_GRACE_MS = 20;

export class DispatchCall implements PartOwner {
  readonly dispatch: Dispatch;
  /** It stands in the owner's queue. */
  isWaiting = false;
  /** Since when, monotonic milliseconds. */
  waitsSinceMs = 0;
  /** Where it stands in the owner's list. */
  place = -1;
  readonly request: ForwardedRequest;
  readonly #matrix: Matrix;
  readonly #owner: CallOwner;
  readonly #parts: DispatchPart[] = [];
  #isEnded = false;
  #graceTimer: NodeJS.Timeout | null = null;

  constructor(matrix: Matrix, dispatch: Dispatch, owner: CallOwner) {
    this.#matrix = matrix;
    this.#owner = owner;
    this.dispatch = dispatch;
    this.request = dispatch.request;
    const { target } = dispatch.request;
    const first = target === null ? 0 : matrix.partitionOf(target);
    const end = target === null ? matrix.width : first + 1;
    for (let partition = first; partition < end; partition++) {
      this.#parts.push(new DispatchPart(this, partition));
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
    for (const { backEnd, channel } of this.#parts) {
      if (backEnd !== null && channel !== null) yield { backEnd, channel };
    }
  }

  /** Sends what is not sent yet, if channels are free for all of it; false if it has to wait. */
  advance(): boolean {
    let isBusy = false;
    for (const part of this.#parts) {
      if (!part.isUnsent) continue;
      const choice = this.#matrix.choose(part.partition, this.request.preference, part.tried);
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
    const overdue = this.#parts.filter(({ channel }) => channel && channel.sinceMs < before);
    if (overdue.length === 0) return;
    for (const part of overdue) {
      part.abort();
      this.#suspect(part);
      if (this.#isEnded) continue;
      this.dispatch.explanation?.ended(part.partition, "timeout");
      if (this.#mayLackParts) part.leaveOut();
      else this.#fail(part, UNAVAILABLE, said(`timeout after ${timeoutMs} ms`));
    }
    this.#settle();
  }

  /** Ends it without an answer; what is under way is cut off. */
  cancel(status: Refusal["status"], message: string): void {
    for (const part of this.#parts) if (part.channel !== null) part.abort();
    if (this.#isEnded) this.#owner.left(this);
    else this.#end(this.#refusal(status, message));
  }

  /** A back-end has answered. */
  answered(part: DispatchPart, answer: Answer): void {
    part.release(answer.backlog);
    const { status } = answer;
    if (status === UNAVAILABLE) this.#suspect(part);
    else if (status === TOO_MANY_REQUESTS) part.backEnd!.penalise();
    if (!this.#isEnded) this.#take(part, answer);
    this.#settle();
  }

  #take(part: DispatchPart, answer: Answer): void {
    const { status } = answer;
    this.dispatch.explanation?.ended(part.partition, status, answer.explain);
    if (status === UNAVAILABLE) {
      part.isBegun = false;
      part.giveUpReplica();
    } else if (status === TOO_MANY_REQUESTS) {
      part.isBegun = false;
      part.giveUpReplica();
      part.failure = this.#failureOf(part, status, backEndError(answer.body));
    } else if (this.request.isRelayed || isPartial(answer)) {
      part.answer = answer;
      part.failure = null;
      part.isDone = true;
    } else this.#fail(part, status, backEndError(answer.body));
  }

  /** A back-end has not answered. */
  failed(part: DispatchPart, fault: ChannelFault, reason: string): void {
    part.release(-1);
    if (fault === "no-descriptor") {
      this.#owner.exhausted(reason);
      return this.cancel(UNAVAILABLE, reason);
    }
    this.#suspect(part);
    if (!this.#isEnded) this.#lose(part, fault, reason);
    this.#settle();
  }

  #lose(part: DispatchPart, fault: Exclude<ChannelFault, "no-descriptor">, reason: string): void {
    this.dispatch.explanation?.ended(part.partition, reason);
    if (fault === "unconnected") part.isBegun = false;
    const isUnseen =
      fault === "unconnected" || (fault === "no-answer" && this.request.method === "GET");
    if (isUnseen) part.giveUpReplica();
    else if (this.#mayLackParts) part.leaveOut();
    else this.#fail(part, UNAVAILABLE, said(reason));
  }

  /** Whether the answer may be made without the partitions that are down. */
  get #mayLackParts(): boolean {
    const { preference, target } = this.request;
    return this.#matrix.mayLackParts(target, preference);
  }

  #send(part: DispatchPart): void {
    const replicas = this.#matrix.backEnds[part.partition]!;
    this.dispatch.explanation?.chosen(part.backEnd!, replicas, part.tried);
    part.send(this.request);
  }

  #suspect({ backEnd }: DispatchPart): void {
    backEnd!.retire();
    this.#owner.suspect(backEnd!);
  }

  #fail(part: DispatchPart, status: number, error: BackEndError): void {
    part.fail(this.#failureOf(part, status, error));
    this.#endSoon();
  }

  #failureOf({ partition }: DispatchPart, status: number, error: BackEndError) {
    const text = partialError(partition, this.#matrix.width, status, error.text);
    return { ...error, text, status };
  }

  /** No replica of a partition is left; false if that ends the call. */
  #giveUp(part: DispatchPart): boolean {
    // Those that were tried failed, unless one had too much to do.
    const isDown = part.failure === null;
    if (isDown && !this.#mayLackParts) {
      this.cancel(UNAVAILABLE, "Partition(s) down");
      return false;
    }
    part.isDone = true;
    if (!isDown) this.#endSoon();
    return true;
  }

  /** After answers or faults: goes on, waits, or ends. */
  #settle(): void {
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

  #end(outcome: Outcome): void {
    this.#isEnded = true;
    if (this.#graceTimer !== null) clearTimeout(this.#graceTimer);
    this.#leave();
    this.#owner.ended(this, outcome);
  }

  #leave(): void {
    for (const { channel } of this.#parts) if (channel !== null) return;
    this.#owner.left(this);
  }

  #outcome(): Outcome {
    const answers: (Answer | null)[] = new Array(this.#matrix.width).fill(null);
    let isAnswered = false;
    for (const { partition, answer } of this.#parts) {
      if (answer !== null) isAnswered = true;
      answers[partition] = answer;
    }
    const failed = this.#parts.find(({ failure }) => failure !== null);
    if (failed !== undefined) return this.#failure(failed.failure!, answers);
    if (isAnswered) return { kind: "answered", answers };
    return this.#refusal(UNAVAILABLE, "All partitions down");
  }

  #failure(failure: PartFailure, answers: readonly (Answer | null)[]): Outcome {
    const { status, text } = failure;
    if (status === TOO_MANY_REQUESTS) return this.#refusal(status, text);
    return {
      kind: "failed",
      status: status === URI_TOO_LONG ? status : 500,
      message: text,
      hierarchy: errorHierarchy(answers, failure),
    };
  }

  #refusal(status: Refusal["status"], message: string): Refusal {
    const isBegun = this.#parts.some((part) => part.isBegun);
    return { kind: "refused", status, message, isBegun };
  }
}

function isPartial({ status, mediaType }: Answer): boolean {
  return status === OK && mediaType === MEDIA_TYPES.partial;
}

/** What happened to a connection, in place of what a back-end says. */
function said(text: string): BackEndError {
  return { text, level: 0, deep: 0 };
}
