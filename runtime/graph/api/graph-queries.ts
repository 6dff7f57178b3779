// What is asked of a graph: its queries (docs/reference/queries.md), which read without locks and
// never fail on a vertex that somebody holds, and expressions by themselves
// (docs/reference/expressions.md).

import type { ArcSpec } from "../changes/parsed-arc.js";
import { evaluateText } from "../evaluate/evaluate.js";
import { Memory, type MemoryCell, memoryOption } from "../evaluate/memory.js";
import { type EvaluationResult, toPlainValue } from "../evaluate/result-values.js";
import { checkOptions, checkText } from "../model/check-argument.js";
import { KeyError } from "../model/errors.js";
import { type AdjacentOptions, adjacent, hasArcBetween } from "../query/calls/adjacent.js";
import { type AggregateOptions, aggregate } from "../query/calls/aggregate.js";
import {
  type ComponentOptions,
  type CoOccurrenceOptions,
  components,
  coOccurrence,
  type PageRankOptions,
  type PathOptions,
  pageRank,
  randomWalks,
  type ScoredVertex,
  shortestPath,
  type WalkOptions,
} from "../query/calls/algorithms.js";
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
import { type ScanOptions, scanArcEntries, scanVertexEntries } from "../query/calls/stream.js";
import { type VerticesOptions, vertices } from "../query/calls/vertices.js";
import { findAnchor } from "../query/match/anchor.js";
import type {
  AdjacencyQueryOptions,
  AggregateQueryOptions,
  ArcFilter,
  GlobalQueryOptions,
  NeighborhoodQueryOptions,
  VertexCondition,
} from "../query/parse/query-options.js";
import type {
  AggregateResult,
  ArcsResult,
  ArcTuple,
  NeighborhoodResult,
  ScannedArc,
  ScannedVertex,
  VerticesResult,
} from "../query/render/typed-results.js";
import type { GraphStore } from "../store/graph-store.js";
import { partsOfLike, type VectorLike } from "../vectors/vector.js";
import type { VectorParts } from "../vectors/vector-parts.js";
import { adjacentOptions, degreeOptions, toVertexKey, type VertexName } from "./call-arguments.js";
import { define, definition, definitions } from "./definitions.js";
import { GraphHandle } from "./graph-handle.js";
import { GraphSimilarity } from "./graph-similarity.js";
import { handleIn, VertexAttributes } from "./vertex-attributes.js";

/** What an expression is evaluated on. */
export interface EvaluateOptions {
  /** `vertex` and `prev` of the expression. */
  readonly tail?: VertexName;
  /** `next` of the expression. */
  readonly head?: VertexName;
  /** `next.arc` of the expression. */
  readonly arc?: ArcSpec;
  /** `vector` of the expression. */
  readonly vector?: VectorLike;
  /** Its cells: an object, or how many; 8 of its own without. */
  readonly memory?: Memory | number;
}

export class GraphQueries extends GraphHandle {
  /**
   * Arcs of a vertex that match, and what lies behind them: one entry for each arc collected.
   * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
   */
  neighborhood<const O extends NeighborhoodOptions = object>(
    id: VertexName,
    options?: O,
  ): NeighborhoodResult<O> {
    const { store } = this.access;
    return neighborhood(store, toVertexKey(store, id), options);
  }

  /**
   * All vertices that match.
   * @throws QueryError, SearchError, UnsupportedError, TypeError
   */
  vertices<const O extends VerticesOptions = object>(options?: O): VerticesResult<O>;
  /** The same, with entries that the caller declares: `graph.vertices<Person>({ … })`. */
  vertices<Entry extends object>(options: VerticesOptions): Entry[];
  vertices(options?: VerticesOptions): unknown {
    return vertices(this.access.store, options);
  }

  /**
   * All vertices that match, one after the other: `for (const id of graph.scan())`. They are found
   * while one goes through them, so that results of any length take no memory.
   * @throws QueryError, SearchError, TypeError
   */
  scan<const O extends ScanOptions = object>(options?: O): IterableIterator<ScannedVertex<O>> {
    return scanVertexEntries(this.access.store, options);
  }

  /**
   * Arcs of all vertices that match, one after the other; those of one vertex are found at once.
   * @throws QueryError, SearchError, TypeError
   */
  scanArcs<const O extends ScanOptions = object>(options?: O): IterableIterator<ScannedArc<O>> {
    return scanArcEntries(this.access.store, options);
  }

  /**
   * The vertices whose vectors are most similar to a probe, the best first.
   * @param probe a vector, or an open vertex that has one
   * @throws ValueError, QueryError, SearchError, TypeError
   */
  nearest(probe: VectorLike | VertexAttributes, options?: NearestOptions): NearestResult[] {
    const { store } = this.access;
    return nearest(store, probeOf(store, probe), options);
  }

  /**
   * Ids along the shortest way from one vertex to another, and its cost; null if there is none.
   * @throws KeyError, QueryError, SearchError, ValueError for weights below 0
   */
  shortestPath(
    from: VertexName,
    to: VertexName,
    options?: PathOptions,
  ): { path: string[]; cost: number } | null {
    const { store } = this.access;
    return shortestPath(store, toVertexKey(store, from), toVertexKey(store, to), options);
  }

  /**
   * Ids of the vertices that are connected with each other, the largest components first.
   * @throws QueryError, SearchError
   */
  components(options?: ComponentOptions): string[][] {
    return components(this.access.store, options);
  }

  /**
   * The vertices that a random walker meets most often; those of `from` begin its walks.
   * @throws KeyError, QueryError, SearchError, ValueError
   */
  pageRank(options?: PageRankOptions): ScoredVertex[] {
    return pageRank(this.access.store, options);
  }

  /**
   * Ids along walks that follow arcs at random, until none leads on.
   * @throws KeyError, QueryError, SearchError, ValueError
   */
  randomWalks(from: VertexName, options?: WalkOptions): string[][] {
    const { store } = this.access;
    return randomWalks(store, toVertexKey(store, from), options);
  }

  /**
   * The vertices that have arcs to the same vertices as one, those with most in common first.
   * @throws KeyError, QueryError, SearchError
   */
  coOccurrence(id: VertexName, options?: CoOccurrenceOptions): ScoredVertex[] {
    const { store } = this.access;
    return coOccurrence(store, toVertexKey(store, id), options);
  }

  /** Makes and compares vectors. */
  get sim(): GraphSimilarity {
    void this.access;
    return new GraphSimilarity(this);
  }

  /**
   * Arcs of all vertices that match.
   * @throws QueryError, SearchError, UnsupportedError, TypeError
   */
  arcs<const O extends VerticesOptions = object>(options?: O): ArcsResult<O> {
    return arcs(this.access.store, options);
  }

  /**
   * True if a vertex has an arc that matches, to a neighbour that matches.
   * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
   */
  adjacent(
    id: VertexName,
    arc?: ArcFilter,
    neighbor?: VertexCondition,
    options?: AdjacentOptions,
  ): boolean {
    const { store } = this.access;
    const anchor = toVertexKey(store, id);
    const isFound = options === undefined ? hasArcBetween(store, anchor, arc, neighbor) : null;
    return isFound ?? adjacent(store, anchor, adjacentOptions(arc, neighbor, options));
  }

  /**
   * Sums over the arcs that `neighborhood` would collect.
   * @throws KeyError, QueryError, SearchError, UnsupportedError, TypeError
   */
  aggregate<const O extends AggregateOptions = object>(
    id: VertexName,
    options?: O,
  ): AggregateResult<O> {
    const { store } = this.access;
    return aggregate(store, toVertexKey(store, id), options);
  }

  /**
   * Number of arcs of a vertex that match; in both directions unless the filter says otherwise.
   * @throws KeyError, QueryError, SearchError
   */
  degree(id: VertexName, arc?: ArcFilter, options?: DegreeOptions): number {
    const { store } = this.access;
    return degree(store, toVertexKey(store, id), degreeOptions(arc, options));
  }

  /**
   * Value of the arc between two vertices, null for one without value.
   * @throws KeyError, QueryError, SearchError when there is no such arc
   */
  arcValue(initial: VertexName, arc: ArcFilter, terminal: VertexName): number | null {
    const { store } = this.access;
    return arcValue(store, toVertexKey(store, initial), arc, toVertexKey(store, terminal));
  }

  /** @throws KeyError */
  inarcs(id: VertexName, options?: ArcListOptions): ArcTuple[] {
    const { store } = this.access;
    return inarcs(store, toVertexKey(store, id), options);
  }

  /** @throws KeyError */
  outarcs(id: VertexName, options?: ArcListOptions): ArcTuple[] {
    const { store } = this.access;
    return outarcs(store, toVertexKey(store, id), options);
  }

  /**
   * Ids of the vertices that arcs come from, each once.
   * @throws KeyError, QueryError, SearchError
   */
  initials(id: VertexName, options?: ListOptions): string[] {
    const { store } = this.access;
    return initials(store, toVertexKey(store, id), options);
  }

  /**
   * Ids of the vertices that arcs lead to, each once.
   * @throws KeyError, QueryError, SearchError
   */
  terminals(id: VertexName, options?: ListOptions): string[] {
    const { store } = this.access;
    return terminals(store, toVertexKey(store, id), options);
  }

  /** Ids of the vertices of a type; null: of those without. */
  verticesType(type: string | null): string[] {
    return verticesOfType(this.access.store, type);
  }

  /** Prepares a neighborhood query that can be executed again and again. */
  newNeighborhoodQuery<const O extends NeighborhoodQueryOptions = object>(
    id?: VertexName | null,
    options?: O,
  ): NeighborhoodQuery<O> {
    const { store } = this.access;
    return new NeighborhoodQuery(store, anchorOf(store, id), options);
  }

  /** Prepares a search for vertices that can be executed again and again. */
  newVerticesQuery<const O extends GlobalQueryOptions = object>(options?: O): VerticesQuery<O> {
    return new VerticesQuery(this.access.store, options);
  }

  /** Prepares a search for arcs that can be executed again and again. */
  newArcsQuery<const O extends GlobalQueryOptions = object>(options?: O): ArcsQuery<O> {
    return new ArcsQuery(this.access.store, options);
  }

  /** Prepares an adjacency test that can be executed again and again. */
  newAdjacencyQuery(id?: VertexName | null, options?: AdjacencyQueryOptions): AdjacencyQuery {
    const { store } = this.access;
    return new AdjacencyQuery(store, anchorOf(store, id), options);
  }

  /** Prepares an aggregation that can be executed again and again. */
  newAggregatorQuery<const O extends AggregateQueryOptions = object>(
    id?: VertexName | null,
    options?: O,
  ): AggregatorQuery<O> {
    const { store } = this.access;
    return new AggregatorQuery(store, anchorOf(store, id), options);
  }

  /**
   * The value of an expression: `graph.evaluate("next['age'] * 2", { head: "ann" })`.
   * @throws QueryError with the place of what is wrong; KeyError, ArcError
   */
  evaluate(expression: string, options: EvaluateOptions = {}): EvaluationResult {
    const { store } = this.access;
    checkOptions(options, EVALUATE_NAMES);
    const { tail, head, arc, vector = [], memory } = options;
    partsOfLike(vector, "vector");
    if (typeof expression !== "string") throw new TypeError("an expression is a text");
    const value = evaluateText(store, expression, {
      tail: handleOf(store, tail),
      head: handleOf(store, head),
      arc,
      vector,
      memory: memoryOption(store, memory),
    });
    return toPlainValue(store, value);
  }

  /**
   * Gives an expression a name, which can be used in its place: `define("near := .arc.value < 3")`.
   * @throws QueryError with the place of what is wrong; ValueError without a name
   */
  define(definition: string): void {
    if (typeof definition !== "string") throw new TypeError("a definition is a text");
    define(this.access.store, definition);
  }

  /**
   * The text of a definition.
   * @throws KeyError
   */
  getDefinition(name: string): string {
    checkText(name, "the name of a definition");
    const text = definition(this.access.store, name);
    if (text === null) throw new KeyError(`No object : '${name}'`);
    return text;
  }

  /** Texts of all definitions of this graph, by their names. */
  getDefinitions(): Record<string, string> {
    return definitions(this.access.store);
  }

  /**
   * Cells that expressions of queries share and keep.
   * @param initial how many, rounded up to a power of two; or values of the first ones
   * @throws ValueError what is no size, or too large; TypeError
   */
  memory(initial: number | readonly MemoryCell[]): Memory {
    return new Memory(this.access.store, initial);
  }
}

const EVALUATE_NAMES = new Set(["tail", "head", "arc", "vector", "memory"]);

/** Handle of a vertex that may be left out, 0 then. */
function handleOf(store: GraphStore, vertex: VertexName | undefined): number {
  return vertex === undefined ? 0 : findAnchor(store, toVertexKey(store, vertex));
}

/** A query may be given its anchor later. */
function anchorOf(store: GraphStore, id: VertexName | null | undefined): string | number | null {
  return id === null || id === undefined ? null : toVertexKey(store, id);
}

/** @throws ValueError, TypeError what is neither vector nor vertex */
function probeOf(store: GraphStore, probe: VectorLike | VertexAttributes): VectorParts {
  if (!(probe instanceof VertexAttributes)) return partsOfLike(probe, "probe");
  return store.vectors.get(handleIn(store, probe));
}
