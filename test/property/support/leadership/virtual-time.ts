// Virtual time: runs due events in order, without waiting.

/** Result of an event that was cancelled or put off: nothing has happened. */
export const NOTHING = Symbol("nothing");
type Run = () => unknown;

export class VirtualTime {
  #now = 0;
  #serial = 0;
  readonly #heap: (Due & { readonly run: Run })[] = [];

  get now(): number {
    return this.#now;
  }

  after(ms: number, run: Run): void {
    const heap = this.#heap;
    const item = { timeMs: this.#now + Math.max(0, ms), serial: this.#serial++, run };
    let position = heap.push(item) - 1;
    for (let parent = (position - 1) >> 1; position > 0; parent = (position - 1) >> 1) {
      if (!isBefore(item, heap[parent]!)) break;
      heap[position] = heap[parent]!;
      position = parent;
    }
    heap[position] = item;
  }

  /** Runs everything due until a time. */
  runUntil(end: number): void {
    while (this.runNext(end));
  }

  /**
   * Runs the next event that is due until a time, with all before it in which nothing happens;
   * returns false if there is none.
   * @param settle runs the continuations of promises that the event has resolved
   */
  runNext(end: number, settle: () => void = () => undefined): boolean {
    while (this.#heap.length > 0 && this.#heap[0]!.timeMs <= end) {
      const { timeMs, run } = this.#pop();
      this.#now = timeMs;
      if (run() === NOTHING) continue;
      settle();
      return true;
    }
    this.#now = end;
    return false;
  }

  #pop(): Due & { readonly run: Run } {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return top;
    let position = 0;
    for (;;) {
      let child = 2 * position + 1;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (child >= heap.length || !isBefore(heap[child]!, last)) break;
      heap[position] = heap[child]!;
      position = child;
    }
    heap[position] = last;
    return top;
  }
}

interface Due {
  readonly timeMs: number;
  readonly serial: number;
}

function isBefore(left: Due, right: Due): boolean {
  return left.timeMs < right.timeMs || (left.timeMs === right.timeMs && left.serial < right.serial);
}
