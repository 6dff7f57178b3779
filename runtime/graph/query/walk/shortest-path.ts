// Shortest path from a vertex to the nearest of one or several others: by number of arcs breadth
// first from both ends, or by non-negative weights with Dijkstra's algorithm. Vertices farther than
// the goal are not visited.

import { ScoredHeap } from "../../../base/scored-heap.js";
import { ARC_WORDS } from "../../memory/layout.js";
import type { Deadline } from "../match/deadline.js";
import type { ArcWeights } from "./arc-weights.js";
import type { VertexFilter } from "./vertex-filter.js";

/** Handles from start to goal and the total cost; null if there is no path. */
export type Path = { readonly vertices: readonly number[]; readonly cost: number } | null;

/** Reads the arcs of a vertex, three words each, head first; valid until the next call. */
export interface ArcSource {
  read(vertex: number): Uint32Array;
}

export interface PathSearch {
  readonly reader: ArcSource;
  /** Reads arcs against their direction; null if not all are listed there. */
  readonly back: ArcSource | null;
  readonly weights: ArcWeights;
  readonly start: number;
  readonly goals: ReadonlySet<number>;
  /** Returns whether a path may lead through a vertex; its ends are not tested. */
  readonly passes: VertexFilter;
  /** Maximum number of arcs. */
  readonly maxDepth: number;
  readonly deadline: Deadline;
}

/** Vertices that one end has reached, each with the one it was reached from. */
class Side {
  readonly reached = new Map<number, number>();
  /** Reached by the most arcs, not expanded yet. */
  frontier: number[];

  constructor(
    readonly reader: ArcSource,
    ends: Iterable<number>,
  ) {
    this.frontier = [...ends];
    for (const end of this.frontier) this.reached.set(end, 0);
  }

  /** Follows one more arc from each vertex; returns the first vertex the other side knows, or 0. */
  expand({ reached: known }: Side, passes: VertexFilter, deadline: Deadline): number {
    const { reached, reader } = this;
    const next: number[] = [];
    for (const vertex of this.frontier) {
      const words = reader.read(vertex);
      deadline.spend(words.length / ARC_WORDS + 1);
      for (let at = 0; at < words.length; at += ARC_WORDS) {
        const head = words[at]!;
        if (reached.has(head)) continue;
        // Vertices known to the other side have passed there, or are its ends.
        if (known.has(head)) {
          reached.set(head, vertex);
          return head;
        }
        if (!passes(head)) continue;
        reached.set(head, vertex);
        next.push(head);
      }
    }
    this.frontier = next;
    return 0;
  }

  /** Vertices from one to the end. */
  *trail(from: number): Generator<number> {
    for (let vertex = from; vertex !== 0; vertex = this.reached.get(vertex)!) yield vertex;
  }
}

/**
 * Returns a path of the fewest arcs. Expanding whole levels of the side with fewer vertices, the
 * first meeting is on such a path.
 * @throws SearchError after the deadline
 */
export function fewestArcs(search: PathSearch): Path {
  const { reader, back, start, goals, passes, maxDepth, deadline } = search;
  if (goals.has(start)) return { vertices: [start], cost: 0 };
  const there = new Side(reader, [start]);
  const here = new Side(back ?? reader, goals);
  for (let depth = 0; depth < maxDepth; depth++) {
    if (there.frontier.length === 0 || here.frontier.length === 0) return null;
    const isThere = back === null || there.frontier.length <= here.frontier.length;
    const met = isThere
      ? there.expand(here, passes, deadline)
      : here.expand(there, passes, deadline);
    if (met === 0) continue;
    const vertices = [...there.trail(met)].reverse();
    for (const vertex of here.trail(here.reached.get(met)!)) vertices.push(vertex);
    return { vertices, cost: vertices.length - 1 };
  }
  return null;
}

/**
 * Returns a path of the least sum of weights.
 * @throws ValueError a negative weight; SearchError after the deadline
 */
export function leastWeight(search: PathSearch): Path {
  const { reader, weights, start, goals, passes, maxDepth, deadline } = search;
  const isLimited = maxDepth !== Number.POSITIVE_INFINITY;
  /** Vertex, position of the one before, and number of arcs, by position. */
  const [vertices, parents, depths]: [number[], number[], number[]] = [[start], [-1], [0]];
  /** Fewest arcs by which a vertex was taken from the queue: more arcs at more cost never help. */
  const claimed = new Map<number, number>();
  const costs = new Map<number, number>([[start, 0]]);
  const queue = new ScoredHeap();
  queue.push(0, 0);
  while (queue.count > 0) {
    const cost = queue.first;
    const position = queue.pop();
    const [vertex, depth] = [vertices[position]!, depths[position]!];
    const known = claimed.get(vertex);
    if (known !== undefined && (!isLimited || known <= depth)) continue;
    claimed.set(vertex, depth);
    if (goals.has(vertex)) return { vertices: trail(position, vertices, parents), cost };
    if (depth === maxDepth || (vertex !== start && !passes(vertex))) continue;
    const words = reader.read(vertex);
    deadline.spend(words.length / ARC_WORDS + 1);
    const weighed = weights.weigh(vertex, words, false);
    for (let at = 0, arc = 0; at < words.length; at += ARC_WORDS, arc++) {
      const head = words[at]!;
      const sum = cost + weighed[arc]!;
      if (!isLimited) {
        if (sum >= (costs.get(head) ?? Number.POSITIVE_INFINITY)) continue;
        costs.set(head, sum);
      } else if ((claimed.get(head) ?? Number.POSITIVE_INFINITY) <= depth + 1) continue;
      queue.push(vertices.length, sum);
      vertices.push(head);
      parents.push(position);
      depths.push(depth + 1);
    }
  }
  return null;
}

/** Returns the vertices from the first to the one at a position. */
export function trail(
  position: number,
  vertices: readonly number[],
  parents: readonly number[],
): number[] {
  const path: number[] = [];
  for (let at = position; at >= 0; at = parents[at]!) path.push(vertices[at]!);
  return path.reverse();
}
