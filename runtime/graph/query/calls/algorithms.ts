// Algorithms over the arcs that pass a filter (queries, "Algorithms"): connected components,
// PageRank, random walks, co-occurrence. Each has the time limit of a query.

import { ScoredHeap } from "../../../base/scored-heap.js";
import type { Access } from "../../changes/session-view.js";
import {
  readGenerations,
  VERTICES_PER_BATCH,
  type VertexNumbers,
  writeNumbers,
} from "../../changes/write-numbers.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { D_OUT } from "../../model/constants.js";
import { ValueError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import { readDeadline } from "../match/deadline.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import { checkedArguments, parseFlag } from "../parse/query-arguments.js";
import type { ArcFilter } from "../parse/query-options.js";
import { joinComponents, rankVertices } from "../walk/page-rank.js";
import { ArcReader, arcWeight, project } from "../walk/projection.js";
import { PAUSE, runAtOnce, runInSlices, type StepOptions, type Steps } from "../walk/steps.js";
import type { LimitOptions } from "./adjacent.js";
import { opposite } from "./paths.js";

interface ArcOptions extends LimitOptions {
  /** Outbound by default. */
  readonly arc?: ArcFilter;
}
interface WeightOptions extends ArcOptions {
  /** True to weight arcs by their values; false gives all arcs the same weight. */
  readonly weighted?: boolean;
}
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
export interface WalkOptions extends WeightOptions {
  /** Maximum number of arcs per walk (default: 10). */
  readonly steps?: number;
  /** Number of walks (default: 1). */
  readonly walks?: number;
  /** Seed of the random numbers; walks repeat as long as the graph does not change. */
  readonly seed?: number;
}
export interface CoOccurrenceOptions extends WeightOptions {
  /** Maximum number of vertices (default: 10). */
  readonly hits?: number;
}

/** Options of algorithms that give other work of the thread a turn. */
export interface BackgroundOptions extends StepOptions {
  /** Property that all real vertices get: their rank, or the number of their component from 0. */
  readonly write?: string;
}
/** A graph, with the session of algorithms that change it. */
interface AlgorithmAccess {
  readonly store: GraphStore;
  readonly session: Access["session"] | null;
}

/** A vertex and its score. */
export interface ScoredVertex {
  readonly id: string;
  readonly score: number;
}

/**
 * Returns the ids of each connected component, largest component first.
 * @throws QueryError, SearchError, TypeError
 */
export function components(store: GraphStore, options?: ComponentOptions): string[][] {
  const given: ComponentOptions = checkedArguments("components", options);
  return runAtOnce(findComponents({ store, session: null }, given));
}

/**
 * As `components`, in slices of 5 ms.
 * @throws QueryError, SearchError, TypeError, AccessError, and the reason of the signal
 */
export async function componentsAsync(
  access: Access,
  options?: ComponentOptions & BackgroundOptions,
): Promise<string[][]> {
  const given: ComponentOptions & BackgroundOptions = checkedArguments("componentsAsync", options);
  return runInSlices(findComponents(access, given), given);
}

function* findComponents(
  access: AlgorithmAccess,
  options: ComponentOptions & BackgroundOptions,
): Steps<string[][]> {
  const { store } = access;
  const test = compileArcFilter(store, options.arc, D_OUT);
  const deadline = readDeadline("aggregation", options);
  const projection = yield* scale(project(store, test, false, deadline), 0, READING);
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
  const numbers = new Map(largest.map(([first], number) => [roots[first!]!, number]));
  const numberAt = (place: number): number => numbers.get(roots[place]!)!;
  yield* write(access, options.write, { vertices, generations, numberAt });
  return largest
    .slice(0, hitsOf(options.hits, largest.length))
    .map((places) => places.map((place) => store.ids.idOf(vertices[place]!)));
}

/**
 * Returns the vertices with the highest PageRank; the scores of all vertices sum to 1.
 * @throws KeyError, QueryError, SearchError, ValueError, TypeError
 */
export function pageRank(store: GraphStore, options?: PageRankOptions): ScoredVertex[] {
  const given: PageRankOptions = checkedArguments("pageRank", options);
  return runAtOnce(findRanks({ store, session: null }, given));
}

/**
 * As `pageRank`, in slices of 5 ms.
 * @throws KeyError, QueryError, SearchError, ValueError, TypeError, AccessError, and the reason of
 *   the signal
 */
export async function pageRankAsync(
  access: Access,
  options?: PageRankOptions & BackgroundOptions,
): Promise<ScoredVertex[]> {
  const given: PageRankOptions & BackgroundOptions = checkedArguments("pageRankAsync", options);
  return runInSlices(findRanks(access, given), given);
}

function* findRanks(
  access: AlgorithmAccess,
  options: PageRankOptions & BackgroundOptions,
): Steps<ScoredVertex[]> {
  const { store } = access;
  const { damping = 0.85, rounds = 20, from = [] } = options;
  const isWeighted = parseFlag("weighted", options.weighted, false);
  const test = compileArcFilter(store, options.arc, D_OUT);
  const deadline = readDeadline("aggregation", options);
  const projection = yield* scale(project(store, test, isWeighted, deadline), 0, READING);
  const { vertices, places } = projection;
  const generations = readGenerations(store, vertices);
  const seeds = from.map((id) => places[findAnchor(store, id)]!);
  const settings = { damping, rounds, seeds };
  const ranks = yield* scale(rankVertices(projection, settings, deadline), READING, COMPUTED);
  yield* write(access, options.write, {
    vertices,
    generations,
    numberAt: (place) => ranks[place]!,
  });
  deadline.spendTime(ranks.length);
  return highestScores(store, vertices, ranks, hitsOf(options.hits, 10));
}

/** Shares of the work that are finished after reading the graph, and after the computation. */
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

/**
 * Returns the ids along random walks, each of which ends where no arc leads on.
 * @throws KeyError, QueryError, SearchError, ValueError, TypeError
 */
export function randomWalks(store: GraphStore, from: Anchor, options?: WalkOptions): string[][] {
  const given: WalkOptions = checkedArguments("randomWalks", options);
  const { steps = 10, walks = 1, seed = Math.floor(Math.random() * 2 ** 32) } = given;
  for (const [name, value] of Object.entries({ steps, walks, seed })) {
    if (!Number.isSafeInteger(value) || value < 0) throw new ValueError(`${name} is no count`);
  }
  const isWeighted = parseFlag("weighted", given.weighted, false);
  const reader = new ArcReader(store, compileArcFilter(store, given.arc, D_OUT));
  const deadline = readDeadline("aggregation", given);
  const random = seeded(seed);
  const start = findAnchor(store, from);
  return Array.from({ length: walks }, () => {
    const walk = [store.ids.idOf(start)];
    for (let vertex = start; walk.length <= steps; ) {
      const words = reader.read(vertex);
      deadline.spend(words.length / ARC_WORDS + 1);
      vertex = chosen(words, isWeighted, random());
      if (vertex === 0) break;
      walk.push(store.ids.idOf(vertex));
    }
    return walk;
  });
}

/**
 * Returns the vertices that share most heads with a vertex: the score sums, over the shared heads,
 * the products of both arcs' weights.
 * @throws KeyError, QueryError, SearchError, TypeError
 */
export function coOccurrence(
  store: GraphStore,
  id: Anchor,
  options?: CoOccurrenceOptions,
): ScoredVertex[] {
  const given: CoOccurrenceOptions = checkedArguments("coOccurrence", options);
  const test = compileArcFilter(store, given.arc, D_OUT);
  const back = new ArcReader(store, test, opposite(test.direction));
  const [there, here] = [new ArcReader(store, test), back];
  const deadline = readDeadline("aggregation", given);
  const isWeighted = parseFlag("weighted", given.weighted, false);
  const weight = (words: Uint32Array, at: number): number =>
    isWeighted ? arcWeight(words[at + 1]!, words[at + 2]!) : 1;
  const anchor = findAnchor(store, id);
  const scores = new Map<number, number>();
  const first = there.read(anchor);
  for (let arc = 0; arc < first.length; arc += ARC_WORDS) {
    const words = here.read(first[arc]!);
    deadline.spend(words.length / ARC_WORDS + 1);
    for (let at = 0; at < words.length; at += ARC_WORDS) {
      const other = words[at]!;
      if (other === anchor) continue;
      scores.set(other, (scores.get(other) ?? 0) + weight(first, arc) * weight(words, at));
    }
  }
  return topScores(store, scores, hitsOf(given.hits, 10));
}

function hitsOf(hits: number | null | undefined, otherwise: number): number {
  if (hits === undefined || hits === null) return otherwise;
  if (!Number.isSafeInteger(hits)) throw new ValueError("hits must be an integer");
  return hits < 0 ? Number.POSITIVE_INFINITY : hits;
}

/** Returns the highest scores of dense arrays; ties go to the smaller handle. */
function highestScores(
  { ids }: GraphStore,
  vertices: Uint32Array,
  scores: Float64Array,
  hits: number,
): ScoredVertex[] {
  const lowest = new ScoredHeap("lowest", true);
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

/** Returns the highest scores; ties go to the smaller handle. */
function topScores(
  { ids }: GraphStore,
  scores: ReadonlyMap<number, number>,
  hits: number,
): ScoredVertex[] {
  return [...scores]
    .sort(([one, a], [other, b]) => b - a || one - other)
    .slice(0, hits)
    .map(([vertex, score]) => ({ id: ids.idOf(vertex), score }));
}

/** Picks the head of one arc at random; 0 if no arc has a weight. */
function chosen(words: Uint32Array, isWeighted: boolean, random: number): number {
  const count = words.length / ARC_WORDS;
  if (!isWeighted) return count === 0 ? 0 : words[Math.floor(random * count) * ARC_WORDS]!;
  const weights = Array.from({ length: count }, (_, arc) =>
    Math.max(0, arcWeight(words[arc * ARC_WORDS + 1]!, words[arc * ARC_WORDS + 2]!)),
  );
  let left = random * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => {
    left -= weight;
    return weight > 0 && left < 0;
  });
  return found < 0 ? 0 : words[found * ARC_WORDS]!;
}

/** Returns a seeded generator of numbers in [0, 1) (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
