// Vertices that a traversal of any length has reached, breadth first: each once, by the fewest
// arcs, with the arc that led there.

import { ARC_WORDS } from "../../memory/layout.js";
import type { ArcBatch, HitSideNumber } from "../hits/hit-sink.js";
import { moveArc } from "../match/arc-stack.js";
import { HandleSet } from "../match/handle-set.js";

/** Numbers per vertex: the vertex, then the arc there as `ArcBatch` has it. */
const ITEM = 5;

export class Reach {
  readonly #seen = new HandleSet();
  #start = 0;
  #current: number[] = [];
  #next: number[] = [];

  /** Starts at the tail of a batch, which counts as reached only by an arc back to it. */
  start({ tail, prev, prevWord1, prevBits, prevSide }: ArcBatch): void {
    this.#seen.clear();
    this.#start = tail;
    this.#next = [tail, prev, prevWord1, prevBits, prevSide];
  }

  /** Moves one arc farther; returns the number of vertices to follow from there. */
  advance(): number {
    [this.#current, this.#next] = [this.#next, this.#current];
    this.#next.length = 0;
    return this.#current.length / ITEM;
  }

  /** Makes a vertex to follow the tail of a batch. */
  load(position: number, batch: ArcBatch): void {
    const item = position * ITEM;
    const current = this.#current;
    batch.tail = current[item]!;
    batch.prev = current[item + 1]!;
    batch.prevWord1 = current[item + 2]!;
    batch.prevBits = current[item + 3]!;
    batch.prevSide = current[item + 4]! as HitSideNumber;
  }

  /**
   * Moves the arcs to vertices not reached before to the front; returns their end.
   * @param isLong true if a path that ends here has enough arcs: a shorter ring would hide longer
   *   ones
   */
  keepNew(words: Uint32Array, from: number, end: number, isLong: boolean): number {
    let kept = from;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      if (!isLong && words[arc] === this.#start) continue;
      if (this.#seen.add(words[arc]!)) kept = moveArc(words, arc, kept);
    }
    return kept;
  }

  /** Adds the head of an arc of a batch to the vertices to follow next, unless it is the start. */
  add({ tail, side }: ArcBatch, words: Uint32Array, arc: number): void {
    const head = words[arc]!;
    if (head !== this.#start) this.#next.push(head, tail, words[arc + 1]!, words[arc + 2]!, side);
  }
}
