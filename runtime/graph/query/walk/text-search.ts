// Searches a text index for vertices that meet a condition.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import type { GraphStore } from "../../store/graph-store.js";
import { searchTexts, type TextSearchResult } from "../../texts/search-texts.js";
import type { TextStatistics } from "../../texts/text-statistics.js";
import { HitCounter } from "../hits/hit-sink.js";
import type { Deadline } from "../match/deadline.js";
import { bindTest, type VertexTest } from "../match/vertex-test.js";
import type { TextQuery } from "../parse/text-query.js";
import { MatchFilter } from "./match-filter.js";
import { Walker } from "./walker.js";

export interface ConditionalTextSearch {
  readonly store: GraphStore;
  readonly query: TextQuery;
  /** Null for any vertex. */
  readonly test: VertexTest | null;
  readonly expressions: ExpressionSet;
  /** Whether all matching vertices are returned beside the best, with or without their scores. */
  readonly all: "none" | "vertices" | "scores";
  /** Properties whose values are counted, as far as they are columns. */
  readonly counted?: readonly string[];
  /** Statistics of the first page; null for those of this moment. */
  readonly statistics: TextStatistics | null;
  /** Whether typos are allowed; null to allow them if fewer than `enough` are found without. */
  readonly allowsTypos: boolean | null;
  readonly enough: number;
}

/**
 * Returns the vertices with the best texts.
 * @param hits number of the best
 * @throws SearchError after the deadline
 * @throws KeyError no such index
 */
export function findTexts(
  search: ConditionalTextSearch,
  hits: number,
  deadline: Deadline,
): FoundTexts {
  const { store, query, test, expressions, statistics, allowsTypos, enough } = search;
  const { all, counted = [] } = search;
  if (test !== null) bindTest(test, store);
  const walker = Walker.of(store);
  const run = expressions.start((steps) => deadline.spend(steps));
  walker.start(new HitCounter(), deadline, true, run);
  const filter = test && new MatchFilter(store, test, walker, expressions.isEmpty);
  const accepts = filter && ((vertex: number) => filter.accepts(vertex));
  const spend = (count: number): void => deadline.spend(count);
  const findPosition = (): number => query.place;
  const find = (hasTypos: boolean): FoundTexts => {
    const found = searchTexts(store, findPosition, (index) => query.read(index, hasTypos), {
      ...{ hits, all, counted, accepts, spend, statistics },
    });
    return { ...found, hasTypos, origin: filter?.origin ?? null };
  };
  if (!query.isFuzzyOnDemand || allowsTypos === true) return find(true);
  const exact = find(false);
  if (allowsTypos === false) return exact;
  return (exact.all ?? exact).count >= enough ? exact : find(true);
}

/** Result of a search, and whether words may have had typos. */
export interface FoundTexts extends TextSearchResult {
  readonly hasTypos: boolean;
  /** Candidates of the condition; null if each match was tested. */
  readonly origin: string | null;
}
