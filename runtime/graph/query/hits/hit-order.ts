// Sort orders of hits. Every kind has a numeric key, which is compared first; ids and internalids
// compare as strings in the graph's memory. Ties are in no particular order.

import * as S from "../../../base/sort-constants.js";
import { isDescending, isSortby, withDirection } from "../../../base/sort-order.js";
import type { ArcProgram } from "../../evaluate/arc-program.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { arcSortValue, isFloatArc } from "../../model/arc-number.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import { type DEG, VERTEX_ATTRIBUTES } from "../../store/attributes/vertex-attributes.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { TextScores } from "../../texts/text-scores.js";
import { NO_HAMMING, NO_SIMILARITY, type Probe } from "../../vectors/probe.js";
import { moveArc } from "../match/arc-stack.js";
import type { HitBuffer } from "./hit-buffer.js";
import type { ArcBatch } from "./hit-sink.js";
import { compareEqualHits } from "./page-position.js";

/** Kinds of hits: arcs, vertices, or the distinct heads of arcs. */
export type HitKind = "arc" | "vertex" | "head";

/** Kinds whose key has no meaning to callers. */
const WITHOUT_SCORE = new Set([
  S.S_RANDOM,
  S.S_ADDR,
  S.S_ID,
  S.S_ANCHOR,
  S.S_OBID,
  S.S_ANCHOR_OBID,
]);

/** Kinds that compare strings. */
const BY_NAME = new Set([S.S_ID, S.S_ANCHOR, S.S_OBID, S.S_ANCHOR_OBID]);

/** A parsed `sortby`. */
export interface Sortby {
  /** `S_` constant without direction. */
  readonly kind: number;
  readonly isDescending: boolean;
}

const UNSORTED: Sortby = { kind: S.S_NONE, isDescending: false };

/**
 * Parses `sortby`.
 * @throws QueryError unknown order, or one that such hits do not have
 */
export function parseSortby(sortby: unknown, hits: HitKind, hasRank: boolean): Sortby {
  if (sortby === undefined || sortby === null || sortby === S.S_NONE) return UNSORTED;
  const isOrder = typeof sortby === "number" && Number.isInteger(sortby) && isSortby(sortby);
  const kind = (isOrder ? sortby : S.S_NONE) & ~(S.S_ASC | S.S_DESC);
  const orderError = (text: string, fits: string): Error =>
    invalidArgument(text, sortby, fits, ".sortby");
  if (!isOrder || kind === S.S_NONE) {
    throw orderError(
      "invalid sortby parameter",
      "S_VAL, S_ID and their like, with S_ASC or S_DESC",
    );
  }
  if (kind === S.S_RANK && !hasRank) {
    throw orderError("rank sorting requires ranking formula", "S_RANK beside `rank`");
  }
  if (kind === S.S_VAL && hits !== "arc") throw orderError(WITHOUT_VALUE[hits], "any but S_VAL");
  return { kind: resolveKind(kind, hits), isDescending: isDescending(withDirection(sortby)) };
}

const WITHOUT_VALUE = {
  vertex: "Invalid sortby specified: predicator value not available in this context",
  head: "Sort by arc value not supported for this method",
};

/** A vertex found without an arc is its own anchor. */
function resolveKind(kind: number, hits: HitKind): number {
  if (hits !== "vertex") return kind;
  if (kind === S.S_ANCHOR) return S.S_ID;
  return kind === S.S_ANCHOR_OBID ? S.S_OBID : kind;
}

/** Inputs of an order that the graph does not store. */
interface OrderInputs {
  readonly rank: ArcProgram | null;
  readonly probe: Probe | null;
  readonly texts: TextScores | null;
}

/** Compares hits of one store. */
export class HitOrder {
  readonly #store: GraphStore;
  readonly #kind: number;
  readonly #read: (store: GraphStore, vertex: number) => number;
  readonly #sign: 1 | -1;
  readonly #isByName: boolean;
  readonly #isTotal: boolean;
  /** True if hits with equal keys must be compared further. */
  readonly hasTexts: boolean;
  /** True if keys are computed from the vectors of the heads alone. */
  readonly needsVectors: boolean;
  /** Program that scores hits; null for another order. */
  readonly #rank: ArcProgram | null;
  /** Probe for the keys; null if they need no vectors. */
  readonly #probe: Probe | null;
  readonly #isOfVertices: boolean;

  /** @param isTotal true to order hits with equal keys, for cursors */
  constructor(
    store: GraphStore,
    { kind, isDescending }: Sortby,
    { rank, probe, texts }: OrderInputs,
    hits: HitKind,
    isTotal = false,
  ) {
    this.#store = store;
    this.#isTotal = isTotal;
    this.#rank = rank;
    this.#probe = kind === S.S_SIM || rank !== null ? probe : null;
    this.needsVectors = this.#probe !== null && rank === null;
    this.#isOfVertices = hits === "vertex";
    this.#kind = kind;
    this.#read = vertexNumber(kind, probe, texts, isTotal);
    this.#sign = isDescending ? -1 : 1;
    this.#isByName = BY_NAME.has(kind);
    this.hasTexts = this.#isByName || isTotal;
  }

  /** Direction if hits are sorted by the values of arcs; null for another order. */
  get valueDirection(): "ascending" | "descending" | null {
    if (this.#kind !== S.S_VAL) return null;
    return this.#sign === -1 ? "descending" : "ascending";
  }

  /** True if the most similar come first. */
  get isBySimilarity(): boolean {
    return this.#kind === S.S_SIM && this.#sign === -1;
  }

  /** True if the best texts come first. */
  get isByText(): boolean {
    return this.#kind === S.S_TEXT && this.#sign === -1;
  }

  /** True if hits are sorted by a string, the greatest first. */
  get isByNameDescending(): boolean {
    return this.#isByName && this.#sign === -1;
  }

  /** True if the order drops hits: those with a negative score. */
  get isSelective(): boolean {
    return this.#rank !== null;
  }

  /**
   * Computes the keys of a batch's arcs, ascending, and returns the smallest. A selective order
   * removes arcs with a negative score from the batch.
   */
  computeKeys(batch: ArcBatch, keys: Float64Array): number {
    const probe = this.#probe;
    if (probe === null) return this.#keysOf(batch, keys);
    if (this.#rank === null) return this.#similaritiesOf(batch, probe, keys);
    probe.prepare(batch.words, batch.from, batch.end);
    try {
      return this.#keysOf(batch, keys);
    } finally {
      probe.forget();
    }
  }

  #keysOf(batch: ArcBatch, keys: Float64Array): number {
    if (this.#rank !== null) return this.#scoresOf(batch, this.#rank, keys);
    if (this.#kind === S.S_VAL) return computeValueKeys(batch, this.#sign, keys);
    const { words, from, end } = batch;
    const sign = this.#sign;
    const store = this.#store;
    // Most ids differ in their first bytes, which saves most string comparisons.
    if (this.#kind === S.S_ID) return store.ids.prefixesOf(words, from, end, sign, keys);
    if (this.#kind === S.S_DEG) return store.vertices.degreesOf(words, from, end, sign, keys);
    const read = this.#read;
    let minKey = Number.POSITIVE_INFINITY;
    for (let arc = from, index = 0; arc < end; arc += ARC_WORDS, index++) {
      const number = read(store, words[arc]!);
      // Vertices without the number, such as a score, come last.
      const key = Number.isNaN(number) ? Number.POSITIVE_INFINITY : number * sign;
      keys[index] = key;
      if (key < minKey) minKey = key;
    }
    return minKey;
  }

  #similaritiesOf({ words, from, end }: ArcBatch, probe: Probe, keys: Float64Array): number {
    probe.scoreHeads(words, from, end, keys);
    const sign = this.#sign;
    const count = (end - from) / ARC_WORDS;
    let minKey = Number.POSITIVE_INFINITY;
    for (let index = 0; index < count; index++) {
      const score = keys[index]!;
      // Vertices without a vector come last in either direction.
      const key = Number.isNaN(score) ? Number.POSITIVE_INFINITY : score * sign;
      keys[index] = key;
      if (key < minKey) minKey = key;
    }
    return minKey;
  }

  #scoresOf(batch: ArcBatch, rank: ArcProgram, keys: Float64Array): number {
    const { words, from, end } = batch;
    if (this.#isOfVertices) rank.scoreVertices(words, from, end, keys);
    else rank.score(batch, words, from, end, keys);
    const sign = this.#sign;
    let minKey = Number.POSITIVE_INFINITY;
    let top = from;
    let kept = 0;
    for (let arc = from, index = 0; arc < end; arc += ARC_WORDS, index++) {
      const score = keys[index]!;
      if (score < 0) continue;
      const key = score * sign;
      keys[kept++] = key;
      if (key < minKey) minKey = key;
      top = moveArc(words, arc, top);
    }
    batch.end = top;
    return minKey;
  }

  /** Returns a negative number if the hit in slot `a` comes first; only if `hasTexts`. */
  compareTexts(hits: HitBuffer, a: number, b: number): number {
    const difference = this.#isByName ? this.#compareNames(hits, a, b) : 0;
    if (difference !== 0 || !this.#isTotal) return difference;
    return compareEqualHits(this.#store, hits, a, b);
  }

  /** Returns the string that a hit is sorted by; empty in other orders. */
  nameOf(head: number, tail: number): string {
    const { ids } = this.#store;
    if (this.#kind === S.S_ID) return ids.idOf(head);
    if (this.#kind === S.S_ANCHOR) return ids.idOf(tail);
    if (this.#kind === S.S_OBID) return ids.internalIdOf(head);
    return this.#kind === S.S_ANCHOR_OBID ? ids.internalIdOf(tail) : "";
  }

  /** Compares the string of a hit with another one. */
  compareName(head: number, tail: number, name: string): number {
    if (!this.#isByName) return 0;
    return Buffer.compare(Buffer.from(this.nameOf(head, tail)), Buffer.from(name)) * this.#sign;
  }

  #compareNames(hits: HitBuffer, a: number, b: number): number {
    const { ids } = this.#store;
    if (this.#kind === S.S_ID) return ids.compare(hits.headOf(a), hits.headOf(b)) * this.#sign;
    if (this.#kind === S.S_ANCHOR) return ids.compare(hits.tailOf(a), hits.tailOf(b)) * this.#sign;
    const isHead = this.#kind === S.S_OBID;
    const first = ids.internalIdOf(isHead ? hits.headOf(a) : hits.tailOf(a));
    const second = ids.internalIdOf(isHead ? hits.headOf(b) : hits.tailOf(b));
    return first === second ? 0 : first < second ? -this.#sign : this.#sign;
  }

  /** Returns the F_RANK value of a key: the number compared, 0 if it has no meaning. */
  scoreOf(key: number): number {
    if (key === Number.POSITIVE_INFINITY && this.#kind === S.S_SIM) return NO_SIMILARITY;
    if (key === Number.POSITIVE_INFINITY && this.#kind === S.S_HAM) return NO_HAMMING;
    if (key === Number.POSITIVE_INFINITY && this.#kind === S.S_TEXT) return 0;
    // Adding 0 turns -0 into 0.
    return WITHOUT_SCORE.has(this.#kind) ? 0 : key * this.#sign + 0;
  }
}

/** Arc words last sorted by value, and the same memory as floats. */
let arcWords: Uint32Array = new Uint32Array(0);
let arcFloats: Float32Array = new Float32Array(0);

/** Computes keys from arc values, see `keysOf`. */
function computeValueKeys(
  { words, from, end }: ArcBatch,
  sign: number,
  keys: Float64Array,
): number {
  if (words !== arcWords) {
    arcWords = words;
    arcFloats = new Float32Array(words.buffer, words.byteOffset, words.length);
  }
  const floats = arcFloats;
  let minKey = Number.POSITIVE_INFINITY;
  for (let arc = from, index = 0; arc < end; arc += ARC_WORDS, index++) {
    const word1 = words[arc + 1]!;
    const isFloat = isFloatArc(word1);
    const number = isFloat ? floats[arc + 2]! : arcSortValue(word1, words[arc + 2]!);
    const key = number * sign;
    keys[index] = key;
    if (key < minKey) minKey = key;
  }
  return minKey;
}

/** Returns the function from a vertex to its key. In string orders, strings break ties of keys. */
function vertexNumber(
  kind: number,
  probe: Probe | null,
  texts: TextScores | null,
  isTotal: boolean,
): (store: GraphStore, vertex: number) => number {
  // Pending and built texts have equal scores except for rounding.
  if (kind === S.S_TEXT && isTotal) return (_, vertex) => Math.fround(texts?.of(vertex) ?? 0);
  if (kind === S.S_TEXT) return (_, vertex) => texts?.of(vertex) ?? Number.NaN;
  // Others are sorted by `#similaritiesOf`.
  if (kind === S.S_SIM) return () => Number.NaN;
  if (kind === S.S_HAM) return (_, vertex) => probe?.hamming(vertex, Number.NaN) ?? Number.NaN;
  if (kind === S.S_RANDOM) return Math.random;
  const attribute = VERTEX_ATTRIBUTES.find(({ sortby }) => sortby === kind);
  return (attribute?.of as typeof DEG.of | undefined) ?? (() => 0);
}
