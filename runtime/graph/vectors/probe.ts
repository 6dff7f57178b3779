// Probe vector that vertices of one graph are compared with. Comparisons are seqlock reads: a
// result counts only if the vertex's sequence stayed the same.

import { bitCount } from "../memory/bit-count.js";
import { ValueError } from "../model/errors.js";
import { featureSimilarity } from "./feature-measures.js";
import type { FeatureList } from "./features.js";
import { GRAPH_METRIC } from "./metrics/metrics.js";
import type { SimilaritySettings } from "./similarity-settings.js";
import { SLOT_WORDS, Slot } from "./vector-layout.js";
import { dot, type VectorParts } from "./vector-parts.js";
import type { VectorTable } from "./vector-table.js";

/** Similarity of a vertex without a vector, or with none to compare. */
export const NO_SIMILARITY = GRAPH_METRIC.lowest;
export const NO_HAMMING = 64;

/** Identifies the probes of this thread, from 1. */
let serials = 0;

/**
 * Returns the probe of a query.
 * @param place name of its vector in messages
 * @throws ValueError the graph's vectors are of the other kind
 */
export function probeFor(table: VectorTable, parts: VectorParts, place: string): Probe {
  requireSameKind(table, parts, place);
  return new Probe(table, parts);
}

/** @throws ValueError the graph's vectors are of the other kind */
export function requireSameKind(table: VectorTable, parts: VectorParts, place: string): void {
  if (parts.bytes.length === 0 || !table.hasOtherKind(parts.isFeatures)) return;
  const [own, others] = parts.isFeatures ? ["features", "numbers"] : ["numbers", "features"];
  throw new ValueError(`${place} holds ${own}, but the vectors of this graph hold ${others}`);
}

export class Probe {
  readonly parts: VectorParts;
  readonly #table: VectorTable;
  readonly #serial = ++serials;
  readonly #features: FeatureList | null;
  /** Settings as of the first comparison. */
  #settings: SimilaritySettings | null = null;
  /** Sums of squares of the first components, by their number. */
  readonly #squares = new Map<number, number>();

  constructor(table: VectorTable, parts: VectorParts) {
    this.#table = table;
    this.parts = parts;
    this.#features = parts.isFeatures ? parts.features : null;
  }

  /** 0 for the null vector, which has no similarity. */
  get length(): number {
    return this.parts.bytes.length;
  }

  /** Returns the sum of squares of the first components, or of all if there are fewer. */
  #sumSquares(length: number): number {
    if (length >= this.length) return this.parts.squares;
    const known = this.#squares.get(length);
    if (known !== undefined) return known;
    const first = this.parts.bytes.subarray(0, length);
    const squares = dot(first, first);
    this.#squares.set(length, squares);
    return squares;
  }

  /** Returns the metric's factor of the first components, for kernels. */
  factor(length: number): number {
    return GRAPH_METRIC.factor(this.#sumSquares(length), this.parts.scale);
  }

  /** Loads the probe for kernels; required before calling one. */
  load(): void {
    this.#table.memory.loadProbe(this.#serial, this.parts.bytes);
  }

  /** Returns the similarity of a vertex's vector to the probe; `none` if one is missing. */
  similarity(vertex: number, none = NO_SIMILARITY): number {
    if (this.length === 0) return none;
    if (!this.parts.isFeatures) this.load();
    const { reader } = this.#table;
    for (let attempt = 0; ; attempt++) {
      const seen = reader.enter(0, vertex, attempt);
      const slot = this.#table.slotOf(vertex);
      const score = slot === 0 ? none : this.similarityOfSlot(slot);
      if (reader.leave(0, vertex, seen)) return score;
    }
  }

  /** Returns the Hamming distance of the fingerprints; `none` if one is missing. */
  hamming(vertex: number, none = NO_HAMMING): number {
    if (this.length === 0) return none;
    const { reader } = this.#table;
    for (let attempt = 0; ; attempt++) {
      const seen = reader.enter(0, vertex, attempt);
      const slot = this.#table.slotOf(vertex);
      const bits = slot === 0 ? none : this.#hammingOfSlot(slot);
      if (reader.leave(0, vertex, seen)) return bits;
    }
  }

  /**
   * Returns the similarity of a slot's current contents, which may be arbitrary. Requires `load`.
   */
  similarityOfSlot(slot: number): number {
    const { memory } = this.#table;
    if (this.#features !== null) return this.#similarityOfFeatures(slot, this.#features);
    const length = memory.lengthIn(slot);
    if (length === 0) return NO_SIMILARITY;
    const { dots, words } = memory;
    const common = Math.min(length, this.length);
    const vector = memory.addressOf(slot + SLOT_WORDS);
    const product = dots.wide(memory.probe, vector, common);
    const squares =
      common === length ? words[slot + Slot.Squares]! : dots.dot(vector, vector, common);
    const scale = memory.floats[slot + Slot.Scale]!;
    return GRAPH_METRIC.score(product, this.#sumSquares(common), this.parts.scale, squares, scale);
  }

  #similarityOfFeatures(slot: number, own: FeatureList): number {
    const others = this.#table.memory.featuresIn(slot);
    if (others === null) return NO_SIMILARITY;
    this.#settings ??= this.#table.settings;
    return featureSimilarity(own, others, this.#settings);
  }

  #hammingOfSlot(slot: number): number {
    const { memory } = this.#table;
    const isLike =
      this.#features === null ? memory.lengthIn(slot) > 0 : memory.featuresIn(slot) !== null;
    if (!isLike) return NO_HAMMING;
    const { words } = memory;
    return (
      bitCount(words[slot + Slot.FingerprintLow]! ^ this.parts.fingerprintLow) +
      bitCount(words[slot + Slot.FingerprintHigh]! ^ this.parts.fingerprintHigh)
    );
  }
}
