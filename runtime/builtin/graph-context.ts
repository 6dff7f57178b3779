// How the built-in plugins of the admin executor get at graphs: they are called like any plugin,
// with nothing but a request. Set once per thread.

import type { Graph } from "../graph/api/graph.js";
import { KeyError } from "../graph/model/errors.js";

/** Opens a graph that exists, for the request that is running; null if there is none. */
export type FindGraph = (name: string) => Graph | null;

let find: FindGraph = () => null;

export function setFindGraph(next: FindGraph): void {
  find = next;
}

/** @throws KeyError */
export function graphNamed(name: string): Graph {
  const graph = find(name);
  if (graph === null) throw new KeyError(`Graph instance not available: ${name}`);
  return graph;
}
