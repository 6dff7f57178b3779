// LRU cache with a maximum number of entries. If entries cost memory in proportion to their keys,
// the total key length is limited too.

export class LruCache<V> {
  readonly #entries = new Map<string, V>();
  readonly #most: number;
  readonly #mostCharacters: number;
  #characters = 0;
  /** The most recent key is looked up most often and need not be moved. */
  #lastKey: string | undefined;
  #lastValue: V | undefined;

  constructor(most: number, mostCharacters = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#mostCharacters = mostCharacters;
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
      const isRoom = this.#entries.size <= this.#most && this.#characters <= this.#mostCharacters;
      if (isRoom) return;
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
