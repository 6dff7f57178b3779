// Arcs of a vertex for the explorer: counted by direction and relationship, however many there are,
// and the first of each.

import { fetchValue } from "../data/client.js";
import { listAt, numberAt, readPath, textAt } from "../data/node-stat.js";
import type { NamedCount } from "./graph-info.js";
import { type Neighbor, neighborPath, parseNeighbors, readNeighbors } from "./neighbors.js";

export type Direction = "D_IN" | "D_OUT";

/** Arcs of one relationship to or from a vertex. */
export interface ArcKind {
  readonly relationship: string;
  readonly direction: Direction;
  /** How many there are. */
  readonly arcs: number;
  /** The most frequent types of the neighbors; empty where they were not counted. */
  readonly types: readonly NamedCount[];
  /** The shown ones. */
  readonly rows: readonly Neighbor[];
}

/** Conditions on the arcs that are counted and shown; empty: any. */
export interface Conditions {
  readonly relationship: string;
  readonly direction: Direction | "";
  /** Type of the neighbor. */
  readonly type: string;
  /** Expression that must be true. */
  readonly filter: string;
}

/** Initial number of shown arcs of each kind. */
const FIRST = 16;
export const MORE = 100;
/** Relationships that are counted; a graph with more has the most frequent ones counted. */
const MAX_RELATIONSHIPS = 12;
const CONCURRENT = 4;
const MAX_TYPES = 3;
/** Types of the neighbors of a vertex with more arcs are not counted. */
export const MAX_TYPED_ARCS = 10_000;

/** The query of the neighbors that fulfil conditions. */
export function neighborQuery({ relationship, direction, type, filter }: Conditions): object {
  return {
    arc: [relationship || "*", direction || "D_ANY"],
    ...(type !== "" && { neighbor: { type } }),
    ...(filter !== "" && { filter }),
  };
}

export const kindKey = (direction: string, relationship: string): string =>
  `${direction}:${relationship}`;

/**
 * Returns the kinds of arcs of a vertex, the most frequent first.
 * @param more how often more were requested, by `kindKey`
 * @throws Error
 */
export async function exploreArcs(
  target: { readonly graph: string; readonly id: string },
  relationships: readonly NamedCount[],
  conditions: Conditions,
  more: ReadonlyMap<string, number>,
  withTypes: boolean,
): Promise<readonly ArcKind[]> {
  const sorted = [...relationships].sort((a, b) => b.count - a.count).map(({ name }) => name);
  const names = conditions.relationship === "" ? sorted : [conditions.relationship];
  const directions = (["D_IN", "D_OUT"] as const).filter(
    (direction) => conditions.direction === "" || conditions.direction === direction,
  );
  const shownNames = names
    .slice(0, MAX_RELATIONSHIPS)
    .flatMap((relationship) => directions.map((direction) => ({ relationship, direction })));
  const found: ArcKind[] = [];
  const work = async (): Promise<void> => {
    for (let next = shownNames.shift(); next !== undefined; next = shownNames.shift()) {
      const times = more.get(kindKey(next.direction, next.relationship)) ?? 0;
      const facets = withTypes ? { facets: { ".type": MAX_TYPES } } : {};
      const query = { ...neighborQuery({ ...conditions, ...next }), counts: true, ...facets };
      const answer = await fetchValue(neighborPath(target, query, FIRST + times * MORE));
      const types = listAt(answer, "facets", ".type").map((facet) => ({
        ...{ name: textAt(facet, "value"), count: numberAt(facet, "count") },
      }));
      const rows = readNeighbors(readPath(answer, "neighborhood"));
      found.push({ ...next, arcs: numberAt(answer, "counts", "arcs"), types, rows });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  const kinds = found.filter(({ arcs }) => arcs > 0).sort((a, b) => b.arcs - a.arcs);
  if (names.length <= MAX_RELATIONSHIPS) return kinds;
  const rare = new Set(names.slice(MAX_RELATIONSHIPS));
  return [...kinds, ...(await exploreRareArcs(target, conditions, rare))];
}

/** The first arcs of relationships that are not counted. */
async function exploreRareArcs(
  { graph, id }: { readonly graph: string; readonly id: string },
  conditions: Conditions,
  rare: ReadonlySet<string>,
): Promise<readonly ArcKind[]> {
  const kinds = new Map<string, ArcKind & { rows: Neighbor[] }>();
  for (const row of await parseNeighbors(graph, id, neighborQuery(conditions))) {
    const { relationship } = row;
    if (!rare.has(relationship)) continue;
    const direction = row.direction === "D_IN" ? "D_IN" : "D_OUT";
    const key = kindKey(direction, relationship);
    const kind = kinds.get(key) ?? { relationship, direction, arcs: 0, types: [], rows: [] };
    kind.rows.push(row);
    kinds.set(key, { ...kind, arcs: kind.rows.length });
  }
  return [...kinds.values()];
}
