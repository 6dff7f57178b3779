// A wait that others can cut short, and that is none where they were first.

export class InterruptibleSleep {
  #hasRung = false;
  #end: () => void = () => undefined;

  ring(): void {
    this.#hasRung = true;
    this.#end();
  }

  /** So long, or until it rings: not at all where it has rung since the last wait. */
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
