// Explanation of a dispatched response, for clients that send `X-SVC-Explain: 1`: the replica
// chosen in each partition, the cost of each at that moment, and where time was spent. Passive:
// never influences the call.

import { MAX_EXPLANATION_LENGTH } from "../base/limits.js";
import type { BackEnd } from "./back-end.js";
import { findFastest } from "./find-fastest.js";

/** Phases of a request in a dispatcher, in this order. */
export type Phase = "pre" | "wait" | "backends" | "merge" | "post";

/** One attempt; only the last one of a partition can be successful. */
interface DispatchAttempt {
  readonly backEnd: BackEnd;
  /** Cost of each replica, or the reason why it was unavailable. */
  readonly costs: readonly (number | "down" | "tried" | "full")[];
  /** HTTP status or connection fault; null while it runs. */
  outcome: number | string | null;
  readonly sinceMs: number;
  /** Null while it runs. */
  ms: number | null;
  /** Explanation by the back-end. */
  below: unknown;
}

const NOT_ASCII = /[^\x20-\x7e]/g;

export class Explanation {
  readonly #startedMs = performance.now();
  readonly #phases = new Map<Phase, number>();
  /** By partition. */
  readonly #attempts = new Map<number, DispatchAttempt[]>();
  #phase: Phase;
  #sinceMs = this.#startedMs;
  #isEnded = false;

  constructor(first: Phase) {
    this.#phase = first;
  }

  /** Ends the current phase and starts another one. */
  begin(phase: Phase): void {
    const now = performance.now();
    this.#phases.set(this.#phase, (this.#phases.get(this.#phase) ?? 0) + now - this.#sinceMs);
    this.#phase = phase;
    this.#sinceMs = now;
  }

  /** Records the choice of a replica, before its channel is taken. */
  recordChoice(backEnd: BackEnd, replicas: readonly BackEnd[], tried: readonly BackEnd[]): void {
    if (this.#phase === "wait") this.begin("backends");
    const { partition } = backEnd.position;
    const fastest = findFastest(replicas);
    const attempt: DispatchAttempt = {
      backEnd,
      costs: replicas.map((replica) => {
        if (tried.includes(replica)) return "tried";
        if (replica.isDown) return "down";
        return replica.hasFreeChannel ? replica.value(fastest) : "full";
      }),
      outcome: null,
      sinceMs: performance.now(),
      ms: null,
      below: null,
    };
    const tries = this.#attempts.get(partition);
    if (tries === undefined) this.#attempts.set(partition, [attempt]);
    else tries.push(attempt);
  }

  /** @param below explanation of the back-end as received; null: none */
  recordEnd(partition: number, outcome: number | string, below: string | null = null): void {
    const last = this.#attempts.get(partition)?.at(-1);
    if (last === undefined) return;
    last.outcome = outcome;
    last.ms = performance.now() - last.sinceMs;
    last.below = parseJson(below);
  }

  /** Ends the last phase, so that later readers get the same durations. */
  end(): void {
    if (this.#isEnded) return;
    this.begin(this.#phase);
    this.#isEnded = true;
  }

  /**
   * Returns ASCII JSON.
   * @param isField for a header line: details that exceed its limit are left out
   */
  text(isField: boolean): string {
    if (!this.#isEnded) this.begin(this.#phase);
    const phases = [...this.#phases].map(([phase, ms]) => [phase, round(ms)]);
    const now = this.#sinceMs;
    const total = round(now - this.#startedMs);
    const ms = { total, ...Object.fromEntries(phases) };
    const full = toAsciiJson({ ms, partitions: this.#partitions(now) });
    return isField && full.length > MAX_EXPLANATION_LENGTH ? toAsciiJson({ ms }) : full;
  }

  #partitions(now: number): object[] {
    const partitions = [...this.#attempts].sort(([a], [b]) => a - b);
    return partitions.map(([partition, tries]) => ({
      partition,
      tries: tries.map(
        ({ backEnd: { position, address }, costs, outcome, below, sinceMs, ms }) => ({
          replica: position.replica,
          address: `${address.host}:${address.port}`,
          costs,
          outcome,
          ms: round(ms ?? now - sinceMs),
          ...(below !== null && { below }),
        }),
      ),
    }));
  }
}

/** Returns an engine's explanation. `ms` is its response time. */
export function engineExplanation(ms: number): string {
  return toAsciiJson({ ms: { total: round(ms) } });
}

function toAsciiJson(value: object): string {
  return JSON.stringify(value).replace(NOT_ASCII, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Returns null for invalid JSON, which must not be embedded. */
function parseJson(text: string | null): unknown {
  if (text === null || text.length > MAX_EXPLANATION_LENGTH) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
