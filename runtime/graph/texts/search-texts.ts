// Searches an index of texts: its segments, and the texts that are in none yet. No lock is held.
// A text that changes meanwhile is found as it was or as it is: versions tell which documents still
// count, and what got a new version during the search is looked at in the end.

import type { GraphStore } from "../store/graph-store.js";
import { PendingMatch } from "./pending-match.js";
import type { PendingDocument } from "./pending-texts.js";
import { readPinned } from "./pins.js";
import { Segment } from "./segment.js";
import type { TextSearch } from "./sought-text.js";
import { openTextIndex, type TextIndex } from "./text-index.js";
import { TextMatch } from "./text-match.js";
import type { TextStatistics } from "./text-statistics.js";
import type { TextIndexState } from "./text-table.js";
import { type FoundDocuments, TopDocuments } from "./top-documents.js";

/** So often it is searched again when what was found has changed since. */
const MAX_ATTEMPTS = 3;

export interface TextSearchOptions {
  /** How many of the best are wanted; Infinity: all. */
  readonly hits: number;
  /** Condition on the vertices. */
  readonly accepts: (vertex: number) => boolean;
  /** Counts what is looked at; throws when time is over. */
  readonly spend: (documents: number) => void;
  /** Statistics for the scores; null: of this index. */
  readonly statistics: TextStatistics | null;
}

export interface TextSearchResult extends FoundDocuments {
  readonly statistics: TextStatistics;
  readonly segments: number;
  /** Texts that are in no segment. */
  readonly pending: number;
  /** True if a word stands for more terms than were looked at. */
  readonly isCut: boolean;
}

/** Reads what is sought for an index, once it is known how that analyzes texts. */
export type ReadSearch = (index: TextIndex) => TextSearch;

/** Null if there is no index at this place any more. */
export function searchTexts(
  store: GraphStore,
  place: number,
  readSearch: ReadSearch,
  options: TextSearchOptions,
): TextSearchResult | null {
  const { memory, writer } = store;
  return readPinned(memory, writer.thread, () => {
    for (let attempt = 1; ; attempt++) {
      const state = store.texts.read(place);
      const index = state === null ? null : openTextIndex(store, state);
      if (state === null || index === null) return null;
      const search = new Search(store, state, index, readSearch(index), options);
      const result = search.run();
      if (result.isCurrent || attempt === MAX_ATTEMPTS) return result.found;
    }
  });
}

class Search {
  readonly #store: GraphStore;
  readonly #state: TextIndexState;
  readonly #index: TextIndex;
  readonly #search: TextSearch;
  readonly #options: TextSearchOptions;

  constructor(
    store: GraphStore,
    state: TextIndexState,
    index: TextIndex,
    search: TextSearch,
    options: TextSearchOptions,
  ) {
    this.#store = store;
    this.#state = state;
    this.#index = index;
    this.#search = search;
    this.#options = options;
  }

  run(): { readonly found: TextSearchResult; readonly isCurrent: boolean } {
    const { texts } = this.#store;
    const { hits, accepts, spend } = this.#options;
    const segments = this.#state.segments.map((start) => new Segment(texts.views, start));
    const match = new TextMatch(this.#search, segments);
    const serial = texts.serial;
    const pending = this.#matchPending(serial);
    const keys = this.#index.keys.length;
    const statistics = this.#options.statistics ?? match.statistics(keys, pending);
    const top = new TopDocuments(hits);
    const takePending = ({ vertex, version }: PendingDocument, score: number): void => {
      if (score > top.threshold && accepts(vertex)) top.add(vertex, score, version);
    };
    pending.run(statistics, takePending);
    match.run(
      statistics,
      top.threshold,
      (segment, document, score) => {
        const vertex = segment.vertexOf(document);
        const version = segment.versionOf(document);
        if (texts.versionOf(vertex) !== version || !accepts(vertex)) return top.threshold;
        return top.add(vertex, score, version);
      },
      spend,
    );
    const found = top.sorted();
    const isCurrent = texts.serial === serial || this.#isCurrent(found, serial);
    return {
      found: {
        ...found,
        statistics,
        segments: segments.length,
        pending: pending.documents,
        isCut: match.isCut,
      },
      isCurrent,
    };
  }

  #matchPending(serial: number): PendingMatch {
    const { vertices } = this.#store;
    const { pending, analysis } = this.#index;
    const documents = pending.documents(this.#state, serial, vertices.end, this.#options.spend);
    // Terms get their numbers while documents are read.
    const all = [...documents];
    const match = new PendingMatch(this.#search, analysis.tokenizer.forms);
    for (const document of all) match.add(document);
    return match;
  }

  /** True if nothing that was found, and nothing that may have to be, has changed meanwhile. */
  #isCurrent({ vertices, versions }: FoundDocuments, serial: number): boolean {
    const { texts } = this.#store;
    for (const [at, vertex] of vertices.entries()) {
      if (texts.versionOf(vertex) !== versions[at]) return false;
    }
    // The search saw a concurrent change in its old state, or not at all.
    for (let version = serial + 1; version <= texts.serial; version++) {
      if (version - serial > MAX_CHANGES) return false;
      if (!this.#wasThere(texts.vertexOfVersion(version))) return false;
    }
    return true;
  }

  /** True if a vertex that has changed since cannot be missing: it does not match now. */
  #wasThere(vertex: number): boolean {
    const document = this.#index.pending.read(vertex);
    if (document === null) return true;
    const match = new PendingMatch(this.#search, this.#index.analysis.tokenizer.forms);
    match.add(document);
    return !match.hasMatches;
  }
}
const MAX_CHANGES = 64;
