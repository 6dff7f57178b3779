// Algorithms over whole graphs (queries, "Whole graphs"): connected components and PageRank. They
// work in steps, at once or in the background, and can write a number to each vertex.

import { ScoredHeap } from "../../../base/scored-heap.js";
import {
  readGenerations,
  VERTICES_PER_BATCH,
  type VertexNumbers,
  writeNumbers,
} from "../../changes/write-numbers.js";
import { D_OUT } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { Access } from "../../store/session-view.js";
import { findAnchor } from "../match/anchor.js";
import type { Deadline } from "../match/deadline.js";
import { describeArcs } from "../match/describe-test.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import { checkedArguments, parseFlag } from "../parse/query-arguments.js";
import { type Explainable, type ExplainedBy, ExplainedRun } from "../render/explained.js";
import { joinComponents, rankVertices } from "../walk/page-rank.js";
import { type Projection, project } from "../walk/projection.js";
import { PAUSE, runAtOnce, runInSlices, type StepOptions, type Steps } from "../walk/steps.js";
import { type ArcOptions, parseHits, type ScoredVertex, type WeightOptions } from "./algorithms.js";
import { type BackgroundCall, findBackgroundRunner } from "./background-runner.js";

export interface ComponentOptions extends ArcOptions {
  /** Maximum number of components, largest first. */
  readonly hits?: number;
}
export interface PageRankOptions extends WeightOptions {
  /** Damping factor: the probability of following an arc (default: 0.85). */
  readonly damping?: number;
  /** Number of iterations (default: 20). */
  readonly rounds?: number;
  /** Ids of the vertices to restart at, for personalized ranks. */
  readonly from?: readonly string[];
  /** Maximum number of vertices (default: 10). */
  readonly hits?: number;
}

/** Options of algorithms in the background. */
export interface BackgroundOptions extends StepOptions {
  /** Property that all real vertices get: their rank, or the number of their component from 0. */
  readonly write?: string;
}

/** A graph, with the session of algorithms that change it. */
interface AlgorithmAccess {
  readonly store: GraphStore;
  readonly session: Access["session"] | null;
}

/** An execution: its limits, and the lines of its explanation. */
interface Execution {
  readonly deadline: Deadline;
  readonly plan: string[];
}

/**
 * Returns the ids of each connected component, largest component first.
 * @throws QueryError, SearchError, TypeError
 */
export function components<O extends Explainable<ComponentOptions> = ComponentOptions>(
  store: GraphStore,
  options?: O,
): ExplainedBy<O, "components", string[][]> {
  const checkedOptions: O = checkedArguments("components", options);
  const run = new ExplainedRun("aggregation", checkedOptions);
  const execution = { deadline: run.deadline, plan: [] };
  const found = runAtOnce(findComponents({ store, session: null }, checkedOptions, execution));
  return run.finish("components", found, describeWith(execution));
}

/**
 * Returns the vertices with the highest PageRank; the scores of all vertices sum to 1.
 * @throws KeyError, QueryError, SearchError, ValueError, TypeError
 */
export function pageRank<O extends Explainable<PageRankOptions> = PageRankOptions>(
  store: GraphStore,
  options?: O,
): ExplainedBy<O, "pageRank", ScoredVertex[]> {
  const checkedOptions: O = checkedArguments("pageRank", options);
  const run = new ExplainedRun("aggregation", checkedOptions);
  const execution = { deadline: run.deadline, plan: [] };
  const found = runAtOnce(findRanks({ store, session: null }, checkedOptions, execution));
  return run.finish("pageRank", found, describeWith(execution));
}

type AsyncComponents = Explainable<ComponentOptions & BackgroundOptions>;
type AsyncRanks = Explainable<PageRankOptions & BackgroundOptions>;

/**
 * As `components`, in the background.
 * @throws QueryError, SearchError, TypeError, AccessError, and the reason of the signal
 */
export async function componentsAsync<O extends AsyncComponents = AsyncComponents>(
  access: Access,
  options?: O,
): Promise<ExplainedBy<O, "components", string[][]>> {
  return runInBackground(access, "components", checkedArguments("componentsAsync", options));
}

/**
 * As `pageRank`, in the background.
 * @throws KeyError, QueryError, SearchError, ValueError, TypeError, AccessError, and the reason of
 *   the signal
 */
export async function pageRankAsync<O extends AsyncRanks = AsyncRanks>(
  access: Access,
  options?: O,
): Promise<ExplainedBy<O, "pageRank", ScoredVertex[]>> {
  return runInBackground(access, "pageRank", checkedArguments("pageRankAsync", options));
}

/** Runs an algorithm in the algorithm thread, or in this thread if the process has none. */
async function runInBackground<Result>(
  access: Access,
  algorithm: BackgroundCall["algorithm"],
  { onProgress, signal, ...options }: BackgroundOptions,
): Promise<Result> {
  const failed = new AbortController();
  const steps = guardProgress({ onProgress, signal }, failed);
  steps.signal?.throwIfAborted();
  const runner = findBackgroundRunner();
  const call: BackgroundCall = { graph: access.store.name, algorithm, options };
  const run = runner === null ? runWholeGraph(access, call, steps) : runner.run(call, steps);
  const result = (await run) as Result;
  failed.signal.throwIfAborted();
  return result;
}

/**
 * Returns steps that abort with the error that `onProgress` throws, so that it does not reach the
 * code that calls `onProgress`.
 */
function guardProgress({ onProgress, signal }: StepOptions, failed: AbortController): StepOptions {
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalidArgument("invalid signal parameter", signal, "an AbortSignal", ".signal");
  }
  if (onProgress === undefined) return { signal };
  if (typeof onProgress !== "function") {
    throw invalidArgument("invalid onProgress parameter", onProgress, "a function", ".onProgress");
  }
  const report = (share: number): void => {
    try {
      onProgress(share);
    } catch (error) {
      failed.abort(error);
    }
  };
  const signals = signal === undefined ? [failed.signal] : [failed.signal, signal];
  return { onProgress: report, signal: AbortSignal.any(signals) };
}

/**
 * Runs an algorithm in slices of 5 ms, between which the thread does other work.
 * @throws KeyError, QueryError, SearchError, ValueError, AccessError, and the reason of the signal
 */
export async function runWholeGraph(
  access: Access,
  { algorithm, options }: BackgroundCall,
  steps: StepOptions,
): Promise<unknown> {
  const run = new ExplainedRun("aggregation", options);
  const execution = { deadline: run.deadline, plan: [] };
  const find = algorithm === "components" ? findComponents : findRanks;
  const found = await runInSlices<readonly unknown[]>(find(access, options, execution), steps);
  return run.finish(algorithm, found, describeWith(execution));
}

function describeWith({ plan }: Execution): (found: readonly unknown[]) => {
  plan: string[];
  matched: number;
} {
  return ({ length }) => ({ plan, matched: length });
}

function explainProjection({ vertices, heads, starts }: Projection, arcs: string): string {
  const read = starts[vertices.length] ?? heads.length;
  return `${vertices.length} vertices and ${read} arcs read: ${arcs}`;
}

function* findComponents(
  access: AlgorithmAccess,
  options: ComponentOptions & BackgroundOptions,
  { deadline, plan }: Execution,
): Steps<string[][]> {
  const { store } = access;
  const test = compileArcFilter(store, options.arc, D_OUT);
  const hits = parseHits(options.hits, Number.POSITIVE_INFINITY);
  const projection = yield* scale(project(store, test, false, deadline), 0, READING);
  plan.push(explainProjection(projection, describeArcs(test)));
  const generations = readGenerations(store, projection.vertices);
  const roots = yield* scale(joinComponents(projection), READING, COMPUTED);
  const { vertices } = projection;
  const members = new Map<number, number[]>();
  for (const [place, root] of roots.entries()) {
    const known = members.get(root);
    if (known === undefined) members.set(root, [place]);
    else known.push(place);
  }
  deadline.spendTime(vertices.length);
  const largest = [...members.values()].sort((a, b) => b.length - a.length);
  plan.push(`${largest.length} components`);
  const numbers = new Map(largest.map(([first], number) => [roots[first!]!, number]));
  const numberAt = (place: number): number => numbers.get(roots[place]!)!;
  yield* write(access, options.write, { vertices, generations, numberAt });
  return largest
    .slice(0, hits)
    .map((places) => places.map((place) => store.ids.idOf(vertices[place]!)));
}

function* findRanks(
  access: AlgorithmAccess,
  options: PageRankOptions & BackgroundOptions,
  { deadline, plan }: Execution,
): Steps<ScoredVertex[]> {
  const { store } = access;
  const { damping = 0.85, rounds = 20, from = [] } = options;
  const isWeighted = parseFlag("weighted", options.weighted, false);
  const test = compileArcFilter(store, options.arc, D_OUT);
  const hits = parseHits(options.hits, DEFAULT_RANKED);
  const projection = yield* scale(project(store, test, isWeighted, deadline), 0, READING);
  plan.push(explainProjection(projection, describeArcs(test)));
  const { vertices, places } = projection;
  const generations = readGenerations(store, vertices);
  const seeds = from.map((id) => places[findAnchor(store, id)]!);
  const settings = { damping, rounds, seeds };
  const ranks = yield* scale(rankVertices(projection, settings, deadline), READING, COMPUTED);
  const restarts = seeds.length === 0 ? "anywhere" : `at ${seeds.length} vertices`;
  plan.push(`${rounds} rounds, restarts ${restarts}`);
  yield* write(access, options.write, {
    vertices,
    generations,
    numberAt: (place) => ranks[place]!,
  });
  deadline.spendTime(ranks.length);
  return highestScores(store, vertices, ranks, hits);
}

const DEFAULT_RANKED = 10;
/** Shares of the work finished after reading the graph, and after the computation. */
const READING = 0.3;
const COMPUTED = 0.7;

/** Maps the shares that steps yield to a part of the work. */
function* scale<T>(steps: Steps<T>, from: number, to: number): Steps<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield from + step.value * (to - from);
  }
}

/** Writes a number per vertex to a property, if its name is given. */
function* write(
  { store, session }: AlgorithmAccess,
  key: string | undefined,
  numbers: VertexNumbers,
): Steps<void> {
  if (key === undefined || session === null) return;
  for (const batches of writeNumbers({ store, session }, key, numbers)) {
    if (batches < 0) yield PAUSE;
    else yield Math.min(1, COMPUTED + (batches * VERTICES_PER_BATCH) / numbers.vertices.length);
  }
}

/** Returns the highest scores of dense arrays; ties go to the smaller handle. */
function highestScores(
  { ids }: GraphStore,
  vertices: Uint32Array,
  scores: Float64Array,
  hits: number,
): ScoredVertex[] {
  const lowest = new ScoredHeap(true);
  for (let place = 0; place < vertices.length && hits > 0; place++) {
    if (lowest.count < hits) lowest.push(place, scores[place]!);
    else if (scores[place]! > lowest.first) lowest.replaceTop(place, scores[place]!);
  }
  const found: ScoredVertex[] = [];
  while (lowest.count > 0) {
    const score = lowest.first;
    found.push({ id: ids.idOf(vertices[lowest.pop()]!), score });
  }
  return found.reverse();
}
