// Collection statistics of BM25: number of documents, lengths, and document frequencies. They come
// from one graph, from the first page of a cursor, or from a sum over partitions. Sums need the
// frequency of each term: the most frequent term determines the weight of a prefix, and partitions
// may differ in their most frequent term.

import type { SearchPart } from "./parsed-search.js";
import { inverseFrequency } from "./weights.js";

export interface TextStatistics {
  /** Documents of the index. */
  readonly documents: number;
  /** Sum of the lengths of the texts, by key. */
  readonly lengths: readonly number[];
  /** Number of documents that contain each part of the search. */
  readonly frequencies: readonly number[];
}

/** Documents by `key term`, such as `0 red` for the first key of the index. */
export type TermCounts = Readonly<Record<string, number>>;

/** Statistics of one partition, to be summed. */
export interface TextStatisticsShare {
  readonly documents: number;
  /** Sum of the lengths of the texts, by key of the index. */
  readonly lengths: readonly number[];
  /** For each word: number of documents by term that the word stands for. */
  readonly terms: readonly TermCounts[];
  /** With `fuzzy: "auto"`: hits without typos, and the terms of each word with typos. */
  readonly typos?: { readonly hits: number; readonly terms: readonly TermCounts[] };
}

/** Returns the number of documents of the most frequent term of each word. */
export function mostFrequentTerms(terms: readonly TermCounts[]): number[] {
  return terms.map((counts) =>
    Object.values(counts).reduce((maximum, n) => Math.max(maximum, n), 0),
  );
}

/** Sums the statistics of partitions. */
export function addTextStatistics(shares: readonly TextStatisticsShare[]): TextStatisticsShare {
  const typos = shares.flatMap((share) => share.typos ?? []);
  return {
    documents: shares.reduce((sum, share) => sum + share.documents, 0),
    lengths: addLists(shares.map(({ lengths }) => lengths)),
    terms: addTerms(shares.map(({ terms }) => terms)),
    ...(typos.length > 0 && {
      typos: {
        hits: typos.reduce((sum, { hits }) => sum + hits, 0),
        terms: addTerms(typos.map(({ terms }) => terms)),
      },
    }),
  };
}

function addLists(lists: readonly (readonly number[])[]): number[] {
  const sums: number[] = [];
  for (const list of lists) {
    for (const [at, number] of list.entries()) sums[at] = (sums[at] ?? 0) + number;
  }
  return sums;
}

function addTerms(shares: readonly (readonly TermCounts[])[]): TermCounts[] {
  const sums: Map<string, number>[] = [];
  for (const share of shares) {
    for (const [at, counts] of share.entries()) {
      sums[at] ??= new Map();
      for (const [term, n] of Object.entries(counts)) {
        sums[at].set(term, (sums[at].get(term) ?? 0) + n);
      }
    }
  }
  return sums.map((counts) => Object.fromEntries(counts));
}

/** Average length of the texts of a key. */
export function averageLength({ documents, lengths }: TextStatistics, key: number): number {
  const average = documents === 0 ? 0 : lengths[key]! / documents;
  return average > 0 ? average : 1;
}

/** Returns the inverse document frequency of each part: for a phrase, the sum of its words. */
export function partIdfs(parts: readonly SearchPart[], statistics: TextStatistics): number[] {
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
