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
import type { Channel, ChannelFault, ChannelUser } from "./channel.js";
import { backEndErrorText, partialError } from "./error-chain.js";
import type { Explanation } from "./explanation.js";
import type { ForwardedRequest } from "./forwarded-request.js";
import type { Matrix } from "./matrix.js";

export type Outcome =
  /** Answers by partition; null where the partition is down, or the request not for it. */
  | { readonly kind: "answered"; readonly answers: readonly (Answer | null)[] }
  | Refusal
  /** A back-end answered with an error, or with nothing. */
  | { readonly kind: "failed"; readonly message: string };

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
  ended(call: DispatchCall, outcome: Outcome): void;
}

export interface ChannelInUse {
  readonly backEnd: BackEnd;
  readonly channel: Channel;
}

const OK = 200;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
const NONE: readonly BackEnd[] = [];

/** What becomes of one partition. */
class Part implements ChannelUser {
  readonly partition: number;
  readonly #call: DispatchCall;
  /** Replicas that could not answer. */
  tried = NONE;
  /** The one chosen, which has the request while there is a channel. */
  backEnd: BackEnd | null = null;
  channel: Channel | null = null;
  /** A back-end may have executed it. */
  isBegun = false;
  answer: Answer | null = null;
  /** What the parent is told in place of an answer. */
  error: string | null = null;
  isDone = false;

  constructor(call: DispatchCall, partition: number) {
    this.#call = call;
    this.partition = partition;
  }

  /** It is not done, and no replica has its request. */
  get isUnsent(): boolean {
    return !this.isDone && this.channel === null;
  }

  answered(_: Channel, answer: Answer): void {
    this.#call.answered(this, answer);
  }

  failed(_: Channel, fault: ChannelFault, reason: string): void {
    this.#call.failed(this, fault, reason);
  }

  send({ head, body }: ForwardedRequest): void {
    this.isBegun = true;
    this.channel = this.backEnd!.take();
    this.channel.send(head, body, this);
  }

  /** Gives the channel back. */
  release(backlog: number): void {
    const channel = this.channel!;
    this.channel = null;
    this.backEnd!.give(channel, backlog);
  }

  abort(): void {
    this.channel!.abort();
    this.release(-1);
  }

  /** Another replica is to be taken. */
  giveUpReplica(): void {
    this.tried = [...this.tried, this.backEnd!];
  }
}

export class DispatchCall {
  readonly dispatch: Dispatch;
  /** It stands in the owner's queue. */
  isWaiting = false;
  /** Where it stands in the owner's list. */
  place = -1;
  readonly request: ForwardedRequest;
  readonly #matrix: Matrix;
  readonly #owner: CallOwner;
  readonly #parts: Part[] = [];
  #isEnded = false;

  constructor(matrix: Matrix, dispatch: Dispatch, owner: CallOwner) {
    this.#matrix = matrix;
    this.#owner = owner;
    this.dispatch = dispatch;
    this.request = dispatch.request;
    const { target } = dispatch.request;
    const first = target < 0 ? 0 : target % matrix.width;
    const end = target < 0 ? matrix.width : first + 1;
    for (let partition = first; partition < end; partition++) {
      this.#parts.push(new Part(this, partition));
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
      this.dispatch.explanation?.ended(part.partition, "timeout");
      if (this.#mayLackParts) this.#leaveOut(part);
      else this.#fail(part, UNAVAILABLE, `timeout after ${timeoutMs} ms`);
    }
    this.#settle();
  }

  /** Ends it without an answer; what is under way is cut off. */
  cancel(status: Refusal["status"], message: string): void {
    for (const part of this.#parts) if (part.channel !== null) part.abort();
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#owner.ended(this, this.#refusal(status, message));
  }

  /** A back-end has answered. */
  answered(part: Part, answer: Answer): void {
    part.release(answer.backlog);
    const { status } = answer;
    this.dispatch.explanation?.ended(part.partition, status, answer.explain);
    if (status === UNAVAILABLE) {
      this.#suspect(part);
      part.isBegun = false;
      part.giveUpReplica();
    } else if (status === TOO_MANY_REQUESTS) {
      part.backEnd!.penalise();
      part.isBegun = false;
      part.giveUpReplica();
      part.error = this.#errorOf(part, status, backEndErrorText(answer.body));
    } else if (this.request.isRelayed || isPartial(answer)) {
      part.answer = answer;
      part.error = null;
      part.isDone = true;
    } else this.#fail(part, status, backEndErrorText(answer.body));
    this.#settle();
  }

  /** A back-end has not answered. */
  failed(part: Part, fault: ChannelFault, reason: string): void {
    part.release(-1);
    this.dispatch.explanation?.ended(part.partition, reason);
    this.#suspect(part);
    if (fault === "unconnected") part.isBegun = false;
    const isUnseen =
      fault === "unconnected" || (fault === "no-answer" && this.request.method === "GET");
    if (isUnseen) part.giveUpReplica();
    else this.#fail(part, UNAVAILABLE, reason);
    this.#settle();
  }

  /** Whether the answer may be made without the partitions that are down. */
  get #mayLackParts(): boolean {
    const { preference, target } = this.request;
    return this.#matrix.config.allowIncomplete && target < 0 && !preference.isPrimary;
  }

  #send(part: Part): void {
    const replicas = this.#matrix.backEnds[part.partition]!;
    this.dispatch.explanation?.chosen(part.backEnd!, replicas, part.tried);
    part.send(this.request);
  }

  #suspect({ backEnd }: Part): void {
    backEnd!.retire();
    this.#owner.suspect(backEnd!);
  }

  #fail(part: Part, status: number, text: string): void {
    part.error = this.#errorOf(part, status, text);
    part.isDone = true;
  }

  #leaveOut(part: Part): void {
    part.error = null;
    part.isDone = true;
  }

  #errorOf({ partition }: Part, status: number, text: string): string {
    return partialError(partition, this.#matrix.width, status, text);
  }

  /** No replica of a partition is left; false if that ends the call. */
  #giveUp(part: Part): boolean {
    // Those that were tried failed, unless one had too much to do.
    const isDown = part.error === null;
    if (isDown && !this.#mayLackParts) {
      this.cancel(UNAVAILABLE, "Partition(s) down");
      return false;
    }
    part.isDone = true;
    return true;
  }

  /** After answers or faults: goes on, waits, or ends. */
  #settle(): void {
    let isUnsent = false;
    for (const part of this.#parts) if (part.isUnsent) isUnsent = true;
    if (!isUnsent) this.#endIfComplete();
    else if (!this.isWaiting && !this.advance()) this.#owner.wait(this);
    this.#owner.freed();
  }

  #endIfComplete(): void {
    if (this.#isEnded) return;
    for (const part of this.#parts) if (!part.isDone) return;
    this.#isEnded = true;
    this.#owner.ended(this, this.#outcome());
  }

  #outcome(): Outcome {
    const answers: (Answer | null)[] = [];
    for (let partition = 0; partition < this.#matrix.width; partition++) answers.push(null);
    let isAnswered = false;
    for (const { partition, error, answer } of this.#parts) {
      if (error !== null) return { kind: "failed", message: error };
      if (answer !== null) isAnswered = true;
      answers[partition] = answer;
    }
    if (isAnswered) return { kind: "answered", answers };
    return this.#refusal(UNAVAILABLE, "All partitions down");
  }

  #refusal(status: Refusal["status"], message: string): Refusal {
    const isBegun = this.#parts.some((part) => part.isBegun);
    return { kind: "refused", status, message, isBegun };
  }
}

function isPartial({ status, mediaType }: Answer): boolean {
  return status === OK && mediaType === MEDIA_TYPES.partial;
}
