// The graphs of the thread that asks.

import { threadContext } from "../../base/thread-context.js";
import { AccessError } from "../model/errors.js";
import type { ThreadGraphs } from "./thread-graphs.js";

/** @throws AccessError where there are no graphs */
export function threadGraphs(): ThreadGraphs {
  const { graphs } = threadContext();
  if (graphs !== null) return graphs;
  throw new AccessError("there are no graphs before the system is initialized");
}
