// Graphs of the calling thread.

import { threadContext } from "../../base/thread-context.js";
import { AccessError } from "../model/errors.js";
import type { ThreadGraphs } from "./thread-graphs.js";

/** @throws AccessError if graphs are not available yet */
export function threadGraphs(): ThreadGraphs {
  const { graphs } = threadContext();
  if (graphs !== null) return graphs;
  throw new AccessError("there are no graphs before the system is initialized");
}
