// Collection statistics of BM25: number of documents, lengths, and document frequencies. They come
// from one graph, from the first page of a cursor, or from a sum over partitions.

import type { SoughtPart } from "./sought-text.js";
import { inverseFrequency } from "./weights.js";

export interface TextStatistics {
  /** Documents of the index. */
  readonly documents: number;
  /** Sum of the lengths of the texts, by key. */
  readonly lengths: readonly number[];
  /** Documents that have each part of what is sought, in its order. */
  readonly frequencies: readonly number[];
}

/** Average length of the texts of a key. */
export function averageLength({ documents, lengths }: TextStatistics, key: number): number {
  const average = documents === 0 ? 0 : lengths[key]! / documents;
  return average > 0 ? average : 1;
}

/** Inverse document frequency of each part. */
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
