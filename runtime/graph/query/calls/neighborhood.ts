// Neighborhood: the arcs of one vertex and, where conditions say so, of its neighbors.

import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { D_OUT, F_ID } from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { HitKind } from "../hits/hit-order.js";
import type { HitSink } from "../hits/hit-sink.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { ArcTest, DirectionNumber } from "../match/arc-test.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type { ExecuteOptions, NeighborhoodQueryOptions } from "../parse/query-options.js";
import { arcExists } from "../show/arc-exists.js";
import { EntryQuery, type Found, type HitSource } from "../show/entry-query.js";
import type { Row } from "../show/row.js";
import type { NeighborhoodCounts, NeighborhoodResult } from "../show/typed-results.js";
import type { Deadline } from "../walk/deadline.js";
import { planWalk, type WalkOptions, type WalkPlan, walkNeighborhood } from "../walk/walk.js";

/** Options of `neighborhood`. */
export type NeighborhoodOptions = NeighborhoodQueryOptions & ExecuteOptions;

/** The arcs around one vertex, or the vertices at their other ends. */
export class NeighborhoodSource implements HitSource {
  readonly store: GraphStore;
  readonly kind: HitKind;
  readonly timed = "neighborhood";
  readonly listName = "neighborhood";
  readonly defaultFields = F_ID;
  readonly missingFields = 0;
  readonly plan: WalkPlan;
  readonly arc: ArcTest;
  readonly expressions: ExpressionSet;

  constructor(
    store: GraphStore,
    options: WalkOptions,
    defaultDirection: DirectionNumber = D_OUT,
    kind: HitKind = "arc",
  ) {
    this.store = store;
    this.kind = kind;
    this.plan = planWalk(store, options, defaultDirection);
    this.arc = this.plan.arc;
    this.expressions = this.plan.expressions;
  }

  search(anchor: number, sink: HitSink, deadline: Deadline): void {
    walkNeighborhood(this.plan, anchor, sink, deadline);
  }

  isCurrent(row: Row): boolean {
    return arcExists(row);
  }

  counts({ hits, neighbors, excluded }: Found): NeighborhoodCounts {
    const counts = { neighbors, arcs: hits };
    return excluded === 0 ? counts : { ...counts, excluded_arcs: excluded };
  }
}

/** @throws QueryError, SearchError, UnsupportedError */
export function planNeighborhood(store: GraphStore, options: NeighborhoodQueryOptions): EntryQuery {
  return new EntryQuery(new NeighborhoodSource(store, options), options);
}

/**
 * Entries for the arcs of `anchor` that match (queries, "neighborhood").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function neighborhood<const O extends NeighborhoodOptions = object>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): NeighborhoodResult<O> {
  const given: NeighborhoodOptions = checkedArguments("neighborhood", options);
  const query = options === undefined ? plainQuery(store) : planNeighborhood(store, given);
  return query.execute(findAnchor(store, anchor), given) as NeighborhoodResult<O>;
}

/** The query without options, made once a store. */
function plainQuery(store: GraphStore): EntryQuery {
  let query = plainQueries.get(store);
  if (query === undefined) {
    query = planNeighborhood(store, {});
    plainQueries.set(store, query);
  }
  return query;
}

const plainQueries = new WeakMap<GraphStore, EntryQuery>();
