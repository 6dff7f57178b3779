// What is asked of the search instances: each finds the largest of its part, the dispatcher merges.

import {
  D_OUT,
  type Graph,
  type int,
  M_INT,
  type PluginRequest,
  PluginResponse,
  S_DESC,
  S_VAL,
  type str,
} from "svc-server";

/**
 * Lists cities, the largest first.
 *
 * @plugin
 * @graph cities
 * @readonly
 * @param country two letters, such as NO; all of the world without
 * @param n how many are shown at most
 * @returns names by how many people live there
 * @example largest({ country: "NO", n: 1 })
 */
export function largest(
  _request: PluginRequest,
  graph: Graph,
  country: str = "world",
  n: int = 10,
): PluginResponse<int, str> {
  const response = new PluginResponse<int, str>({ maxhits: n, sortby: S_VAL | S_DESC });
  if (!graph.hasVertex(country)) return response;
  const { neighborhood, counts } = graph.neighborhood(country, {
    arc: ["has", D_OUT, M_INT],
    sortby: S_VAL | S_DESC,
    hits: n,
    fields: ["value", "id"],
    result: "dict",
    counts: true,
  });
  for (const { arc, id } of neighborhood) response.append(arc.value, id);
  response.hitcount = counts.arcs;
  return response;
}
