// Search: the vertices whose texts match, the best first.

import { S_TEXT } from "../../../base/sort-constants.js";
import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { F_ANCHOR, F_ANCHOR_OBID, F_ID, F_PRED } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { TextScores } from "../../texts/text-scores.js";
import type { TextStatistics } from "../../texts/text-statistics.js";
import type { FoundDocuments } from "../../texts/top-documents.js";
import type { HeadList } from "../hits/head-list.js";
import { ArcBatch, type HitSink } from "../hits/hit-sink.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type {
  ExecuteOptions,
  GlobalQueryOptions,
  TextQueryOptions,
} from "../parse/query-options.js";
import { TextQuery } from "../parse/text-query.js";
import { EntryQuery } from "../render/entry-query.js";
import type { HitSource, HitSourceResult } from "../render/hit-source.js";
import type { Row } from "../render/row.js";
import type { SearchResult } from "../render/typed-results.js";
import { type Deadline, NO_DEADLINE } from "../walk/deadline.js";
import { planVertexScan, type VertexScan } from "../walk/scan.js";
import { type FoundTexts, findTexts } from "../walk/text-search.js";
import { testCondition } from "../walk/walk.js";

/** Options of `search`. */
export type SearchOptions = TextQueryOptions & GlobalQueryOptions & ExecuteOptions;

const DEFAULT_HITS = 10;
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
  readonly searched: string;
  readonly #query: TextQuery;
  readonly #plan: VertexScan;
  readonly #enough: number;
  #last: FoundTexts | null = null;
  /** State of the first page, for the same scores on later ones. */
  #firstPage: FirstPage | null = null;

  constructor(store: GraphStore, text: string, options: SearchOptions) {
    this.store = store;
    this.searched = text;
    const { hits = DEFAULT_HITS } = options;
    this.#enough = hits < 0 ? DEFAULT_HITS : Math.min(hits, DEFAULT_HITS);
    this.#query = new TextQuery(store, text, options);
    this.#plan = planVertexScan(store, options.condition, options.memory);
    this.expressions = this.#plan.expressions;
  }

  best(hits: number, sink: HitSink, deadline: Deadline, all: HeadList | null): boolean {
    if (this.expressions.hasEffects) return false;
    const found = this.#find(hits, deadline, all !== null);
    if (found === null) return true;
    this.#pass(found, sink);
    if (found.all === null) return true;
    all?.set(found.all.vertices);
    sink.count(found.all.count - found.count);
    return true;
  }

  search(_anchor: number, sink: HitSink, deadline: Deadline): void {
    const found = this.#find(0, deadline, true);
    if (found?.all) this.#pass(found.all, sink);
  }

  #find(hits: number, deadline: Deadline, isWhole: boolean): FoundTexts | null {
    const { store, expressions } = this;
    this.texts.clear();
    const search = { store, query: this.#query, test: this.#plan.test, expressions, isWhole };
    const page = this.#firstPage;
    const { statistics, hasTypos: allowsTypos } = page ?? { statistics: null, hasTypos: null };
    const enough = this.#enough;
    this.#last = findTexts({ ...search, statistics, allowsTypos, enough }, hits, deadline);
    return this.#last;
  }

  #pass({ vertices, scores, count }: FoundDocuments, sink: HitSink): void {
    const words = new Uint32Array(BATCH_VERTICES * ARC_WORDS);
    const batch = new ArcBatch(words);
    for (let at = 0; at < count; ) {
      const end = Math.min(at + BATCH_VERTICES, count);
      words.fill(0);
      batch.from = 0;
      batch.end = (end - at) * ARC_WORDS;
      for (let place = 0; at < end; at++, place += ARC_WORDS) {
        words[place] = vertices[at]!;
        this.texts.set(vertices[at]!, scores[at]!);
      }
      if (!sink.take(batch)) return;
    }
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

/** State of the first page that later pages need. */
interface FirstPage {
  readonly statistics: TextStatistics;
  readonly hasTypos: boolean;
}

function isFirstPage(state: unknown): state is FirstPage {
  if (typeof state !== "object" || state === null) return false;
  const { statistics, hasTypos } = state as Partial<FirstPage>;
  if (typeof hasTypos !== "boolean" || typeof statistics !== "object") return false;
  const { documents, lengths, frequencies } = statistics;
  const areNumbers = (list: unknown): boolean =>
    Array.isArray(list) && list.every((item) => typeof item === "number" && item >= 0);
  return areNumbers([documents]) && areNumbers(lengths) && areNumbers(frequencies);
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
