// FIFO queue over an array: push, shift and unshift in amortized constant time, without moving all
// elements.

export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Returns an item to the front. */
  unshift(item: T): void {
    if (this.#head > 0) this.#items[--this.#head] = item;
    else this.#items.unshift(item);
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  /** Returns the item added last. */
  last(): T | undefined {
    return this.size === 0 ? undefined : this.#items.at(-1);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head++] = undefined as T;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Removes and returns the item added last. */
  pop(): T | undefined {
    return this.size === 0 ? undefined : this.#items.pop();
  }

  /** Returns the items in order. */
  items(): T[] {
    return this.#items.slice(this.#head);
  }

  /** Empties the queue and returns its items in order. */
  clear(): T[] {
    const items = this.items();
    this.#items = [];
    this.#head = 0;
    return items;
  }
}
