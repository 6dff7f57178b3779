// Exponential backoff with jitter: a growing delay between attempts, partly random, so that
// instances that failed at the same time do not retry at the same time.

export interface BackoffOptions {
  readonly minMs: number;
  readonly maxMs: number;
  /** Growth of the delay with each failure (default: 2). */
  readonly factor?: number;
  /** Random share of a delay, 0 to 1 (default: 0). */
  readonly jitter?: number;
}

export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Consecutive failures. */
  get failures(): number {
    return this.#failures;
  }

  /** Delay in milliseconds before the next attempt; 0 without a failure. */
  get delayMs(): number {
    const { jitter = 0 } = this.#options;
    return backoffMs(this.#failures, this.#options) * (1 - jitter * Math.random());
  }

  /** Records a failure and returns the delay before the next attempt. */
  fail(): number {
    this.#failures++;
    return this.delayMs;
  }

  /** Records a success: the next failure starts with the shortest delay. */
  reset(): void {
    this.#failures = 0;
  }
}

/** Returns the delay after a number of consecutive failures, without jitter. */
export function backoffMs(
  failures: number,
  { minMs, maxMs, factor = 2 }: Omit<BackoffOptions, "jitter">,
): number {
  return failures === 0 ? 0 : Math.min(maxMs, minMs * factor ** (failures - 1));
}
