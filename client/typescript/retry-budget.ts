// Retry budget: limits the load that retries add to a service in trouble to one retry per ten
// calls, after an initial allowance. Also computes the backoff before a retry.

const MAX_TOKENS = 10;
const SUCCESS_TOKENS = 0.1;
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 2000;

/** Shared by all calls of a client and of the clients derived from it. */
export class RetryBudget {
  #tokens = MAX_TOKENS;

  /** Withdraws the cost of a retry; false if too little is left. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  succeeded(): void {
    this.#tokens = Math.min(MAX_TOKENS, this.#tokens + SUCCESS_TOKENS);
  }
}

/**
 * A random delay below a limit that doubles: clients that failed together should not retry
 * together.
 */
export function retryDelayMs(retry: number): number {
  return Math.random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** retry);
}
