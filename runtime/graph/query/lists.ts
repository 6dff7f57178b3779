// Plain lists around one vertex, and of one type.

import { InternalError } from "../errors.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Anchor } from "./anchor.js";
import type { NeighborhoodOptions } from "./neighborhood.js";
import type { ArcFilter, ExecuteOptions, ListQueryOptions } from "./query-options.js";
import type { ArcTuple } from "./typed-results.js";

export type ListOptions = ListQueryOptions & Omit<ExecuteOptions, "offset">;
export type ArcListOptions = Omit<ExecuteOptions, "offset">;

/** Ids of the vertices that the outarcs lead to, each once. */
export function terminals(_store: GraphStore, _anchor: Anchor, _options?: ListOptions): string[] {
  throw new InternalError("not written");
}

/** Ids of the vertices that the inarcs come from, each once. */
export function initials(_store: GraphStore, _anchor: Anchor, _options?: ListOptions): string[] {
  throw new InternalError("not written");
}

/**
 * Ids of all vertices around, each once; with options the same as a neighborhood with them, where
 * a vertex comes once per arc.
 */
export function neighbors(
  _store: GraphStore,
  _anchor: Anchor,
  _options?: NeighborhoodOptions,
): string[] {
  throw new InternalError("not written");
}

export function outarcs(
  _store: GraphStore,
  _anchor: Anchor,
  _options?: ArcListOptions,
): ArcTuple[] {
  throw new InternalError("not written");
}

export function inarcs(_store: GraphStore, _anchor: Anchor, _options?: ArcListOptions): ArcTuple[] {
  throw new InternalError("not written");
}

/** Ids of the vertices of a type; null or `"__vertex__"` for those without one. */
export function verticesOfType(_store: GraphStore, _type: string | null): string[] {
  throw new InternalError("not written");
}

/**
 * Handle of the first neighbor that an arc filter leads to.
 * @throws KeyError "No object : 'No matching neighbor'"
 */
export function firstNeighbor(_store: GraphStore, _anchor: Anchor, _arc?: ArcFilter): number {
  throw new InternalError("not written");
}
