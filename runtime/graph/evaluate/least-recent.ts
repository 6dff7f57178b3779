// A cache of a bounded number of entries: the one that was used least recently goes first.

export class LeastRecent<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#most) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest!);
    }
    this.#entries.set(key, value);
  }
}
