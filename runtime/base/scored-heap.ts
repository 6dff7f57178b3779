// Binary heap of items with scores, lowest score on top. Parallel typed arrays, which `clear` keeps
// for the next use; not thread-safe.

const FIRST_CAPACITY = 64;

export class ScoredHeap {
  items: Uint32Array;
  scores: Float64Array;
  count = 0;
  readonly #breaksTies: boolean;

  /**
   * @param breaksTies on equal scores, the higher item is on top; else ties have no order
   * @param expected number of items there is room for at first
   */
  constructor(breaksTies = false, expected = FIRST_CAPACITY) {
    const capacity = Math.max(1, Math.min(FIRST_CAPACITY, expected));
    this.items = new Uint32Array(capacity);
    this.scores = new Float64Array(capacity);
    this.#breaksTies = breaksTies;
  }

  clear(): void {
    this.count = 0;
  }

  /** Score of the top. */
  get first(): number {
    return this.scores[0]!;
  }

  push(item: number, score: number): void {
    if (this.count === this.items.length) this.#extend();
    const { items, scores } = this;
    let position = this.count++;
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const difference = scores[parent]! - score;
      if (difference <= 0 && (difference < 0 || !this.#isTieAbove(item, items[parent]!))) break;
      items[position] = items[parent]!;
      scores[position] = scores[parent]!;
      position = parent;
    }
    items[position] = item;
    scores[position] = score;
  }

  /** Removes the top; returns its item. */
  pop(): number {
    const top = this.items[0]!;
    const last = --this.count;
    this.replaceTop(this.items[last]!, this.scores[last]!);
    return top;
  }

  /** Removes the top and adds an item. */
  replaceTop(item: number, score: number): void {
    const { items, scores, count } = this;
    let position = 0;
    for (let child = 1; child < count; child = 2 * position + 1) {
      if (child + 1 < count) {
        const order = scores[child]! - scores[child + 1]!;
        if (order > 0 || (order === 0 && this.#isTieAbove(items[child + 1]!, items[child]!))) {
          child++;
        }
      }
      const difference = score - scores[child]!;
      if (difference <= 0 && (difference < 0 || !this.#isTieAbove(items[child]!, item))) break;
      items[position] = items[child]!;
      scores[position] = scores[child]!;
      position = child;
    }
    items[position] = item;
    scores[position] = score;
  }

  /** Returns whether an item belongs above another one of the same score. */
  #isTieAbove(item: number, other: number): boolean {
    return this.#breaksTies && item > other;
  }

  #extend(): void {
    const items = new Uint32Array(this.items.length * 2);
    const scores = new Float64Array(items.length);
    items.set(this.items);
    scores.set(this.scores);
    this.items = items;
    this.scores = scores;
  }
}
