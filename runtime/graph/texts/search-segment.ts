// Searches one segment. A search for one list or phrase reads it block by block. A search for words
// that must all occur intersects their lists, starting with the rarest word. Other searches score
// windows of documents. Blocks and windows that cannot reach the threshold are skipped.

import { type DocumentScorer, ScoreWindow, WINDOW } from "./document-scorer.js";
import { NO_DOCUMENT } from "./list-cursor.js";
import { intersectLists } from "./list-intersection.js";
import { ListScorer } from "./list-scorer.js";
import { hasAny, MatchBatch } from "./match-batch.js";
import { PhraseScorer } from "./phrase-scorer.js";
import type { SegmentSearch } from "./segment-search.js";
import { UnionScorer } from "./union-scorer.js";

export function searchSegment(search: SegmentSearch): void {
  const { scorers, minMatches, excluded } = search;
  if (minMatches > scorers.length) return;
  const [only] = scorers as [DocumentScorer];
  const isAlone = scorers.length === 1 && excluded.length === 0;
  if (isAlone && only instanceof ListScorer) searchList(search, only);
  else if (isAlone && only instanceof UnionScorer) only.scan(search);
  else if (isAlone && only instanceof PhraseScorer && only.isScanned(search)) only.scan(search);
  else if (minMatches < scorers.length) searchWindows(search);
  else if (scorers.every((scorer) => scorer instanceof ListScorer)) intersectLists(search, scorers);
  else searchIntersection(search);
}

function searchList({ threshold, take, spend, matches }: SegmentSearch, scorer: ListScorer): void {
  let cutoff = threshold;
  const takeDocument = (document: number, score: number): number => {
    cutoff = take(document, score);
    return cutoff;
  };
  while (matches !== null && scorer.cursor.nextBlock()) {
    const { documents, size } = scorer.cursor;
    spend(size);
    matches(documents, size);
    if (scorer.isBlockOver(cutoff)) scorer.scanBlock(cutoff, takeDocument);
  }
  while (scorer.nextBlockOver(cutoff)) {
    spend(scorer.cursor.size);
    scorer.scanBlock(cutoff, takeDocument);
  }
}

function searchIntersection(search: SegmentSearch): void {
  const { scorers, excluded, threshold, take, spend } = search;
  const batch = new MatchBatch(search.matches);
  const order = [...scorers].sort((a, b) => a.cost - b.cost);
  const [first] = order as [DocumentScorer];
  for (const scorer of order) {
    if (scorer !== first && scorer instanceof UnionScorer) scorer.expectSeeks(first.cost);
  }
  let cutoff = threshold;
  let examined = 0;
  for (let document = first.next(); document !== NO_DOCUMENT; ) {
    if (++examined === WINDOW) {
      spend(examined);
      examined = 0;
    }
    let candidate = document;
    for (let at = 1; at < order.length && candidate === document; at++) {
      candidate = order[at]!.seek(document);
    }
    if (candidate === NO_DOCUMENT) break;
    if (candidate !== document) {
      document = first.seek(candidate);
      continue;
    }
    if (!hasAny(excluded, document)) {
      batch.add(document);
      let score = 0;
      for (const scorer of scorers) score += scorer.score();
      if (score > cutoff) cutoff = take(document, score);
    }
    document = first.next();
  }
  batch.flush();
  spend(examined);
}

function searchWindows(search: SegmentSearch): void {
  const { documents, minMatches, excluded, take, spend } = search;
  let cutoff = search.threshold;
  const batch = new MatchBatch(search.matches);
  const scorer = new WindowScorer(search.scorers);
  for (let from = 0; from < documents; from += WINDOW) {
    const end = Math.min(from + WINDOW, documents);
    // Counting the matching words, or reporting every match, requires all lists.
    const readsAllLists = minMatches > 1 || search.matches !== null;
    scorer.chooseEssential(from, end, readsAllLists ? Number.NEGATIVE_INFINITY : cutoff);
    if (scorer.isEmpty) continue;
    spend(end - from);
    scorer.fill(from, end);
    const { scores, matches } = scorer.window;
    for (let at = 0; at < end - from; at++) {
      if (matches[at]! < 1 || (minMatches > 1 && matches[at]! < minMatches)) continue;
      const score = scorer.addNonEssential(from + at, scores[at]!, cutoff);
      if (search.matches === null && score <= cutoff) continue;
      if (hasAny(excluded, from + at)) continue;
      batch.add(from + at);
      if (score > cutoff) cutoff = take(from + at, score);
    }
  }
  batch.flush();
}

/**
 * Scores windows of documents by the MaxScore algorithm: scorers are sorted by their maximum score,
 * and the first ones that together cannot reach the threshold are not essential. Their lists are
 * not read in full, only looked up for documents that an essential scorer has found.
 */
class WindowScorer {
  readonly window = new ScoreWindow();
  readonly #scorers: readonly DocumentScorer[];
  /** Sum of the maximum scores of all preceding scorers, in the window. */
  readonly #sums: Float64Array;
  /** Offset of the first essential scorer. */
  #firstEssential = 0;

  constructor(scorers: readonly DocumentScorer[]) {
    this.#scorers = [...scorers].sort((a, b) => a.limit - b.limit);
    this.#sums = new Float64Array(scorers.length + 1);
  }

  /** True if no document of the window can exceed the threshold. */
  get isEmpty(): boolean {
    return this.#firstEssential === this.#scorers.length;
  }

  chooseEssential(from: number, end: number, cutoff: number): void {
    this.#firstEssential = 0;
    if (cutoff < 0) return;
    const scorers = this.#scorers;
    for (let at = 0; at < scorers.length; at++) {
      this.#sums[at + 1] = this.#sums[at]! + scorers[at]!.limitBetween(from, end - 1);
    }
    while (this.#firstEssential < scorers.length && this.#sums[this.#firstEssential + 1]! <= cutoff)
      this.#firstEssential++;
  }

  fill(from: number, end: number): void {
    const { scores, matches } = this.window;
    scores.fill(0);
    matches.fill(0);
    for (let at = this.#firstEssential; at < this.#scorers.length; at++) {
      this.#scorers[at]!.add(this.window, from, end);
    }
  }

  /** Adds the scores of the other scorers; stops when the threshold is out of reach. */
  addNonEssential(document: number, score: number, cutoff: number): number {
    let sum = score;
    for (let at = this.#firstEssential - 1; at >= 0; at--) {
      if (sum + this.#sums[at + 1]! <= cutoff) return sum;
      const scorer = this.#scorers[at]!;
      if (scorer.seek(document) === document) sum += scorer.score();
    }
    return sum;
  }
}
