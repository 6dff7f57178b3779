// Queries that are parsed once and executed many times, for one anchor after the other. `count` is
// there for programs that only want to know how many: it makes no result and takes nothing down.

import type { GraphStore } from "../../store/graph-store.js";
import type { Anchor } from "../match/anchor.js";
import type { ArcTest } from "../match/arc-test.js";
import { checkedArguments } from "../parse/query-arguments.js";
import type {
  AdjacencyQueryOptions,
  AggregateQueryOptions,
  ExecuteOptions,
  GlobalQueryOptions,
  NeighborhoodQueryOptions,
} from "../parse/query-options.js";
import { EntryQuery } from "../show/entry-query.js";
import type {
  AggregateResult,
  ArcsResult,
  NeighborhoodResult,
  VerticesResult,
} from "../show/typed-results.js";
import type { WalkPlan } from "../walk/walk.js";
import { executeAdjacent, planAdjacent } from "./adjacent.js";
import { Aggregation } from "./aggregate.js";
import { ArcsSource } from "./arcs.js";
import { NeighborhoodSource } from "./neighborhood.js";
import { AnchoredQuery, type PreparedExecuteOptions, PreparedQuery } from "./prepared-base.js";
import { VerticesSource } from "./vertices.js";

type WholeOptions = Omit<PreparedExecuteOptions, "hits" | "offset">;

/** How long a count may take; without a page. */
type CountOptions = Omit<ExecuteOptions, "hits" | "offset">;

const NO_OPTIONS = {};

/** A neighborhood (interface, "NewNeighborhoodQuery"). */
export class NeighborhoodQuery<
  const O extends NeighborhoodQueryOptions = object,
> extends AnchoredQuery {
  readonly type = "Neighborhood";
  protected readonly arc: ArcTest;
  readonly #query: EntryQuery;

  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, anchor: Anchor | null = null, options?: O) {
    super(store);
    const given: NeighborhoodQueryOptions = checkedArguments("neighborhoodQuery", options);
    const source = new NeighborhoodSource(store, given);
    this.arc = source.plan.arc;
    this.#query = new EntryQuery(source, given);
    this.id = anchor;
  }

  /** @throws KeyError, QueryError, SearchError, TypeError */
  execute(options?: PreparedExecuteOptions): NeighborhoodResult<O> {
    return this.run("execute", options) as NeighborhoodResult<O>;
  }

  /**
   * Number of arcs that a complete execution would collect.
   * @throws KeyError, SearchError
   */
  count(options: CountOptions = NO_OPTIONS): number {
    return this.#query.count(this.anchor(), options);
  }

  protected perform(options: ExecuteOptions): unknown {
    return this.#query.execute(this.anchor(), options);
  }
}

/** A search for vertices (interface, "NewVerticesQuery"). */
export class VerticesQuery<const O extends GlobalQueryOptions = object> extends PreparedQuery {
  readonly type = "Global";
  readonly #query: EntryQuery;

  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, options?: O) {
    super(store);
    const given: GlobalQueryOptions = checkedArguments("globalQuery", options);
    this.#query = new EntryQuery(new VerticesSource(store, given), given);
  }

  /** @throws QueryError, SearchError, TypeError */
  execute(options?: PreparedExecuteOptions): VerticesResult<O> {
    return this.run("execute", options) as VerticesResult<O>;
  }

  /**
   * Number of vertices that match.
   * @throws SearchError
   */
  count(options: CountOptions = NO_OPTIONS): number {
    this.refuseErased();
    return this.#query.count(0, options);
  }

  protected perform(options: ExecuteOptions): unknown {
    return this.#query.execute(0, options);
  }
}

/** A search for arcs (interface, "NewArcsQuery"). */
export class ArcsQuery<const O extends GlobalQueryOptions = object> extends PreparedQuery {
  readonly type = "Global";
  readonly #query: EntryQuery;

  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, options?: O) {
    super(store);
    const given: GlobalQueryOptions = checkedArguments("globalQuery", options);
    this.#query = new EntryQuery(new ArcsSource(store, given), given);
  }

  /** @throws QueryError, SearchError, TypeError */
  execute(options?: PreparedExecuteOptions): ArcsResult<O> {
    return this.run("execute", options) as ArcsResult<O>;
  }

  /**
   * Number of arcs that match.
   * @throws SearchError
   */
  count(options: CountOptions = NO_OPTIONS): number {
    this.refuseErased();
    return this.#query.count(0, options);
  }

  protected perform(options: ExecuteOptions): unknown {
    return this.#query.execute(0, options);
  }
}

/** A test for an arc (interface, "NewAdjacencyQuery"). */
export class AdjacencyQuery extends AnchoredQuery {
  readonly type = "Adjacency";
  protected readonly arc: ArcTest;
  readonly #plan: WalkPlan;

  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, anchor: Anchor | null = null, options?: AdjacencyQueryOptions) {
    super(store);
    this.#plan = planAdjacent(store, checkedArguments("adjacencyQuery", options));
    this.arc = this.#plan.arc;
    this.id = anchor;
  }

  /** @throws KeyError, SearchError, TypeError */
  execute(options?: WholeOptions): boolean {
    return this.run("executeWhole", options) as boolean;
  }

  protected perform(options: ExecuteOptions): boolean {
    return executeAdjacent(this.#plan, this.anchor(), options);
  }
}

/** Sums over arcs (interface, "NewAggregatorQuery"). */
export class AggregatorQuery<const O extends AggregateQueryOptions = object> extends AnchoredQuery {
  readonly type = "Aggregator";
  protected readonly arc: ArcTest;
  readonly #aggregation: Aggregation;

  /** @throws QueryError, SearchError, UnsupportedError, TypeError */
  constructor(store: GraphStore, anchor: Anchor | null = null, options?: O) {
    super(store);
    const given: AggregateQueryOptions = checkedArguments("aggregatorQuery", options);
    this.#aggregation = new Aggregation(store, given);
    this.arc = this.#aggregation.plan.arc;
    this.id = anchor;
  }

  /** @throws KeyError, SearchError, TypeError */
  execute(options?: WholeOptions): AggregateResult<O> {
    return this.run("executeWhole", options) as AggregateResult<O>;
  }

  protected perform(options: ExecuteOptions): unknown {
    return this.#aggregation.execute(this.anchor(), options);
  }
}
