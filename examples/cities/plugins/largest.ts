// Runs in the search instances: each finds the largest of its partition, the dispatcher merges.

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
 * @param country two-letter code, such as NO; defaults to the world
 * @param n maximum number of cities
 * @returns names, keyed by population
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
