// State of one partition of a dispatched request: replicas tried, running attempts, and the
// response. Usually one attempt runs; hedging adds a second one.

import type { DispatchedStep } from "../base/tracing/trace.js";
import type { MatrixConfig } from "../settings/matrix-config.js";
import type { BackEnd } from "./back-end.js";
import type { Channel, ChannelFault, ChannelUser } from "./channel.js";
import type { BackEndError } from "./error-chain.js";
import { type ErrorHierarchy, errorHierarchy } from "./error-chain.js";
import { type ForwardedRequest, signedRequest } from "./forwarded-request.js";
import type { BackEndResponse } from "./response-parser.js";

const NONE: readonly BackEnd[] = [];
const NO_ATTEMPTS: readonly Attempt[] = [];

/** Receives the outcome of attempts. */
export interface AttemptOwner {
  onResponse(attempt: Attempt, response: BackEndResponse): void;
  onFailure(attempt: Attempt, fault: ChannelFault, reason: string): void;
}

/** Why a partition has no usable response. */
export interface PartitionFailure extends BackEndError {
  readonly status: number;
  /** Whether a back-end responded, with an error. */
  readonly isAnswered: boolean;
  /** Whether the request has an `Idempotency-Key`. */
  readonly isKeyed: boolean;
}

export class PartitionCall {
  readonly partition: number;
  readonly #owner: AttemptOwner;
  /** Replicas that failed. */
  tried = NONE;
  /** The replica chosen for the next attempt. */
  backEnd: BackEnd | null = null;
  /** Running attempts; after the response, hedges that have not ended. */
  attempts = NO_ATTEMPTS;
  /** True if a back-end may have executed the request. */
  isBegun = false;
  response: BackEndResponse | null = null;
  /** Failure reported to the parent in place of a response. */
  failure: PartitionFailure | null = null;
  isDone = false;

  constructor(owner: AttemptOwner, partition: number) {
    this.#owner = owner;
    this.partition = partition;
  }

  /** True if the partition still needs a response and no attempt is running. */
  get isUnsent(): boolean {
    return !this.isDone && this.attempts.length === 0;
  }

  /** Sends the request to the chosen back-end. */
  send(request: ForwardedRequest): void {
    this.isBegun = true;
    this.attempts = [...this.attempts, new Attempt(this, this.backEnd!, request, this.#owner)];
  }

  /** Excludes a replica from further attempts. */
  exclude(backEnd: BackEnd): void {
    this.tried = [...this.tried, backEnd];
  }

  /** Records that the last attempt was not executed. */
  markNotExecuted(): void {
    if (this.attempts.length === 0) this.isBegun = false;
  }

  succeed(response: BackEndResponse): void {
    this.response = response;
    this.failure = null;
    this.isDone = true;
  }

  /** Excludes the partition from the response. */
  omit(): void {
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
  /** Requests in execution at the back-end, this one included. */
  readonly load: number;
  readonly #owner: AttemptOwner;

  constructor(
    readonly part: PartitionCall,
    readonly backEnd: BackEnd,
    request: ForwardedRequest,
    owner: AttemptOwner,
  ) {
    this.#owner = owner;
    this.channel = backEnd.takeChannel();
    this.load = backEnd.load;
    backEnd.speed.requestSent(this.sentMs);
    const { head, body } = signedRequest(request);
    this.channel.send(head, body, this);
  }

  /** The step recorded in a trace. */
  get step(): DispatchedStep {
    const { host, port } = this.backEnd.address;
    const { partition, replica } = this.backEnd.position;
    return { partition, replica, host, port, sentMs: this.sentMs };
  }

  onResponse(_: Channel, response: BackEndResponse): void {
    this.#owner.onResponse(this, response);
  }

  onFailure(_: Channel, fault: ChannelFault, reason: string): void {
    this.#owner.onFailure(this, fault, reason);
  }

  /** Returns the channel. `backlog`: see `BackEnd.give`. */
  release(backlog: number): void {
    const { attempts } = this.part;
    this.part.attempts =
      attempts.length === 1 ? NO_ATTEMPTS : attempts.filter((other) => other !== this);
    this.backEnd.returnChannel(this.channel, backlog);
  }

  /** Closes the connection; the back-end may continue executing. */
  abort(): void {
    this.channel.abort();
    this.release(-1);
  }
}

/** Outcome of a dispatched request, derived from its partitions. */
export type Outcome = Answered | DispatchRefusal | Failure;

/** Error statuses that a dispatcher passes on; others become 500. */
type PassedStatus = 401 | 403 | 409 | 414 | 421 | 422 | 507;

export interface Answered {
  readonly kind: "answered";
  /** By partition; null: partition down, or not addressed. */
  readonly responses: readonly (BackEndResponse | null)[];
  /** Whether partitions may be missing, and corrupt responses are left out. */
  readonly allowsPartial: boolean;
}

/** A back-end failed or did not respond. */
export interface Failure {
  readonly kind: "failed";
  readonly status: PassedStatus | 500;
  readonly message: string;
  readonly hierarchy: ErrorHierarchy;
}

/** Rejected or cancelled. */
export interface DispatchRefusal {
  readonly kind: "refused";
  readonly status: 429 | 503;
  readonly message: string;
  /** True if a back-end may have executed the request, even in part. */
  readonly isBegun: boolean;
}

const PASSED: readonly number[] = [401, 403, 414, 421, 507] satisfies PassedStatus[];
/** Refusals of a request because of its key. */
const PASSED_WITH_KEY: readonly number[] = [409, 422] satisfies PassedStatus[];
const TOO_MANY_REQUESTS = 429;

/**
 * @param parts the addressed partitions
 * @param isLenient allow partial results
 */
export function classifyOutcome(
  parts: readonly PartitionCall[],
  config: MatrixConfig,
  isLenient: boolean,
): Outcome {
  const responses: (BackEndResponse | null)[] = new Array(config.partitions.length).fill(null);
  for (const { partition, response } of parts) responses[partition] = response;
  const failed = parts.find(({ failure }) => failure !== null);
  if (failed !== undefined) return toFailure(failed.failure!, responses, parts);
  if (parts.every(({ response }) => response === null)) {
    return toRefusal(parts, 503, "All partitions down");
  }
  if (isLenient && !meetsCoverage(responses, config))
    return toRefusal(parts, 503, "Partition(s) down");
  return { kind: "answered", responses, allowsPartial: isLenient };
}

/**
 * Returns whether enough partitions have responded, among them the required ones.
 * @param responses of all partitions; null if one did not respond
 */
export function meetsCoverage(
  responses: readonly unknown[],
  { minCoverage, required }: MatrixConfig,
): boolean {
  const missing = responses.filter((response) => response === null).length;
  if (missing === responses.length || 1 - missing / responses.length < minCoverage) return false;
  return required.every((partition) => responses[partition] !== null);
}

export function toRefusal(
  parts: readonly PartitionCall[],
  status: DispatchRefusal["status"],
  message: string,
): DispatchRefusal {
  return { kind: "refused", status, message, isBegun: parts.some((part) => part.isBegun) };
}

function toFailure(
  failure: PartitionFailure,
  responses: readonly (BackEndResponse | null)[],
  parts: readonly PartitionCall[],
): Outcome {
  const { status, text, isKeyed } = failure;
  const isPassed = PASSED.includes(status) || (isKeyed && PASSED_WITH_KEY.includes(status));
  if (status === TOO_MANY_REQUESTS) return toRefusal(parts, status, text);
  return {
    kind: "failed",
    status: isPassed ? (status as PassedStatus) : 500,
    message: text,
    hierarchy: errorHierarchy(responses, answeredFailures(parts)),
  };
}

/** Returns the errors that back-ends responded with; other failed partitions count as missing. */
function answeredFailures(parts: readonly PartitionCall[]): PartitionFailure[] {
  return parts.flatMap(({ failure }) => (failure?.isAnswered ? [failure] : []));
}
