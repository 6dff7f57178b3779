// Algorithms of a graph: paths, connected components, ranks and walks (docs/reference/queries.md,
// "Algorithms").

import { refuseFurther } from "../model/check-argument.js";
import {
  type CoOccurrenceOptions,
  coOccurrence,
  randomWalks,
  type ScoredVertex,
  type WalkOptions,
} from "../query/calls/algorithms.js";
import {
  type FoundPath,
  type PathOptions,
  type PathsOptions,
  paths,
  type ShortestPathsOptions,
  shortestPath,
  shortestPaths,
} from "../query/calls/paths.js";
import {
  type BackgroundOptions,
  type ComponentOptions,
  components,
  componentsAsync,
  type PageRankOptions,
  pageRank,
  pageRankAsync,
} from "../query/calls/whole-graph.js";
import type {
  Boundable,
  Bounded,
  Explain,
  Explainable,
  Explained,
  Incomplete,
} from "../query/render/explained.js";
import { toGoals, toVertexKey, type VertexName } from "./call-arguments.js";
import { GraphExpressions } from "./graph-expressions.js";

export class GraphAlgorithms extends GraphExpressions {
  /**
   * Returns the ids along a shortest path and its cost; null if there is none.
   * @throws KeyError, QueryError, SearchError, ValueError for negative weights
   */
  shortestPath(
    from: VertexName,
    to: VertexName | readonly VertexName[],
    options: PathOptions & Explain,
    ...further: never[]
  ): Explained<"shortestPath", FoundPath | null>;
  shortestPath(
    from: VertexName,
    to: VertexName | readonly VertexName[],
    options?: PathOptions,
    ...further: never[]
  ): FoundPath | null;
  shortestPath(
    from: VertexName,
    to: VertexName | readonly VertexName[],
    options?: Explainable<PathOptions>,
    ...further: never[]
  ): FoundPath | null | Explained<"shortestPath", FoundPath | null> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return shortestPath(store, toVertexKey(store, from), toGoals(store, to), options);
  }

  /**
   * Returns all shortest paths to a vertex, or to the nearest of several; with `k`, that many of
   * the shortest paths.
   * @throws KeyError, QueryError, SearchError, ValueError for negative weights
   */
  shortestPaths(
    from: VertexName,
    to: VertexName | readonly VertexName[],
    options: ShortestPathsOptions & Incomplete,
    ...further: never[]
  ): Bounded<"shortestPaths", FoundPath[]>;
  shortestPaths(
    from: VertexName,
    to: VertexName | readonly VertexName[],
    options: ShortestPathsOptions & Explain,
    ...further: never[]
  ): Explained<"shortestPaths", FoundPath[]>;
  shortestPaths(
    from: VertexName,
    to: VertexName | readonly VertexName[],
    options?: ShortestPathsOptions,
    ...further: never[]
  ): FoundPath[];
  shortestPaths(
    from: VertexName,
    to: VertexName | readonly VertexName[],
    options?: Boundable<ShortestPathsOptions>,
    ...further: never[]
  ): FoundPath[] | Bounded<"shortestPaths", FoundPath[]> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return shortestPaths(store, toVertexKey(store, from), toGoals(store, to), options);
  }

  /**
   * Returns the ids along a shortest path to each vertex within a number of arcs.
   * @throws KeyError, QueryError, SearchError
   */
  paths(
    from: VertexName,
    options: PathsOptions & Incomplete,
    ...further: never[]
  ): Bounded<"paths", string[][]>;
  paths(
    from: VertexName,
    options: PathsOptions & Explain,
    ...further: never[]
  ): Explained<"paths", string[][]>;
  paths(from: VertexName, options?: PathsOptions, ...further: never[]): string[][];
  paths(
    from: VertexName,
    options?: Boundable<PathsOptions>,
    ...further: never[]
  ): string[][] | Bounded<"paths", string[][]> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return paths(store, toVertexKey(store, from), options);
  }

  /**
   * Returns the ids of each connected component, largest component first.
   * @throws QueryError, SearchError
   */
  components(
    options: ComponentOptions & Explain,
    ...further: never[]
  ): Explained<"components", string[][]>;
  components(options?: ComponentOptions, ...further: never[]): string[][];
  components(
    options?: Explainable<ComponentOptions>,
    ...further: never[]
  ): string[][] | Explained<"components", string[][]> {
    refuseFurther(further, "options");
    return components(this.access.store, options);
  }

  /**
   * Returns the vertices with the highest PageRank; personalized with `from`.
   * @throws KeyError, QueryError, SearchError, ValueError
   */
  pageRank(
    options: PageRankOptions & Explain,
    ...further: never[]
  ): Explained<"pageRank", ScoredVertex[]>;
  pageRank(options?: PageRankOptions, ...further: never[]): ScoredVertex[];
  pageRank(
    options?: Explainable<PageRankOptions>,
    ...further: never[]
  ): ScoredVertex[] | Explained<"pageRank", ScoredVertex[]> {
    refuseFurther(further, "options");
    return pageRank(this.access.store, options);
  }

  /**
   * As `components`, without blocking the thread; can write the number of its component to each
   * vertex.
   * @throws QueryError, SearchError, AccessError, and the reason of the signal
   */
  componentsAsync(
    options: ComponentOptions & BackgroundOptions & Explain,
    ...further: never[]
  ): Promise<Explained<"components", string[][]>>;
  componentsAsync(
    options?: ComponentOptions & BackgroundOptions,
    ...further: never[]
  ): Promise<string[][]>;
  componentsAsync(
    options?: Explainable<ComponentOptions & BackgroundOptions>,
    ...further: never[]
  ): Promise<string[][] | Explained<"components", string[][]>> {
    refuseFurther(further, "options");
    return componentsAsync(this.access, options);
  }

  /**
   * As `pageRank`, without blocking the thread; can write the rank to each vertex.
   * @throws KeyError, QueryError, SearchError, ValueError, AccessError, and the
   *   reason of the signal
   */
  pageRankAsync(
    options: PageRankOptions & BackgroundOptions & Explain,
    ...further: never[]
  ): Promise<Explained<"pageRank", ScoredVertex[]>>;
  pageRankAsync(
    options?: PageRankOptions & BackgroundOptions,
    ...further: never[]
  ): Promise<ScoredVertex[]>;
  pageRankAsync(
    options?: Explainable<PageRankOptions & BackgroundOptions>,
    ...further: never[]
  ): Promise<ScoredVertex[] | Explained<"pageRank", ScoredVertex[]>> {
    refuseFurther(further, "options");
    return pageRankAsync(this.access, options);
  }

  /**
   * Returns the ids along random walks. A walk ends at a vertex without further arcs.
   * @throws KeyError, QueryError, SearchError, ValueError
   */
  randomWalks(
    from: VertexName,
    options: WalkOptions & Explain,
    ...further: never[]
  ): Explained<"randomWalks", string[][]>;
  randomWalks(from: VertexName, options?: WalkOptions, ...further: never[]): string[][];
  randomWalks(
    from: VertexName,
    options?: Explainable<WalkOptions>,
    ...further: never[]
  ): string[][] | Explained<"randomWalks", string[][]> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return randomWalks(store, toVertexKey(store, from), options);
  }

  /**
   * Returns the vertices that share heads with a vertex, highest score first.
   * @throws KeyError, QueryError, SearchError
   */
  coOccurrence(
    id: VertexName,
    options: CoOccurrenceOptions & Explain,
    ...further: never[]
  ): Explained<"coOccurrence", ScoredVertex[]>;
  coOccurrence(id: VertexName, options?: CoOccurrenceOptions, ...further: never[]): ScoredVertex[];
  coOccurrence(
    id: VertexName,
    options?: Explainable<CoOccurrenceOptions>,
    ...further: never[]
  ): ScoredVertex[] | Explained<"coOccurrence", ScoredVertex[]> {
    refuseFurther(further, "options");
    const { store } = this.access;
    return coOccurrence(store, toVertexKey(store, id), options);
  }
}
