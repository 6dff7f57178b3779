// Intersects several lists, block by block of the shortest list. Documents that cannot reach the
// threshold are dropped before the other lists are read.

import type { ListScorer } from "./list-scorer.js";
import { hasAny, MatchBatch } from "./match-batch.js";
import { BLOCK } from "./segment-layout.js";
import type { SegmentSearch } from "./segment-search.js";

const ROUNDING = 1e-9;

/** A list, and the frequencies of its word in the candidates of the current block. */
interface CandidateList {
  readonly scorer: ListScorer;
  /** By offset in the block of the shortest list. */
  readonly frequencies: Uint32Array;
}

export function intersectLists(search: SegmentSearch, scorers: readonly ListScorer[]): void {
  const { threshold, take, spend, excluded } = search;
  // Scores are summed in the order of the words, so rounding does not depend on list lengths.
  const lists = scorers.map((scorer): CandidateList => {
    return { scorer, frequencies: new Uint32Array(BLOCK) };
  });
  const [shortest, ...others] = [...lists].sort((a, b) => a.scorer.cost - b.scorer.cost);
  const { scorer, frequencies } = shortest!;
  const { cursor } = scorer;
  const rest = others.reduce((sum, { scorer: { limit } }) => sum + limit, 0);
  const batch = new MatchBatch(search.matches);
  const candidates = new Uint8Array(BLOCK);
  const minScore = (cutoff: number): number =>
    search.matches === null ? cutoff * (1 - ROUNDING) - rest : Number.NEGATIVE_INFINITY;
  let cutoff = threshold;
  while (scorer.nextBlockOver(minScore(cutoff))) {
    spend(cursor.size);
    let count = scorer.listOver(minScore(cutoff), candidates);
    for (const other of others) {
      if (count === 0) break;
      const { cursor: otherCursor } = other.scorer;
      count = otherCursor.keepCommon(cursor.documents, candidates, count, other.frequencies);
    }
    for (let at = 0; at < count; at++) {
      const offset = candidates[at]!;
      const document = cursor.documents[offset]!;
      if (hasAny(excluded, document)) continue;
      batch.add(document);
      frequencies[offset] = cursor.frequencyAt(offset);
      let score = 0;
      for (const list of lists) score += list.scorer.scoreOf(document, list.frequencies[offset]!);
      if (score > cutoff) cutoff = take(document, score);
    }
    if (others.some(({ scorer: { cursor: otherCursor } }) => otherCursor.isAtEnd)) break;
  }
  batch.flush();
}
