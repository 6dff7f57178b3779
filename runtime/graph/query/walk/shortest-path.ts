// Shortest path between two vertices: by number of arcs breadth first from both ends, or by
// non-negative weights with Dijkstra's algorithm. Vertices farther than the goal are not visited.

import { ScoredHeap } from "../../../base/scored-heap.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { ValueError } from "../../model/errors.js";
import type { Deadline } from "../match/deadline.js";
import { type ArcReader, arcWeight } from "./projection.js";

/** Handles from start to goal and the total cost; null if there is no path. */
export type Path = { readonly vertices: readonly number[]; readonly cost: number } | null;

/** Vertices that one end has reached, each with the one it was reached from. */
class Side {
  readonly reached = new Map<number, number>();
  /** Reached by the most arcs, not expanded yet. */
  frontier: number[];

  constructor(
    readonly reader: ArcReader,
    end: number,
  ) {
    this.frontier = [end];
    this.reached.set(end, 0);
  }

  /** Follows one more arc from each vertex; returns the first vertex the other side knows, or 0. */
  expand({ reached: known }: Side, deadline: Deadline): number {
    const { reached, reader } = this;
    const next: number[] = [];
    for (const vertex of this.frontier) {
      const words = reader.read(vertex);
      deadline.spend(words.length / ARC_WORDS + 1);
      for (let at = 0; at < words.length; at += ARC_WORDS) {
        const head = words[at]!;
        if (reached.has(head)) continue;
        reached.set(head, vertex);
        if (known.has(head)) return head;
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
 * @param back reads arcs against their direction; null if not all are listed there
 * @throws SearchError after the deadline
 */
export function fewestArcs(
  reader: ArcReader,
  back: ArcReader | null,
  [start, goal]: readonly [number, number],
  deadline: Deadline,
): Path {
  if (start === goal) return { vertices: [start], cost: 0 };
  const there = new Side(reader, start);
  const here = new Side(back ?? reader, goal);
  while (there.frontier.length > 0 && here.frontier.length > 0) {
    const isThere = back === null || there.frontier.length <= here.frontier.length;
    const met = isThere ? there.expand(here, deadline) : here.expand(there, deadline);
    if (met === 0) continue;
    const vertices = [...there.trail(met)].reverse();
    for (const vertex of here.trail(here.reached.get(met)!)) vertices.push(vertex);
    return { vertices, cost: vertices.length - 1 };
  }
  return null;
}

/** @throws ValueError a negative weight; SearchError after the deadline */
export function leastWeight(
  reader: ArcReader,
  [start, goal]: readonly [number, number],
  deadline: Deadline,
): Path {
  const from = new Map<number, number>();
  const costs = new Map<number, number>([[start, 0]]);
  const queue = new ScoredHeap("lowest");
  queue.push(start, 0);
  while (queue.count > 0) {
    const cost = queue.first;
    const vertex = queue.pop();
    if (cost > costs.get(vertex)!) continue;
    if (vertex === goal) return { vertices: pathTo(goal, start, from), cost };
    const words = reader.read(vertex);
    deadline.spend(words.length / ARC_WORDS + 1);
    for (let at = 0; at < words.length; at += ARC_WORDS) {
      const weight = arcWeight(words[at + 1]!, words[at + 2]!);
      if (!(weight >= 0)) throw new ValueError("shortest paths require non-negative arc weights");
      const head = words[at]!;
      const sum = cost + weight;
      if (sum >= (costs.get(head) ?? Number.POSITIVE_INFINITY)) continue;
      costs.set(head, sum);
      from.set(head, vertex);
      queue.push(head, sum);
    }
  }
  return null;
}

function pathTo(goal: number, start: number, from: ReadonlyMap<number, number>): number[] {
  const path = [goal];
  for (let vertex = goal; vertex !== start; ) {
    vertex = from.get(vertex)!;
    path.push(vertex);
  }
  return path.reverse();
}
