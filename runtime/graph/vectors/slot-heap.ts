// Binary heap of scored slots with the best or the worst on top, for index searches. Plain arrays,
// reused from one search to the next.

const FIRST_PLACES = 256;

export class SlotHeap {
  slots = new Uint32Array(FIRST_PLACES);
  scores = new Float32Array(FIRST_PLACES);
  count = 0;
  /** 1: best on top; -1: worst on top. */
  readonly #sign: 1 | -1;

  constructor(first: "best" | "worst") {
    this.#sign = first === "best" ? 1 : -1;
  }

  clear(): void {
    this.count = 0;
  }

  /** Score of the top. */
  get first(): number {
    return this.scores[0]!;
  }

  push(slot: number, score: number): void {
    if (this.count === this.slots.length) this.#extend();
    const { slots, scores } = this;
    const sign = this.#sign;
    let place = this.count++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if ((score - scores[parent]!) * sign <= 0) break;
      slots[place] = slots[parent]!;
      scores[place] = scores[parent]!;
      place = parent;
    }
    slots[place] = slot;
    scores[place] = score;
  }

  /** Removes the top; returns its slot. */
  pop(): number {
    const { slots, scores } = this;
    const sign = this.#sign;
    const top = slots[0]!;
    const count = --this.count;
    const slot = slots[count]!;
    const score = scores[count]!;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= count) break;
      if (child + 1 < count && (scores[child + 1]! - scores[child]!) * sign > 0) child++;
      if ((scores[child]! - score) * sign <= 0) break;
      slots[place] = slots[child]!;
      scores[place] = scores[child]!;
      place = child;
    }
    slots[place] = slot;
    scores[place] = score;
    return top;
  }

  #extend(): void {
    const slots = new Uint32Array(this.slots.length * 2);
    const scores = new Float32Array(slots.length);
    slots.set(this.slots);
    scores.set(this.scores);
    this.slots = slots;
    this.scores = scores;
  }
}
