// Coalesces log lines: logs the first state changes individually and summarizes the rest. A matrix
// may have thousands of back-ends that all go down with a network.

/** Number of unlogged changes by kind, such as "down". */
type Counts = ReadonlyMap<string, number>;

export interface LogCoalescerOptions {
  /** Changes per window that are logged individually. */
  readonly maxLines: number;
  readonly windowMs: number;
  readonly later: (run: () => void, ms: number) => void;
  readonly report: (unlogged: Counts) => void;
}

export class LogCoalescer {
  readonly #options: LogCoalescerOptions;
  readonly #unlogged = new Map<string, number>();
  #logged = 0;
  #isWaiting = false;

  constructor(options: LogCoalescerOptions) {
    this.#options = options;
  }

  /** Returns whether a change is to be logged individually; counts it otherwise. */
  admits(kind: string): boolean {
    const { maxLines, windowMs, later } = this.#options;
    if (!this.#isWaiting) {
      this.#isWaiting = true;
      later(() => this.#end(), windowMs);
    }
    if (this.#logged < maxLines) {
      this.#logged++;
      return true;
    }
    this.#unlogged.set(kind, (this.#unlogged.get(kind) ?? 0) + 1);
    return false;
  }

  /** After a window with unlogged changes, the next one logs only a summary. */
  #end(): void {
    const { maxLines, report } = this.#options;
    this.#isWaiting = false;
    if (this.#unlogged.size === 0) {
      this.#logged = 0;
      return;
    }
    const unlogged = new Map(this.#unlogged);
    this.#unlogged.clear();
    this.#logged = maxLines;
    this.#isWaiting = true;
    this.#options.later(() => this.#end(), this.#options.windowMs);
    report(unlogged);
  }
}
