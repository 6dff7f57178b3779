// Shortest path between two vertices: breadth first by number of arcs, or Dijkstra's algorithm by
// non-negative weights. Vertices farther than the goal are not visited.

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
  const queue = new CostQueue();
  queue.add(start, 0);
  for (let next = queue.take(); next !== null; next = queue.take()) {
    const [vertex, cost] = next;
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
      queue.add(head, sum);
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

/** Binary heap, lowest cost first. */
class CostQueue {
  readonly #items: (readonly [vertex: number, cost: number])[] = [];

  add(vertex: number, cost: number): void {
    const items = this.#items;
    let place = items.length;
    items.push([vertex, cost]);
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (items[parent]![1] <= cost) break;
      items[place] = items[parent]!;
      place = parent;
    }
    items[place] = [vertex, cost];
  }

  take(): readonly [vertex: number, cost: number] | null {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined) return null;
    if (items.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && items[child + 1]![1] < items[child]![1]) child++;
      if (items[child]![1] >= last[1]) break;
      items[place] = items[child]!;
      place = child;
    }
    items[place] = last;
    return first;
  }
}
