// Token bucket: limits a rate, with bursts up to its capacity. It is refilled by events, as a retry
// budget is, or by time, as a rate limit is.

export class TokenBucket {
  #tokens: number;

  /** @param capacity tokens of a full bucket, its initial state */
  constructor(readonly capacity: number) {
    this.#tokens = capacity;
  }

  get isFull(): boolean {
    return this.#tokens === this.capacity;
  }

  /** Takes a token; returns false if the bucket is empty. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Adds tokens, up to the capacity. */
  add(tokens: number): void {
    this.#tokens = Math.min(this.capacity, this.#tokens + tokens);
  }
}

/** Rate limit per second, with bursts of one second's tokens. */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #bucket: TokenBucket;
  #filledAtMs = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#bucket = new TokenBucket(perSecond);
  }

  /** Takes a token if available; `monotonicMs` never decreases. */
  take(monotonicMs: number): boolean {
    this.#refill(monotonicMs);
    return this.#bucket.take();
  }

  /** Adds tokens, up to those of one second. */
  add(tokens: number): void {
    this.#bucket.add(tokens);
  }

  /** Returns whether the limiter can be dropped without effect. */
  isFull(monotonicMs: number): boolean {
    this.#refill(monotonicMs);
    return this.#bucket.isFull;
  }

  #refill(monotonicMs: number): void {
    this.#bucket.add(((monotonicMs - this.#filledAtMs) / 1000) * this.#perSecond);
    this.#filledAtMs = monotonicMs;
  }
}
