// An expression over arcs that filters, scores or selects. Arcs come in runs of one tail, three
// words each.

import { ARC_WORDS } from "../memory/layout.js";
import { SYNTHETIC } from "../store/code-ranges.js";
import type { BoundProgram } from "./bound-program.js";
import type { Context } from "./context.js";
import type { WalkPosition } from "./walk-position.js";

export class ArcProgram {
  readonly #bound: BoundProgram;
  /** True if it is evaluated once more per head, for the synthetic arc of all its arcs. */
  readonly isSynthetic: boolean;

  constructor(bound: BoundProgram) {
    this.#bound = bound;
    this.isSynthetic = bound.program.typed.needs.synthetic >= 0;
  }

  /** Moves passing arcs to the front; returns their end. Stops early when halted. */
  filter(trail: WalkPosition, words: Uint32Array, from: number, end: number): number {
    const { context, program } = this.#bound;
    const { run } = context;
    moveContext(context, trail);
    run.spend(((end - from) / ARC_WORDS) * program.steps);
    const loop = program.loop("filter", end - from);
    if (loop !== null) return loop(context, words, from, end, null);
    let top = from;
    for (let arc = from; arc < end && !run.isHalted; arc += ARC_WORDS) {
      const word1 = words[arc + 1]!;
      const bits = words[arc + 2]!;
      const head = words[arc]!;
      context.next.move(head);
      context.arc.set(word1, bits, trail.side, trail.level);
      if (!program.passes(context)) continue;
      words[top] = head;
      words[top + 1] = word1;
      words[top + 2] = bits;
      top += ARC_WORDS;
    }
    return top;
  }

  /**
   * Evaluates the synthetic arcs, one per head of a run.
   * @returns words of synthetic arcs for the heads that pass
   */
  filterHeads(trail: WalkPosition, words: Uint32Array, from: number, end: number): number[] {
    const { context, program } = this.#bound;
    const heads = new Map<number, number[]>();
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      const head = words[arc]!;
      const components = heads.get(head);
      if (components === undefined) heads.set(head, [words[arc + 1]!, words[arc + 2]!]);
      else components.push(words[arc + 1]!, words[arc + 2]!);
    }
    moveContext(context, trail);
    const passing: number[] = [];
    const word1 = (SYNTHETIC << 16) >>> 0;
    for (const [head, components] of heads) {
      if (context.run.isHalted) break;
      context.run.components = components;
      context.next.move(head);
      context.arc.set(word1, 0, trail.side, trail.level);
      context.arc.isSynthetic = true;
      if (program.passes(context)) passing.push(head, word1, 0);
    }
    return passing;
  }

  /** Computes the scores of a run's arcs, in order. */
  score(
    trail: WalkPosition,
    words: Uint32Array,
    from: number,
    end: number,
    into: Float64Array,
  ): void {
    const { context, program } = this.#bound;
    moveContext(context, trail);
    context.run.spend(((end - from) / ARC_WORDS) * program.steps);
    const loop = program.loop("score", end - from);
    if (loop !== null) {
      loop(context, words, from, end, into);
      return;
    }
    let index = 0;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      context.next.move(words[arc]!);
      context.arc.set(words[arc + 1]!, words[arc + 2]!, trail.side, trail.level);
      into[index++] = program.score(context);
    }
  }

  /** Computes scores of vertices, given as heads of empty arcs. */
  scoreVertices(words: Uint32Array, from: number, end: number, into: Float64Array): void {
    const { context, program } = this.#bound;
    context.run.spend(((end - from) / ARC_WORDS) * program.steps);
    let index = 0;
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      context.vertex.move(words[arc]!);
      context.prev.move(words[arc]!);
      into[index++] = program.score(context);
    }
  }
}

function moveContext(context: Context, trail: WalkPosition): void {
  context.vertex.move(trail.tail);
  context.prev.move(trail.prev);
  context.arc.set(0, 0, trail.side, trail.level);
  const prevLevel = Math.max(trail.level - 1, 0);
  context.prevArc.set(trail.prevWord1, trail.prevBits, trail.prevSide, prevLevel);
}
