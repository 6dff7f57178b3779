// What the methods of Graph and Vertex do with arguments before they pass them on: vertices become
// handles where they are open, arguments by position join those by name.

import { misfitting } from "../model/misfit.js";
import type { AdjacentOptions } from "../query/calls/adjacent.js";
import type { DegreeOptions } from "../query/calls/degree.js";
import type { ArcFilter, VertexCondition } from "../query/parse/query-options.js";
import type { GraphStore } from "../store/graph-store.js";
import { handleIn, VertexAttributes } from "./vertex-attributes.js";

/** A vertex that is open, or its id. */
export type VertexName = string | VertexAttributes;

/**
 * @throws TypeError what is neither id nor vertex
 * @throws AccessError a vertex that is closed, or of another graph
 */
export function keyOf(store: GraphStore, vertex: VertexName): string | number {
  if (typeof vertex === "string") return vertex;
  if (vertex instanceof VertexAttributes) return handleIn(store, vertex);
  const error = new TypeError("a vertex or its id is required");
  throw misfitting(error, vertex, "a text, or a vertex that is open");
}

export function adjacentOptions(
  arc: ArcFilter | undefined,
  neighbor: VertexCondition | undefined,
  options: AdjacentOptions | undefined,
): AdjacentOptions | undefined {
  if (arc === undefined && neighbor === undefined) return options;
  return {
    ...options,
    ...(arc !== undefined && { arc }),
    ...(neighbor !== undefined && { neighbor }),
  };
}

export function degreeOptions(
  arc: ArcFilter | undefined,
  options: DegreeOptions | undefined,
): DegreeOptions | undefined {
  return arc === undefined ? options : { ...options, arc };
}
