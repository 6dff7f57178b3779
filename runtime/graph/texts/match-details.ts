// Details of how a vertex matches a search: number of matching words, and score of each key. Reads
// the texts again, so it is meant for the vertices of a result, not for all matches.

import type { GraphStore } from "../store/graph-store.js";
import type { TextSearch } from "./parsed-search.js";
import { PendingMatch } from "./pending-match.js";
import { readPinned } from "./pins.js";
import { openCurrentIndex, type TextIndex } from "./text-index.js";
import type { MatchDetails } from "./text-scores.js";
import type { TextStatistics } from "./text-statistics.js";

const NO_MATCH: MatchDetails = { words: 0, keys: new Map() };

/**
 * Returns a function that reads the details of vertices.
 * @param findPosition returns the position of the index; throws if it does not exist
 */
export function createDetailsReader(
  store: GraphStore,
  findPosition: () => number,
  readSearch: (index: TextIndex) => TextSearch,
  statistics: TextStatistics,
): (vertex: number) => MatchDetails {
  return (vertex) =>
    readPinned(store.memory, store.writer.thread, () => {
      const { index } = openCurrentIndex(store, findPosition);
      const document = index.pending.read(vertex);
      if (document === null) return NO_MATCH;
      const match = new PendingMatch(readSearch(index), index.analysis.tokenizer.forms);
      const { words, scores } = match.describe(document, statistics);
      const names = index.definition.keys.map(({ name }) => name);
      return { words, keys: new Map(scores.map((score, key) => [names[key]!, score])) };
    });
}
