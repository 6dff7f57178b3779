// An expression over vertices: a condition on each vertex that a traversal visits, or on the
// anchor.

import { ARC_WORDS } from "../memory/layout.js";
import type { BoundProgram } from "./bound-program.js";
import type { WalkPosition } from "./walk-position.js";

export class VertexProgram {
  readonly #bound: BoundProgram;
  /** True if only the best heads of a level pass; see `cull`. */
  readonly isCulling: boolean;
  /** True if it has no effects, so the order of evaluation does not matter. */
  readonly isPure: boolean;

  constructor(bound: BoundProgram) {
    this.#bound = bound;
    const { typed } = bound.program;
    this.isCulling = typed.needs.cull >= 0;
    this.isPure = !typed.hasEffect;
  }

  /** Returns whether a vertex without an arc passes, such as the anchor. */
  passesAlone(vertex: number): boolean {
    const { context, program } = this.#bound;
    context.vertex.move(vertex);
    context.prev.move(vertex);
    context.prevArc.set(0, 0, 0, 0);
    return program.passes(context);
  }

  /** Moves passing vertices without arcs to the front; returns their end. */
  filterAlone(words: Uint32Array, from: number, end: number): number {
    const { context, program } = this.#bound;
    context.run.spend(((end - from) / ARC_WORDS) * program.steps);
    const loop = program.loop("vertices", end - from);
    if (loop !== null) return loop(context, words, from, end, null);
    let top = from;
    for (let at = from; at < end; at += ARC_WORDS) {
      const vertex = words[at]!;
      if (!this.passesAlone(vertex)) continue;
      words[top] = vertex;
      top += ARC_WORDS;
    }
    return top;
  }

  /** Returns whether the head of an arc passes. */
  passes(trail: WalkPosition, head: number, word1: number, bits: number): boolean {
    const { context, program } = this.#bound;
    context.vertex.move(head);
    context.prev.move(trail.tail);
    context.prevArc.set(word1, bits, trail.side, trail.level);
    context.culled = Number.NaN;
    return program.passes(context);
  }

  /** Moves arcs whose heads pass to the front; returns their end. */
  filter(trail: WalkPosition, words: Uint32Array, from: number, end: number): number {
    const { context, program } = this.#bound;
    context.run.spend(((end - from) / ARC_WORDS) * program.steps);
    const loop = program.loop("vertices", end - from);
    if (loop !== null) return loop(context, words, from, end, null);
    let top = from;
    for (let arc = from; arc < end && !context.run.isHalted; arc += ARC_WORDS) {
      const head = words[arc]!;
      const word1 = words[arc + 1]!;
      const bits = words[arc + 2]!;
      if (!this.passes(trail, head, word1, bits)) continue;
      words[top] = head;
      words[top + 1] = word1;
      words[top + 2] = bits;
      top += ARC_WORDS;
    }
    return top;
  }

  /** As `filter` with `mcull`: only the best of the scored heads remain. */
  cull(trail: WalkPosition, words: Uint32Array, from: number, end: number): number {
    const { context } = this.#bound;
    const scores = new Map<number, number>();
    const passing: number[] = [];
    for (let arc = from; arc < end; arc += ARC_WORDS) {
      const head = words[arc]!;
      if (!this.passes(trail, head, words[arc + 1]!, words[arc + 2]!)) continue;
      passing.push(arc);
      if (!Number.isNaN(context.culled)) scores.set(head, context.culled);
    }
    const ranked = [...scores].filter(([, score]) => score > 0).sort(([, a], [, b]) => b - a);
    const best = new Set(ranked.slice(0, context.cullSize).map(([head]) => head));
    let top = from;
    for (const arc of passing) {
      const head = words[arc]!;
      if (scores.has(head) && !best.has(head)) continue;
      words.copyWithin(top, arc, arc + ARC_WORDS);
      top += ARC_WORDS;
    }
    return top;
  }
}
