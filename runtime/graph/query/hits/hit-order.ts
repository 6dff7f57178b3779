// What hits are sorted by. Every kind gives a number, which is compared first; ids and internalids
// are no numbers and are compared in the graph's memory. Ties have no order of their own.

import * as S from "../../../base/sort-constants.js";
import { isDescending, isSortby, withDirection } from "../../../partial/sort-order.js";
import type { ArcProgram } from "../../evaluate/arc-program.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { isFloatArc, sortValueOf } from "../../model/arc-number.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { NO_HAMMING, NO_SIMILARITY, type Probe } from "../../vectors/probe.js";
import { type DEG, VERTEX_ATTRIBUTES } from "../attributes/vertex-attributes.js";
import { moveArc } from "../match/arc-stack.js";
import type { HitBuffer } from "./hit-buffer.js";
import type { ArcBatch } from "./hit-sink.js";

/** What the hits of a query are: arcs, vertices, or the distinct heads of arcs. */
export type HitKind = "arc" | "vertex" | "head";

/** Kinds whose number is of no interest to anybody else. */
const WITHOUT_SCORE = new Set([
  S.S_RANDOM,
  S.S_ADDR,
  S.S_ID,
  S.S_ANCHOR,
  S.S_OBID,
  S.S_ANCHOR_OBID,
]);

/** What `sortby` means. */
export interface Sortby {
  /** An `S_` constant without direction. */
  readonly kind: number;
  readonly isDescending: boolean;
}

const UNSORTED: Sortby = { kind: S.S_NONE, isDescending: false };

/**
 * Reads `sortby`.
 * @throws QueryError what is no order, or none of such hits
 */
export function parseSortby(sortby: unknown, hits: HitKind, hasRank: boolean): Sortby {
  if (sortby === undefined || sortby === null || sortby === S.S_NONE) return UNSORTED;
  const isOrder = typeof sortby === "number" && Number.isInteger(sortby) && isSortby(sortby);
  const kind = (isOrder ? sortby : S.S_NONE) & ~(S.S_ASC | S.S_DESC);
  const refused = (text: string, fits: string): Error =>
    invalidArgument(text, sortby, fits, ".sortby");
  if (!isOrder || kind === S.S_NONE) {
    throw refused("invalid sortby parameter", "S_VAL, S_ID and their like, with S_ASC or S_DESC");
  }
  if (kind === S.S_RANK && !hasRank) {
    throw refused("rank sorting requires ranking formula", "S_RANK beside `rank`");
  }
  if (kind === S.S_VAL && hits !== "arc") throw refused(WITHOUT_VALUE[hits], "any but S_VAL");
  return { kind: kindFor(kind, hits), isDescending: isDescending(withDirection(sortby)) };
}

const WITHOUT_VALUE = {
  vertex: "Invalid sortby specified: predicator value not available in this context",
  head: "Sort by arc value not supported for this method",
};

/** Vertices that were found by themselves are their own anchors. */
function kindFor(kind: number, hits: HitKind): number {
  if (hits !== "vertex") return kind;
  if (kind === S.S_ANCHOR) return S.S_ID;
  return kind === S.S_ANCHOR_OBID ? S.S_OBID : kind;
}

/** Compares hits of one store. */
export class HitOrder {
  readonly #store: GraphStore;
  readonly #kind: number;
  readonly #read: (store: GraphStore, vertex: number) => number;
  readonly #sign: 1 | -1;
  /** Equal keys do not mean equal hits. */
  readonly hasTexts: boolean;
  /** What hits are scored by, null for another order. */
  readonly #rank: ArcProgram | null;
  readonly #isOfVertices: boolean;

  /** @param by what hits are scored by with S_RANK, and compared with for S_SIM and S_HAM */
  constructor(
    store: GraphStore,
    { kind, isDescending }: Sortby,
    { rank, probe }: { readonly rank: ArcProgram | null; readonly probe: Probe | null },
    hits: HitKind,
  ) {
    this.#store = store;
    this.#rank = rank;
    this.#isOfVertices = hits === "vertex";
    this.#kind = kind;
    this.#read = vertexNumber(kind, probe);
    this.#sign = isDescending ? -1 : 1;
    this.hasTexts =
      kind === S.S_ID || kind === S.S_ANCHOR || kind === S.S_OBID || kind === S.S_ANCHOR_OBID;
  }

  /** True if the most similar come first. */
  get isBySimilarity(): boolean {
    return this.#kind === S.S_SIM && this.#sign === -1;
  }

  /** True if hits may be refused: those with a negative score are no hits. */
  get isSelective(): boolean {
    return this.#rank !== null;
  }

  /**
   * Computes the keys of the arcs of a batch, smaller ones first; returns the smallest. Where the
   * order is selective, arcs with a negative score leave the batch.
   */
  keysOf(batch: ArcBatch, keys: Float64Array): number {
    if (this.#rank !== null) return this.#scoresOf(batch, this.#rank, keys);
    if (this.#kind === S.S_VAL) return valuesOf(batch, this.#sign, keys);
    const { words, from, end } = batch;
    const sign = this.#sign;
    const store = this.#store;
    const read = this.#read;
    let least = Number.POSITIVE_INFINITY;
    for (let arc = from, index = 0; arc < end; arc += ARC_WORDS, index++) {
      const number = read(store, words[arc]!);
      // A float arc can hold what is no number, and nothing compares with it: last.
      const key = Number.isNaN(number) ? Number.POSITIVE_INFINITY : number * sign;
      keys[index] = key;
      if (key < least) least = key;
    }
    return least;
  }

  #scoresOf(batch: ArcBatch, rank: ArcProgram, keys: Float64Array): number {
    const { words, from, end } = batch;
    if (this.#isOfVertices) rank.scoreVertices(words, from, end, keys);
    else rank.score(batch, words, from, end, keys);
    const sign = this.#sign;
    let least = Number.POSITIVE_INFINITY;
    let top = from;
    let kept = 0;
    for (let arc = from, index = 0; arc < end; arc += ARC_WORDS, index++) {
      const score = keys[index]!;
      if (score < 0) continue;
      const key = score * sign;
      keys[kept++] = key;
      if (key < least) least = key;
      top = moveArc(words, arc, top);
    }
    batch.end = top;
    return least;
  }

  /** Negative if the hit in slot `a` comes first; to be called where `hasTexts`. */
  compareTexts(hits: HitBuffer, a: number, b: number): number {
    const { ids } = this.#store;
    if (this.#kind === S.S_ID) return ids.compare(hits.headOf(a), hits.headOf(b)) * this.#sign;
    if (this.#kind === S.S_ANCHOR) return ids.compare(hits.tailOf(a), hits.tailOf(b)) * this.#sign;
    const isHead = this.#kind === S.S_OBID;
    const first = ids.internalIdOf(isHead ? hits.headOf(a) : hits.tailOf(a));
    const second = ids.internalIdOf(isHead ? hits.headOf(b) : hits.tailOf(b));
    return first === second ? 0 : first < second ? -this.#sign : this.#sign;
  }

  /** What F_RANK shows of a key: the number that was compared, 0 where it means nothing. */
  scoreOf(key: number): number {
    if (key === Number.POSITIVE_INFINITY && this.#kind === S.S_SIM) return NO_SIMILARITY;
    if (key === Number.POSITIVE_INFINITY && this.#kind === S.S_HAM) return NO_HAMMING;
    // Never -0.
    return WITHOUT_SCORE.has(this.#kind) ? 0 : key * this.#sign + 0;
  }
}

/** Words of arcs that were last sorted by their values, and the same as floats. */
let arcWords: Uint32Array = new Uint32Array(0);
let arcFloats: Float32Array = new Float32Array(0);

/** As `keysOf`, by the values of arcs. */
function valuesOf({ words, from, end }: ArcBatch, sign: number, keys: Float64Array): number {
  if (words !== arcWords) {
    arcWords = words;
    arcFloats = new Float32Array(words.buffer, words.byteOffset, words.length);
  }
  const floats = arcFloats;
  let least = Number.POSITIVE_INFINITY;
  for (let arc = from, index = 0; arc < end; arc += ARC_WORDS, index++) {
    const word1 = words[arc + 1]!;
    const isFloat = isFloatArc(word1);
    const number = isFloat ? floats[arc + 2]! : sortValueOf(word1, words[arc + 2]!);
    // As above.
    const key = Number.isNaN(number) ? Number.POSITIVE_INFINITY : number * sign;
    keys[index] = key;
    if (key < least) least = key;
  }
  return least;
}

/** What tells vertices apart in an order; where it is by texts, equal numbers tell nothing. */
function vertexNumber(
  kind: number,
  probe: Probe | null,
): (store: GraphStore, vertex: number) => number {
  // What has no vector comes last, however sorted.
  if (kind === S.S_SIM) return (_, vertex) => probe?.similarity(vertex, Number.NaN) ?? Number.NaN;
  if (kind === S.S_HAM) return (_, vertex) => probe?.hamming(vertex, Number.NaN) ?? Number.NaN;
  if (kind === S.S_RANDOM) return Math.random;
  // Most ids differ in their first bytes, so that few have to be compared as a whole.
  if (kind === S.S_ID) return ({ ids }, vertex) => ids.prefixOf(vertex);
  const attribute = VERTEX_ATTRIBUTES.find(({ sortby }) => sortby === kind);
  return (attribute?.of as typeof DEG.of | undefined) ?? (() => 0);
}
