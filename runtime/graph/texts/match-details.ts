// Details of how one vertex matches a search: the number of its words, and the score of each key.
// Reads the texts again, so it is meant for result vertices instead of all matches.

import type { GraphStore } from "../store/graph-store.js";
import type { TextSearch } from "./parsed-search.js";
import { PendingMatch } from "./pending-match.js";
import { readPinned } from "./pins.js";
import { openCurrentIndex, type TextIndex } from "./text-index.js";
import type { MatchDetails } from "./text-scores.js";
import type { TextStatistics } from "./text-statistics.js";

const NOTHING: MatchDetails = { words: 0, keys: new Map() };

/**
 * Returns a function that reads the details of vertices.
 * @param placeOf finds the index; throws if there is none
 */
export function createDetailsReader(
  store: GraphStore,
  placeOf: () => number,
  readSearch: (index: TextIndex) => TextSearch,
  statistics: TextStatistics,
): (vertex: number) => MatchDetails {
  return (vertex) =>
    readPinned(store.memory, store.writer.thread, () => {
      const { index } = openCurrentIndex(store, placeOf);
      const document = index.pending.read(vertex);
      if (document === null) return NOTHING;
      const match = new PendingMatch(readSearch(index), index.analysis.tokenizer.forms);
      const { words, scores } = match.describe(document, statistics);
      const names = index.definition.keys.map(({ name }) => name);
      return { words, keys: new Map(scores.map((score, key) => [names[key]!, score])) };
    });
}
