// Search: the vertices whose texts match, the best first.

import { S_TEXT } from "../../../base/sort-constants.js";
import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { F_ANCHOR, F_ANCHOR_OBID, F_ID, F_PRED } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { createDetailsReader } from "../../texts/match-details.js";
import { MAX_TERMS } from "../../texts/resolve-parts.js";
import { MAX_TEXT, MAX_WORDS } from "../../texts/search-text.js";
import type { TextIndex } from "../../texts/text-index.js";
import { type MatchDetails, TextScores } from "../../texts/text-scores.js";
import { NearestTopK } from "../../vectors/nearest-top-k.js";
import { type Probe, probeFor } from "../../vectors/probe.js";
import { parseVector } from "../../vectors/vector.js";
import type { HeadList } from "../hits/head-list.js";
import { ArcBatch, type HitSink } from "../hits/hit-sink.js";
import { type Deadline, NO_DEADLINE } from "../match/deadline.js";
import { explainTest } from "../match/describe-test.js";
import { type FirstPage, isFirstPage, parseStatistics } from "../parse/first-page.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type {
  ExecuteOptions,
  GlobalQueryOptions,
  SearchResultOptions,
  TextQueryOptions,
} from "../parse/query-options.js";
import { type Fusion, parseFuse, parseRerank } from "../parse/search-options.js";
import { TextQuery } from "../parse/text-query.js";
import { EntryQuery } from "../render/entry-query.js";
import { createHighlights, type Highlights } from "../render/highlights.js";
import type { HitSource, HitSourceResult } from "../render/hit-source.js";
import type { Row } from "../render/row.js";
import type { SearchResult } from "../render/typed-results.js";
import { findNearest, parseEf } from "../walk/nearest-search.js";
import { planVertexScan, type VertexScan } from "../walk/scan.js";
import { type FoundTexts, findTexts } from "../walk/text-search.js";
import { testCondition } from "../walk/walk.js";

/** Options of `search`. */
export type SearchOptions = TextQueryOptions &
  SearchResultOptions &
  GlobalQueryOptions &
  ExecuteOptions;

const DEFAULT_HITS = 10;
/** Maximum vertices passed to a sink at once. */
const BATCH_VERTICES = 256;

class SearchSource implements HitSource {
  readonly store: GraphStore;
  readonly arc = null;
  readonly kind = "vertex";
  readonly timed = "global";
  readonly listName = "search";
  readonly defaultFields = F_ID;
  readonly missingFields = F_ANCHOR | F_ANCHOR_OBID | F_PRED;
  readonly expressions: ExpressionSet;
  readonly texts = new TextScores();
  readonly sortby = S_TEXT;
  readonly searched: string;
  readonly fused: TextScores | null;
  readonly rerank: number | null;
  readonly #fusion: Fusion | null;
  readonly #probe: Probe | null;
  readonly #ef: number;
  readonly #highlights: Highlights | null;
  readonly #query: TextQuery;
  readonly #plan: VertexScan;
  readonly #enough: number;
  #last: FoundTexts | null = null;
  /** Describes the last fusion; null without one. */
  #joined: string | null = null;
  /** State of the first page, or of all partitions, so that later pages have the same scores. */
  #firstPage: FirstPage | null;

  constructor(store: GraphStore, text: string, options: SearchOptions) {
    this.store = store;
    this.searched = text;
    this.#enough = enoughHits(options.hits);
    this.#query = new TextQuery(store, text, options);
    const { keys } = this.#query;
    this.#firstPage = parseStatistics(options.statistics, keys.length, this.#enough);
    this.#plan = planVertexScan(store, options.condition, options.memory);
    this.expressions = this.#plan.expressions;
    this.expressions.texts = this.texts;
    this.rerank = parseRerank(options.rerank);
    this.#fusion = parseFuse(options.fuse, options.vector);
    this.fused = this.#fusion === null ? null : new TextScores();
    this.#probe =
      this.#fusion === null
        ? null
        : probeFor(store.vectors, parseVector(options.vector!, "vector"), "vector");
    this.#ef = parseEf(options.approximate);
    this.#highlights = createHighlights(store, this.#query, options);
  }

  best(hits: number, sink: HitSink, deadline: Deadline, all: HeadList | null): boolean {
    if (this.expressions.hasEffects || this.#fusion !== null) return false;
    const found = this.#find(hits, deadline, all === null ? "none" : "vertices", all?.counted);
    this.#pass(found, sink);
    if (found.all === null) return true;
    all?.set(found.all.vertices, found.columns);
    sink.count(found.all.count - found.count);
    return true;
  }

  get listsHeads(): boolean {
    return this.#fusion === null;
  }

  search(_anchor: number, sink: HitSink, deadline: Deadline, all: HeadList | null): void {
    if (this.#fusion !== null) this.#passFused(this.#fusion, sink, deadline);
    else {
      const found = this.#find(0, deadline, "scores", all?.counted);
      if (found.all === null) return;
      this.#pass(found.all, sink);
      all?.set(found.all.vertices, found.columns);
    }
  }

  #find(
    hits: number,
    deadline: Deadline,
    all: "none" | "vertices" | "scores",
    counted: readonly string[] = [],
  ): FoundTexts {
    const { store, expressions } = this;
    this.texts.clear();
    const { test } = this.#plan;
    const search = { store, query: this.#query, test, expressions, all, counted };
    const page = this.#firstPage;
    const { statistics, hasTypos: allowsTypos } = page ?? { statistics: null, hasTypos: null };
    const enough = this.#enough;
    const found = findTexts({ ...search, statistics, allowsTypos, enough }, hits, deadline);
    this.texts.details = createMatchReader(store, this.#query, found);
    this.#last = found;
    return found;
  }

  /** Passes the best of both orders, ranked by their positions; see `fuseOrders`. */
  #passFused({ rrf, candidates }: Fusion, sink: HitSink, deadline: Deadline): void {
    const found = this.#find(candidates, deadline, "none");
    const best = new NearestTopK(candidates);
    const { store, expressions } = this;
    const targets = [{ table: store.vectors, probe: this.#probe!, weight: 1 }];
    const search = { store, targets, test: this.#plan.test, expressions };
    findNearest({ ...search, ef: this.#ef }, best, deadline);
    const nearest = best.sorted().map(({ vertex }) => vertex);
    const scores = fuseOrders([[...found.vertices], nearest], rrf);
    this.fused!.clear();
    const counts = `${found.count} by text and ${nearest.length} by vector`;
    this.#joined = `fused: ${counts} to ${scores.size}`;
    for (const [vertex, score] of scores) this.fused!.set(vertex, score);
    for (let at = 0; at < found.count; at++) {
      this.texts.set(found.vertices[at]!, found.scores[at]!);
    }
    passVertices([...scores.keys()], sink);
  }

  highlight(entry: object, vertex: number): boolean {
    this.#highlights?.add(entry, vertex, this.#last?.hasTypos ?? true);
    return this.#highlights !== null;
  }

  #pass({ vertices, scores, count }: FoundVertices, sink: HitSink): void {
    for (let at = 0; at < count; at++) this.texts.set(vertices[at]!, scores[at]!);
    passVertices(vertices.subarray(0, count), sink);
  }

  pageState(): FirstPage | null {
    if (this.#firstPage !== null || this.#last === null) return this.#firstPage;
    const { statistics, hasTypos } = this.#last;
    return { statistics, hasTypos };
  }

  resume(state: unknown): boolean {
    if (!isFirstPage(state)) return false;
    this.#firstPage = state;
    return true;
  }

  isCurrent({ store, head }: Row): boolean {
    if (!store.vertices.isUsed(head)) return false;
    // Expressions may have side effects, which must not happen twice.
    if (!this.expressions.isEmpty) return true;
    return testCondition(store, this.#plan.test, head, NO_DEADLINE);
  }

  explain(): string[] {
    const last = this.#last;
    if (last === null) return ["no text index"];
    const { segments, pending, statistics, blocks } = last;
    const notice = this.notice();
    return [
      `texts: ${statistics.documents} in ${segments} segments, ${pending} of them pending`,
      `documents that have each word: ${statistics.frequencies.join(", ")}`,
      `blocks of documents: ${blocks.decoded} of ${blocks.all} decoded`,
      ...this.#explainCondition(last),
      ...(this.#joined === null ? [] : [this.#joined]),
      ...(notice === null ? [] : [notice]),
    ];
  }

  #explainCondition({ origin }: FoundTexts): string[] {
    const { test } = this.#plan;
    if (test === null) return [];
    return [`condition: ${origin ?? "tested for each match"}`, ...explainTest(test)];
  }

  /** Returns a notice if some words were not searched, else null. */
  notice(): string | null {
    if (this.#query.isCut) return `only ${MAX_TEXT} characters and ${MAX_WORDS} words are searched`;
    if (this.#last?.isCut !== true) return null;
    return `a word stands for more than ${MAX_TERMS} terms: the most frequent are searched`;
  }

  counts({ hits }: HitSourceResult): { vertices: number } {
    return { vertices: hits };
  }
}

function createMatchReader(
  store: GraphStore,
  query: TextQuery,
  { statistics, hasTypos }: FoundTexts,
): (vertex: number) => MatchDetails {
  const read = (index: TextIndex) => query.read(index, hasTypos);
  return createDetailsReader(store, () => query.place, read, statistics);
}

/** Passes vertices to a sink, as heads. */
function passVertices(vertices: ArrayLike<number>, sink: HitSink): void {
  const words = new Uint32Array(Math.min(BATCH_VERTICES, vertices.length) * ARC_WORDS);
  const batch = new ArcBatch(words);
  for (let at = 0; at < vertices.length; ) {
    const end = Math.min(at + BATCH_VERTICES, vertices.length);
    words.fill(0);
    batch.from = 0;
    batch.end = (end - at) * ARC_WORDS;
    for (let place = 0; at < end; at++, place += ARC_WORDS) words[place] = vertices[at]!;
    if (!sink.take(batch)) return;
  }
}

/** Reciprocal rank fusion: scores each vertex by its positions in several orders. */
function fuseOrders(orders: readonly (readonly number[])[], rrf: number): Map<number, number> {
  const scores = new Map<number, number>();
  for (const order of orders) {
    for (const [at, vertex] of order.entries()) {
      scores.set(vertex, (scores.get(vertex) ?? 0) + 1 / (rrf + at + 1));
    }
  }
  return scores;
}

type FoundVertices = Pick<FoundTexts, "vertices" | "scores" | "count">;

/** Returns the number of exact hits at which `fuzzy: "auto"` does not search for typos. */
export function enoughHits(hits = DEFAULT_HITS): number {
  // A search without hits must have the same facets and counts as one with hits.
  return hits <= 0 ? DEFAULT_HITS : Math.min(hits, DEFAULT_HITS);
}

/**
 * @param isPartial true for a result to be merged with those of other partitions
 * @throws QueryError, KeyError
 */
export function planSearch(
  store: GraphStore,
  text: string,
  options: SearchOptions,
  isPartial = false,
): EntryQuery {
  return new EntryQuery(new SearchSource(store, text, options), options, isPartial);
}

/**
 * Entries for the vertices whose texts match, the best first.
 * @throws QueryError, SearchError, KeyError, TypeError
 */
export function search<const O extends SearchOptions = object>(
  store: GraphStore,
  text: string,
  options?: O,
): SearchResult<O> {
  const checkedOptions = checkedArguments<SearchOptions>("search", options);
  const query = planSearch(store, text, checkedOptions);
  return query.execute(0, {
    ...checkedOptions,
    hits: checkedOptions.hits ?? DEFAULT_HITS,
  }) as SearchResult<O>;
}
