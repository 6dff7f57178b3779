// Reads a graph from its folder. Nothing that a file says is believed before it is checked: a
// damaged snapshot gives way to the previous one, never to an empty graph.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";

export interface LoadOptions {
  /** Gets a line for each snapshot that was found damaged and passed over. */
  readonly warn?: (line: string) => void;
}

/**
 * Loads a graph; null if none is stored in the folder.
 * @param thread number of the calling thread
 * @throws DataError every snapshot there is is damaged
 */
export function loadGraph(
  _name: string,
  _folder: string,
  _thread: number,
  _options: LoadOptions = {},
): GraphStore | null {
  throw new InternalError("not written");
}
