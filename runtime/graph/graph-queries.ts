// The queries of a graph (interface, "Graph": queries). They read without locks and never fail on a
// vertex that somebody holds.

import { InternalError } from "./errors.js";
import { GraphHandle } from "./graph-handle.js";
import type {
  AdjacencyQueryOptions,
  AggregateQueryOptions,
  ArcFilter,
  ExecuteOptions,
  GlobalQueryOptions,
  ListQueryOptions,
  NeighborhoodQueryOptions,
  VertexCondition,
} from "./query/query-options.js";
import type { ArcTuple, Vertex } from "./vertex.js";

/** A vertex by its id, its internal id, or as one that is open. */
export type Anchor = string | Vertex;

export class GraphQueries extends GraphHandle {
  /** Arcs of a vertex that match, and what lies behind them: one entry for each arc collected. */
  neighborhood(_id: Anchor, _options?: NeighborhoodQueryOptions & ExecuteOptions): unknown {
    throw new InternalError("not written");
  }

  /** All vertices that match. */
  vertices(_options?: GlobalQueryOptions & ExecuteOptions): unknown {
    throw new InternalError("not written");
  }

  /** Arcs of all vertices that match. */
  arcs(_options?: GlobalQueryOptions & ExecuteOptions): unknown {
    throw new InternalError("not written");
  }

  /** True if a vertex has an arc that matches, to a neighbour that matches. */
  adjacent(
    _id: Anchor,
    _arc?: ArcFilter,
    _neighbor?: VertexCondition,
    _options?: AdjacencyQueryOptions & ExecuteOptions,
  ): boolean {
    throw new InternalError("not written");
  }

  /** Sums over the arcs that `neighborhood` would collect. */
  aggregate(_id: Anchor, _options?: AggregateQueryOptions & ExecuteOptions): unknown {
    throw new InternalError("not written");
  }

  /** Number of arcs of a vertex that match; in both directions unless the filter says otherwise. */
  degree(_id: Anchor, _arc?: ArcFilter): number {
    throw new InternalError("not written");
  }

  /** Value of the arc between two vertices, null for one without value. */
  arcValue(_initial: Anchor, _arc: ArcFilter, _terminal: Anchor): number | null {
    throw new InternalError("not written");
  }

  inarcs(_id: Anchor, _options?: ExecuteOptions): ArcTuple[] {
    throw new InternalError("not written");
  }

  outarcs(_id: Anchor, _options?: ExecuteOptions): ArcTuple[] {
    throw new InternalError("not written");
  }

  /** Ids of the vertices that arcs come from, each once. */
  initials(_id: Anchor, _options?: ListQueryOptions & ExecuteOptions): string[] {
    throw new InternalError("not written");
  }

  /** Ids of the vertices that arcs lead to, each once. */
  terminals(_id: Anchor, _options?: ListQueryOptions & ExecuteOptions): string[] {
    throw new InternalError("not written");
  }

  /** Ids of the vertices of a type; null: of those without. */
  verticesType(_type: string | null): string[] {
    throw new InternalError("not written");
  }

  /** Prepares a neighborhood query that can be executed again and again. */
  newNeighborhoodQuery(_id?: Anchor, _options?: NeighborhoodQueryOptions): unknown {
    throw new InternalError("not written");
  }

  newVerticesQuery(_options?: GlobalQueryOptions): unknown {
    throw new InternalError("not written");
  }

  newArcsQuery(_options?: GlobalQueryOptions): unknown {
    throw new InternalError("not written");
  }

  newAdjacencyQuery(_id?: Anchor, _options?: AdjacencyQueryOptions): unknown {
    throw new InternalError("not written");
  }

  newAggregatorQuery(_id?: Anchor, _options?: AggregateQueryOptions): unknown {
    throw new InternalError("not written");
  }
}
