// What becomes of one partition of a dispatched request: which replicas were tried, which one has
// the request now, and what it answered.

import type { Answer } from "./answer-parser.js";
import type { BackEnd } from "./back-end.js";
import type { Channel, ChannelFault, ChannelUser } from "./channel.js";
import type { BackEndError } from "./error-chain.js";
import type { ForwardedRequest } from "./forwarded-request.js";

const NONE: readonly BackEnd[] = [];

/** Is told how the requests of its parts end. */
export interface PartOwner {
  answered(part: DispatchPart, answer: Answer): void;
  failed(part: DispatchPart, fault: ChannelFault, reason: string): void;
}

/** Why a partition has no answer. */
export interface PartFailure extends BackEndError {
  readonly status: number;
}

export class DispatchPart implements ChannelUser {
  readonly partition: number;
  readonly #owner: PartOwner;
  /** Replicas that could not answer. */
  tried = NONE;
  /** The one chosen, which has the request while there is a channel. */
  backEnd: BackEnd | null = null;
  channel: Channel | null = null;
  /** A back-end may have executed it. */
  isBegun = false;
  answer: Answer | null = null;
  /** What the parent is told in place of an answer. */
  failure: PartFailure | null = null;
  isDone = false;

  constructor(owner: PartOwner, partition: number) {
    this.#owner = owner;
    this.partition = partition;
  }

  /** It is not done, and no replica has its request. */
  get isUnsent(): boolean {
    return !this.isDone && this.channel === null;
  }

  answered(_: Channel, answer: Answer): void {
    this.#owner.answered(this, answer);
  }

  failed(_: Channel, fault: ChannelFault, reason: string): void {
    this.#owner.failed(this, fault, reason);
  }

  send({ head, body }: ForwardedRequest): void {
    this.isBegun = true;
    this.channel = this.backEnd!.take();
    this.channel.send(head, body, this);
  }

  /** Gives the channel back. `backlog`: see `BackEnd.give`. */
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

  /** The answer is to be made without it. */
  leaveOut(): void {
    this.failure = null;
    this.isDone = true;
  }

  fail(failure: PartFailure): void {
    this.failure = failure;
    this.isDone = true;
  }
}
