// Searches the segments of an index: resolves the words of the search in each segment, sums their
// frequencies, and searches the segments in turn, each with the threshold reached so far.

import type { DocumentScorer } from "./document-scorer.js";
import type { ListCursor } from "./list-cursor.js";
import type { ListWeight } from "./list-scorer.js";
import type { SearchPart, TextSearch } from "./parsed-search.js";
import type { PendingMatch } from "./pending-match.js";
import { createPartScorer, type ResolvedPart, resolvePart } from "./resolve-parts.js";
import { searchSegment } from "./search-segment.js";
import type { Segment } from "./segment.js";
import { averageLength, partIdfs, type TextStatistics } from "./text-statistics.js";
import { weightFactors } from "./weights.js";

/** Receives a document of a segment; returns the new threshold. */
export type TakeMatch = (segment: Segment, document: number, score: number) => number;

/** Receives every match, regardless of its score. */
export interface MatchSink {
  /** @param maxMatches maximum number of matches in the segment */
  begin(segment: Segment, maxMatches: number): void;
  take(documents: Uint32Array, count: number): void;
}

interface ResolvedSegment {
  readonly segment: Segment;
  readonly parts: readonly ResolvedPart[];
  readonly excluded: readonly ResolvedPart[];
}

export class TextMatch {
  readonly search: TextSearch;
  /** Number of postings blocks in the lists that were read, and of decoded ones. */
  readonly blocks = { decoded: 0, all: 0 };
  readonly #segments: readonly ResolvedSegment[];

  constructor(search: TextSearch, segments: readonly Segment[]) {
    this.search = search;
    const resolve = (segment: Segment, parts: readonly SearchPart[]): ResolvedPart[] =>
      parts.map((part) => resolvePart(segment, part, search));
    this.#segments = segments.map((segment) => ({
      segment,
      parts: resolve(segment, search.parts),
      excluded: resolve(segment, search.excluded),
    }));
  }

  /** True if a word stands for more terms than are examined. */
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
    return { documents, lengths, frequencies: this.#frequencies(pending) };
  }

  /** Returns one frequency per word, including the words of phrases. */
  #frequencies(pending: PendingMatch | null): number[] {
    return this.search.parts.flatMap((part, at) => {
      if (part.kind === "word") return [this.#wordFrequency(at, pending)];
      const counts = this.#phraseCounts(at, part.terms, pending);
      return counts.map((words) => Math.max(0, ...words.values()));
    });
  }

  /** Number of documents of the most frequent term, in the key where it is most frequent. */
  #wordFrequency(at: number, pending: PendingMatch | null): number {
    const counts = new Map<string, number>();
    pending?.addWordCounts(at, counts);
    let maxFrequency = Math.max(0, ...counts.values());
    for (const { segment, parts } of this.#segments) {
      for (const { list } of parts[at]!.lists) {
        maxFrequency = Math.max(maxFrequency, segment.documentsOfList(list));
      }
    }
    // A term that is most frequent in total reaches the average share of that in some segment.
    const minFrequency = maxFrequency / (this.#segments.length + 1);
    for (const { segment, parts } of this.#segments) {
      for (const { list, term, key } of parts[at]!.lists) {
        if (segment.documentsOfList(list) < minFrequency) continue;
        const name = `${key} ${segment.textOf(term)}`;
        if (!counts.has(name)) counts.set(name, 0);
      }
    }
    for (const [name, count] of counts) {
      maxFrequency = Math.max(maxFrequency, count + this.#countTerm(name));
    }
    return maxFrequency;
  }

  /** Counts the documents in segments that contain a term, given as key and text. */
  #countTerm(name: string): number {
    const space = name.indexOf(" ");
    const key = Number(name.slice(0, space));
    const text = name.slice(space + 1);
    return this.#segments.reduce((sum, { segment }) => {
      const term = segment.find(text);
      const list = term < 0 ? 0 : segment.findList(term, key);
      return list === 0 ? sum : sum + segment.documentsOfList(list);
    }, 0);
  }

  /**
   * Returns for each word the number of documents by `key term`, for all terms that the word stands
   * for. Words of phrases are included one by one.
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
   * Reports all documents with a score greater than the threshold, which `take` may raise.
   * @param threshold negative infinity: all matches
   * @param all also receives all matching documents; null if not needed
   */
  run(
    statistics: TextStatistics,
    threshold: number,
    take: TakeMatch,
    spend: (documents: number) => void,
    all: MatchSink | null = null,
  ): void {
    const idfs = partIdfs(this.search.parts, statistics);
    let cutoff = threshold;
    for (const { segment, parts, excluded } of this.#segments) {
      const weightOf = this.#weights(segment, statistics);
      const createScorer = (part: ResolvedPart, idf: number): DocumentScorer | null =>
        createPartScorer(segment, part, weightOf, idf);
      const scorers = parts.flatMap((part, at) => createScorer(part, idfs[at]!) ?? []);
      const costs = scorers.reduce((sum, { cost }) => sum + cost, 0);
      all?.begin(segment, Math.min(segment.documents, costs));
      searchSegment({
        documents: segment.documents,
        scorers,
        excluded: excluded.flatMap((part) => createScorer(part, 1) ?? []),
        minMatches: this.search.minMatches,
        threshold: cutoff,
        take: (document, score) => {
          cutoff = take(segment, document, score);
          return cutoff;
        },
        spend,
        matches: all === null ? null : (documents, count) => all.take(documents, count),
      });
      for (const { cursors } of scorers) this.#addBlocks(cursors);
    }
  }

  #addBlocks(cursors: readonly ListCursor[]): void {
    for (const { decoded, blocks } of cursors) {
      this.blocks.decoded += decoded;
      this.blocks.all += blocks;
    }
  }

  #weights(
    segment: Segment,
    statistics: TextStatistics,
  ): (key: number, factor: number) => ListWeight {
    return (key, factor) => {
      const average = averageLength(statistics, key);
      const boost = this.search.boosts[key]! * factor;
      // Weights grow at most in proportion to the average length.
      const growth = Math.max(1, average / segment.averageOf(key));
      return { factors: weightFactors(average, boost), limitFactor: boost * growth };
    };
  }
}
