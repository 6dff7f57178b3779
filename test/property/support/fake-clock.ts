// A fake clock for graphs: whole seconds since 1970.

const real = Date.now;

export class FakeClock {
  /** Seconds since 1970. */
  constructor(public second = 1_000_000_000) {}

  /** From now on `Date.now` of this thread returns the clock's time. */
  start(): this {
    Date.now = () => this.second * 1000;
    return this;
  }

  stop(): void {
    Date.now = real;
  }
}
