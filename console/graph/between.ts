// Arcs among the vertices of a drawing, and the shortest path between two vertices.

import { fetchValue } from "../data/client.js";
import { listAt, numberAt, textAt } from "../data/node-stat.js";
import type { Between } from "./subgraph.js";

/** Maximum number of vertices to connect; others have only arcs to the one in the middle. */
const MAX_ENDS = 200;
const MAX_ARCS = 400;
/** A neighbor can have many arcs to vertices that are not shown. */
const TIMEOUT_MS = 1000;
const FIELDS = { fields: "F_ANCHOR|F_ID|F_TYPE|F_REL|F_VAL", result: "R_DICT" };

const NOTHING: Between = { arcs: [], types: new Map() };

/**
 * Returns the arcs among vertices; none if that takes too long.
 * @param relationship empty: any
 */
export async function exploreBetween(
  graph: string,
  ids: readonly string[],
  relationship: string,
): Promise<Between> {
  const id = ids.slice(0, MAX_ENDS);
  if (id.length < 2) return NOTHING;
  const arc = [relationship || "*", "D_OUT"];
  const query = { condition: { id, arc, neighbor: { id } }, ...FIELDS };
  const args = new URLSearchParams({ graph, hits: `${MAX_ARCS}`, timeout: `${TIMEOUT_MS}` });
  try {
    const body = JSON.stringify(query);
    const found = await fetchValue(`svc/builtin/arcs?${args}`, { method: "POST", body });
    const rows = listAt({ found }, "found");
    return {
      arcs: rows.map((row) => ({
        from: textAt(row, "anchor"),
        to: textAt(row, "id"),
        relationship: textAt(row, "arc", "relationship"),
        value: numberAt(row, "arc", "value"),
      })),
      types: new Map(rows.map((row) => [textAt(row, "id"), textAt(row, "type")])),
    };
  } catch {
    return NOTHING;
  }
}

/**
 * Returns the vertices of a shortest path; none if there is no path.
 * @throws Error
 */
export async function findPath(graph: string, id: string, to: string): Promise<readonly string[]> {
  const args = new URLSearchParams({ graph, id, to, hits: "1" });
  const [first] = listAt({ found: await fetchValue(`svc/builtin/paths?${args}`) }, "found");
  return listAt(first, "path").map(String);
}
