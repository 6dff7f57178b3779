// Replays recorded requests at their original pace and compares the responses.

import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "../../runtime/base/errors.js";
import { comparableResponse, type RecordedRequest } from "../../runtime/http/recorded-request.js";
import { type Difference, ReplayOutcome } from "./outcome.js";
import { readRecorded } from "./read-recorded.js";
import { type Answer, TargetServer } from "./target-server.js";

export interface ReplayOptions {
  readonly against: string | undefined;
  /** Factor of the recorded rate; `max`: as fast as the connections allow. */
  readonly speed: number | "max";
  readonly connections: number;
  /** True to send requests that may change something as well. */
  readonly changes: boolean;
  readonly fieldsFile: string | undefined;
}

/** Safe methods (RFC 9110). */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * @throws SvcError SVC3320 without a recording, SVC3321 without a server, SVC3322 invalid fields
 */
export async function replayFile(path: string, options: ReplayOptions): Promise<ReplayOutcome> {
  const { against, connections, fieldsFile } = options;
  const server = new TargetServer(against, connections, fieldsFile);
  const outcome = new ReplayOutcome();
  const running = new Set<Promise<void>>();
  const pace = new Pace(options.speed);
  try {
    for await (const recorded of readRecorded(path)) {
      if (recorded === null) {
        outcome.leftOut("invalid line of the recording");
        continue;
      }
      const { request, isFirst } = recorded;
      if (isFirst) pace.restart();
      const reason = skipReason(request, options);
      if (reason !== null) {
        outcome.leftOut(reason);
        continue;
      }
      await pace.due(request.at);
      while (running.size >= connections) await Promise.race(running);
      const isTrial = outcome.sent === 0 && running.size === 0;
      const sending = send(server, request, outcome, isTrial ? against! : null);
      const ended = sending.finally(() => running.delete(ended));
      running.add(ended);
      // Waits for the first request: without a server, further requests are pointless.
      if (isTrial) await ended;
    }
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
    server.close();
  }
  outcome.end();
  return outcome;
}

/** Returns the reason why a request is not sent; null if it is. */
function skipReason(recorded: RecordedRequest, { changes }: ReplayOptions): string | null {
  if (!changes && !SAFE.has(recorded.method))
    return "unsafe method; pass --include-writes to include it";
  const isWhole = recorded.sent === 0 || recorded.body !== undefined;
  return isWhole ? null : "request body was not recorded";
}

/** @param against the target; a server that never responded counts as unreachable */
async function send(
  server: TargetServer,
  recorded: RecordedRequest,
  outcome: ReplayOutcome,
  against: string | null,
): Promise<void> {
  try {
    const response = await server.send(recorded);
    const { ms, difference } = compared(recorded, response);
    outcome.addResponse(recorded, ms ?? response.ms, response.status, difference);
  } catch (error) {
    // Node.js rejects such a request before it connects: this says nothing about the server.
    if (error instanceof TypeError) return outcome.leftOut("invalid request");
    const { message } = error as Error;
    if (against !== null) throw new SvcError("SVC3321", `no response from ${against}: ${message}`);
    outcome.addFailure(recorded, message);
  }
}

function compared(
  recorded: RecordedRequest,
  { status, mediaType, body }: Answer,
): { readonly ms: number | null; readonly difference: Difference | null } {
  const { digest, bytes, ms } = comparableResponse(status, mediaType, body);
  if (status !== recorded.status) return { ms, difference: "status" };
  // For streams, errors and HEAD, only the status was recorded.
  const isSame = recorded.bytes === null || recorded.bytes === bytes;
  if (isSame && (recorded.digest === null || recorded.digest === digest)) {
    return { ms, difference: null };
  }
  return { ms, difference: "answer" };
}

/** Delays requests until they are due. */
class Pace {
  readonly #speed: number | "max";
  /** Recorded time of the first request, and the time at which it was sent. */
  #first: { readonly at: number; readonly ms: number } | null = null;

  constructor(speed: number | "max") {
    this.#speed = speed;
  }

  /** Makes the next request due at once. */
  restart(): void {
    this.#first = null;
  }

  async due(at: number): Promise<void> {
    if (this.#speed === "max") return;
    this.#first ??= { at, ms: performance.now() };
    const due = this.#first.ms + (at - this.#first.at) / this.#speed;
    const waitMs = due - performance.now();
    if (waitMs > 0) await delay(waitMs);
  }
}
