// Paths between vertices (queries, "Shortest paths"): the shortest one, all shortest, the k
// shortest, and one to each vertex within a number of arcs. Each has the time limit of a query.

import { ExpressionSet } from "../../evaluate/expression-set.js";
import { Header } from "../../memory/layout.js";
import { D_IN, D_OUT } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import { type Deadline, readDeadline } from "../match/deadline.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import { checkedArguments, parseFlag } from "../parse/query-arguments.js";
import type { ArcFilter, RepeatRange, VertexCondition } from "../parse/query-options.js";
import { parseRepeat } from "../parse/repeat.js";
import {
  type ArcWeights,
  EqualWeights,
  ExpressionWeights,
  ValueWeights,
} from "../walk/arc-weights.js";
import { pathsByCost } from "../walk/paths-by-cost.js";
import { pathsToEnds } from "../walk/paths-to-ends.js";
import { ArcReader } from "../walk/projection.js";
import { fewestArcs, leastWeight, type Path, type PathSearch } from "../walk/shortest-path.js";
import { createVertexFilter } from "../walk/vertex-filter.js";
import type { LimitOptions } from "./adjacent.js";

export interface PathOptions extends LimitOptions {
  /** Outbound by default. */
  readonly arc?: ArcFilter;
  /**
   * True to weight arcs by their values, or an expression over an arc, its tail `vertex` and its
   * head `next`. False gives all arcs the same weight.
   */
  readonly weighted?: boolean | string;
  /** Maximum number of arcs; default: no limit. */
  readonly maxDepth?: number;
  /** Condition on the vertices between both ends. */
  readonly through?: VertexCondition;
}
export interface ShortestPathsOptions extends PathOptions {
  /** Number of paths, cheapest first; default: all that are as short as the shortest. */
  readonly k?: number;
  /** Maximum number of equally short paths (default: 1000); negative for all. */
  readonly hits?: number;
}
export interface PathsOptions extends LimitOptions {
  /** Outbound by default. */
  readonly arc?: ArcFilter;
  /** Least and most arcs of a path; default: `[1, null]`. */
  readonly repeat?: RepeatRange;
  /** Condition on the vertices between both ends. */
  readonly through?: VertexCondition;
  /** Condition on the end. */
  readonly neighbor?: VertexCondition;
  /** Maximum number of paths, shortest first (default: 1000); negative for all. */
  readonly hits?: number;
}

/** The ids along a path, and the sum of its weights. */
export interface FoundPath {
  readonly path: string[];
  readonly cost: number;
}

const MAX_PATHS = 1000;

/**
 * Returns a shortest path to the nearest goal, one of several that are equally short; null if no
 * path leads there.
 * @throws KeyError, QueryError, SearchError, TypeError; ValueError for negative weights
 */
export function shortestPath(
  store: GraphStore,
  from: Anchor,
  goals: readonly Anchor[],
  options?: PathOptions,
): FoundPath | null {
  const given: PathOptions = checkedArguments("shortestPath", options);
  const search = pathSearch(store, from, goals, given);
  const found = isWeighted(given) ? leastWeight(search) : fewestArcs(search);
  return found === null ? null : idsAlong(store, found);
}

/**
 * Returns the shortest paths to the nearest goals, cheapest first.
 * @throws KeyError, QueryError, SearchError, TypeError; ValueError for negative weights
 */
export function shortestPaths(
  store: GraphStore,
  from: Anchor,
  goals: readonly Anchor[],
  options?: ShortestPathsOptions,
): FoundPath[] {
  const given: ShortestPathsOptions = checkedArguments("shortestPaths", options);
  const { k } = given;
  const most = k === undefined ? maxPaths(given.hits) : requireCount("k", k, 1);
  const found: FoundPath[] = [];
  if (most === 0) return found;
  for (const path of pathsByCost(pathSearch(store, from, goals, given))) {
    if (k === undefined && found.length > 0 && !isAsShort(path.cost, found[0]!.cost)) break;
    found.push(idsAlong(store, path));
    if (found.length >= most) break;
  }
  return found;
}

/**
 * Returns the ids along one path to each vertex that `neighbor` accepts, shortest first.
 * @throws KeyError, QueryError, SearchError, TypeError
 */
export function paths(store: GraphStore, from: Anchor, options?: PathsOptions): string[][] {
  const given: PathsOptions = checkedArguments("paths", options);
  const { min, max } = parseRepeat(given.repeat ?? [1, null], null)!;
  const reader = new ArcReader(store, compileArcFilter(store, given.arc, D_OUT));
  const deadline = readDeadline("neighborhood", given);
  const passes = createVertexFilter(store, given.through, ".through", deadline);
  const isEnd = createVertexFilter(store, given.neighbor, ".neighbor", deadline);
  const start = findAnchor(store, from);
  const most = maxPaths(given.hits);
  const found: string[][] = [];
  if (most === 0) return found;
  for (const path of pathsToEnds({ reader, start, min, max, passes, isEnd, deadline })) {
    deadline.spendTime(path.length);
    found.push(path.map((vertex) => store.ids.idOf(vertex)));
    if (found.length >= most) break;
  }
  return found;
}

function pathSearch(
  store: GraphStore,
  from: Anchor,
  goals: readonly Anchor[],
  options: PathOptions,
): PathSearch {
  const test = compileArcFilter(store, options.arc, D_OUT);
  const deadline = readDeadline("aggregation", options);
  // The terminals of forward-only arcs do not list them.
  const isListed = store.memory.header.words[Header.ArcsForwardOnly] === 0;
  const { maxDepth } = options;
  const isBound = maxDepth !== undefined && maxDepth !== null;
  return {
    reader: new ArcReader(store, test),
    back: isListed ? new ArcReader(store, test, opposite(test.direction)) : null,
    weights: createWeights(store, options, deadline),
    start: findAnchor(store, from),
    goals: new Set(goals.map((goal) => findAnchor(store, goal))),
    passes: createVertexFilter(store, options.through, ".through", deadline),
    maxDepth: isBound ? requireCount("maxDepth", maxDepth, 0) : Number.POSITIVE_INFINITY,
    deadline,
  };
}

function isWeighted({ weighted }: PathOptions): boolean {
  return typeof weighted === "string" || parseFlag("weighted", weighted, false);
}

/** @throws QueryError an invalid expression */
function createWeights(
  store: GraphStore,
  { weighted = false }: PathOptions,
  deadline: Deadline,
): ArcWeights {
  if (typeof weighted !== "string") {
    return parseFlag("weighted", weighted, false) ? new ValueWeights() : new EqualWeights();
  }
  const expressions = new ExpressionSet(store, undefined);
  const program = expressions.ofArcs(weighted, "weighted")!;
  expressions.start((steps) => deadline.spend(steps));
  return new ExpressionWeights(program);
}

/** Returns the direction in which arcs are read from their other end. */
export function opposite(direction: number): number {
  if (direction === D_OUT) return D_IN;
  return direction === D_IN ? D_OUT : direction;
}

function idsAlong({ ids }: GraphStore, { vertices, cost }: NonNullable<Path>): FoundPath {
  return { path: vertices.map((vertex) => ids.idOf(vertex)), cost };
}

/** Sums of the same weights in another order differ in their last digits. */
function isAsShort(cost: number, least: number): boolean {
  return cost <= least * (1 + 1e-12);
}

function maxPaths(hits: number | undefined): number {
  if (hits === undefined || hits === null) return MAX_PATHS;
  if (!Number.isSafeInteger(hits)) throw countError("hits", hits, "an integer");
  return hits < 0 ? Number.POSITIVE_INFINITY : hits;
}

function requireCount(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw countError(name, value, `an integer of at least ${least}`);
}

function countError(name: string, value: unknown, expected: string): Error {
  return invalidArgument(`invalid ${name} parameter`, value, expected, `.${name}`);
}
