// Stack of arcs that a traversal has selected but not yet followed, deeper levels on top.
// Thread-local: its arcs were read consistently and no longer change.

import { ARC_KEY_MASK, ARC_WORDS } from "../../memory/layout.js";

const FIRST_WORDS = 3 * 1024;
/** Maximum capacity retained after a hub has grown the stack. */
const KEPT_WORDS = 3 << 22;

/** Moves an arc to the end of those kept; returns the new end. */
export function moveArc(words: Uint32Array, arc: number, top: number): number {
  words[top] = words[arc]!;
  words[top + 1] = words[arc + 1]!;
  words[top + 2] = words[arc + 2]!;
  return top + ARC_WORDS;
}

export class ArcStack {
  words = new Uint32Array(FIRST_WORDS);
  /** First free word. */
  top = 0;

  /** Returns whether this many more arcs fit. */
  hasRoom(arcs: number): boolean {
    return this.top + arcs * ARC_WORDS <= this.words.length;
  }

  reserve(arcs: number): void {
    const needed = this.top + arcs * ARC_WORDS;
    if (needed <= this.words.length) return;
    const larger = new Uint32Array(Math.max(needed, this.words.length * 2));
    larger.set(this.words.subarray(0, this.top));
    this.words = larger;
  }

  /** Returns whether arcs have one key; those of one run then lead to different heads. */
  haveOneKey(from: number, end: number): boolean {
    const { words } = this;
    const first = words[from + 1]!;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      if (((words[arc + 1]! ^ first) & ARC_KEY_MASK) !== 0) return false;
    }
    return true;
  }

  /** Empties the stack, also after an aborted traversal. */
  clear(): void {
    this.top = 0;
    if (this.words.length > KEPT_WORDS) this.words = new Uint32Array(FIRST_WORDS);
  }
}
