// Searches a text index: its segments, and pending texts that are in no segment yet. A search holds
// no lock. Versions show which documents are current. Vertices that change during the search are
// read again at its end, so a vertex whose texts match all the time is found exactly once.

import type { GraphStore } from "../store/graph-store.js";
import { AllDocuments } from "./all-documents.js";
import { type ColumnCounts, countColumns } from "./column-counts.js";
import type { TextSearch } from "./parsed-search.js";
import type { PendingDocument } from "./pending-log.js";
import { PendingMatch } from "./pending-match.js";
import { readPinned } from "./pins.js";
import { Segment } from "./segment.js";
import { openCurrentIndex, type TextIndex } from "./text-index.js";
import { RING_WORDS } from "./text-layout.js";
import { type MatchSink, TextMatch } from "./text-match.js";
import type { TermCounts, TextStatistics } from "./text-statistics.js";
import type { TextIndexState } from "./text-table.js";
import { type FoundDocuments, TopDocuments } from "./top-documents.js";

/** Maximum number of attempts if texts change during a search. */
const MAX_ATTEMPTS = 3;

export interface TextSearchOptions {
  /** Number of best matches to return. */
  readonly hits: number;
  /** Whether to return all matching vertices in addition to the best, without or with scores. */
  readonly all?: "none" | "vertices" | "scores";
  /** Properties to count by value if they are columns; requires `all`. */
  readonly counted?: readonly string[];
  /** Condition on the vertices; null: all vertices. */
  readonly accepts: ((vertex: number) => boolean) | null;
  /** Counts examined documents; throws after the deadline. */
  readonly spend: (documents: number) => void;
  /** Collection statistics for the scores; null: those of this index. */
  readonly statistics: TextStatistics | null;
}

export interface TextSearchResult extends FoundDocuments {
  readonly statistics: TextStatistics;
  readonly segments: number;
  /** Number of pending texts. */
  readonly pending: number;
  /** True if a word stands for more terms than were examined. */
  readonly isCut: boolean;
  /** Number of postings blocks in the lists that were read, and of decoded ones. */
  readonly blocks: { readonly decoded: number; readonly all: number };
  /** All matching vertices, unsorted; null unless requested. */
  readonly all: AllDocuments | null;
  /** Counts of column values; null if not requested. */
  readonly columns: ColumnCounts | null;
}

/** Parses the search with the analysis of an index. */
export type ReadSearch = (index: TextIndex) => TextSearch;

/** @param findPosition finds the index; throws if there is none */
export function searchTexts(
  store: GraphStore,
  findPosition: () => number,
  readSearch: ReadSearch,
  options: TextSearchOptions,
): TextSearchResult {
  const { memory, writer } = store;
  return readPinned(memory, writer.thread, () => {
    for (let attempt = 1; ; attempt++) {
      const { state, index } = openCurrentIndex(store, findPosition);
      const search = new Search(store, state, index, readSearch(index), options);
      const result = search.run();
      if (result.isCurrent || attempt === MAX_ATTEMPTS) return result.result;
    }
  });
}

/**
 * Counts the terms of a search without searching.
 * @param findPosition returns the position of the index; throws if it does not exist
 */
export function countTerms(
  store: GraphStore,
  findPosition: () => number,
  readSearch: ReadSearch,
  spend: (documents: number) => void,
): { readonly statistics: TextStatistics; readonly terms: readonly TermCounts[] } {
  return readPinned(store.memory, store.writer.thread, () => {
    const { state, index } = openCurrentIndex(store, findPosition);
    const options = { hits: 0, accepts: null, spend, statistics: null };
    return new Search(store, state, index, readSearch(index), options).countTerms();
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

  run(): { readonly result: TextSearchResult; readonly isCurrent: boolean } {
    const { texts } = this.#store;
    const { hits, accepts, counted = [] } = this.#options;
    const segments = this.#state.segments.map((start) => new Segment(texts.views, start));
    const match = new TextMatch(this.#search, segments);
    const serial = texts.settledSerial;
    const pending = this.#matchPending(serial);
    const isRingIntact = this.#isRingIntact(serial);
    const { keys, columns } = this.#index;
    const statistics = this.#options.statistics ?? match.statistics(keys.length, pending);
    const top = new TopDocuments(hits);
    const all = this.#collectAll();
    const takePending = ({ vertex, version }: PendingDocument, score: number): void => {
      if (all === null && score <= top.threshold) return;
      if (accepts !== null && !accepts(vertex)) return;
      all?.add(vertex, 0, score);
      top.add(vertex, score, version);
    };
    all?.begin(null);
    pending.run(statistics, takePending);
    this.#matchSegments(match, statistics, top, all);
    const late = this.#lateChanges(serial);
    if (late !== null && late.size > 0) all?.keep((vertex) => !late.has(vertex));
    const lateMatch = new PendingMatch(this.#search, this.#index.analysis.tokenizer.forms);
    for (const document of late?.values() ?? []) if (document !== null) lateMatch.add(document);
    all?.begin(null);
    lateMatch.run(statistics, takePending);
    const best = removeOutdated(top.sorted(), late);
    // If a hit was removed, a document that it had displaced may belong to the result.
    const isCurrent =
      isRingIntact && late !== null && (best.count === top.count || top.count < hits);
    return {
      result: {
        ...best,
        statistics,
        segments: segments.length,
        pending: pending.documents,
        isCut: match.isCut,
        blocks: match.blocks,
        all,
        columns: all && countColumns(all, columns, counted),
      },
      isCurrent,
    };
  }

  #collectAll(): AllDocuments | null {
    const { all = "none" } = this.#options;
    return all === "none" ? null : new AllDocuments(all === "scores");
  }

  /** Collects the best documents of the segments, and all matches if requested. */
  #matchSegments(
    match: TextMatch,
    statistics: TextStatistics,
    top: TopDocuments,
    all: AllDocuments | null,
  ): void {
    const { texts } = this.#store;
    const { accepts, spend, all: requested } = this.#options;
    const hasScores = requested === "scores";
    const noThreshold = Number.NEGATIVE_INFINITY;
    const versionOf = (vertex: number): number => texts.versionOf(vertex);
    const sink: MatchSink | null = all && {
      begin: (segment, maxMatches) => {
        all.begin(segment);
        all.reserve(maxMatches);
      },
      take: (documents, count) => {
        if (!hasScores) all.addCurrent(documents, count, versionOf, accepts);
      },
    };
    match.run(
      statistics,
      hasScores ? noThreshold : top.threshold,
      (segment, document, score) => {
        const vertex = segment.vertexOf(document);
        const version = segment.versionOf(document);
        const isCurrent = texts.versionOf(vertex) === version;
        if (!isCurrent || (accepts !== null && !accepts(vertex))) {
          return hasScores ? noThreshold : top.threshold;
        }
        if (hasScores) all!.add(vertex, document, score);
        const threshold = score > top.threshold ? top.add(vertex, score, version) : top.threshold;
        return hasScores ? noThreshold : threshold;
      },
      spend,
      sink,
    );
  }

  countTerms(): { readonly statistics: TextStatistics; readonly terms: readonly TermCounts[] } {
    const { texts } = this.#store;
    const segments = this.#state.segments.map((start) => new Segment(texts.views, start));
    const match = new TextMatch(this.#search, segments);
    const pending = this.#matchPending(texts.settledSerial);
    const terms = match.terms(pending).map((counts) => Object.fromEntries(counts));
    return { statistics: match.statistics(this.#index.keys.length, pending), terms };
  }

  #matchPending(serial: number): PendingMatch {
    const { vertices } = this.#store;
    const { pending, analysis } = this.#index;
    const { spend } = this.#options;
    const { log, others } = pending.documents(this.#state, serial, vertices.end, spend);
    // The match looks up term numbers, which exist only once the documents have been read.
    const match = new PendingMatch(this.#search, analysis.tokenizer.forms);
    if (log !== null) match.addLog(log);
    for (const document of others) match.add(document);
    return match;
  }

  /** Returns false if the ring may have overwritten versions while pending texts were read. */
  #isRingIntact(serial: number): boolean {
    const { builtTo } = this.#state.progress;
    const isRingUsed = serial - builtTo < RING_WORDS;
    return !isRingUsed || this.#store.texts.serial - builtTo < RING_WORDS;
  }

  /**
   * Reads vertices that have changed since a version. A vertex maps to its current document, or to
   * null if the index does not include it. Returns null if the ring does not list all changes, or
   * if the index was replaced or versions restarted.
   */
  #lateChanges(since: number): Map<number, PendingDocument | null> | null {
    const { texts } = this.#store;
    const { serial } = texts;
    const late = new Map<number, PendingDocument | null>();
    for (let version = since + 1; version <= serial; version++) {
      this.#options.spend(1);
      const vertex = texts.vertexOfVersion(version);
      if (!late.has(vertex)) late.set(vertex, this.#index.pending.read(vertex));
    }
    return texts.serial - since < RING_WORDS && texts.isSame(this.#state) ? late : null;
  }
}

/** Removes outdated and duplicate documents of vertices that changed during the search. */
function removeOutdated(
  found: FoundDocuments,
  late: ReadonlyMap<number, PendingDocument | null> | null,
): FoundDocuments {
  if (late === null || late.size === 0) return found;
  const { vertices, scores, versions } = found;
  const seen = new Set<number>();
  const isKept = Array.from(vertices, (vertex, at) => {
    if (!late.has(vertex)) return true;
    if (late.get(vertex)?.version !== versions[at] || seen.has(vertex)) return false;
    seen.add(vertex);
    return true;
  });
  const filter = (_: number, at: number): boolean => isKept[at]!;
  return {
    count: isKept.filter(Boolean).length,
    vertices: vertices.filter(filter),
    scores: scores.filter(filter),
    versions: versions.filter(filter),
  };
}
