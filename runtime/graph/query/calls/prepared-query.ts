// Queries that are parsed once and executed many times, for one anchor after another. `count`
// renders no result and records no outcome.

import type { GraphStore } from "../../store/graph-store.js";
import type { Anchor } from "../match/anchor.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type {
  AdjacencyQueryOptions,
  AggregateQueryOptions,
  GlobalQueryOptions,
  NeighborhoodQueryOptions,
} from "../parse/query-options.js";
import type {
  AggregateResult,
  ArcsResult,
  NeighborhoodResult,
  VerticesResult,
} from "../render/typed-results.js";
import { Adjacency } from "./adjacent.js";
import { Aggregation } from "./aggregate.js";
import { planArcs } from "./arcs.js";
import { planNeighborhood } from "./neighborhood.js";
import type { EntryPlan } from "./plan.js";
import {
  AnchoredQuery,
  type CountOptions,
  type PreparedExecuteOptions,
  PreparedQuery,
} from "./prepared-base.js";
import { planVertices } from "./vertices.js";

type WholeOptions = Omit<PreparedExecuteOptions, "hits" | "offset">;

/** A neighborhood (queries, "Prepared queries"). */
export class NeighborhoodQuery<
  const O extends NeighborhoodQueryOptions = object,
> extends AnchoredQuery<NeighborhoodResult<O>> {
  readonly type = "Neighborhood";
  declare protected readonly plan: EntryPlan;

  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, anchor: Anchor | null = null, options?: O) {
    const checkedOptions: NeighborhoodQueryOptions = checkedArguments("neighborhoodQuery", options);
    super(store, planNeighborhood(store, checkedOptions), "execute", anchor);
  }

  /**
   * Returns the number of arcs that a complete execution would collect.
   * @throws KeyError, SearchError
   */
  count(options: CountOptions = {}): number {
    return this.plan.count(this.anchor(), options);
  }
}

/** A search of the whole graph. */
abstract class GlobalQuery<Result> extends PreparedQuery<Result> {
  readonly type = "Global";
  declare protected readonly plan: EntryPlan;

  constructor(store: GraphStore, plan: EntryPlan) {
    super(store, plan, "execute");
  }

  /**
   * Returns the number of matches.
   * @throws SearchError
   */
  count(options: CountOptions = {}): number {
    this.refuseErased();
    return this.plan.count(0, options);
  }
}

/** A search for vertices (queries, "Prepared queries"). */
export class VerticesQuery<const O extends GlobalQueryOptions = object> extends GlobalQuery<
  VerticesResult<O>
> {
  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, options?: O) {
    super(store, planVertices(store, checkedArguments("globalQuery", options)));
  }
}

/** A search for arcs (queries, "Prepared queries"). */
export class ArcsQuery<const O extends GlobalQueryOptions = object> extends GlobalQuery<
  ArcsResult<O>
> {
  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, options?: O) {
    super(store, planArcs(store, checkedArguments("globalQuery", options)));
  }
}

/** An adjacency test (queries, "Prepared queries"). */
export class AdjacencyQuery extends AnchoredQuery<boolean, WholeOptions> {
  readonly type = "Adjacency";

  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, anchor: Anchor | null = null, options?: AdjacencyQueryOptions) {
    const plan = new Adjacency(store, checkedArguments("adjacencyQuery", options));
    super(store, plan, "executeWhole", anchor);
  }
}

/** Sums over arcs (queries, "Prepared queries"). */
export class AggregatorQuery<const O extends AggregateQueryOptions = object> extends AnchoredQuery<
  AggregateResult<O>,
  WholeOptions
> {
  readonly type = "Aggregator";

  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, anchor: Anchor | null = null, options?: O) {
    const checkedOptions: AggregateQueryOptions = checkedArguments("aggregatorQuery", options);
    super(store, new Aggregation(store, checkedOptions), "executeWhole", anchor);
  }
}
