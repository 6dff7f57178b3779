// Statistics of a search in one partition. Their sums over all partitions are the statistics of one
// graph with all texts.

import type { GraphStore } from "../../store/graph-store.js";
import { countTerms } from "../../texts/search-texts.js";
import type { TermCounts, TextStatisticsShare } from "../../texts/text-statistics.js";
import { readDeadline } from "../match/deadline.js";
import { checkedArguments } from "../parse/query-arguments.js";
import { TextQuery } from "../parse/text-query.js";
import { planVertexScan } from "../walk/scan.js";
import { findTexts } from "../walk/text-search.js";
import { enoughHits, type SearchOptions } from "./search.js";

/**
 * Returns the statistics of this graph for a search.
 * @throws QueryError, SearchError, KeyError, TypeError
 */
export function textStatistics(
  store: GraphStore,
  text: string,
  options?: SearchOptions,
): TextStatisticsShare {
  const checkedOptions = checkedArguments<SearchOptions>("search", options);
  const query = new TextQuery(store, text, checkedOptions);
  const deadline = readDeadline("global", checkedOptions);
  const count = (hasTypos: boolean) =>
    countTerms(
      store,
      () => query.place,
      (index) => query.read(index, hasTypos),
      (documents) => deadline.spend(documents),
    );
  const withTypos = count(true);
  const { documents, lengths } = withTypos.statistics;
  if (!query.isFuzzyOnDemand) return { documents, lengths, terms: withTypos.terms };
  const hits = countExact(store, query, checkedOptions);
  const typos: { hits: number; terms: readonly TermCounts[] } = { hits, terms: withTypos.terms };
  return { documents, lengths, terms: count(false).terms, typos };
}

/** Returns the number of exact hits, at most `enoughHits`. */
function countExact(store: GraphStore, query: TextQuery, options: SearchOptions): number {
  const { test, expressions } = planVertexScan(store, options.condition, options.memory);
  const enough = enoughHits(options.hits);
  const search = { store, query, test, expressions };
  const deadline = readDeadline("global", options);
  const found = findTexts(
    { ...search, all: "none", statistics: null, allowsTypos: false, enough },
    enough,
    deadline,
  );
  return found.count;
}
