// Binary heap of numbers with scores, the highest or the lowest score on top. Typed arrays, which
// users keep from one search to the next.

const FIRST_PLACES = 256;

export class ScoredHeap {
  items = new Uint32Array(FIRST_PLACES);
  scores = new Float64Array(FIRST_PLACES);
  count = 0;
  /** 1: highest on top; -1: lowest on top. */
  readonly #sign: 1 | -1;

  constructor(first: "highest" | "lowest") {
    this.#sign = first === "highest" ? 1 : -1;
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
    const sign = this.#sign;
    let place = this.count++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if ((score - scores[parent]!) * sign <= 0) break;
      items[place] = items[parent]!;
      scores[place] = scores[parent]!;
      place = parent;
    }
    items[place] = item;
    scores[place] = score;
  }

  /** Removes the top; returns its item. */
  pop(): number {
    const { items, scores } = this;
    const sign = this.#sign;
    const top = items[0]!;
    const count = --this.count;
    const item = items[count]!;
    const score = scores[count]!;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= count) break;
      if (child + 1 < count && (scores[child + 1]! - scores[child]!) * sign > 0) child++;
      if ((scores[child]! - score) * sign <= 0) break;
      items[place] = items[child]!;
      scores[place] = scores[child]!;
      place = child;
    }
    items[place] = item;
    scores[place] = score;
    return top;
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
