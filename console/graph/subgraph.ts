// The drawn subgraph: neighbors of the most recently selected vertices. The oldest leave the
// drawing and stay in the table.

import { type ArcKind, kindKey } from "./explore.js";
import type { Neighbor } from "./neighbors.js";

const MAX_DRAWN = 600;

export interface DrawnArc {
  readonly from: string;
  readonly to: string;
  readonly relationship: string;
  readonly value: number;
}

/** Arcs of one kind that are not shown, drawn as one. */
export interface Bundle {
  /** Key of its position in the layout; no vertex has such an id. */
  readonly key: string;
  readonly kind: ArcKind;
  readonly rest: number;
}

/** Arcs among the vertices of a drawing. */
export interface Between {
  readonly arcs: readonly DrawnArc[];
  /** Of vertices that have an arc from another one. */
  readonly types: ReadonlyMap<string, string>;
}

export interface Subgraph {
  readonly ids: readonly string[];
  readonly arcs: readonly DrawnArc[];
  /** By vertex, as far as they are known. */
  readonly types: ReadonlyMap<string, string>;
  readonly bundles: readonly Bundle[];
  /** Vertices of a path to emphasize. */
  readonly path: readonly string[];
  /** Vertices for which there was no room. */
  readonly left: number;
}

const NO_ID = "\u0000";

interface Others {
  /** Arcs among any vertices. */
  readonly between: Between;
  readonly path: readonly string[];
}

const NO_OTHERS: Others = { between: { arcs: [], types: new Map() }, path: [] };

/**
 * @param found neighbors by vertex, the newest last
 * @param kinds arcs of the vertex in the middle
 * @param hidden vertices to leave out
 * @param others arcs that are drawn if both ends are, and a path that always is
 */
export function buildSubgraph(
  found: ReadonlyMap<string, readonly Neighbor[]>,
  kinds: readonly ArcKind[] = [],
  hidden: ReadonlySet<string> = new Set(),
  { between, path }: Others = NO_OTHERS,
): Subgraph {
  // Selected vertices always stay.
  const ids = new Set<string>([...found.keys(), ...path].filter((id) => !hidden.has(id)));
  const types = new Map<string, string>(between.types);
  let left = 0;
  const arcs = new Map<string, DrawnArc>();
  for (const [anchor, neighbors] of [...found].reverse()) {
    if (hidden.has(anchor)) continue;
    for (const { id, type, direction, relationship, value } of neighbors) {
      if (hidden.has(id)) continue;
      types.set(id, type);
      if (!ids.has(id) && ids.size >= MAX_DRAWN) {
        left++;
        continue;
      }
      ids.add(id);
      const [from, to] = direction === "D_IN" ? [id, anchor] : [anchor, id];
      // Seen from both ends it is one.
      arcs.set(arcKey({ from, to, relationship }), { from, to, relationship, value });
    }
  }
  for (const arc of between.arcs) {
    const key = arcKey(arc);
    if (ids.has(arc.from) && ids.has(arc.to) && !arcs.has(key)) arcs.set(key, arc);
  }
  const bundles = kinds
    .map((kind) => {
      const key = `${NO_ID}${kindKey(kind.direction, kind.relationship)}`;
      return { key, kind, rest: kind.arcs - kind.rows.length };
    })
    .filter(({ rest }) => rest > 0);
  return { ids: [...ids], arcs: [...arcs.values()], types, bundles, path, left };
}

function arcKey({ from, to, relationship }: Omit<DrawnArc, "value">): string {
  return JSON.stringify([from, to, relationship]);
}

/** Returns whether an arc connects neighbors on the path, in either direction. */
export function isOnPath({ from, to }: DrawnArc, path: readonly string[]): boolean {
  const [at, next] = [path.indexOf(from), path.indexOf(to)];
  return at >= 0 && next >= 0 && Math.abs(at - next) === 1;
}
