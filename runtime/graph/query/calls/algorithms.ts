// Algorithms that start at a vertex and follow the arcs that pass a filter (queries, "Algorithms"):
// random walks and co-occurrence. Each has the time limit of a query.

import { ARC_WORDS } from "../../memory/layout.js";
import { D_OUT } from "../../model/constants.js";
import { ValueError } from "../../model/errors.js";
import type { GraphStore } from "../../store/graph-store.js";
import { type Anchor, findAnchor } from "../match/anchor.js";
import type { Deadline } from "../match/deadline.js";
import { describeArcs } from "../match/describe-test.js";
import { compileArcFilter } from "../parse/arc-filter.js";
import { checkedArguments, parseFlag } from "../parse/query-arguments.js";
import type { ArcFilter } from "../parse/query-options.js";
import { type Explainable, type ExplainedBy, runExplained } from "../render/explained.js";
import { ArcReader, arcWeight } from "../walk/projection.js";
import type { LimitOptions } from "./adjacent.js";
import { opposite } from "./paths.js";

export interface ArcOptions extends LimitOptions {
  /** Outbound by default. */
  readonly arc?: ArcFilter;
}
export interface WeightOptions extends ArcOptions {
  /** True to weight arcs by their values; false gives all arcs the same weight. */
  readonly weighted?: boolean;
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

/** A vertex and its score. */
export interface ScoredVertex {
  readonly id: string;
  readonly score: number;
}

/**
 * Returns the ids along random walks. A walk ends at a vertex without matching arcs.
 * @throws KeyError, QueryError, SearchError, ValueError, TypeError
 */
export function randomWalks<O extends Explainable<WalkOptions> = WalkOptions>(
  store: GraphStore,
  from: Anchor,
  options?: O,
): ExplainedBy<O, "randomWalks", string[][]> {
  const checkedOptions: O = checkedArguments("randomWalks", options);
  const { steps = 10, walks = 1, seed = Math.floor(Math.random() * 2 ** 32) } = checkedOptions;
  for (const [name, value] of Object.entries({ steps, walks, seed })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new ValueError(`${name} must be an integer of 0 or more`);
    }
  }
  const isWeighted = parseFlag("weighted", checkedOptions.weighted, false);
  const test = compileArcFilter(store, checkedOptions.arc, D_OUT);
  const reader = new ArcReader(store, test);
  const random = seeded(seed);
  const start = findAnchor(store, from);
  const walkOnce = (deadline: Deadline): string[] => {
    const walk = [store.ids.idOf(start)];
    for (let vertex = start; walk.length <= steps; ) {
      const words = reader.read(vertex);
      deadline.spend(words.length / ARC_WORDS + 1);
      vertex = chosen(words, isWeighted, random());
      if (vertex === 0) break;
      walk.push(store.ids.idOf(vertex));
    }
    return walk;
  };
  const find = (deadline: Deadline): string[][] =>
    Array.from({ length: walks }, () => walkOnce(deadline));
  return runExplained("randomWalks", "aggregation", checkedOptions, find, ({ length }) => {
    const plan = [`${describeArcs(test)} of one vertex`, `${steps} arcs at most, one at random`];
    return { plan, matched: length };
  });
}

/**
 * Returns the vertices that share most heads with a vertex. The score is the sum, over the shared
 * heads, of the product of the weights of both arcs.
 * @throws KeyError, QueryError, SearchError, TypeError
 */
export function coOccurrence<O extends Explainable<CoOccurrenceOptions> = CoOccurrenceOptions>(
  store: GraphStore,
  id: Anchor,
  options?: O,
): ExplainedBy<O, "coOccurrence", ScoredVertex[]> {
  const checkedOptions: O = checkedArguments("coOccurrence", options);
  const test = compileArcFilter(store, checkedOptions.arc, D_OUT);
  const back = new ArcReader(store, test, opposite(test.direction));
  const [there, here] = [new ArcReader(store, test), back];
  const hits = parseHits(checkedOptions.hits, DEFAULT_HITS);
  const isWeighted = parseFlag("weighted", checkedOptions.weighted, false);
  const weight = (words: Uint32Array, at: number): number =>
    isWeighted ? arcWeight(words[at + 1]!, words[at + 2]!) : 1;
  const anchor = findAnchor(store, id);
  const find = (deadline: Deadline): ScoredVertex[] => {
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
    return topScores(store, scores, hits);
  };
  return runExplained("coOccurrence", "aggregation", checkedOptions, find, ({ length }) => {
    const plan = [`${describeArcs(test)} of one vertex, and back from each head`];
    return { plan: [...plan, `${hits} at most kept`], matched: length };
  });
}

/** Default of `hits`. */
const DEFAULT_HITS = 10;

/** Returns the number of results; Infinity for all. */
export function parseHits(hits: number | null | undefined, otherwise: number): number {
  if (hits === undefined || hits === null) return otherwise;
  if (!Number.isSafeInteger(hits)) throw new ValueError("hits must be an integer");
  return hits < 0 ? Number.POSITIVE_INFINITY : hits;
}

/** Returns the highest scores; ties go to the smaller handle. */
function topScores(
  { ids }: GraphStore,
  scores: ReadonlyMap<number, number>,
  hits: number,
): ScoredVertex[] {
  return [...scores]
    .sort(([vertexA, a], [vertexB, b]) => b - a || vertexA - vertexB)
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
