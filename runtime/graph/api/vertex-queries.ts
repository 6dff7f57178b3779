// The queries of a graph that begin at a vertex which is open.

import { checkObject } from "../model/check-argument.js";
import { type AdjacentOptions, adjacent, hasArcBetween } from "../query/calls/adjacent.js";
import { type AggregateOptions, aggregate } from "../query/calls/aggregate.js";
import { arcValue } from "../query/calls/arc-value.js";
import { type DegreeOptions, degree } from "../query/calls/degree.js";
import {
  type ArcListOptions,
  inarcs,
  initials,
  type ListOptions,
  neighbors,
  outarcs,
  terminals,
} from "../query/calls/lists.js";
import { type NeighborhoodOptions, neighborhood } from "../query/calls/neighborhood.js";
import type { ArcFilter, VertexCondition } from "../query/parse/query-options.js";
import type {
  AggregateResult,
  ArcTuple,
  NeighborhoodResult,
} from "../query/render/typed-results.js";
import { adjacentOptions, degreeOptions, toVertexKey, type VertexName } from "./call-arguments.js";
import { VertexAttributes } from "./vertex-attributes.js";

export class VertexQueries extends VertexAttributes {
  /** Arcs of the vertex that match, and what lies behind them; see `Graph.neighborhood`. */
  neighborhood<const O extends NeighborhoodOptions = object>(options?: O): NeighborhoodResult<O> {
    return neighborhood(this.access.store, this.hold.vertex, options);
  }

  /** Sums over the arcs that `neighborhood` would collect. */
  aggregate<const O extends AggregateOptions = object>(options?: O): AggregateResult<O> {
    return aggregate(this.access.store, this.hold.vertex, options);
  }

  /** True if an arc matches that leads to a neighbour that matches. */
  adjacent(arc?: ArcFilter, neighbor?: VertexCondition, options?: AdjacentOptions): boolean {
    const { store } = this.access;
    const { vertex } = this.hold;
    const isFound = options === undefined ? hasArcBetween(store, vertex, arc, neighbor) : null;
    return isFound ?? adjacent(store, vertex, adjacentOptions(arc, neighbor, options));
  }

  /** Value of the arc to another vertex, null for one without value. */
  arcValue(arc: ArcFilter, terminal: VertexName): number | null {
    const { store } = this.access;
    return arcValue(store, this.hold.vertex, arc, toVertexKey(store, terminal));
  }

  /** Number of arcs that match; in both directions unless the filter says otherwise. */
  degree(arc?: ArcFilter, options?: DegreeOptions): number {
    return degree(this.access.store, this.hold.vertex, degreeOptions(arc, options));
  }

  /** Arcs that lead to the vertex. */
  inarcs(options?: ArcListOptions): ArcTuple[] {
    return inarcs(this.access.store, this.hold.vertex, options);
  }

  /** Arcs that lead from the vertex. */
  outarcs(options?: ArcListOptions): ArcTuple[] {
    return outarcs(this.access.store, this.hold.vertex, options);
  }

  /** Ids of the vertices that arcs come from, each once. */
  initials(options?: ListOptions): string[] {
    return initials(this.access.store, this.hold.vertex, options);
  }

  /** Ids of the vertices that arcs lead to, each once. */
  terminals(options?: ListOptions): string[] {
    return terminals(this.access.store, this.hold.vertex, options);
  }

  /** Ids of all neighbours, each once; with an arc filter one for each arc that matches. */
  neighbors(arc?: ArcFilter, options?: NeighborhoodOptions): string[] {
    if (arc !== undefined && options !== undefined) checkObject(options, "options");
    const given = arc === undefined ? options : { ...options, arc };
    return neighbors(this.access.store, this.hold.vertex, given);
  }
}
