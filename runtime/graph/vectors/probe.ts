// Probe vector of a search in one graph. Comparisons with vertices are seqlock reads: a result is
// valid only if the sequence of the vertex has not changed.

import { bitCount } from "../memory/bit-count.js";
import { ARC_WORDS, SEQUENCE_WORDS } from "../memory/layout.js";
import { readSettledCount } from "../memory/settled-count.js";
import { ValueError } from "../model/errors.js";
import { BinaryProbe, countBits, isBinary, unpackBits } from "./binary-vector.js";
import { featureSimilarity } from "./feature-measures.js";
import type { FeatureList } from "./features.js";
import { bindForm, type KernelTerms } from "./measures/kernel-form.js";
import type { Measure } from "./measures/measure.js";
import { compareVectors } from "./measures/measures.js";
import type { ProbeTerms } from "./measures/probe-terms.js";
import { computeHalfUnit, Precision } from "./precision.js";
import { scoreBatch } from "./score-batch.js";
import type { SimilaritySettings } from "./similarity-settings.js";
import {
  computeBitWords,
  computeKernelLength,
  computeStride,
  countComponents,
  findTail,
  hasBits,
  hasFeatures,
  hasRow,
  readPrecision,
  SLOT_WORDS,
  Slot,
  Tail,
} from "./vector-layout.js";
import { EXACT_CHUNK, MAX_LIST } from "./vector-memory.js";
import { binaryParts, dot, type VectorParts } from "./vector-parts.js";
import type { VectorTable } from "./vector-table.js";
import { WideProbe } from "./wide-probe.js";

/** Similarity of a vertex without a vector that can be compared. */
export const NO_SIMILARITY = -1;
export const NO_HAMMING = 64;

/** Maximum number of slots that are scored together. */
export const MAX_TOGETHER = 256;

/** Last serial of a probe of this thread; serials identify the contents, from 1. */
let serials = 0;

/**
 * Creates the probe of a query.
 * @param path name of the vector in messages
 * @throws ValueError the graph's vectors are of the other kind
 */
export function probeFor(table: VectorTable, parts: VectorParts, path: string): Probe {
  requireSameKind(table, parts, path);
  return new Probe(table, parts);
}

/** @throws ValueError the graph's vectors are of the other kind */
export function requireSameKind(table: VectorTable, parts: VectorParts, path: string): void {
  if (parts.bytes.length === 0 || !table.hasOtherKind(parts.isFeatures)) return;
  const [own, others] = parts.isFeatures ? ["features", "numbers"] : ["numbers", "features"];
  throw new ValueError(`${path} holds ${own}, but the vectors of this graph hold ${others}`);
}

export class Probe {
  parts!: VectorParts;
  readonly measure: Measure;
  readonly #table: VectorTable;
  #serial = 0;
  #features: FeatureList | null = null;
  /** Settings as of the first comparison. */
  #settings: SimilaritySettings | null = null;
  /** Sum of squares of the first components, and their number. */
  #firstLength = -1;
  #squaresOfFirst = 0;
  /** Probe for spaces of larger precision; created on first use. */
  #wide: WideProbe | null = null;
  /** Probe for spaces of binary vectors; null if not binary, undefined until first use. */
  #binary: BinaryProbe | null | undefined = undefined;
  #termsFor = -1;
  #terms: ProbeTerms | null = null;
  #kernelTerms: KernelTerms | null = null;
  /** True while `scoreBatch` contains scores of this probe. */
  #isPrepared = false;
  /** State of the graph in the last batch; see `readSettledCount`. */
  #settled = -1;

  constructor(table: VectorTable, parts: VectorParts) {
    this.#table = table;
    this.measure = table.measure;
    this.rebind(parts);
  }

  /** Replaces the vector. */
  rebind(parts: VectorParts): void {
    this.parts = parts;
    this.#serial = ++serials;
    this.#isPrepared = false;
    this.#features = parts.isFeatures ? parts.features : null;
    this.#settings = null;
    this.#firstLength = -1;
    this.#wide = null;
    this.#binary = undefined;
    this.#termsFor = -1;
  }

  /** Number of components; 0 for the null vector, which has no similarity. */
  get length(): number {
    return this.parts.bytes.length;
  }

  /** Returns the sum of squares of the first components, or of all if there are fewer. */
  #sumSquares(length: number): number {
    if (length >= this.length) return this.parts.squares;
    if (length !== this.#firstLength) {
      const first = this.parts.bytes.subarray(0, length);
      this.#squaresOfFirst = dot(first, first);
      this.#firstLength = length;
    }
    return this.#squaresOfFirst;
  }

  /** Returns the terms by which kernels compare the probe with slots of a length word. */
  terms(length: number): ProbeTerms {
    if (this.#termsFor !== length || this.#terms === null) {
      const components = Math.min(countComponents(length), this.length);
      const source = hasRow(length) ? this.#exact : hasBits(length) ? this.#bits : null;
      this.#terms = source?.terms(components) ?? this.#narrowTerms(components);
      this.#termsFor = length;
      this.#kernelTerms = bindForm(this.measure.kernel, this.#terms);
    }
    return this.#terms;
  }

  /** Returns the kernel arguments for slots of a length word. */
  kernelTerms(length: number): KernelTerms {
    this.terms(length);
    return this.#kernelTerms!;
  }

  /**
   * Writes the float32 scores of the listed slots after the list. All have the same length word.
   * Requires that kernels can address the memory.
   */
  scoreList(length: number, count: number): void {
    const { kernel, lists, probe } = this.#table.memory;
    const { field, factor, weight, base } = this.kernelTerms(length);
    const size = computeKernelLength(length);
    const to = lists + MAX_LIST * 4;
    this.load(length);
    kernel!.many(lists, count, probe, size, field, factor, weight, base, to);
  }

  /**
   * Variant of `scoreList` that writes upper bounds of the scores, or scores for slots without a
   * row. Returns the minimum of these values for slots that may score `threshold` or more.
   */
  boundList(length: number, count: number, threshold: number): number {
    const { measure } = this;
    const terms = this.terms(length);
    if (!hasRow(length)) {
      this.scoreList(length, count);
      return measure.kernelThreshold(threshold, terms);
    }
    const { kernel, lists, probe } = this.#table.memory;
    const { field, product, residual, reach, offset } = measure.boundScores(terms);
    const to = lists + MAX_LIST * 4;
    this.load(length);
    // biome-ignore format: the arguments of a kernel in a line
    kernel!.boundMany(
      lists, count, terms.length, probe, field, product, residual, reach, offset, to,
    );
    return measure.boundThreshold(threshold, terms);
  }

  /**
   * Scans contiguous slots without a row: writes {address, score} of slots that have a vertex and
   * reach a threshold. Returns their number.
   * @param slot address of the first slot
   */
  scanSlots(length: number, slot: number, count: number, threshold: number): number {
    const { kernel, lists, probe } = this.#table.memory;
    const { field, factor, weight, base } = this.kernelTerms(length);
    const stride = computeStride(length) * 4;
    this.load(length);
    const scan = hasBits(length) ? kernel!.scanBits : kernel!.scan;
    return scan(slot, count, stride, probe, field, factor, weight, base, threshold, lists);
  }

  /**
   * Writes the exact scores of slots with a length word. Requires that `lengthIn` has confirmed the
   * length word, and that `suitsKernels` returns true for it.
   * @param count at most `MAX_TOGETHER`
   */
  scoreSlots(length: number, slots: Uint32Array, count: number, scores: Float64Array): void {
    if (hasBits(length)) {
      for (let at = 0; at < count; at++) scores[at] = this.#scoreBits(slots[at]!, length);
    } else if (!hasRow(length)) this.#scoreNarrow(length, slots, count, scores);
    else if (countComponents(length) <= EXACT_CHUNK) this.#scoreRows(length, slots, count, scores);
    else for (let at = 0; at < count; at++) scores[at] = this.#scoreExactly(slots[at]!, length);
  }

  /** Writes the exact scores of int8 vectors, not longer than the probe. */
  #scoreNarrow(length: number, slots: Uint32Array, count: number, scores: Float64Array): void {
    const { memory } = this.#table;
    const { kernel, list, lists, probe, words, floats } = memory;
    const { bytes, scale } = this.parts;
    const squares = this.#sumSquares(length);
    for (let at = 0; at < count; at++) list[at] = memory.addressOf(slots[at]!);
    memory.loadProbe(this.#serial, bytes);
    kernel!.dots(lists, count, probe, length, lists + MAX_LIST * 4);
    for (let at = 0; at < count; at++) {
      const slot = slots[at]!;
      const product = list[MAX_LIST + at]! | 0;
      const others = words[slot + Slot.Squares]!;
      scores[at] = this.measure.score(product, squares, scale, others, floats[slot + Slot.Scale]!);
    }
  }

  /** Writes the exact scores of vectors of larger precision that fit into one chunk. */
  #scoreRows(length: number, slots: Uint32Array, count: number, scores: Float64Array): void {
    const { memory } = this.#table;
    const { kernel, list, lists, exactProbe, words, floats, doubles, sums } = memory;
    const components = countComponents(length);
    const own = this.#exact.sumSquares(components);
    const isHalf = readPrecision(length) === Precision.Float16;
    for (let at = 0; at < count; at++) {
      const slot = slots[at]!;
      list[at] = memory.addressOf(words[findTail(slot, components) + Tail.Row]!);
      if (isHalf) memory.scores[count + at] = computeHalfUnit(floats[slot + Slot.Scale]!);
    }
    memory.loadExact(this.#exact.serial, this.#exact.components, 0);
    const distance = Number(this.measure.usesDistance);
    const widened = isHalf ? memory.widened : 0;
    const [units, to] = [lists + count * 4, lists + MAX_LIST * 4];
    kernel!.exactSums(lists, count, exactProbe, components, distance, units, widened, to);
    for (let at = 0; at < count; at++) {
      const others = doubles[(findTail(slots[at]!, components) + Tail.Squares) / 2]!;
      scores[at] = this.measure.scoreExact(sums[at]!, own, others);
    }
  }

  #narrowTerms(length: number): ProbeTerms {
    const squares = this.#sumSquares(length);
    const { scale } = this.parts;
    const factor = squares === 0 ? 0 : 1 / Math.sqrt(squares);
    return { length, scale, factor, norm: scale * Math.sqrt(squares), error: 0 };
  }

  /** Probe for spaces of binary vectors; null if components other than 0 and 1 occur. */
  get #bits(): BinaryProbe | null {
    if (this.#binary === undefined) {
      const { parts } = this;
      const hasBits = parts.precision === Precision.Binary || isBinary(parts);
      this.#binary = hasBits ? new BinaryProbe(parts.bytes, ++serials) : null;
    }
    return this.#binary;
  }

  get #exact(): WideProbe {
    this.#wide ??= new WideProbe(this.parts, ++serials);
    return this.#wide;
  }

  /** Loads the probe for kernels on slots of a length word. Call it before each kernel. */
  load(length: number): void {
    const { memory } = this.#table;
    if (hasRow(length)) {
      const { serial } = this.#exact;
      if (!memory.hasProbe(serial)) memory.loadProbe(serial, this.#exact.words());
    } else if (!hasBits(length)) memory.loadProbe(this.#serial, this.parts.bytes);
    else if (this.#bits !== null) memory.loadProbe(this.#bits.serial, this.#bits.words);
  }

  /**
   * Returns whether kernels can compare slots of a length word. They cannot compare features, nor
   * bits with other components. Vectors longer than the probe lack the norm of their first
   * components.
   */
  suitsKernels(length: number): boolean {
    if (this.#features !== null || hasFeatures(length)) return false;
    if (countComponents(length) > this.length) return false;
    return !hasBits(length) || this.#bits !== null;
  }

  /**
   * Scores the heads of as many arcs as fit in one batch, so that cache misses overlap. Until
   * `forget`, `similarity` returns these scores.
   */
  prepare(arcs: Uint32Array, from: number, end: number): void {
    this.forget();
    this.#isPrepared = this.#scoreTogether(arcs, from, end);
    scoreBatch.index();
  }

  /** Discards the scores of `prepare`. */
  forget(): void {
    this.#isPrepared = false;
    scoreBatch.clear();
  }

  /** Writes the similarity of each head of arcs; NaN for a head without a vector. */
  scoreHeads(arcs: Uint32Array, from: number, end: number, scores: Float64Array): void {
    const count = (end - from) / ARC_WORDS;
    this.forget();
    this.#isPrepared = this.#scoreTogether(arcs, from, end);
    if (this.#isPrepared && scoreBatch.length === count) {
      for (let at = 0; at < count; at++) scores[at] = scoreBatch.scores[at]!;
      this.#isPrepared = false;
      scoreBatch.length = 0;
      return;
    }
    scoreBatch.index();
    for (let arc = from, at = 0; arc < end; arc += ARC_WORDS, at++) {
      scores[at] = this.similarity(arcs[arc]!, Number.NaN);
    }
    this.forget();
  }

  /**
   * Lists the heads that can be scored in a batch, with their scores; returns false if none can.
   */
  #scoreTogether(arcs: Uint32Array, from: number, end: number): boolean {
    const { writer, memory, precision } = this.#table;
    if (memory.kernel === null || this.length === 0 || this.#features !== null) return false;
    // Other precisions are scored one by one.
    if (precision !== Precision.Int8) return false;
    const { header } = writer.memory;
    const state = readSettledCount(header);
    // While the graph does not change, there is no need to check the sequence of each vertex.
    if (state !== -1 && state === this.#settled) {
      this.#listHeads(arcs, from, end, false);
      this.#scoreNarrow(this.length, scoreBatch.slots, scoreBatch.length, scoreBatch.scores);
      this.#table.reader.fence();
      if (readSettledCount(header) === state) return true;
    }
    this.#settled = state;
    this.#listHeads(arcs, from, end, true);
    this.#scoreNarrow(this.length, scoreBatch.slots, scoreBatch.length, scoreBatch.scores);
    this.#table.reader.fence();
    scoreBatch.dropChanged(writer.memory.sequence.ints);
    return true;
  }

  /**
   * Lists the heads that have an int8 vector as long as the probe. Each loop reads one word per
   * head, so that as many cache misses as possible overlap.
   * @param recordsSequences whether to record the sequences of the vertices
   */
  #listHeads(arcs: Uint32Array, from: number, end: number, recordsSequences: boolean): void {
    const table = this.#table;
    const { vertices, sequences, slots } = scoreBatch;
    const maxCount = Math.min((end - from) / ARC_WORDS, vertices.length);
    for (let at = 0, arc = from; at < maxCount; at++, arc += ARC_WORDS) vertices[at] = arcs[arc]!;
    if (recordsSequences) {
      const { ints } = table.writer.memory.sequence;
      for (let at = 0; at < maxCount; at++) {
        const position = vertices[at]! * SEQUENCE_WORDS;
        sequences[at] = position < ints.length ? Atomics.load(ints, position) : 1;
      }
    } else sequences.fill(0, 0, maxCount);
    table.findSlots(vertices, slots, maxCount);
    const { words } = table.memory;
    const { length } = this;
    const lastSlot = words.length - computeStride(length);
    let count = 0;
    for (let at = 0; at < maxCount; at++) {
      const slot = slots[at]!;
      if (slot === 0 || slot > lastSlot || words[slot + Slot.Length] !== length) continue;
      if ((sequences[at]! & 1) === 1) continue;
      if (count < at) scoreBatch.move(at, count);
      count++;
    }
    scoreBatch.length = count;
  }

  /** Returns the similarity of a vertex's vector to the probe; `none` if either is missing. */
  similarity(vertex: number, none: number = NO_SIMILARITY): number {
    if (this.length === 0) return none;
    const batched = this.#isPrepared ? scoreBatch.find(vertex) : -1;
    if (batched >= 0) return scoreBatch.scores[batched]!;
    const { reader } = this.#table;
    for (let attempt = 0; ; attempt++) {
      const seen = reader.enter(0, vertex, attempt);
      const slot = this.#table.slotOf(vertex);
      const score = slot === 0 ? none : this.#scoreSlot(slot);
      if (reader.leave(0, vertex, seen)) return score;
    }
  }

  /** Returns the Hamming distance of the fingerprints; `none` if either is missing. */
  hamming(vertex: number, none = NO_HAMMING): number {
    if (this.length === 0) return none;
    const { reader } = this.#table;
    for (let attempt = 0; ; attempt++) {
      const seen = reader.enter(0, vertex, attempt);
      const slot = this.#table.slotOf(vertex);
      const bits = slot === 0 ? none : this.#computeHamming(slot);
      if (reader.leave(0, vertex, seen)) return bits;
    }
  }

  /** Returns the similarity of a slot's current contents, which may be arbitrary. */
  #scoreSlot(slot: number): number {
    const { memory } = this.#table;
    if (this.#features !== null) return this.#scoreFeatures(slot, this.#features);
    const length = memory.lengthIn(slot);
    if (length === 0) return this.measure.lowest;
    if (hasRow(length)) return this.#scoreExactly(slot, length);
    if (hasBits(length)) return this.#scoreBits(slot, length);
    this.load(length);
    const { dots, words } = memory;
    const common = Math.min(length, this.length);
    const vector = memory.addressOf(slot + SLOT_WORDS);
    const product = dots.wide(memory.probe, vector, common);
    const squares =
      common === length ? words[slot + Slot.Squares]! : dots.dot(vector, vector, common);
    const scale = memory.floats[slot + Slot.Scale]!;
    return this.measure.score(product, this.#sumSquares(common), this.parts.scale, squares, scale);
  }

  /** Returns the exact score of a binary vector. */
  #scoreBits(slot: number, length: number): number {
    const { memory } = this.#table;
    const components = countComponents(length);
    const start = slot + SLOT_WORDS;
    const bits = this.#bits;
    if (bits === null) {
      const others = binaryParts(unpackBits(memory.words, start, components));
      return compareVectors(this.measure, this.parts, others);
    }
    const common = Math.min(components, this.length);
    this.load(length);
    const count = computeBitWords(common) * 4;
    // The probe is padded with zeros.
    const product = memory.dots.common(memory.probe, memory.addressOf(start), count);
    const own = bits.sumSquares(common);
    const others =
      common === components
        ? memory.words[slot + Slot.Squares]!
        : countBits(memory.words, start, common);
    const sum = this.measure.usesDistance ? own + others - 2 * product : product;
    return this.measure.scoreExact(sum, own, others);
  }

  /** Returns the score from the exact components, which kernels sum in float64. */
  #scoreExactly(slot: number, length: number): number {
    const { memory } = this.#table;
    const components = countComponents(length);
    const common = Math.min(components, this.length);
    const isWhole = common === components;
    const tail = findTail(slot, components);
    const row = memory.addressOf(memory.words[tail + Tail.Row]!);
    const isHalf = readPrecision(length) === Precision.Float16;
    const unit = isHalf ? computeHalfUnit(memory.floats[slot + Slot.Scale]!) : 0;
    let sum = 0;
    let squares = isWhole ? memory.doubles[(tail + Tail.Squares) / 2]! : 0;
    for (let first = 0; first < common; first += EXACT_CHUNK) {
      const count = Math.min(EXACT_CHUNK, common - first);
      const chunk = isHalf ? memory.widen(row + first * 2, count, unit) : row + first * 4;
      sum += this.#compareChunk(chunk, first, count);
      if (!isWhole) squares += memory.dots.dotFloats(chunk, chunk, count);
    }
    return this.measure.scoreExact(sum, this.#exact.sumSquares(common), squares);
  }

  /** Returns the dot product or squared distance of some components. */
  #compareChunk(chunk: number, first: number, count: number): number {
    const { memory } = this.#table;
    memory.loadExact(this.#exact.serial, this.#exact.components, first);
    return this.measure.usesDistance
      ? memory.dots.distanceFloats(memory.exactProbe, chunk, count)
      : memory.dots.dotFloats(memory.exactProbe, chunk, count);
  }

  #scoreFeatures(slot: number, own: FeatureList): number {
    const others = this.#table.memory.featuresIn(slot);
    if (others === null) return NO_SIMILARITY;
    this.#settings ??= this.#table.settings;
    return featureSimilarity(own, others, this.#settings);
  }

  #computeHamming(slot: number): number {
    const { memory } = this.#table;
    const isSameKind =
      this.#features === null ? memory.lengthIn(slot) > 0 : memory.featuresIn(slot) !== null;
    if (!isSameKind) return NO_HAMMING;
    const { words } = memory;
    return (
      bitCount(words[slot + Slot.FingerprintLow]! ^ this.parts.fingerprint.low) +
      bitCount(words[slot + Slot.FingerprintHigh]! ^ this.parts.fingerprint.high)
    );
  }
}
