// Shortest path between two vertices: breadth first by number of arcs, or Dijkstra's algorithm by
// non-negative weights. Vertices farther than the goal are not visited.

import { ScoredHeap } from "../../../base/scored-heap.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { ValueError } from "../../model/errors.js";
import type { Deadline } from "./deadline.js";
import { type ArcReader, arcWeight } from "./projection.js";

/** Handles from start to goal and the total cost; null if there is no path. */
export type Path = { readonly vertices: readonly number[]; readonly cost: number } | null;

/** @throws ValueError a negative weight; SearchError after the deadline */
export function shortestPath(
  reader: ArcReader,
  [start, goal]: readonly [number, number],
  isWeighted: boolean,
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
      const weight = isWeighted ? arcWeight(words[at + 1]!, words[at + 2]!) : 1;
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
