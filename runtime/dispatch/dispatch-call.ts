// One request on its way through the matrix: takes channels in all partitions that it is for, or in
// none; sends; goes to another replica where that is safe; and ends once, with an answer of every
// partition or with what went wrong.
//
//   waiting ──advance()──► running ──(last answer, fault or time-out)──► done
//      ▲                      │ a replica failed and the other ones are busy
//      └──────────────────────┘

import { MEDIA_TYPES } from "../plugin/media-types.js";
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
  | { readonly kind: "refused"; readonly status: 429 | 503; readonly message: string }
  /** A back-end answered with an error, or with nothing. */
  | { readonly kind: "failed"; readonly message: string };

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

/** What becomes of one partition. */
interface Part {
  readonly partition: number;
  /** Replicas that could not answer. */
  readonly tried: BackEnd[];
  backEnd: BackEnd | null;
  channel: Channel | null;
  answer: Answer | null;
  /** What the parent is told in place of an answer. */
  error: string | null;
  isDone: boolean;
}

const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;

export class DispatchCall implements ChannelUser {
  readonly request: ForwardedRequest;
  /** It stands in the owner's queue. */
  isWaiting = false;
  readonly #matrix: Matrix;
  readonly #owner: CallOwner;
  readonly #explanation: Explanation | null;
  readonly #parts: Part[] = [];
  readonly #byChannel = new Map<Channel, Part>();
  #isEnded = false;

  /** @param explanation is told what happens; null where nobody asks */
  constructor(
    matrix: Matrix,
    request: ForwardedRequest,
    owner: CallOwner,
    explanation: Explanation | null = null,
  ) {
    this.#matrix = matrix;
    this.#owner = owner;
    this.#explanation = explanation;
    this.request = request;
    const { target } = request;
    const first = target < 0 ? 0 : target % matrix.width;
    const end = target < 0 ? matrix.width : first + 1;
    for (let partition = first; partition < end; partition++) this.#parts.push(newPart(partition));
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
    const chosen: [Part, BackEnd][] = [];
    let isBusy = false;
    for (const part of this.#parts) {
      if (part.isDone || part.channel !== null) continue;
      const choice = this.#matrix.choose(part.partition, this.request.preference, part.tried);
      if (choice === "busy") isBusy = true;
      else if (choice !== "down") chosen.push([part, choice]);
      else if (!this.#giveUp(part)) return true;
    }
    if (isBusy) return false;
    for (const [part, backEnd] of chosen) this.#send(part, backEnd);
    this.#endIfComplete();
    return true;
  }

  /** Gives up on back-ends that have not answered for so long. */
  expire(timeoutMs: number): void {
    const before = performance.now() - timeoutMs;
    const overdue = [...this.#byChannel.keys()].filter((channel) => channel.sinceMs < before);
    if (overdue.length === 0) return;
    for (const channel of overdue) {
      channel.abort();
      const part = this.#release(channel, -1);
      this.#suspect(part);
      this.#explanation?.ended(part.partition, "timeout");
      if (this.#mayLackParts) part.isDone = true;
      else this.#fail(part, UNAVAILABLE, `timeout after ${timeoutMs} ms`);
    }
    this.#settle();
  }

  /** Ends it without an answer; what is under way is cut off. */
  cancel(outcome: Outcome): void {
    for (const channel of [...this.#byChannel.keys()]) {
      channel.abort();
      this.#release(channel, -1);
    }
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#owner.ended(this, outcome);
  }

  answered(channel: Channel, answer: Answer): void {
    const part = this.#release(channel, answer.backlog);
    const { status } = answer;
    this.#explanation?.ended(part.partition, status, answer.explain);
    if (status === UNAVAILABLE) {
      this.#suspect(part);
      part.tried.push(part.backEnd!);
    } else if (status === TOO_MANY_REQUESTS) {
      part.backEnd!.penalise();
      part.tried.push(part.backEnd!);
      part.error = this.#errorOf(part, status, backEndErrorText(answer.body));
    } else if (this.request.isRelayed || answer.mediaType === MEDIA_TYPES.partial) {
      part.answer = answer;
      part.error = null;
      part.isDone = true;
    } else this.#fail(part, status, backEndErrorText(answer.body));
    this.#settle();
  }

  failed(channel: Channel, fault: ChannelFault, reason: string): void {
    const part = this.#release(channel, -1);
    this.#explanation?.ended(part.partition, reason);
    this.#suspect(part);
    const isUnseen =
      fault === "unconnected" || (fault === "no-answer" && this.request.method === "GET");
    if (isUnseen) part.tried.push(part.backEnd!);
    else this.#fail(part, UNAVAILABLE, reason);
    this.#settle();
  }

  /** Whether the answer may be made without the partitions that are down. */
  get #mayLackParts(): boolean {
    const { preference, target } = this.request;
    return this.#matrix.config.allowIncomplete && target < 0 && !preference.isPrimary;
  }

  #send(part: Part, backEnd: BackEnd): void {
    const replicas = this.#matrix.backEnds[part.partition]!;
    this.#explanation?.chosen(backEnd, replicas, part.tried);
    const channel = backEnd.take();
    part.backEnd = backEnd;
    part.channel = channel;
    this.#byChannel.set(channel, part);
    channel.send(this.request.head, this.request.body, this);
  }

  /** Gives the channel back and returns whose it was. */
  #release(channel: Channel, backlog: number): Part {
    const part = this.#byChannel.get(channel)!;
    this.#byChannel.delete(channel);
    part.channel = null;
    part.backEnd!.give(channel, backlog);
    return part;
  }

  #suspect({ backEnd }: Part): void {
    backEnd!.retire();
    this.#owner.suspect(backEnd!);
  }

  #fail(part: Part, status: number, text: string): void {
    part.error = this.#errorOf(part, status, text);
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
      this.cancel({ kind: "refused", status: UNAVAILABLE, message: "Partition(s) down" });
      return false;
    }
    part.isDone = true;
    return true;
  }

  /** After answers or faults: goes on, waits, or ends. */
  #settle(): void {
    const needsChannel = this.#parts.some((part) => !part.isDone && part.channel === null);
    if (!needsChannel) this.#endIfComplete();
    else if (!this.isWaiting && !this.advance()) this.#owner.wait(this);
    this.#owner.freed();
  }

  #endIfComplete(): void {
    if (this.#isEnded || this.#parts.some((part) => !part.isDone)) return;
    this.#isEnded = true;
    this.#owner.ended(this, this.#outcome());
  }

  #outcome(): Outcome {
    const failed = this.#parts.find((part) => part.error !== null);
    if (failed !== undefined) return { kind: "failed", message: failed.error! };
    if (this.#parts.every((part) => part.answer === null)) {
      return { kind: "refused", status: UNAVAILABLE, message: "All partitions down" };
    }
    const answers: (Answer | null)[] = new Array(this.#matrix.width).fill(null);
    for (const part of this.#parts) answers[part.partition] = part.answer;
    return { kind: "answered", answers };
  }
}

function newPart(partition: number): Part {
  return {
    partition,
    tried: [],
    backEnd: null,
    channel: null,
    answer: null,
    error: null,
    isDone: false,
  };
}
