// Rules that only test for an arc between a vertex and a named one, so no arcs need to be copied.

import { D_BOTH, D_IN, D_OUT } from "../../model/constants.js";
import type { Scanners } from "./run-scanner.js";
import type { VertexTest, WalkRule } from "./vertex-test.js";

/** A rule with at most one possible neighbor: the vertex with the id, if it exists. */
interface NamedNeighborRule extends WalkRule {
  readonly neighbor: VertexTest & { readonly ids: NonNullable<VertexTest["ids"]> };
}

export function isNamedNeighbor(rule: WalkRule): rule is NamedNeighborRule {
  const { arc, filter, neighbor, assert, repeat } = rule;
  if (neighbor === null || neighbor.ids === null || neighbor.isNegated) return false;
  const hasOnlyArc = filter === null && assert === null && repeat === null && !arc.isDynamic;
  if (!hasOnlyArc || arc.direction === D_BOTH) return false;
  const hasOnlyIds = neighbor.checks.length === 1 && neighbor.filter === null;
  return hasOnlyIds && neighbor.isPlain && neighbor.ids.handles.length <= 1;
}

/** Returns whether a vertex has an arc to or from the only possible neighbor. */
export function hasNamedNeighbor(
  { arc, neighbor }: NamedNeighborRule,
  vertex: number,
  { outArcs, inArcs }: Scanners,
): boolean {
  const [other] = neighbor.ids.handles;
  if (other === undefined) return false;
  if (arc.direction !== D_IN && outArcs.hasArcTo(vertex, other, arc)) return true;
  return arc.direction !== D_OUT && inArcs.hasArcTo(vertex, other, arc);
}
