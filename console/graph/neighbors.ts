// Graph queries and their results as rows. Results contain untrusted text.

import { fetchValue } from "../data/client.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";

const HITS = 100;

export interface Neighbor {
  readonly id: string;
  readonly type: string;
  readonly direction: string;
  readonly relationship: string;
  readonly value: number;
  readonly degree: number;
}

const NEIGHBOR_FIELDS = {
  fields: "F_ID|F_TYPE|F_ARCDIR|F_REL|F_VAL|F_DEG",
  result: "R_DICT",
};
const VERTEX_QUERY = { fields: "F_ID|F_TYPE|F_DEG", result: "R_DICT" };

function path(plugin: string, args: Readonly<Record<string, string>>): string {
  return `svc/builtin/${plugin}?${new URLSearchParams(args)}`;
}

export async function graphNames(): Promise<readonly string[]> {
  const names = listAt(await fetchValue("svc/graphsum"), "graphsum", "names");
  return names.filter((name) => typeof name === "string");
}

/** Returns the first neighbors of a vertex that match a query. */
export async function parseNeighbors(
  graph: string,
  id: string,
  query: object = { arc: ["*", "D_ANY"] },
): Promise<readonly Neighbor[]> {
  return readNeighbors(await fetchValue(neighborPath({ graph, id }, query, HITS)));
}

/** Returns the path of a request for neighbors, with all fields that rows show. */
export function neighborPath(
  { graph, id }: { readonly graph: string; readonly id: string },
  query: object,
  hits: number,
): string {
  const text = JSON.stringify({ ...query, ...NEIGHBOR_FIELDS });
  return path("neighbor", { graph, id, query: text, hits: String(hits) });
}

/** Returns the rows of a response. Missing members become empty. */
export function readNeighbors(found: unknown): readonly Neighbor[] {
  return (Array.isArray(found) ? found : []).map((item: unknown) => ({
    id: textAt(item, "id"),
    type: textAt(item, "type"),
    direction: textAt(item, "arc", "direction"),
    relationship: textAt(item, "arc", "relationship"),
    value: numberAt(item, "arc", "value"),
    degree: numberAt(item, "degree"),
  }));
}

/** Returns sample vertices of a graph, as starting points. */
export async function someVertices(graph: string): Promise<readonly Neighbor[]> {
  const query = JSON.stringify(VERTEX_QUERY);
  return readNeighbors(await fetchValue(path("vertices", { graph, query, hits: `${HITS}` })));
}

/** Returns all attributes of a vertex. */
export function parseVertex(graph: string, id: string): Promise<unknown> {
  return fetchValue(path("vertex", { graph, id }));
}
