// Searches an index of texts for vertices that meet a condition.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import type { GraphStore } from "../../store/graph-store.js";
import { searchTexts, type TextSearchResult } from "../../texts/search-texts.js";
import { HitCounter } from "../hits/hit-sink.js";
import { bindTest, type VertexTest } from "../match/vertex-test.js";
import type { TextQuery } from "../parse/text-query.js";
import type { Deadline } from "./deadline.js";
import { Walker } from "./walker.js";

export interface ConditionalTextSearch {
  readonly store: GraphStore;
  readonly query: TextQuery;
  /** Null for any vertex. */
  readonly test: VertexTest | null;
  readonly expressions: ExpressionSet;
  /** True to return all matching vertices beside the best. */
  readonly isWhole: boolean;
}

/**
 * Returns the vertices with the best texts; null if the index was dropped meanwhile.
 * @param hits Infinity for all
 * @throws SearchError after the deadline
 * @throws KeyError no such index
 */
export function findTexts(
  { store, query, test, expressions, isWhole }: ConditionalTextSearch,
  hits: number,
  deadline: Deadline,
): TextSearchResult | null {
  if (test !== null) bindTest(test, store);
  const walker = Walker.of(store);
  const run = expressions.start((steps) => deadline.spend(steps));
  walker.start(new HitCounter(), deadline, true, run);
  const { vertices } = store;
  const accepts = (vertex: number): boolean =>
    test === null ? vertices.isUsed(vertex) : walker.test(test, vertex, 0);
  const spend = (count: number): void => deadline.spend(count);
  const search = (allowsTypos: boolean): TextSearchResult | null =>
    searchTexts(store, query.place, (index) => query.read(index, allowsTypos), {
      ...{ hits, isWhole, accepts, spend },
      statistics: null,
    });
  if (!query.isFuzzyOnDemand) return search(true);
  const exact = search(false);
  return exact === null || exact.count >= Math.min(hits, ENOUGH) ? exact : search(true);
}

/** Hits without typos that are enough where all hits are wanted. */
const ENOUGH = 10;
