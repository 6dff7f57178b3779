// Searches for the documents that all of several lists contain, block by block of the rarest list.
// Documents that cannot reach the threshold are dropped before the other lists are read.

import type { ListScorer } from "./list-scorer.js";
import { hasAny, MatchBatch } from "./match-batch.js";
import { BLOCK } from "./segment-layout.js";
import type { SegmentSearch } from "./segment-search.js";

const ROUNDING = 1e-9;

/** A list with the frequencies of its word in the candidates of a block. */
interface Joined {
  readonly scorer: ListScorer;
  /** By place in the block of the rarest list. */
  readonly frequencies: Uint32Array;
}

export function searchLists(search: SegmentSearch, scorers: readonly ListScorer[]): void {
  const { threshold, take, spend, excluded } = search;
  // Scores are summed in the order of the words, independently of the order of processing.
  const lists = scorers.map((scorer): Joined => {
    return { scorer, frequencies: new Uint32Array(BLOCK) };
  });
  const [first, ...others] = [...lists].sort((a, b) => a.scorer.cost - b.scorer.cost);
  const { scorer, frequencies } = first!;
  const { cursor } = scorer;
  const rest = others.reduce((sum, { scorer: { limit } }) => sum + limit, 0);
  const found = new MatchBatch(search.matches);
  const candidates = new Uint8Array(BLOCK);
  const least = (over: number): number =>
    search.matches === null ? over * (1 - ROUNDING) - rest : Number.NEGATIVE_INFINITY;
  let over = threshold;
  while (scorer.nextBlockOver(least(over))) {
    spend(cursor.size);
    let count = scorer.listOver(least(over), candidates);
    for (const other of others) {
      if (count === 0) break;
      const { cursor: theirs } = other.scorer;
      count = theirs.keepCommon(cursor.documents, candidates, count, other.frequencies);
    }
    for (let at = 0; at < count; at++) {
      const place = candidates[at]!;
      const document = cursor.documents[place]!;
      if (hasAny(excluded, document)) continue;
      found.add(document);
      frequencies[place] = cursor.frequencyAt(place);
      let score = 0;
      for (const list of lists) score += list.scorer.scoreOf(document, list.frequencies[place]!);
      if (score > over) over = take(document, score);
    }
    if (others.some(({ scorer: { cursor: theirs } }) => theirs.isAtEnd)) break;
  }
  found.flush();
}
