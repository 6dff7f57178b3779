// Weights of arcs for searches of least cost: all 1, the values of the arcs, or an expression.

import type { ArcProgram } from "../../evaluate/arc-program.js";
import type { WalkPosition } from "../../evaluate/walk-position.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { ValueError } from "../../model/errors.js";
import { HitSide } from "../hits/hit-sink.js";
import { arcWeight } from "./projection.js";

export interface ArcWeights {
  /**
   * Returns the weights of the arcs of a vertex, as an `ArcSource` read them; valid until the next
   * call.
   * @param isBack true if the vertex is the head of the arcs
   * @throws ValueError for a weight that is negative or no finite number
   */
  weigh(vertex: number, words: Uint32Array, isBack: boolean): Float64Array;
}

const FIRST_ARCS = 64;

/** Buffer that grows to the largest number of arcs. */
class Buffer {
  #numbers = new Float64Array(FIRST_ARCS);

  /** Returns space for the weights of arcs given as words. */
  for(words: Uint32Array): Float64Array {
    const count = words.length / ARC_WORDS;
    if (count > this.#numbers.length) this.#numbers = new Float64Array(count * 2);
    return this.#numbers;
  }
}

/** Gives all arcs the weight 1. */
export class EqualWeights implements ArcWeights {
  readonly #buffer = new Buffer();

  weigh(_vertex: number, words: Uint32Array): Float64Array {
    const into = this.#buffer.for(words);
    return into.fill(1, 0, words.length / ARC_WORDS);
  }
}

/** Weighs arcs by their values. */
export class ValueWeights implements ArcWeights {
  readonly #buffer = new Buffer();

  weigh(_vertex: number, words: Uint32Array): Float64Array {
    const into = this.#buffer.for(words);
    for (let at = 0, arc = 0; at < words.length; at += ARC_WORDS, arc++) {
      into[arc] = requireWeight(arcWeight(words[at + 1]!, words[at + 2]!));
    }
    return into;
  }
}

/** Weighs arcs by an expression over an arc, its tail `vertex` and its head `next`. */
export class ExpressionWeights implements ArcWeights {
  readonly #buffer = new Buffer();
  readonly #program: ArcProgram;
  readonly #arcWords = new Uint32Array(ARC_WORDS);
  readonly #weight = new Float64Array(1);
  readonly #position = {
    ...{ tail: 0, level: 1, side: HitSide.Out as number },
    ...{ prev: 0, prevWord1: 0, prevBits: 0, prevSide: HitSide.Out as number },
  };

  constructor(program: ArcProgram) {
    this.#program = program;
  }

  weigh(vertex: number, words: Uint32Array, isBack: boolean): Float64Array {
    const into = this.#buffer.for(words);
    const count = words.length / ARC_WORDS;
    if (isBack) this.#weighIncoming(vertex, words, into);
    else this.#program.score(this.#at(vertex), words, 0, words.length, into);
    for (let arc = 0; arc < count; arc++) requireWeight(into[arc]!);
    return into;
  }

  /** Weighs arcs of different tails, one by one. */
  #weighIncoming(head: number, words: Uint32Array, into: Float64Array): void {
    const arcWords = this.#arcWords;
    for (let at = 0, arc = 0; at < words.length; at += ARC_WORDS, arc++) {
      arcWords[0] = head;
      arcWords[1] = words[at + 1]!;
      arcWords[2] = words[at + 2]!;
      this.#program.score(this.#at(words[at]!), arcWords, 0, ARC_WORDS, this.#weight);
      into[arc] = this.#weight[0]!;
    }
  }

  #at(tail: number): WalkPosition {
    this.#position.tail = tail;
    this.#position.prev = tail;
    return this.#position;
  }
}

function requireWeight(weight: number): number {
  if (weight >= 0 && weight < Number.POSITIVE_INFINITY) return weight;
  const required = "shortest paths require non-negative arc weights";
  throw new ValueError(`${required}, finite numbers; got ${weight}`);
}
