// Source of the hits of a query that returns entries, as `EntryQuery` executes it.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { TextScores } from "../../texts/text-scores.js";
import type { Probe } from "../../vectors/probe.js";
import type { HeadList } from "../hits/head-list.js";
import type { HitKind } from "../hits/hit-order.js";
import type { HitSink } from "../hits/hit-sink.js";
import type { ArcTest } from "../match/arc-test.js";
import type { Deadline, TimedQuery } from "../match/deadline.js";
import type { Row } from "./row.js";

/** Properties of a query's hits that are fixed before the search. */
export interface EntrySource {
  /** Expressions of the query, reset before each search. */
  readonly expressions: ExpressionSet;
  readonly defaultFields: number;
  /** Fields that such hits do not have. */
  readonly missingFields: number;
}

/** Supplies the hits of a query. */
export interface HitSource extends EntrySource {
  readonly store: GraphStore;
  /** Filter of the first level; null in searches of the whole graph. */
  readonly arc: ArcTest | null;
  readonly kind: HitKind;
  readonly timed: TimedQuery;
  /** Name of the list of entries in an envelope with counts. */
  readonly listName: string;
  /**
   * @param anchor 0 in searches of the whole graph
   * @param all filled with the heads of all hits by a source with `listsHeads`, else by the sink
   */
  search(anchor: number, sink: HitSink, deadline: Deadline, all: HeadList | null): void;
  /** True if `search` can list the heads of all hits itself. */
  readonly listsHeads?: boolean;
  /**
   * Passes the vertices nearest to a probe vector to the sink; returns false, and passes none, if
   * there are too few.
   */
  nearest?(probe: Probe, hits: number, sink: HitSink, deadline: Deadline): boolean;
  /** Scores of the texts that were searched; null if none are. */
  readonly texts?: TextScores | null;
  /** Scores that replace those of texts in the order of hits; null for none. */
  readonly fused?: TextScores | null;
  /** Number of the best texts that S_RANK ranks; null for all. */
  readonly rerank?: number | null;
  /** Adds highlights to an entry in dictionary form; false if the query has none. */
  highlight?(entry: object, vertex: number): boolean;
  /** Text that is searched for. */
  readonly searched?: string;
  /** State that later pages need, for a cursor. */
  pageState?(): unknown;
  /** Continues with the state of the first page; false if it belongs to another source. */
  resume?(state: unknown): boolean;
  /** Order of the hits unless another one is requested. */
  readonly sortby?: number;
  /**
   * Passes the vertices with the best texts to the sink; false if the source cannot.
   * @param all set to the heads of all matches; null if only the best are needed
   */
  best?(hits: number, sink: HitSink, deadline: Deadline, all: HeadList | null): boolean;
  /** Returns whether a hit still exists. */
  isCurrent(row: Row): boolean;
  counts(found: HitSourceResult): object;
  /** Returns a notice if the last search left hits out, else null. */
  notice?(): string | null;
  /** Describes the last search, one step per line. */
  explain(): string[];
}

/** Totals of a complete search. */
export interface HitSourceResult {
  readonly hits: number;
  readonly neighbors: number;
  /** Hits of the page whose vertices were removed before they were rendered. */
  readonly excluded: number;
}
