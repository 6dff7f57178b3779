// A bound for how often something may happen: so many times a second on average, and as many at
// once after a second without.

export class TokenBucket {
  #tokens: number;
  #filledAtMs = 0;

  /** @param perSecond 0 for no bound */
  constructor(readonly perSecond: number) {
    this.#tokens = perSecond;
  }

  /** Whether it may happen once more; `nowMs` never goes back. */
  take(nowMs: number): boolean {
    if (this.perSecond === 0) return true;
    this.#fill(nowMs);
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** True when forgetting it makes no difference. */
  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#tokens === this.perSecond;
  }

  #fill(nowMs: number): void {
    const gained = ((nowMs - this.#filledAtMs) / 1000) * this.perSecond;
    this.#tokens = Math.min(this.perSecond, this.#tokens + gained);
    this.#filledAtMs = nowMs;
  }
}
