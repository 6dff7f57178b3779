// Lazy loading of the graph engine, the code that attaches to graphs and changes them. It is most
// of the code of a thread, so threads that may never have a graph load it with their first graph.

import { InternalError } from "../model/errors.js";

type GraphEngine = typeof import("./engine-parts.js");

let engine: GraphEngine | null = null;

/** Loads the engine, unless it is loaded. */
export async function loadGraphEngine(): Promise<GraphEngine> {
  engine ??= await import("./engine-parts.js");
  return engine;
}

/** Installs an engine that the caller imports statically, so that graphs open synchronously. */
export function installGraphEngine(loaded: GraphEngine): void {
  engine = loaded;
}

/** Returns the engine of a thread that has a graph. */
export function graphEngine(): GraphEngine {
  if (engine === null) throw new InternalError("the graph engine is not loaded");
  return engine;
}
