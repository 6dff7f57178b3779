// Neighbors of a vertex counted by direction and relationship: exact, however many there are.

import { fetchValue } from "../data/client.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import type { NamedCount } from "./graph-info.js";

export interface ArcCount {
  readonly relationship: string;
  readonly direction: "D_IN" | "D_OUT";
  readonly arcs: number;
  /** The most frequent types of the neighbors; empty where they were not counted. */
  readonly types: readonly NamedCount[];
}

/** Relationships that are counted; a graph with more has the most frequent ones counted. */
const MAX_RELATIONSHIPS = 12;
const CONCURRENT = 4;
const MAX_TYPES = 3;
/** Types of the neighbors of a vertex with more arcs are not counted. */
export const MAX_TYPED_ARCS = 10_000;

/** @throws Error */
export async function countArcs(
  graph: string,
  id: string,
  relationships: readonly NamedCount[],
  withTypes: boolean,
): Promise<readonly ArcCount[]> {
  const names = [...relationships]
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_RELATIONSHIPS)
    .map(({ name }) => name);
  const wanted = names.flatMap((relationship) =>
    (["D_IN", "D_OUT"] as const).map((direction) => ({ relationship, direction })),
  );
  const found: ArcCount[] = [];
  const work = async (): Promise<void> => {
    for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
      const query = JSON.stringify({
        ...{ arc: [next.relationship, next.direction], fields: "F_ID", counts: true },
        ...(withTypes && { facets: { ".type": MAX_TYPES } }),
      });
      const args = new URLSearchParams({ graph, id, query, hits: "0" });
      const answer = await fetchValue(`svc/builtin/neighbor?${args}`);
      const types = listAt(answer, "facets", ".type").map((one) => ({
        ...{ name: textAt(one, "value"), count: numberAt(one, "count") },
      }));
      found.push({ ...next, arcs: numberAt(answer, "counts", "arcs"), types });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return found.filter(({ arcs }) => arcs > 0).sort((a, b) => b.arcs - a.arcs);
}
