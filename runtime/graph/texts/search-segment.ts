// Searches one segment. Single lists and phrases are read block by block; words that must all occur
// are followed from the rarest one; otherwise windows of documents are scored together. Blocks and
// windows that cannot reach the threshold are skipped.

import { type DocumentScorer, ScoreWindow, WINDOW } from "./document-scorer.js";
import { NO_DOCUMENT } from "./list-cursor.js";
import { searchLists } from "./list-intersection.js";
import { ListScorer } from "./list-scorer.js";
import { hasAny, MatchBatch } from "./match-batch.js";
import { PhraseScorer } from "./phrase-scorer.js";
import type { SegmentSearch } from "./segment-search.js";
import { UnionScorer } from "./union-scorer.js";

export function searchSegment(search: SegmentSearch): void {
  const { scorers, least, excluded } = search;
  if (least > scorers.length) return;
  const [only] = scorers as [DocumentScorer];
  const isAlone = scorers.length === 1 && excluded.length === 0;
  if (isAlone && only instanceof ListScorer) searchList(search, only);
  else if (isAlone && only instanceof UnionScorer) only.scan(search);
  else if (isAlone && only instanceof PhraseScorer && only.isScanned(search)) only.scan(search);
  else if (least < scorers.length) searchSome(search);
  else if (scorers.every((scorer) => scorer instanceof ListScorer)) searchLists(search, scorers);
  else searchAll(search);
}

function searchList({ threshold, take, spend, matches }: SegmentSearch, scorer: ListScorer): void {
  let over = threshold;
  const takeDocument = (document: number, score: number): number => {
    over = take(document, score);
    return over;
  };
  while (matches !== null && scorer.cursor.nextBlock()) {
    const { documents, size } = scorer.cursor;
    spend(size);
    matches(documents, size);
    if (scorer.isBlockOver(over)) scorer.scanBlock(over, takeDocument);
  }
  while (scorer.nextBlockOver(over)) {
    spend(scorer.cursor.size);
    scorer.scanBlock(over, takeDocument);
  }
}

function searchAll(search: SegmentSearch): void {
  const { scorers, excluded, threshold, take, spend } = search;
  const found = new MatchBatch(search.matches);
  const order = [...scorers].sort((a, b) => a.cost - b.cost);
  const [first] = order as [DocumentScorer];
  for (const scorer of order) {
    if (scorer !== first && scorer instanceof UnionScorer) scorer.expectSeeks(first.cost);
  }
  let over = threshold;
  let looked = 0;
  for (let document = first.next(); document !== NO_DOCUMENT; ) {
    if (++looked === WINDOW) {
      spend(looked);
      looked = 0;
    }
    let other = document;
    for (let at = 1; at < order.length && other === document; at++) {
      other = order[at]!.seek(document);
    }
    if (other === NO_DOCUMENT) break;
    if (other !== document) {
      document = first.seek(other);
      continue;
    }
    if (!hasAny(excluded, document)) {
      found.add(document);
      let score = 0;
      for (const scorer of scorers) score += scorer.score();
      if (score > over) over = take(document, score);
    }
    document = first.next();
  }
  found.flush();
  spend(looked);
}

function searchSome(search: SegmentSearch): void {
  const { documents, least, excluded, take, spend } = search;
  let over = search.threshold;
  const found = new MatchBatch(search.matches);
  const windows = new Windows(search.scorers);
  for (let from = 0; from < documents; from += WINDOW) {
    const end = Math.min(from + WINDOW, documents);
    // If several words must occur, all of them are checked.
    const isEvery = least > 1 || search.matches !== null;
    windows.choose(from, end, isEvery ? Number.NEGATIVE_INFINITY : over);
    if (windows.isEmpty) continue;
    spend(end - from);
    windows.fill(from, end);
    const { scores, matches } = windows.window;
    for (let at = 0; at < end - from; at++) {
      if (matches[at]! < 1 || (least > 1 && matches[at]! < least)) continue;
      const score = windows.complete(from + at, scores[at]!, over);
      if (search.matches === null && score <= over) continue;
      if (hasAny(excluded, from + at)) continue;
      found.add(from + at);
      if (score > over) over = take(from + at, score);
    }
  }
  found.flush();
}

/**
 * The scorers of a search in ascending order of their maximum score. As long as the first ones
 * together cannot reach the threshold, their lists are not read: a document with only these words
 * is no hit, and for other documents they are looked up.
 */
class Windows {
  readonly window = new ScoreWindow();
  readonly #scorers: readonly DocumentScorer[];
  /** Sum of the maximum scores of all preceding scorers, in the window. */
  readonly #sums: Float64Array;
  /** Index of the first scorer whose documents are read. */
  #first = 0;

  constructor(scorers: readonly DocumentScorer[]) {
    this.#scorers = [...scorers].sort((a, b) => a.limit - b.limit);
    this.#sums = new Float64Array(scorers.length + 1);
  }

  /** True if no document of the window reaches the threshold. */
  get isEmpty(): boolean {
    return this.#first === this.#scorers.length;
  }

  choose(from: number, end: number, over: number): void {
    this.#first = 0;
    if (over < 0) return;
    const scorers = this.#scorers;
    for (let at = 0; at < scorers.length; at++) {
      this.#sums[at + 1] = this.#sums[at]! + scorers[at]!.limitBetween(from, end - 1);
    }
    while (this.#first < scorers.length && this.#sums[this.#first + 1]! <= over) this.#first++;
  }

  fill(from: number, end: number): void {
    const { scores, matches } = this.window;
    scores.fill(0);
    matches.fill(0);
    for (let at = this.#first; at < this.#scorers.length; at++) {
      this.#scorers[at]!.add(this.window, from, end);
    }
  }

  /**
   * Adds the scores of the scorers that were not read, while the threshold can still be reached.
   */
  complete(document: number, score: number, over: number): number {
    let sum = score;
    for (let at = this.#first - 1; at >= 0; at--) {
      if (sum + this.#sums[at + 1]! <= over) return sum;
      const scorer = this.#scorers[at]!;
      if (scorer.seek(document) === document) sum += scorer.score();
    }
    return sum;
  }
}
