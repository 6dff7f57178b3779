// LRU cache with a maximum number of entries, and of characters in their keys if the memory of
// entries grows with the length of keys.

export class LruCache<V> {
  readonly #entries = new Map<string, V>();
  readonly #maxEntries: number;
  readonly #maxCharacters: number;
  #characters = 0;
  /** Most recent entry. The next lookup often repeats it, and does not need to move it. */
  #lastKey: string | undefined;
  #lastValue: V | undefined;

  constructor(maxEntries: number, maxCharacters = Number.POSITIVE_INFINITY) {
    this.#maxEntries = maxEntries;
    this.#maxCharacters = maxCharacters;
  }

  get(key: string): V | undefined {
    if (key === this.#lastKey) return this.#lastValue;
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#put(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#remove(key);
    this.#characters += key.length;
    this.#put(key, value);
    for (const oldest of this.#entries.keys()) {
      const isWithinMaxEntries = this.#entries.size <= this.#maxEntries;
      if (isWithinMaxEntries && this.#characters <= this.#maxCharacters) return;
      this.#remove(oldest);
    }
  }

  #put(key: string, value: V): void {
    this.#entries.set(key, value);
    this.#lastKey = key;
    this.#lastValue = value;
  }

  #remove(key: string): void {
    if (this.#entries.delete(key)) this.#characters -= key.length;
  }
}
