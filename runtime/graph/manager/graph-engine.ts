// The graph engine of a thread: what attaches to graphs and changes them. It is most of the code of
// a thread, so one that may never have a graph loads it with the first.

import { InternalError } from "../model/errors.js";

type GraphEngine = typeof import("./engine-parts.js");

let engine: GraphEngine | null = null;

/** Loads the engine, unless it is loaded. */
export async function loadGraphEngine(): Promise<GraphEngine> {
  engine ??= await import("./engine-parts.js");
  return engine;
}

/** For code that contains the engine anyway, and opens graphs without waiting. */
export function installGraphEngine(loaded: GraphEngine): void {
  engine = loaded;
}

/** Returns the engine of a thread that has a graph. */
export function graphEngine(): GraphEngine {
  if (engine === null) throw new InternalError("the graph engine is not loaded");
  return engine;
}
