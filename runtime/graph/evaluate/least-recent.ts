// A cache of a bounded number of entries: the one that was used least recently goes first.

export class LeastRecent<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #most: number;
  /** What was used last is asked for most, and need not be moved. */
  #lastKey: K | undefined;
  #lastValue: V | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    if (key === this.#lastKey) return this.#lastValue;
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#put(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#most) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest!);
    }
    this.#put(key, value);
  }

  #put(key: K, value: V): void {
    this.#entries.set(key, value);
    this.#lastKey = key;
    this.#lastValue = value;
  }
}
