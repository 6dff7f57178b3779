// Background work of a thread in time slices: polls at intervals and yields after each slice, so
// that the thread stays responsive. Does not keep the process alive.

export abstract class TimeSlicedTask {
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Does one slice; returns whether more work is available now. */
  protected abstract slice(): boolean;

  /** Starts polling, until `stop`. */
  start(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => this.#run(), this.#everyMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #run(): void {
    if (this.#timer === null || !this.slice()) return;
    setImmediate(() => this.#run());
  }
}
