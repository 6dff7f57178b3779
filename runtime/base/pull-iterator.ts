// Async iterator over a source that is pulled. Unlike a generator, which continues until its next
// `yield`, it ends at once when its consumer stops while it waits.

/** A source of values; `close` is called once, when it failed or the consumer stopped. */
export interface PullSource<T> {
  /** Returns the next value; null if `wait` has to be called first. */
  pull(): T | null;
  /** Resolves when there may be a value. */
  wait(): Promise<void>;
  close(): void;
}

export class PullIterator<T> implements AsyncIterableIterator<T, undefined, undefined> {
  readonly #source: PullSource<T>;
  #isOver = false;
  #wake: () => void = () => {};

  constructor(source: PullSource<T>) {
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    try {
      while (!this.#isOver) {
        const value = this.#source.pull();
        if (value !== null) return { done: false, value };
        await this.#wait();
      }
    } catch (error) {
      this.#end();
      throw error;
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  /** Creates a promise per wait, because a shared pending one would accumulate reactions. */
  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#wake = resolve;
      this.#source.wait().then(resolve, reject);
    });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.close();
    this.#wake();
  }
}
