// What becomes of one partition of a dispatched request: which replicas were tried, which ones have
// the request now, and what was answered. Mostly one replica has it; a second one may be asked when
// the first is late.

import type { DispatchedStep } from "../tracing/trace.js";
import type { BackEnd } from "./back-end.js";
import type { Channel, ChannelFault, ChannelUser } from "./channel.js";
import type { BackEndError } from "./error-chain.js";
import type { ForwardedRequest } from "./forwarded-request.js";
import type { BackEndResponse } from "./response-parser.js";

const NONE: readonly BackEnd[] = [];

/** Is told how attempts end. */
export interface AttemptOwner {
  answered(attempt: Attempt, answer: BackEndResponse): void;
  failed(attempt: Attempt, fault: ChannelFault, reason: string): void;
}

/** Why a partition has no answer. */
export interface PartitionFailure extends BackEndError {
  readonly status: number;
}

export class PartitionCall {
  readonly partition: number;
  readonly #owner: AttemptOwner;
  /** Replicas that could not answer. */
  tried = NONE;
  /** The one chosen for the next attempt. */
  backEnd: BackEnd | null = null;
  /** Those that are under way; after the answer, those that it came before. */
  readonly attempts: Attempt[] = [];
  /** A back-end may have executed it. */
  isBegun = false;
  answer: BackEndResponse | null = null;
  /** What the parent is told in place of an answer. */
  failure: PartitionFailure | null = null;
  isDone = false;

  constructor(owner: AttemptOwner, partition: number) {
    this.#owner = owner;
    this.partition = partition;
  }

  /** It is not done, and no replica has its request. */
  get isUnsent(): boolean {
    return !this.isDone && this.attempts.length === 0;
  }

  /** Sends the request to the back-end that was chosen. */
  send(request: ForwardedRequest): void {
    this.isBegun = true;
    this.attempts.push(new Attempt(this, this.backEnd!, request, this.#owner));
  }

  /** Another replica is to be taken. */
  giveUp(backEnd: BackEnd): void {
    this.tried = [...this.tried, backEnd];
  }

  /** What was tried last has not executed the request. */
  markUnseen(): void {
    if (this.attempts.length === 0) this.isBegun = false;
  }

  succeed(answer: BackEndResponse): void {
    this.answer = answer;
    this.failure = null;
    this.isDone = true;
  }

  /** The answer is to be made without it. */
  leaveOut(): void {
    this.failure = null;
    this.isDone = true;
  }

  fail(failure: PartitionFailure): void {
    this.failure = failure;
    this.isDone = true;
  }
}

/** A request on a channel of one back-end. */
export class Attempt implements ChannelUser {
  readonly channel: Channel;
  /** Monotonic milliseconds. */
  readonly sentMs = performance.now();
  readonly #owner: AttemptOwner;

  constructor(
    readonly part: PartitionCall,
    readonly backEnd: BackEnd,
    { head, body }: ForwardedRequest,
    owner: AttemptOwner,
  ) {
    this.#owner = owner;
    this.channel = backEnd.take();
    this.channel.send(head, body, this);
  }

  /** As a trace tells of it. */
  get step(): DispatchedStep {
    const { host, port } = this.backEnd.address;
    const { partition, replica } = this.backEnd.place;
    return { partition, replica, host, port, sentMs: this.sentMs };
  }

  answered(_: Channel, answer: BackEndResponse): void {
    this.#owner.answered(this, answer);
  }

  failed(_: Channel, fault: ChannelFault, reason: string): void {
    this.#owner.failed(this, fault, reason);
  }

  /** Gives the channel back. `backlog`: see `BackEnd.give`. */
  release(backlog: number): void {
    this.part.attempts.splice(this.part.attempts.indexOf(this), 1);
    this.backEnd.give(this.channel, backlog);
  }

  /** Ends the connection; the back-end may go on with what it has begun. */
  abort(): void {
    this.channel.abort();
    this.release(-1);
  }
}
