// Tells the first of many changes one by one, and how many more there were in one line: a matrix
// may have thousands of back-ends, which all go down when a network does.

/** Changes of one kind, such as "down", and how many of them were not told. */
type Counts = ReadonlyMap<string, number>;

export interface LogCoalescerOptions {
  /** Changes in one window that are told one by one. */
  readonly most: number;
  readonly windowMs: number;
  readonly later: (run: () => void, ms: number) => void;
  readonly tell: (untold: Counts) => void;
}

export class LogCoalescer {
  readonly #parts: LogCoalescerOptions;
  readonly #untold = new Map<string, number>();
  #told = 0;
  #isWaiting = false;

  constructor(parts: LogCoalescerOptions) {
    this.#parts = parts;
  }

  /** Whether a change of a kind is to be told by itself; if not, it is counted. */
  admits(kind: string): boolean {
    const { most, windowMs, later } = this.#parts;
    if (!this.#isWaiting) {
      this.#isWaiting = true;
      later(() => this.#end(), windowMs);
    }
    if (this.#told < most) {
      this.#told++;
      return true;
    }
    this.#untold.set(kind, (this.#untold.get(kind) ?? 0) + 1);
    return false;
  }

  /** While there are many, the next window begins full: only its sum is told. */
  #end(): void {
    const { most, tell } = this.#parts;
    this.#isWaiting = false;
    if (this.#untold.size === 0) {
      this.#told = 0;
      return;
    }
    const untold = new Map(this.#untold);
    this.#untold.clear();
    this.#told = most;
    this.#isWaiting = true;
    this.#parts.later(() => this.#end(), this.#parts.windowMs);
    tell(untold);
  }
}
