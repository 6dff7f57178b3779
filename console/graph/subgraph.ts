// The drawn subgraph: neighbors of the most recently selected vertices. The oldest leave the
// drawing and stay in the table.

import type { Neighbor } from "./neighbors.js";

const MAX_DRAWN = 600;

export interface DrawnArc {
  readonly from: string;
  readonly to: string;
  readonly relationship: string;
  readonly value: number;
}

export interface Subgraph {
  readonly ids: readonly string[];
  readonly arcs: readonly DrawnArc[];
  /** By vertex, as far as they are known. */
  readonly types: ReadonlyMap<string, string>;
  /** Vertices for which there was no room. */
  readonly left: number;
}

/** @param found neighbors by vertex, the newest last */
export function buildSubgraph(found: ReadonlyMap<string, readonly Neighbor[]>): Subgraph {
  // Selected vertices always stay.
  const ids = new Set<string>(found.keys());
  const types = new Map<string, string>();
  let left = 0;
  const arcs = new Map<string, DrawnArc>();
  for (const [anchor, neighbors] of [...found].reverse()) {
    for (const { id, type, direction, relationship, value } of neighbors) {
      types.set(id, type);
      if (!ids.has(id) && ids.size >= MAX_DRAWN) {
        left++;
        continue;
      }
      ids.add(id);
      const [from, to] = direction === "D_IN" ? [id, anchor] : [anchor, id];
      // Seen from both ends it is one.
      arcs.set(JSON.stringify([from, to, relationship]), { from, to, relationship, value });
    }
  }
  return { ids: [...ids], arcs: [...arcs.values()], types, left };
}
