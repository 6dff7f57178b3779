// Where the graphs of a root lie: one folder each, named by the graph's path or name. No path may
// lead out of the root.

import { InternalError } from "../errors.js";

export interface StoredGraph {
  readonly name: string;
  /** Relative to the root, with `/`. */
  readonly path: string;
}

/** Graphs that are stored below a root, sorted by name. */
export function listStoredGraphs(_root: string): StoredGraph[] {
  throw new InternalError("not written");
}

/**
 * Absolute folder of a graph.
 * @param _path relative to the root
 * @throws DataError a path that is absolute or leads out of the root
 */
export function graphFolder(_root: string, _path: string): string {
  throw new InternalError("not written");
}

/** Removes the snapshots of a graph, and its folder if nothing else is in it. */
export function eraseStoredGraph(_folder: string): void {
  throw new InternalError("not written");
}
