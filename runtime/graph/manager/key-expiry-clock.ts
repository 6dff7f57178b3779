// Clock by which idempotency keys expire. A key stores the second at which it expires by the system
// clock, which may be set while the key is stored, and differs between instances. A key must
// nevertheless stay for its lifespan, because a repeated request would be executed again.

/** Minimum age of a key that expires. */
export const KEY_LIFESPAN_SECONDS = 600;
const LIFESPAN_MS = KEY_LIFESPAN_SECONDS * 1000;

export class KeyExpiryClock {
  /** Milliseconds that no clock step affects. */
  readonly #monotonic: () => number;
  #startedAtMs: number | null = null;
  /** Lowest system second of the current lifespan, and of the one before. */
  #lowest = Infinity;
  #formerLowest = -Infinity;

  constructor(monotonic = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  /**
   * Returns the second up to which keys are due. Keys younger than their lifespan expire later:
   * none was created before the lowest second of that time.
   * @param second current second of the system clock
   */
  read(second: number): number {
    const now = this.#monotonic();
    this.#startedAtMs ??= now;
    if (now - this.#startedAtMs >= LIFESPAN_MS) {
      this.#startedAtMs = now;
      this.#formerLowest = this.#lowest;
      this.#lowest = second;
    }
    this.#lowest = Math.min(this.#lowest, second);
    return Math.min(this.#formerLowest, this.#lowest) + KEY_LIFESPAN_SECONDS - 1;
  }

  /** Forgets the seconds read: another instance creates the keys, by another system clock. */
  reset(): void {
    this.#startedAtMs = null;
    this.#lowest = Infinity;
    this.#formerLowest = -Infinity;
  }
}
