// All paths to the nearest goals in order of their cost, without repeated vertices: best first, by
// the cost so far and the least cost that is left. That is known from a search backwards from the
// goals, which goes no farther than it has to.

import { ScoredHeap } from "../../../base/scored-heap.js";
import { ARC_WORDS } from "../../memory/layout.js";
import type { ArcSource, Path, PathSearch } from "./shortest-path.js";
import { trail } from "./shortest-path.js";

/** Beginnings of paths kept at a time, some 200 bytes each. */
const MAX_BEGINNINGS = 2_000_000;
const MOST = MAX_BEGINNINGS.toLocaleString("en-US");
const TOO_MANY = `more than ${MOST} beginnings of paths; lower maxDepth, k or hits`;

/** Least costs from vertices to the goals, found on demand in ascending order. */
class CostsToGoals {
  readonly #search: PathSearch;
  readonly #back: ArcSource;
  readonly #found = new Map<number, number>();
  readonly #queue = new ScoredHeap();
  /** Lower limit of the costs not found yet. */
  bound = 0;

  constructor(search: PathSearch) {
    this.#search = search;
    this.#back = search.back ?? new ReversedArcs(search);
    for (const goal of search.goals) this.#queue.push(goal, 0);
  }

  /** Returns the cost from a vertex if it is known already. */
  known(vertex: number): number | undefined {
    return this.#found.get(vertex);
  }

  /** Searches until the cost from a vertex is known; infinite if no path leads from it. */
  find(vertex: number): number {
    for (;;) {
      const cost = this.#found.get(vertex);
      if (cost !== undefined) return cost;
      if (this.#queue.count === 0) return Number.POSITIVE_INFINITY;
      this.#step();
    }
  }

  #step(): void {
    const { weights, start, goals, passes, deadline } = this.#search;
    const cost = this.#queue.first;
    const vertex = this.#queue.pop();
    this.bound = cost;
    if (this.#found.has(vertex)) return;
    this.#found.set(vertex, cost);
    if (vertex === start || (!goals.has(vertex) && !passes(vertex))) return;
    const words = this.#back.read(vertex);
    deadline.spend(words.length / ARC_WORDS + 1);
    const weighed = weights.weigh(vertex, words, true);
    for (let at = 0, arc = 0; at < words.length; at += ARC_WORDS, arc++) {
      const tail = words[at]!;
      if (this.#found.has(tail) || goals.has(tail)) continue;
      this.#queue.push(tail, cost + weighed[arc]!);
    }
  }
}

/** The arcs of all vertices reachable from the start, against their direction. */
class ReversedArcs implements ArcSource {
  readonly #arcs = new Map<number, number[]>();

  constructor({ reader, start, deadline }: PathSearch) {
    const seen = new Set([start]);
    for (const vertex of seen) {
      const words = reader.read(vertex);
      deadline.spend(words.length / ARC_WORDS + 1);
      for (let at = 0; at < words.length; at += ARC_WORDS) {
        const head = words[at]!;
        let arcs = this.#arcs.get(head);
        if (arcs === undefined) {
          arcs = [];
          this.#arcs.set(head, arcs);
        }
        arcs.push(vertex, words[at + 1]!, words[at + 2]!);
        seen.add(head);
      }
    }
  }

  read(vertex: number): Uint32Array {
    return Uint32Array.from(this.#arcs.get(vertex) ?? []);
  }
}

/**
 * Iterates over the paths, cheapest first.
 * @throws ValueError a negative weight; SearchError after the deadline, or for too many beginnings
 */
export function* pathsByCost(search: PathSearch): Generator<NonNullable<Path>> {
  const { start, goals, passes, maxDepth, deadline } = search;
  const left = new CostsToGoals(search);
  /** Beginnings of paths: last vertex, beginning without it, cost, number of arcs. */
  const [vertices, parents]: [number[], number[]] = [[start], [-1]];
  const [costs, depths]: [number[], number[]] = [[0], [0]];
  const queue = new ScoredHeap();
  queue.push(0, 0);
  while (queue.count > 0) {
    const total = queue.first;
    const position = queue.pop();
    const vertex = vertices[position]!;
    const cost = costs[position]!;
    if (goals.has(vertex)) {
      yield { vertices: trail(position, vertices, parents), cost };
      continue;
    }
    const exact = cost + left.find(vertex);
    if (exact > total) {
      if (exact !== Number.POSITIVE_INFINITY) queue.push(position, exact);
      continue;
    }
    const depth = depths[position]!;
    if (depth === maxDepth) continue;
    const before = new Set(trail(position, vertices, parents));
    for (const [head, weight] of cheapestArcs(search, vertex)) {
      if (before.has(head) || !(goals.has(head) || passes(head))) continue;
      const sum = cost + weight;
      const rest = goals.has(head) ? 0 : (left.known(head) ?? left.bound);
      const isFull = queue.count >= MAX_BEGINNINGS || vertices.length >= 2 * MAX_BEGINNINGS;
      if (isFull) deadline.exceed(`Query too costly: ${TOO_MANY}`);
      queue.push(vertices.length, sum + rest);
      vertices.push(head);
      parents.push(position);
      costs.push(sum);
      depths.push(depth + 1);
    }
  }
}

/** Returns the least weight of the arcs to each head. */
function cheapestArcs(
  { reader, weights, deadline }: PathSearch,
  vertex: number,
): Map<number, number> {
  const words = reader.read(vertex);
  deadline.spend(words.length / ARC_WORDS + 1);
  const heads = new Map<number, number>();
  const weighed = weights.weigh(vertex, words, false);
  for (let at = 0, arc = 0; at < words.length; at += ARC_WORDS, arc++) {
    const weight = weighed[arc]!;
    const known = heads.get(words[at]!);
    if (known === undefined || weight < known) heads.set(words[at]!, weight);
  }
  return heads;
}
