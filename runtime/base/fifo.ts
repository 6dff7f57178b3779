// FIFO queue in a ring buffer: adding and removing at both ends takes amortized constant time, and
// allocates nothing once the buffer is large enough.

const MIN_CAPACITY = 8;
/** An empty queue keeps no larger buffer than this. */
const MAX_RETAINED = 1024;

export class Fifo<T> {
  /** Its length is a power of two, or 0. Entries without an item are undefined. */
  #ring: (T | undefined)[] = [];
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: T): void {
    if (this.#size === this.#ring.length) this.#grow();
    this.#ring[this.#index(this.#size++)] = item;
  }

  /** Returns an item to the front. */
  unshift(item: T): void {
    if (this.#size === this.#ring.length) this.#grow();
    this.#head = this.#index(-1);
    this.#size++;
    this.#ring[this.#head] = item;
  }

  peek(): T | undefined {
    return this.#ring[this.#head];
  }

  /** Returns the item added last. */
  last(): T | undefined {
    return this.#ring[this.#index(this.#size - 1)];
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#take(0);
    this.#head = this.#index(1);
    this.#removed();
    return item;
  }

  /** Removes and returns the item added last. */
  pop(): T | undefined {
    if (this.#size === 0) return undefined;
    const item = this.#take(this.#size - 1);
    this.#removed();
    return item;
  }

  /** Returns the items in order. */
  items(): T[] {
    const end = this.#head + this.#size;
    const wrapped = Math.max(0, end - this.#ring.length);
    const items = [...this.#ring.slice(this.#head, end), ...this.#ring.slice(0, wrapped)];
    return items as T[];
  }

  /** Empties the queue and returns its items in order. */
  clear(): T[] {
    const items = this.items();
    this.#ring = [];
    this.#head = 0;
    this.#size = 0;
    return items;
  }

  #index(position: number): number {
    return (this.#head + position) & (this.#ring.length - 1);
  }

  #take(position: number): T {
    const index = this.#index(position);
    const item = this.#ring[index] as T;
    // The buffer must not keep it alive.
    this.#ring[index] = undefined;
    return item;
  }

  #removed(): void {
    this.#size--;
    if (this.#size === 0 && this.#ring.length > MAX_RETAINED) this.clear();
  }

  #grow(): void {
    const free = new Array<undefined>(Math.max(MIN_CAPACITY, this.#size)).fill(undefined);
    this.#ring = [...this.items(), ...free];
    this.#head = 0;
  }
}
