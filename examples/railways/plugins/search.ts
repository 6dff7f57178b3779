// Finds cities. One query filters, sorts and counts; only the cities that are shown become objects.

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
  V_GTE,
} from "svc-server";
import type { Facts } from "./feed.js";

/** A city and its properties. */
interface City extends Facts {
  city: str;
}

/**
 * Lists cities, the largest first.
 *
 * @plugin
 * @graph cities
 * @readonly
 * @param prefix what their names begin with
 * @param country two letters, such as NO; all of Europe without
 * @param population how many people live there at least
 * @param n how many are shown at most
 * @returns cities by how many people live there
 * @example search({ country: "NO", population: 200_000 })
 */
export function search(
  _request: PluginRequest,
  graph: Graph,
  prefix: str = "",
  country: str = "Europe",
  population: int = 0,
  n: int = 10,
): PluginResponse<int, City> {
  const response = new PluginResponse<int, City>({ maxhits: n, sortby: S_VAL | S_DESC });
  if (!graph.hasVertex(country)) return response;
  const { neighborhood, counts } = graph.neighborhood(country, {
    arc: ["has", D_OUT, M_INT, V_GTE, population],
    neighbor: `${prefix}*`,
    sortby: S_VAL | S_DESC,
    hits: n,
    fields: ["value", "id", "properties"],
    result: "dict",
    counts: true,
  });
  for (const { arc, id, properties } of neighborhood) {
    response.append(arc.value, { city: id, ...(properties as Facts) });
  }
  response.hitcount = counts.arcs;
  return response;
}
