// Interruptible sleep; a ring before the sleep is not lost.

export class InterruptibleSleep {
  #hasRung = false;
  #end: () => void = () => undefined;

  ring(): void {
    this.#hasRung = true;
    this.#end();
  }

  /** Sleeps `ms` or until `ring`; returns at once if it has rung since the last sleep. */
  async wait(ms: number): Promise<void> {
    if (!this.#hasRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#end = () => undefined;
    }
    this.#hasRung = false;
  }
}
