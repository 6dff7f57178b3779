// Prepares arguments of Graph and Vertex methods: open vertices become handles, positional
// arguments join named ones.

import { checkObject } from "../model/check-argument.js";
import { atArgumentPath, withArgumentDetails } from "../model/invalid-argument.js";
import type { AdjacentOptions } from "../query/calls/adjacent.js";
import type { DegreeOptions } from "../query/calls/degree.js";
import type { ArcFilter, VertexCondition } from "../query/parse/query-options.js";
import type { Explainable } from "../query/render/explained.js";
import type { GraphStore } from "../store/graph-store.js";
import { getVertexKey, VertexAttributes } from "./vertex-attributes.js";

/** An open vertex, or an id. */
export type VertexName = string | VertexAttributes;

/**
 * @throws TypeError neither id nor vertex
 * @throws AccessError a vertex that is closed, or of another graph
 */
export function toVertexKey(store: GraphStore, vertex: VertexName): string | number {
  if (typeof vertex === "string") return vertex;
  if (vertex instanceof VertexAttributes) return getVertexKey(store, vertex);
  const error = new TypeError("expected a vertex or its id");
  throw withArgumentDetails(error, vertex, "a text, or a vertex that is open");
}

/** @throws TypeError */
export function toVertexList<T extends VertexName>(names: readonly T[]): readonly T[] {
  if (Array.isArray(names)) return names;
  const error = new TypeError("expected a list of vertices or ids");
  throw withArgumentDetails(error, names, "a list of vertices or their ids");
}

export function toVertexKeys(store: GraphStore, names: readonly VertexName[]): (string | number)[] {
  return toVertexList(names).map((name, at) => {
    try {
      return toVertexKey(store, name);
    } catch (error) {
      throw atArgumentPath(error, `[${at}]`);
    }
  });
}

/** Returns the key of one vertex, or the keys of several. */
export function toGoals(
  store: GraphStore,
  to: VertexName | readonly VertexName[],
): (string | number)[] {
  return Array.isArray(to) ? toVertexKeys(store, to) : [toVertexKey(store, to as VertexName)];
}

export function adjacentOptions(
  arc: ArcFilter | undefined,
  neighbor: VertexCondition | undefined,
  options: Explainable<AdjacentOptions> | undefined,
): Explainable<AdjacentOptions> | undefined {
  if (arc === undefined && neighbor === undefined) return options;
  if (options !== undefined && options !== null) checkObject(options, "options");
  return {
    ...options,
    ...(arc !== undefined && { arc }),
    ...(neighbor !== undefined && { neighbor }),
  };
}

export function degreeOptions(
  arc: ArcFilter | undefined,
  options: Explainable<DegreeOptions> | undefined,
): Explainable<DegreeOptions> | undefined {
  if (arc === undefined) return options;
  if (options !== undefined && options !== null) checkObject(options, "options");
  return { ...options, arc };
}
