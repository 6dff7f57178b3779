// A search through the segments of an index, as far as it needs no more than segments: what is
// sought is resolved in each of them, frequencies are added up, and each segment is searched with
// the threshold that the ones before have reached.

import type { DocumentScorer } from "./document-scorer.js";
import type { ListWeight } from "./list-scorer.js";
import { type ResolvedPart, resolvePart, type SearchedKeys, scorerFor } from "./resolve-parts.js";
import { searchSegment } from "./search-segment.js";
import type { SoughtPart } from "./search-text.js";
import type { Segment } from "./segment.js";
import { averageLength, type TextStatistics } from "./text-statistics.js";
import { inverseFrequency, normFactors } from "./weights.js";

/** What is sought, and where. */
export interface TextSearch extends SearchedKeys {
  readonly parts: readonly SoughtPart[];
  readonly excluded: readonly SoughtPart[];
  /** How many parts a document has to have, at least 1. */
  readonly least: number;
}

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

  /** What scores of these segments alone go by. */
  statistics(keys: number): TextStatistics {
    let documents = 0;
    const lengths = new Array<number>(keys).fill(0);
    for (const { segment } of this.#segments) {
      documents += segment.documents;
      for (let key = 0; key < keys; key++) lengths[key]! += segment.lengthOf(key);
    }
    return { documents, lengths, frequencies: this.#frequencies() };
  }

  /** One for each word; those of a phrase follow each other. */
  #frequencies(): number[] {
    return this.search.parts.flatMap((part, at) =>
      part.kind === "word" ? [this.#wordFrequency(at)] : this.#phraseFrequencies(at, part.terms),
    );
  }

  /** Documents of the most frequent term, in the key where it is most frequent. */
  #wordFrequency(at: number): number {
    const counts = new Map<string, number>();
    let most = 0;
    for (const { segment, parts } of this.#segments) {
      for (const { list, term, key } of parts[at]!.lists) {
        const name = `${key} ${segment.textOf(term)}`;
        const count = (counts.get(name) ?? 0) + segment.documentsOfList(list);
        counts.set(name, count);
        most = Math.max(most, count);
      }
    }
    return most;
  }

  #phraseFrequencies(at: number, terms: readonly string[]): number[] {
    return terms.map((_, word) => {
      const sums = this.search.boosts.map((_boost, key) =>
        this.#segments.reduce((sum, { parts }) => sum + parts[at]!.frequencies[word]![key]!, 0),
      );
      return Math.max(...sums);
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

/** What each part counts. */
export function partIdfs(parts: readonly SoughtPart[], statistics: TextStatistics): number[] {
  let at = 0;
  return parts.map((part) => {
    const words = part.kind === "word" ? 1 : part.terms.length;
    let idf = 0;
    for (let word = 0; word < words; word++) {
      idf += inverseFrequency(statistics.frequencies[at++] ?? 0, statistics.documents);
    }
    return idf;
  });
}
