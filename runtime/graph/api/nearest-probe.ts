// Probes of nearest-vector searches: a vector, an open vertex, or several of them by name.

import { findVectors, UNNAMED } from "../changes/vectors.js";
import { ValueError } from "../model/errors.js";
import type { NearestTarget } from "../query/calls/nearest.js";
import type { GraphStore } from "../store/graph-store.js";
import { parseVector, Vector, type VectorLike } from "../vectors/vector.js";
import { NULL_PARTS, type VectorParts } from "../vectors/vector-parts.js";
import { getHandle, VertexAttributes } from "./vertex-attributes.js";

/** Probes by the names of the vectors that they are compared with. */
export interface NamedProbes {
  readonly [name: string]: VectorLike | VertexAttributes;
}

export type NearestProbe = VectorLike | VertexAttributes | NamedProbes;

/**
 * Returns the names and probes of a search.
 * @throws ValueError, TypeError
 */
export function toTargets(store: GraphStore, probe: NearestProbe): NearestTarget[] {
  if (!isNamed(probe)) return [{ name: UNNAMED, parts: toParts(store, probe, UNNAMED) }];
  const targets = Object.entries(probe).map(([name, value]) => {
    return { name, parts: toParts(store, value, name) };
  });
  if (targets.length === 0) throw new ValueError("probe has no vectors");
  return targets;
}

function isNamed(probe: NearestProbe): probe is NamedProbes {
  if (typeof probe !== "object" || probe === null || Array.isArray(probe)) return false;
  return !(
    probe instanceof VertexAttributes ||
    probe instanceof Vector ||
    ArrayBuffer.isView(probe)
  );
}

/** @throws ValueError, TypeError neither vector nor vertex */
function toParts(
  store: GraphStore,
  probe: VectorLike | VertexAttributes,
  name: string,
): VectorParts {
  if (!(probe instanceof VertexAttributes)) {
    return parseVector(probe, name === UNNAMED ? "probe" : `probe.${name}`);
  }
  return findVectors(store, name)?.get(getHandle(store, probe)) ?? NULL_PARTS;
}
