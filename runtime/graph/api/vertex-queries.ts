// Queries that start at an open vertex.

import { checkObject, refuseFurther } from "../model/check-argument.js";
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
import type { Explain, Explainable, Explained } from "../query/render/explained.js";
import type {
  AggregateResult,
  ArcTuple,
  NeighborhoodResult,
} from "../query/render/typed-results.js";
import { adjacentOptions, degreeOptions, toVertexKey, type VertexName } from "./call-arguments.js";
import { VertexAttributes } from "./vertex-attributes.js";

export class VertexQueries extends VertexAttributes {
  /** Returns an entry for each matching arc; see `Graph.neighborhood`. */
  neighborhood<const O extends NeighborhoodOptions = object>(
    options?: O,
    ...further: never[]
  ): NeighborhoodResult<O> {
    refuseFurther(further, "options");
    return neighborhood(this.access.store, this.hold.vertex, options);
  }

  /** Returns sums over the arcs that `neighborhood` would collect. */
  aggregate<const O extends AggregateOptions = object>(
    options?: O,
    ...further: never[]
  ): AggregateResult<O> {
    refuseFurther(further, "options");
    return aggregate(this.access.store, this.hold.vertex, options);
  }

  /** Returns whether there is a matching arc to a matching neighbor. */
  adjacent(
    arc: ArcFilter | undefined,
    neighbor: VertexCondition | undefined,
    options: AdjacentOptions & Explain,
    ...further: never[]
  ): Explained<"adjacent", boolean>;
  adjacent(
    arc?: ArcFilter,
    neighbor?: VertexCondition,
    options?: AdjacentOptions,
    ...further: never[]
  ): boolean;
  adjacent(
    arc?: ArcFilter,
    neighbor?: VertexCondition,
    options?: Explainable<AdjacentOptions>,
    ...further: never[]
  ): boolean | Explained<"adjacent", boolean> {
    refuseFurther(further, "options");
    const { store } = this.access;
    const { vertex } = this.hold;
    const isFound = options === undefined ? hasArcBetween(store, vertex, arc, neighbor) : null;
    return isFound ?? adjacent(store, vertex, adjacentOptions(arc, neighbor, options));
  }

  /** Returns the value of the arc to another vertex; null for one without a value. */
  arcValue(arc: ArcFilter, terminal: VertexName, ...further: never[]): number | null {
    refuseFurther(further, "terminal");
    const { store } = this.access;
    return arcValue(store, this.hold.vertex, arc, toVertexKey(store, terminal));
  }

  /** Returns the number of matching arcs, in both directions unless the filter names one. */
  degree(
    arc: ArcFilter | undefined,
    options: DegreeOptions & Explain,
    ...further: never[]
  ): Explained<"degree", number>;
  degree(arc?: ArcFilter, options?: DegreeOptions, ...further: never[]): number;
  degree(
    arc?: ArcFilter,
    options?: Explainable<DegreeOptions>,
    ...further: never[]
  ): number | Explained<"degree", number> {
    refuseFurther(further, "options");
    return degree(this.access.store, this.hold.vertex, degreeOptions(arc, options));
  }

  /** Returns the inbound arcs. */
  inarcs(options: ArcListOptions & Explain, ...further: never[]): Explained<"inarcs", ArcTuple[]>;
  inarcs(options?: ArcListOptions, ...further: never[]): ArcTuple[];
  inarcs(
    options?: Explainable<ArcListOptions>,
    ...further: never[]
  ): ArcTuple[] | Explained<"inarcs", ArcTuple[]> {
    refuseFurther(further, "options");
    return inarcs(this.access.store, this.hold.vertex, options);
  }

  /** Returns the outbound arcs. */
  outarcs(options: ArcListOptions & Explain, ...further: never[]): Explained<"outarcs", ArcTuple[]>;
  outarcs(options?: ArcListOptions, ...further: never[]): ArcTuple[];
  outarcs(
    options?: Explainable<ArcListOptions>,
    ...further: never[]
  ): ArcTuple[] | Explained<"outarcs", ArcTuple[]> {
    refuseFurther(further, "options");
    return outarcs(this.access.store, this.hold.vertex, options);
  }

  /** Returns the ids of the vertices that inarcs come from, each once. */
  initials(options: ListOptions & Explain, ...further: never[]): Explained<"initials", string[]>;
  initials(options?: ListOptions, ...further: never[]): string[];
  initials(
    options?: Explainable<ListOptions>,
    ...further: never[]
  ): string[] | Explained<"initials", string[]> {
    refuseFurther(further, "options");
    return initials(this.access.store, this.hold.vertex, options);
  }

  /** Returns the ids of the vertices that outarcs lead to, each once. */
  terminals(options: ListOptions & Explain, ...further: never[]): Explained<"terminals", string[]>;
  terminals(options?: ListOptions, ...further: never[]): string[];
  terminals(
    options?: Explainable<ListOptions>,
    ...further: never[]
  ): string[] | Explained<"terminals", string[]> {
    refuseFurther(further, "options");
    return terminals(this.access.store, this.hold.vertex, options);
  }

  /** Returns the ids of all neighbors, each once; with an arc filter one per matching arc. */
  neighbors(arc?: ArcFilter, options?: NeighborhoodOptions, ...further: never[]): string[] {
    refuseFurther(further, "options");
    if (arc !== undefined && options !== undefined) checkObject(options, "options");
    const allOptions = arc === undefined ? options : { ...options, arc };
    return neighbors(this.access.store, this.hold.vertex, allOptions);
  }
}
