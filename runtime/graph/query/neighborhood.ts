// Neighborhood: the arcs of one vertex and, where conditions say so, of its neighbors.

import { D_OUT, F_ID } from "../constants.js";
import type { GraphStore } from "../store/graph-store.js";
import { type Anchor, findAnchor } from "./anchor.js";
import { arcExists } from "./arc-exists.js";
import type { DirectionNumber } from "./arc-test.js";
import type { Deadline } from "./deadline.js";
import { EntryQuery, type Found, type HitSource } from "./entry-query.js";
import type { HitKind } from "./hit-order.js";
import type { HitSink } from "./hit-sink.js";
import { checkedArguments } from "./query-arguments.js";
import type { ExecuteOptions, NeighborhoodQueryOptions } from "./query-options.js";
import type { Row } from "./row.js";
import type { NeighborhoodCounts, NeighborhoodResult } from "./typed-results.js";
import { planWalk, type WalkOptions, type WalkPlan, walkNeighborhood } from "./walk.js";

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

  constructor(
    store: GraphStore,
    options: WalkOptions,
    defaultDirection: DirectionNumber = D_OUT,
    kind: HitKind = "arc",
  ) {
    this.store = store;
    this.kind = kind;
    this.plan = planWalk(store, options, defaultDirection);
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

/**
 * Entries for the arcs of `anchor` that match (interface, "Neighborhood").
 * @throws KeyError no such vertex
 * @throws QueryError, SearchError, UnsupportedError, TypeError
 */
export function neighborhood<const O extends NeighborhoodOptions = object>(
  store: GraphStore,
  anchor: Anchor,
  options?: O,
): NeighborhoodResult<O> {
  const given: NeighborhoodOptions = checkedArguments("neighborhood", options);
  const query =
    options === undefined
      ? plainQuery(store)
      : new EntryQuery(new NeighborhoodSource(store, given), given);
  return query.execute(findAnchor(store, anchor), given) as NeighborhoodResult<O>;
}

/** The query without options, made once a store. */
function plainQuery(store: GraphStore): EntryQuery {
  let query = plainQueries.get(store);
  if (query === undefined) {
    query = new EntryQuery(new NeighborhoodSource(store, {}), {});
    plainQueries.set(store, query);
  }
  return query;
}

const plainQueries = new WeakMap<GraphStore, EntryQuery>();
