// A search through the segments of an index, as far as it needs no more than segments: what is
// sought is resolved in each of them, frequencies are added up, and each segment is searched with
// the threshold that the ones before have reached.

import type { DocumentScorer } from "./document-scorer.js";
import type { ListWeight } from "./list-scorer.js";
import type { PendingMatch } from "./pending-match.js";
import { type ResolvedPart, resolvePart, scorerFor } from "./resolve-parts.js";
import { searchSegment } from "./search-segment.js";
import type { Segment } from "./segment.js";
import type { SoughtPart, TextSearch } from "./sought-text.js";
import { averageLength, partIdfs, type TextStatistics } from "./text-statistics.js";
import { normFactors } from "./weights.js";

/** Takes a document of a segment; returns what the scores of the next ones have to exceed. */
export type TakeMatch = (segment: Segment, document: number, score: number) => number;

interface ResolvedSegment {
  readonly segment: Segment;
  readonly parts: readonly ResolvedPart[];
  readonly excluded: readonly ResolvedPart[];
}

export class TextMatch {
  readonly search: TextSearch;
  readonly #segments: readonly ResolvedSegment[];

  constructor(search: TextSearch, segments: readonly Segment[]) {
    this.search = search;
    const resolve = (segment: Segment, parts: readonly SoughtPart[]): ResolvedPart[] =>
      parts.map((part) => resolvePart(segment, part, search));
    this.#segments = segments.map((segment) => ({
      segment,
      parts: resolve(segment, search.parts),
      excluded: resolve(segment, search.excluded),
    }));
  }

  /** True if a word stands for more terms than are looked at. */
  get isCut(): boolean {
    return this.#segments.some(({ parts }) => parts.some(({ isCut }) => isCut));
  }

  /** Statistics of these segments and pending texts. */
  statistics(keys: number, pending: PendingMatch | null = null): TextStatistics {
    let documents = pending?.documents ?? 0;
    const lengths = Array.from({ length: keys }, (_, key) => pending?.lengths[key] ?? 0);
    for (const { segment } of this.#segments) {
      documents += segment.documents;
      for (let key = 0; key < keys; key++) lengths[key]! += segment.lengthOf(key);
    }
    const terms = this.terms(pending);
    const frequencies = terms.map((counts) => Math.max(0, ...counts.values()));
    return { documents, lengths, frequencies };
  }

  /**
   * Documents by `key term`, of the terms that each word stands for. The words of a phrase follow
   * each other.
   */
  terms(pending: PendingMatch | null): Map<string, number>[] {
    return this.search.parts.flatMap((part, at) =>
      part.kind === "word"
        ? [this.#wordCounts(at, pending)]
        : this.#phraseCounts(at, part.terms, pending),
    );
  }

  #wordCounts(at: number, pending: PendingMatch | null): Map<string, number> {
    const counts = new Map<string, number>();
    pending?.addWordCounts(at, counts);
    for (const { segment, parts } of this.#segments) {
      for (const { list, term, key } of parts[at]!.lists) {
        const name = `${key} ${segment.textOf(term)}`;
        counts.set(name, (counts.get(name) ?? 0) + segment.documentsOfList(list));
      }
    }
    return counts;
  }

  #phraseCounts(
    at: number,
    terms: readonly string[],
    pending: PendingMatch | null,
  ): Map<string, number>[] {
    return terms.map((term, word) => {
      const sums = this.search.boosts.map((_boost, key): [string, number] => [
        `${key} ${term}`,
        this.#segments.reduce(
          (sum, { parts }) => sum + parts[at]!.frequencies[word]![key]!,
          pending?.phraseCount(at, word, key) ?? 0,
        ),
      ]);
      return new Map(sums);
    });
  }

  /**
   * Gives all documents with a score that is greater than the threshold, which `take` may raise.
   * @param threshold negative infinity: all that match
   */
  run(
    statistics: TextStatistics,
    threshold: number,
    take: TakeMatch,
    spend: (documents: number) => void,
  ): void {
    const idfs = partIdfs(this.search.parts, statistics);
    const factors = this.search.boosts.map((boost, key) =>
      normFactors(averageLength(statistics, key)).map((norm) => boost / norm),
    );
    let over = threshold;
    for (const { segment, parts, excluded } of this.#segments) {
      const weightOf = this.#weights(segment, statistics, factors);
      const found = (part: ResolvedPart, idf: number): DocumentScorer | null =>
        scorerFor(segment, part, weightOf, idf);
      searchSegment({
        documents: segment.documents,
        scorers: parts.flatMap((part, at) => found(part, idfs[at]!) ?? []),
        excluded: excluded.flatMap((part) => found(part, 1) ?? []),
        least: this.search.least,
        threshold: over,
        take: (document, score) => {
          over = take(segment, document, score);
          return over;
        },
        spend,
      });
    }
  }

  #weights(
    segment: Segment,
    statistics: TextStatistics,
    factors: readonly Float64Array[],
  ): (key: number, factor: number) => ListWeight {
    return (key, factor) => {
      const all = factors[key]!;
      // Weights grow with the average length, at most as much.
      const growth = Math.max(1, averageLength(statistics, key) / segment.averageOf(key));
      return {
        factors: factor === 1 ? all : all.map((of) => of * factor),
        limitFactor: this.search.boosts[key]! * factor * growth,
      };
    };
  }
}
