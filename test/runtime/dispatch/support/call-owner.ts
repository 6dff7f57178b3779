// Owner of a dispatched request that records its outcome.

import * as assert from "uvu/assert";
import type {
  CallOwner,
  Dispatch,
  DispatchCall,
} from "../../../../runtime/dispatch/dispatch-call.js";
import type { ForwardedRequest } from "../../../../runtime/dispatch/forwarded-request.js";
import type { Matrix } from "../../../../runtime/dispatch/matrix.js";
import type { Outcome } from "../../../../runtime/dispatch/partition-call.js";
import { until } from "./fake-back-end.js";
import { makeRequest, type RequestOptions } from "./make-request.js";

export const PARTIAL = "Content-Type: application/x-svc-partial";

/** Records the notifications of its call. */
export class Owner implements CallOwner {
  /** Where a call is repeated that got responses of several slot maps. */
  matrix!: Matrix;
  waits = 0;
  leaves = 0;
  successes = 0;
  /** Whether and how many GETs may be retried. */
  repeats = false;
  budget = 1;
  /** Whether POSTs change nothing. */
  isReadonly = false;
  exhaustions = 0;
  readonly outcomes: Outcome[] = [];

  enqueue(): void {
    this.waits++;
  }

  onChannelFree(): void {}

  isHeld(): boolean {
    return false;
  }

  recordFailure(): void {}

  reportExhaustion(): void {
    this.exhaustions++;
  }

  onEnd(_: DispatchCall, outcome: Outcome): void {
    this.outcomes.push(outcome);
  }

  isQuery({ method }: ForwardedRequest): boolean {
    return this.isReadonly || method === "GET";
  }

  isRetryable({ method }: ForwardedRequest): boolean {
    return this.repeats && method === "GET";
  }

  isRetryAllowed(): boolean {
    return this.budget-- > 0;
  }

  recordSuccess(): void {
    this.successes++;
  }

  onRelease(): void {
    this.leaves++;
  }

  /** The bodies by partition, or the error, as a string. */
  async outcome(): Promise<string> {
    await until(() => this.outcomes.length > 0, "outcome");
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.is(this.outcomes.length, 1);
    const [outcome] = this.outcomes;
    if (outcome!.kind === "refused") return `${outcome!.status} ${outcome!.message}`;
    if (outcome!.kind === "failed") return outcome!.message;
    return outcome!.responses.map((response) => response?.body.toString("latin1") ?? "-").join(",");
  }
}

export function makeDispatch(path: string, options: RequestOptions = {}): Dispatch {
  const request = makeRequest(path, options);
  return {
    request,
    resubmits: 0,
    explanation: null,
    trace: null,
    client: "127.0.0.1",
    isAborted: () => false,
    onEnd: () => {},
  };
}
