// Search: the vertices whose texts match, the best first.

import { S_TEXT } from "../../../base/sort-constants.js";
import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { F_ANCHOR, F_ANCHOR_OBID, F_ID, F_PRED } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { TextSearchResult } from "../../texts/search-texts.js";
import { TextScores } from "../../texts/text-scores.js";
import type { HeadList } from "../hits/head-list.js";
import { ArcBatch, type HitSink } from "../hits/hit-sink.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type {
  ExecuteOptions,
  GlobalQueryOptions,
  TextQueryOptions,
} from "../parse/query-options.js";
import { TextQuery } from "../parse/text-query.js";
import { EntryQuery, type HitSource, type HitSourceResult } from "../render/entry-query.js";
import type { Row } from "../render/row.js";
import type { SearchResult } from "../render/typed-results.js";
import { type Deadline, NO_DEADLINE } from "../walk/deadline.js";
import { planVertexScan, type VertexScan } from "../walk/scan.js";
import { findTexts } from "../walk/text-search.js";
import { testCondition } from "../walk/walk.js";

/** Options of `search`. */
export type SearchOptions = TextQueryOptions & GlobalQueryOptions & ExecuteOptions;

const DEFAULT_HITS = 10;
const NO_VERTICES = new Uint32Array(0);
/** Vertices that are given to a sink at once. */
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
  readonly #query: TextQuery;
  readonly #plan: VertexScan;
  #last: TextSearchResult | null = null;

  constructor(store: GraphStore, text: string, options: SearchOptions) {
    this.store = store;
    this.#query = new TextQuery(store, text, options);
    this.#plan = planVertexScan(store, options.condition, options.memory);
    this.expressions = this.#plan.expressions;
  }

  best(hits: number, sink: HitSink, deadline: Deadline, all: HeadList | null): boolean {
    if (this.expressions.hasEffects) return false;
    const found = this.#find(hits, sink, deadline, all !== null);
    const heads = found?.all ?? NO_VERTICES;
    all?.set(heads);
    if (all !== null) sink.count(heads.length - (found?.count ?? 0));
    return true;
  }

  search(_anchor: number, sink: HitSink, deadline: Deadline): void {
    this.#find(Number.POSITIVE_INFINITY, sink, deadline);
  }

  #find(hits: number, sink: HitSink, deadline: Deadline, isWhole = false): TextSearchResult | null {
    const { store, expressions, texts } = this;
    const { test } = this.#plan;
    texts.clear();
    const query = { store, query: this.#query, test, expressions, isWhole };
    const found = findTexts(query, hits, deadline);
    this.#last = found;
    if (found === null) return null;
    const { vertices, scores, count } = found;
    const words = new Uint32Array(BATCH_VERTICES * ARC_WORDS);
    const batch = new ArcBatch(words);
    for (let at = 0; at < count; ) {
      const end = Math.min(at + BATCH_VERTICES, count);
      words.fill(0);
      batch.from = 0;
      batch.end = (end - at) * ARC_WORDS;
      for (let place = 0; at < end; at++, place += ARC_WORDS) {
        words[place] = vertices[at]!;
        texts.set(vertices[at]!, scores[at]!);
      }
      if (!sink.take(batch)) break;
    }
    return found;
  }

  isCurrent({ store, head }: Row): boolean {
    if (!store.vertices.isUsed(head)) return false;
    // Expressions may have effects, which must not come twice.
    if (!this.expressions.isEmpty) return true;
    return testCondition(store, this.#plan.test, head, NO_DEADLINE);
  }

  explain(): string[] {
    const last = this.#last;
    if (last === null) return ["no index of texts"];
    const { segments, pending, statistics, isCut } = last;
    return [
      `texts: ${statistics.documents} in ${segments} segments, ${pending} of them pending`,
      `documents that have each word: ${statistics.frequencies.join(", ")}`,
      ...(isCut ? ["a word stands for more terms than are looked at"] : []),
    ];
  }

  counts({ hits }: HitSourceResult): { vertices: number } {
    return { vertices: hits };
  }
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
  const given = checkedArguments<SearchOptions>("search", options);
  const query = new EntryQuery(new SearchSource(store, text, given), given);
  return query.execute(0, { ...given, hits: given.hits ?? DEFAULT_HITS }) as SearchResult<O>;
}
