// Paths between vertices (queries, "Shortest paths"): the shortest one, all shortest, the k
// shortest, and one to each vertex within a number of arcs. Each has the time limit of a query.

import { ExpressionSet } from "../../evaluate/expression-set.js";
import { Header } from "../../memory/layout.js";
import { D_IN, D_OUT } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { Deadline } from "../match/deadline.js";
import { describeArcs, describeRepeat, describeTest } from "../match/describe-test.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import { checkedArguments, parseFlag } from "../parse/query-arguments.js";
import type { ArcFilter, RepeatRange, VertexCondition } from "../parse/query-options.js";
import { parseRepeat } from "../parse/repeat.js";
import { compileVertexCondition } from "../parse/vertex-condition.js";
import {
  type Boundable,
  type Explainable,
  type ExplainedBy,
  runExplained,
} from "../render/explained.js";
import {
  type ArcWeights,
  EqualWeights,
  ExpressionWeights,
  ValueWeights,
} from "../walk/arc-weights.js";
import { isAsCheap } from "../walk/equal-cost.js";
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
interface IncompleteOption {
  /** True: a limit is not an error; the result is the paths found, and the limit as `bounded`. */
  readonly incomplete?: boolean;
}
export interface ShortestPathsOptions extends PathOptions, IncompleteOption {
  /** Number of paths, cheapest first; default: all paths as short as the shortest one. */
  readonly k?: number;
  /** Maximum number of equally short paths (default: 1000); negative for all. */
  readonly hits?: number;
}
export interface PathsOptions extends LimitOptions, IncompleteOption {
  /** Outbound by default. */
  readonly arc?: ArcFilter;
  /** Minimum and maximum arcs of a path; default: `[1, null]`. */
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

/** Default of `hits`. */
export const MAX_PATHS = 1000;

/**
 * Returns a shortest path to the nearest goal, any of several equally short ones; null if there is
 * no path.
 * @throws KeyError, QueryError, SearchError, TypeError; ValueError for negative weights
 */
export function shortestPath<O extends Explainable<PathOptions> = PathOptions>(
  store: GraphStore,
  from: Anchor,
  goals: readonly Anchor[],
  options?: O,
): ExplainedBy<O, "shortestPath", FoundPath | null> {
  const checkedOptions: O = checkedArguments("shortestPath", options);
  const find = (deadline: Deadline): FoundPath | null => {
    const search = pathSearch(store, from, goals, checkedOptions, deadline);
    const found = isWeighted(checkedOptions) ? leastWeight(search) : fewestArcs(search);
    return found === null ? null : idsAlong(store, found);
  };
  return runExplained("shortestPath", "aggregation", checkedOptions, find, (path) => {
    const method = isWeighted(checkedOptions) ? BY_WEIGHT : explainEnds(store);
    return { plan: explainPaths(store, checkedOptions, method), matched: path === null ? 0 : 1 };
  });
}

/**
 * Returns the shortest paths to the nearest goals, cheapest first.
 * @throws KeyError, QueryError, SearchError, TypeError; ValueError for negative weights
 */
export function shortestPaths<O extends Boundable<ShortestPathsOptions> = ShortestPathsOptions>(
  store: GraphStore,
  from: Anchor,
  goals: readonly Anchor[],
  options?: O,
): ExplainedBy<O, "shortestPaths", FoundPath[]> {
  const checkedOptions: O = checkedArguments("shortestPaths", options);
  const { k } = checkedOptions;
  const maxCount = k === undefined ? maxPaths(checkedOptions.hits) : requireCount("k", k, 1);
  const find = (deadline: Deadline): FoundPath[] => {
    const search = pathSearch(store, from, goals, checkedOptions, deadline);
    return collect<FoundPath>(deadline, checkedOptions, (found) => {
      if (maxCount === 0) return;
      for (const path of pathsByCost(search)) {
        if (k === undefined && found.length > 0 && !isAsCheap(path.cost, found[0]!.cost)) break;
        found.push(idsAlong(store, path));
        if (found.length >= maxCount) break;
      }
    });
  };
  return runExplained("shortestPaths", "aggregation", checkedOptions, find, ({ length }) => {
    const kept = `${maxCount === Number.POSITIVE_INFINITY ? "all" : `${maxCount} at most`} kept`;
    return { plan: [...explainPaths(store, checkedOptions, BY_COST), kept], matched: length };
  });
}

const BY_WEIGHT = "least sum of weights, from the start";
const BY_COST = "best first, by the least cost to the goals";

/** Forward-only arcs are not listed at their terminals. */
function explainEnds({ memory }: GraphStore): string {
  const isListed = memory.header.words[Header.ArcsForwardOnly] === 0;
  return `fewest arcs, from ${isListed ? "both ends" : "the start"}`;
}

function explainPaths(store: GraphStore, options: PathOptions, method: string): string[] {
  const { arc, weighted, maxDepth, through } = options;
  return [
    `${describeArcs(compileArcFilter(store, arc, D_OUT))}: ${method}`,
    ...(typeof weighted === "string" ? ["weights: an expression"] : []),
    ...(maxDepth === undefined || maxDepth === null ? [] : [`${maxDepth} arcs at most`]),
    ...explainFilter(store, "through", through),
  ];
}

function explainFilter(
  store: GraphStore,
  name: string,
  condition: VertexCondition | undefined,
): string[] {
  const expressions = new ExpressionSet(store, undefined);
  const test = compileVertexCondition(store, expressions, condition, `.${name}`);
  return test === null ? [] : [`${name}: ${describeTest(test)}`];
}

/**
 * Returns the ids along one path to each vertex that `neighbor` accepts, shortest first.
 * @throws KeyError, QueryError, SearchError, TypeError
 */
export function paths<O extends Boundable<PathsOptions> = PathsOptions>(
  store: GraphStore,
  from: Anchor,
  options?: O,
): ExplainedBy<O, "paths", string[][]> {
  const checkedOptions: O = checkedArguments("paths", options);
  const range = parseRepeat(checkedOptions.repeat ?? [1, null], null)!;
  const arc = compileArcFilter(store, checkedOptions.arc, D_OUT);
  const maxCount = maxPaths(checkedOptions.hits);
  const find = (deadline: Deadline): string[][] => {
    const reader = new ArcReader(store, arc);
    const passes = createVertexFilter(store, checkedOptions.through, ".through", deadline);
    const isEnd = createVertexFilter(store, checkedOptions.neighbor, ".neighbor", deadline);
    const start = findAnchor(store, from);
    return collect<string[]>(deadline, checkedOptions, (found) => {
      if (maxCount === 0) return;
      for (const path of pathsToEnds({ ...range, reader, start, passes, isEnd, deadline })) {
        deadline.spendTime(path.length);
        found.push(path.map((vertex) => store.ids.idOf(vertex)));
        if (found.length >= maxCount) break;
      }
    });
  };
  return runExplained("paths", "neighborhood", checkedOptions, find, ({ length }) => {
    const kept = maxCount === Number.POSITIVE_INFINITY ? "all" : `${maxCount} at most`;
    const plan = [
      `${describeArcs(arc)} of one vertex`,
      describeRepeat(range),
      ...explainFilter(store, "through", checkedOptions.through),
      ...explainFilter(store, "neighbor", checkedOptions.neighbor),
      `shortest first, ${kept} kept`,
    ];
    return { plan, matched: length };
  });
}

/** Returns the paths that a search finds; with `incomplete` also those found before a limit. */
function collect<P>(
  deadline: Deadline,
  { incomplete }: IncompleteOption,
  search: (found: P[]) => void,
): P[] {
  const found: P[] = [];
  if (parseFlag("incomplete", incomplete, false)) deadline.runSearch(() => search(found));
  else search(found);
  return found;
}

function pathSearch(
  store: GraphStore,
  from: Anchor,
  goals: readonly Anchor[],
  options: PathOptions,
  deadline: Deadline,
): PathSearch {
  const test = compileArcFilter(store, options.arc, D_OUT);
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

/** Returns the direction of the same arcs as seen from their other end. */
export function opposite(direction: number): number {
  if (direction === D_OUT) return D_IN;
  return direction === D_IN ? D_OUT : direction;
}

function idsAlong({ ids }: GraphStore, { vertices, cost }: NonNullable<Path>): FoundPath {
  return { path: vertices.map((vertex) => ids.idOf(vertex)), cost };
}

function maxPaths(hits: number | undefined): number {
  if (hits === undefined || hits === null) return MAX_PATHS;
  if (!Number.isSafeInteger(hits)) throw countError("hits", hits, "an integer");
  return hits < 0 ? Number.POSITIVE_INFINITY : hits;
}

function requireCount(name: string, value: number, min: number): number {
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw countError(name, value, `an integer of at least ${min}`);
}

function countError(name: string, value: unknown, expected: string): Error {
  return invalidArgument(`invalid ${name} parameter`, value, expected, `.${name}`);
}
