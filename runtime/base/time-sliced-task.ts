// Work that a thread does beside its own: looked for at intervals, done a slice at a time, so that
// whoever asks the thread for something gets his turn in between. It keeps no process alive.

export abstract class TimeSlicedTask {
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Does one slice; true if there is more to do at once. */
  protected abstract slice(): boolean;

  /** From now on, until `stop`. */
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
