// A bound for how often something may happen: so many times a second on average, and as many at
// once after a second without.

export class TokenBucket {
  #tokens: number;
  #filledAtMs = 0;

  /** @param perSecond 0 for no bound */
  constructor(readonly perSecond: number) {
    this.#tokens = perSecond;
  }

  /** Whether it may happen once more; `monotonicMs` never goes back. */
  take(monotonicMs: number): boolean {
    if (this.perSecond === 0) return true;
    this.#fill(monotonicMs);
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** True when forgetting it makes no difference. */
  isFull(monotonicMs: number): boolean {
    this.#fill(monotonicMs);
    return this.#tokens === this.perSecond;
  }

  #fill(monotonicMs: number): void {
    const gained = ((monotonicMs - this.#filledAtMs) / 1000) * this.perSecond;
    this.#tokens = Math.min(this.perSecond, this.#tokens + gained);
    this.#filledAtMs = monotonicMs;
  }
}
