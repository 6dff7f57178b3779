// Statistics passed to a search: those of the first page of a cursor, or the sums of several
// partitions. They make scores comparable across pages and partitions.

import { invalidArgument } from "../../model/invalid-argument.js";
import {
  mostFrequentTerms,
  type TextStatistics,
  type TextStatisticsShare,
} from "../../texts/text-statistics.js";

/** State of the first page that later pages need. */
export interface FirstPage {
  readonly statistics: TextStatistics;
  /** Whether words may have typos. */
  readonly hasTypos: boolean;
}

export function isFirstPage(state: unknown): state is FirstPage {
  if (typeof state !== "object" || state === null) return false;
  const { statistics, hasTypos } = state as Partial<FirstPage>;
  if (typeof hasTypos !== "boolean" || typeof statistics !== "object") return false;
  const { documents, lengths, frequencies } = statistics;
  return areCounts([documents]) && areCounts(lengths) && areCounts(frequencies);
}

/**
 * Returns the state that the option `statistics` stands for; null for the index's own statistics.
 * @param keys number of keys of the index
 * @param enough number of exact hits at which `fuzzy: "auto"` does not search for typos
 * @throws QueryError
 */
export function parseStatistics(option: unknown, keys: number, enough: number): FirstPage | null {
  if (option === undefined || option === null || typeof option === "boolean") return null;
  if (!isShare(option, keys)) {
    const fits = `true, or what textStatistics returns for an index of ${keys} keys`;
    throw invalidArgument("invalid statistics", option, fits, ".statistics");
  }
  const { documents, lengths, terms, typos } = option;
  const hasTypos = typos === undefined || typos.hits < enough;
  const frequencies = mostFrequentTerms(hasTypos ? (typos?.terms ?? terms) : terms);
  return { statistics: { documents, lengths, frequencies }, hasTypos };
}

function isShare(option: unknown, keys: number): option is TextStatisticsShare {
  if (typeof option !== "object" || option === null) return false;
  const { documents, lengths, terms, typos } = option as Partial<TextStatisticsShare>;
  const isTypos = typos === undefined || (areCounts([typos?.hits]) && areTerms(typos.terms));
  return areCounts([documents]) && areCounts(lengths, keys) && areTerms(terms) && isTypos;
}

function areTerms(list: unknown): boolean {
  return (
    Array.isArray(list) &&
    list.every((counts: unknown) => {
      return typeof counts === "object" && counts !== null && areCounts(Object.values(counts));
    })
  );
}

function areCounts(list: unknown, length?: number): boolean {
  return (
    Array.isArray(list) &&
    (length === undefined || list.length === length) &&
    list.every((item) => typeof item === "number" && item >= 0)
  );
}
