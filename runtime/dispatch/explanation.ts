// How the answer to a dispatched request came about, for clients that ask with `X-SVC-Explain: 1`:
// which replica of each partition was chosen, what each would have cost at that moment, and where
// the time went. Only told about a call; has no part in it.

import { MAX_EXPLANATION_LENGTH } from "../base/limits.js";
import type { BackEnd } from "./back-end.js";

/** What a request goes through in a dispatcher, in this order. */
export type Phase = "pre" | "wait" | "backends" | "merge" | "post";

/** One replica that was asked; the last one of a partition has answered, or none could. */
interface Try {
  readonly replica: number;
  readonly address: string;
  /** Of each replica, or why it was not to be had. */
  readonly costs: readonly (number | "down" | "tried" | "full")[];
  /** HTTP status, or what happened to the connection; null while it runs. */
  outcome: number | string | null;
  readonly sinceMs: number;
  /** Null while it runs. */
  ms: number | null;
  /** What the back-end explains itself. */
  below: unknown;
}

const NOT_ASCII = /[^\x20-\x7e]/g;

export class Explanation {
  readonly #startedMs = performance.now();
  readonly #phases = new Map<Phase, number>();
  /** By partition. */
  readonly #tries = new Map<number, Try[]>();
  #phase: Phase;
  #sinceMs = this.#startedMs;

  constructor(first: Phase) {
    this.#phase = first;
  }

  /** Ends the phase before. */
  begin(phase: Phase): void {
    const now = performance.now();
    this.#phases.set(this.#phase, (this.#phases.get(this.#phase) ?? 0) + now - this.#sinceMs);
    this.#phase = phase;
    this.#sinceMs = now;
  }

  /** A replica of a partition was chosen; its channel is not taken yet. */
  chosen(backEnd: BackEnd, replicas: readonly BackEnd[], tried: readonly BackEnd[]): void {
    if (this.#phase === "wait") this.begin("backends");
    const { address, place } = backEnd;
    const tries = this.#tries.get(place.partition) ?? [];
    this.#tries.set(place.partition, tries);
    tries.push({
      replica: place.replica,
      address: `${address.host}:${address.port}`,
      costs: replicas.map((replica) => {
        if (tried.includes(replica)) return "tried";
        if (replica.isDefunct) return "down";
        return replica.hasFreeChannel ? replica.value : "full";
      }),
      outcome: null,
      sinceMs: performance.now(),
      ms: null,
      below: null,
    });
  }

  /** @param below explanation of the back-end as it came, null without one */
  ended(partition: number, outcome: number | string, below: string | null = null): void {
    const last = this.#tries.get(partition)?.at(-1);
    if (last === undefined) return;
    last.outcome = outcome;
    last.ms = performance.now() - last.sinceMs;
    last.below = parsed(below);
  }

  /**
   * JSON text of ASCII characters.
   * @param isField it travels up in a header line: what is too long for one is left out
   */
  text(isField: boolean): string {
    this.begin(this.#phase);
    const phases = [...this.#phases].map(([phase, ms]) => [phase, rounded(ms)]);
    const now = this.#sinceMs;
    const total = rounded(now - this.#startedMs);
    const ms = { total, ...Object.fromEntries(phases) };
    const whole = ascii({ ms, partitions: this.#partitions(now) });
    return isField && whole.length > MAX_EXPLANATION_LENGTH ? ascii({ ms }) : whole;
  }

  #partitions(now: number): object[] {
    const partitions = [...this.#tries].sort(([a], [b]) => a - b);
    return partitions.map(([partition, tries]) => ({
      partition,
      tries: tries.map(({ below, sinceMs, ms, ...rest }) => ({
        ...rest,
        ms: rounded(ms ?? now - sinceMs),
        ...(below !== null && { below }),
      })),
    }));
  }
}

/** What an engine explains. `ms` is how long its answer took. */
export function engineExplanation(ms: number): string {
  return ascii({ ms: { total: rounded(ms) } });
}

function ascii(value: object): string {
  return JSON.stringify(value).replace(NOT_ASCII, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Null for what is no JSON: it must not become a part of ours. */
function parsed(text: string | null): unknown {
  if (text === null || text.length > MAX_EXPLANATION_LENGTH) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
