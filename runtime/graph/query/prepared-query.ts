// Queries that are parsed once and executed many times.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Anchor } from "./anchor.js";
import type {
  AdjacencyQueryOptions,
  AggregateQueryOptions,
  ExecuteOptions,
  GlobalQueryOptions,
  NeighborhoodQueryOptions,
} from "./query-options.js";
import type {
  AggregateResult,
  ArcsResult,
  NeighborhoodResult,
  VerticesResult,
} from "./typed-results.js";

/** How a prepared query is executed; `cache: 1` gives the last result while nothing has changed. */
export interface PreparedExecuteOptions extends ExecuteOptions {
  readonly cache?: number | boolean;
}

abstract class PreparedQuery {
  abstract readonly type: "Neighborhood" | "Global" | "Adjacency" | "Aggregator";
  /** Text of the last failure. */
  error: string | null = null;
  /** Number of the last failure (graph.md 9), 0 for none. */
  reason = 0;
  /** Operation count of the graph that the last execution saw. */
  opid = 0;
  /** Seconds that the last execution took. */
  texec = 0;
}

abstract class AnchoredQuery extends PreparedQuery {
  /** The anchor by id. A `Vertex` becomes its internalid. */
  id: string | null = null;
  /** Value of the first level's arc filter. */
  arcval: number | readonly [number, number] = 0;
  /** Bits and distance of the first level's M_LSH filter. */
  arclsh: readonly [bits: number, distance: number] = [0, 0];

  /** The anchor by handle, which saves looking the id up. */
  set vertex(_handle: number) {
    throw new InternalError("not written");
  }
}

export class NeighborhoodQuery<
  const O extends NeighborhoodQueryOptions = NeighborhoodQueryOptions,
> extends AnchoredQuery {
  readonly type = "Neighborhood";
  constructor(_store: GraphStore, _anchor?: Anchor | null, _options?: O) {
    super();
  }
  execute(_options?: PreparedExecuteOptions): NeighborhoodResult<O> {
    throw new InternalError("not written");
  }
  /** Number of arcs that a full execution would collect, without making a result. */
  count(): number {
    throw new InternalError("not written");
  }
}

export class VerticesQuery<
  const O extends GlobalQueryOptions = GlobalQueryOptions,
> extends PreparedQuery {
  readonly type = "Global";
  constructor(_store: GraphStore, _options?: O) {
    super();
  }
  execute(_options?: PreparedExecuteOptions): VerticesResult<O> {
    throw new InternalError("not written");
  }
  /** Number of vertices that match. */
  count(): number {
    throw new InternalError("not written");
  }
}

export class ArcsQuery<
  const O extends GlobalQueryOptions = GlobalQueryOptions,
> extends PreparedQuery {
  readonly type = "Global";
  constructor(_store: GraphStore, _options?: O) {
    super();
  }
  execute(_options?: PreparedExecuteOptions): ArcsResult<O> {
    throw new InternalError("not written");
  }
  /** Number of arcs that match. */
  count(): number {
    throw new InternalError("not written");
  }
}

export class AdjacencyQuery extends AnchoredQuery {
  readonly type = "Adjacency";
  constructor(_store: GraphStore, _anchor?: Anchor | null, _options?: AdjacencyQueryOptions) {
    super();
  }
  execute(_options?: Omit<PreparedExecuteOptions, "hits" | "offset">): boolean {
    throw new InternalError("not written");
  }
}

export class AggregatorQuery<
  const O extends AggregateQueryOptions = AggregateQueryOptions,
> extends AnchoredQuery {
  readonly type = "Aggregator";
  constructor(_store: GraphStore, _anchor?: Anchor | null, _options?: O) {
    super();
  }
  execute(_options?: Omit<PreparedExecuteOptions, "hits" | "offset">): AggregateResult<O> {
    throw new InternalError("not written");
  }
}
