// Queries of a graph (docs/reference/queries.md), which read without locks and never fail on a
// locked vertex.

import { refuseFurther } from "../model/check-argument.js";
import { type AdjacentOptions, adjacent, hasArcBetween } from "../query/calls/adjacent.js";
import { type AggregateOptions, aggregate } from "../query/calls/aggregate.js";
import { arcValue } from "../query/calls/arc-value.js";
import { arcs } from "../query/calls/arcs.js";
import { type DegreeOptions, degree } from "../query/calls/degree.js";
import {
  type ArcListOptions,
  inarcs,
  initials,
  type ListOptions,
  outarcs,
  terminals,
  verticesOfType,
} from "../query/calls/lists.js";
import { type NearestOptions, type NearestResult, nearest } from "../query/calls/nearest.js";
import { type NeighborhoodOptions, neighborhood } from "../query/calls/neighborhood.js";
import {
  AdjacencyQuery,
  AggregatorQuery,
  ArcsQuery,
  NeighborhoodQuery,
  VerticesQuery,
} from "../query/calls/prepared-query.js";
import { type SearchOptions, search } from "../query/calls/search.js";
import { type ScanOptions, scanArcEntries, scanVertexEntries } from "../query/calls/stream.js";
import { textStatistics } from "../query/calls/text-statistics.js";
import { type VerticesOptions, vertices } from "../query/calls/vertices.js";
import type {
  AdjacencyQueryOptions,
  AggregateQueryOptions,
  ArcFilter,
  GlobalQueryOptions,
  NeighborhoodQueryOptions,
  VertexCondition,
} from "../query/parse/query-options.js";
import type { Explain, Explainable, Explained } from "../query/render/explained.js";
import type {
  AggregateResult,
  ArcsResult,
  ArcTuple,
  NeighborhoodResult,
  ScannedArc,
  ScannedVertex,
  SearchResult,
  VerticesResult,
} from "../query/render/typed-results.js";
import type { GraphStore } from "../store/graph-store.js";
import type { TextStatisticsShare } from "../texts/text-statistics.js";
import { adjacentOptions, degreeOptions, toVertexKey, type VertexName } from "./call-arguments.js";
import { GraphAlgorithms } from "./graph-algorithms.js";
import { GraphSimilarity } from "./graph-similarity.js";
import { type NearestProbe, toTargets } from "./nearest-probe.js";

export class GraphQueries extends GraphAlgorithms {
  /**
   * Returns an entry for each matching arc of a vertex and, if conditions traverse, of its
   * neighbors.
   * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
   */
  neighborhood<const O extends NeighborhoodOptions = object>(
    id: VertexName,
    options?: O,
    ...further: never[]
  ): NeighborhoodResult<O> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return neighborhood(store, toVertexKey(store, id), options);
  }

  /**
   * Returns all matching vertices.
   * @throws QueryError, SearchError, UnsupportedError, TypeError
   */
  vertices<const O extends VerticesOptions = object>(options?: O): VerticesResult<O>;
  /** With entries of a type that the caller declares: `graph.vertices<Person>({ … })`. */
  vertices<Entry extends object>(options: VerticesOptions): Entry[];
  vertices(options?: VerticesOptions, ...further: never[]): unknown {
    refuseFurther(further, "options");
    return vertices(this.access.store, options);
  }

  /**
   * Returns the vertices whose texts match, best first. `"…"` is a phrase, `-word` excludes,
   * `word*` is a prefix, anything else is a word; any text is valid.
   * @param text words and phrases to search for
   * @throws QueryError, SearchError, KeyError, TypeError
   */
  search<const O extends SearchOptions = object>(text: string, options?: O): SearchResult<O>;
  /** The same, with entries that the caller declares: `graph.search<Product>("shoes", { … })`. */
  search<Entry extends object>(text: string, options: SearchOptions): Entry[];
  search(text: string, options?: SearchOptions, ...further: never[]): unknown {
    refuseFurther(further, "options");
    return search(this.access.store, text, options);
  }

  /**
   * Returns the statistics that `search` computes its scores with. Those of several graphs, added
   * by `addTextStatistics`, make the scores of all of them comparable: see option `statistics`.
   * @throws QueryError, SearchError, KeyError, TypeError
   */
  textStatistics(text: string, options?: SearchOptions, ...further: never[]): TextStatisticsShare {
    refuseFurther(further, "options");
    return textStatistics(this.access.store, text, options);
  }

  /**
   * Iterates over all matching vertices: `for (const id of graph.scan())`. They are found during
   * the iteration, so results of any length need constant memory.
   * @throws QueryError, SearchError, TypeError
   */
  scan<const O extends ScanOptions = object>(
    options?: O,
    ...further: never[]
  ): IterableIterator<ScannedVertex<O>> {
    refuseFurther(further, "options");
    return scanVertexEntries(this.access.store, options);
  }

  /**
   * Iterates over the arcs of all matching vertices; those of one vertex are read at once.
   * @throws QueryError, SearchError, TypeError
   */
  scanArcs<const O extends ScanOptions = object>(
    options?: O,
    ...further: never[]
  ): IterableIterator<ScannedArc<O>> {
    refuseFurther(further, "options");
    return scanArcEntries(this.access.store, options);
  }

  /**
   * Returns the vertices whose vectors are most similar to a probe vector, most similar first.
   * @param probe a vector, or an open vertex that has one; or probes by the names of vectors. For
   * several names, the sum of the similarities by `weights` decides.
   * @throws ValueError, QueryError, SearchError, TypeError
   */
  nearest(
    probe: NearestProbe,
    options: NearestOptions & Explain,
    ...further: never[]
  ): Explained<"nearest", NearestResult[]>;
  nearest(probe: NearestProbe, options?: NearestOptions, ...further: never[]): NearestResult[];
  nearest(
    probe: NearestProbe,
    options?: Explainable<NearestOptions>,
    ...further: never[]
  ): NearestResult[] | Explained<"nearest", NearestResult[]> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return nearest(store, toTargets(store, probe), options);
  }

  /** Creation and comparison of vectors. */
  get sim(): GraphSimilarity {
    void this.access;
    return new GraphSimilarity(this);
  }

  /**
   * Returns the arcs of all matching vertices.
   * @throws QueryError, SearchError, UnsupportedError, TypeError
   */
  arcs<const O extends VerticesOptions = object>(options?: O, ...further: never[]): ArcsResult<O> {
    refuseFurther(further, "options");
    return arcs(this.access.store, options);
  }

  /**
   * Returns whether a vertex has a matching arc to a matching neighbor.
   * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
   */
  adjacent(
    id: VertexName,
    arc: ArcFilter | undefined,
    neighbor: VertexCondition | undefined,
    options: AdjacentOptions & Explain,
    ...further: never[]
  ): Explained<"adjacent", boolean>;
  adjacent(
    id: VertexName,
    arc?: ArcFilter,
    neighbor?: VertexCondition,
    options?: AdjacentOptions,
    ...further: never[]
  ): boolean;
  adjacent(
    id: VertexName,
    arc?: ArcFilter,
    neighbor?: VertexCondition,
    options?: Explainable<AdjacentOptions>,
    ...further: never[]
  ): boolean | Explained<"adjacent", boolean> {
    refuseFurther(further, "options");
    const { store } = this.access;
    const anchor = toVertexKey(store, id);
    const isFound = options === undefined ? hasArcBetween(store, anchor, arc, neighbor) : null;
    return isFound ?? adjacent(store, anchor, adjacentOptions(arc, neighbor, options));
  }

  /**
   * Returns sums over the arcs that `neighborhood` would collect.
   * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
   */
  aggregate<const O extends AggregateOptions = object>(
    id: VertexName,
    options?: O,
    ...further: never[]
  ): AggregateResult<O> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return aggregate(store, toVertexKey(store, id), options);
  }

  /**
   * Returns the number of matching arcs of a vertex, in both directions unless the filter names
   * one.
   * @throws KeyError, QueryError, SearchError
   */
  degree(
    id: VertexName,
    arc: ArcFilter | undefined,
    options: DegreeOptions & Explain,
    ...further: never[]
  ): Explained<"degree", number>;
  degree(id: VertexName, arc?: ArcFilter, options?: DegreeOptions, ...further: never[]): number;
  degree(
    id: VertexName,
    arc?: ArcFilter,
    options?: Explainable<DegreeOptions>,
    ...further: never[]
  ): number | Explained<"degree", number> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return degree(store, toVertexKey(store, id), degreeOptions(arc, options));
  }

  /**
   * Returns the value of the arc between two vertices; null for one without a value.
   * @throws KeyError, QueryError, SearchError if there is no such arc
   */
  arcValue(
    initial: VertexName,
    arc: ArcFilter,
    terminal: VertexName,
    ...further: never[]
  ): number | null {
    refuseFurther(further, "terminal");
    const { store } = this.access;
    return arcValue(store, toVertexKey(store, initial), arc, toVertexKey(store, terminal));
  }

  /**
   * Returns the inbound arcs of a vertex.
   * @throws KeyError
   */
  inarcs(
    id: VertexName,
    options: ArcListOptions & Explain,
    ...further: never[]
  ): Explained<"inarcs", ArcTuple[]>;
  inarcs(id: VertexName, options?: ArcListOptions, ...further: never[]): ArcTuple[];
  inarcs(
    id: VertexName,
    options?: Explainable<ArcListOptions>,
    ...further: never[]
  ): ArcTuple[] | Explained<"inarcs", ArcTuple[]> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return inarcs(store, toVertexKey(store, id), options);
  }

  /**
   * Returns the outbound arcs of a vertex.
   * @throws KeyError
   */
  outarcs(
    id: VertexName,
    options: ArcListOptions & Explain,
    ...further: never[]
  ): Explained<"outarcs", ArcTuple[]>;
  outarcs(id: VertexName, options?: ArcListOptions, ...further: never[]): ArcTuple[];
  outarcs(
    id: VertexName,
    options?: Explainable<ArcListOptions>,
    ...further: never[]
  ): ArcTuple[] | Explained<"outarcs", ArcTuple[]> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return outarcs(store, toVertexKey(store, id), options);
  }

  /**
   * Returns the ids of the vertices that inarcs come from, each once.
   * @throws KeyError, QueryError, SearchError
   */
  initials(
    id: VertexName,
    options: ListOptions & Explain,
    ...further: never[]
  ): Explained<"initials", string[]>;
  initials(id: VertexName, options?: ListOptions, ...further: never[]): string[];
  initials(
    id: VertexName,
    options?: Explainable<ListOptions>,
    ...further: never[]
  ): string[] | Explained<"initials", string[]> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return initials(store, toVertexKey(store, id), options);
  }

  /**
   * Returns the ids of the vertices that outarcs lead to, each once.
   * @throws KeyError, QueryError, SearchError
   */
  terminals(
    id: VertexName,
    options: ListOptions & Explain,
    ...further: never[]
  ): Explained<"terminals", string[]>;
  terminals(id: VertexName, options?: ListOptions, ...further: never[]): string[];
  terminals(
    id: VertexName,
    options?: Explainable<ListOptions>,
    ...further: never[]
  ): string[] | Explained<"terminals", string[]> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return terminals(store, toVertexKey(store, id), options);
  }

  /** Returns the ids of the vertices of a type; null: of those without a type. */
  verticesType(type: string | null, ...further: never[]): string[] {
    refuseFurther(further, "type");
    return verticesOfType(this.access.store, type);
  }

  /** Creates a reusable neighborhood query. */
  newNeighborhoodQuery<const O extends NeighborhoodQueryOptions = object>(
    id?: VertexName | null,
    options?: O,
    ...further: never[]
  ): NeighborhoodQuery<O> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return new NeighborhoodQuery(store, anchorOf(store, id), options);
  }

  /** Creates a reusable search for vertices. */
  newVerticesQuery<const O extends GlobalQueryOptions = object>(
    options?: O,
    ...further: never[]
  ): VerticesQuery<O> {
    refuseFurther(further, "options");
    return new VerticesQuery(this.access.store, options);
  }

  /** Creates a reusable search for arcs. */
  newArcsQuery<const O extends GlobalQueryOptions = object>(
    options?: O,
    ...further: never[]
  ): ArcsQuery<O> {
    refuseFurther(further, "options");
    return new ArcsQuery(this.access.store, options);
  }

  /** Creates a reusable adjacency test. */
  newAdjacencyQuery(
    id?: VertexName | null,
    options?: AdjacencyQueryOptions,
    ...further: never[]
  ): AdjacencyQuery {
    refuseFurther(further, "options");
    const { store } = this.access;
    return new AdjacencyQuery(store, anchorOf(store, id), options);
  }

  /** Creates a reusable aggregation. */
  newAggregatorQuery<const O extends AggregateQueryOptions = object>(
    id?: VertexName | null,
    options?: O,
    ...further: never[]
  ): AggregatorQuery<O> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return new AggregatorQuery(store, anchorOf(store, id), options);
  }
}

/** The anchor of a prepared query may be set later. */
function anchorOf(store: GraphStore, id: VertexName | null | undefined): string | number | null {
  return id === null || id === undefined ? null : toVertexKey(store, id);
}
