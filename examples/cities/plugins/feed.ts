// Loads the data: the dispatcher forwards to the builders only, each builder stores its partition,
// and the search instances replicate it.

import { type Graph, type int, M_INT, PluginRequest, PluginResponse, plugin } from "svc-server";
import { CITIES } from "./facts.js";

/** Forwards to the primary row, whose instances are the builders. */
export const toBuilders = plugin.pre({ name: "feed" }, (_request: PluginRequest): PluginRequest => {
  const forwarded = new PluginRequest("load");
  forwarded.primary = 1;
  return forwarded;
});

/**
 * Loads the cities whose keys the instance owns, and all countries. Another call updates them.
 *
 * @plugin
 * @graph cities
 */
export function load(request: PluginRequest, graph: Graph): PluginResponse {
  const own = CITIES.filter(({ name }) => request.owns(name));
  // Vertices of these types are in every group: see `everywhere` of the system descriptor.
  graph.createVertex("world", { type: "world" });
  for (const { country } of CITIES) graph.createVertex(country, { type: "country" });
  for (const { name, country, population } of own) {
    graph.createVertex(name, { type: "city", properties: { country, population } });
    graph.connect("world", ["has", M_INT, population], name);
    graph.connect(country, ["has", M_INT, population], name);
  }
  const response = new PluginResponse();
  // The dispatcher adds up such numbers over the partitions.
  response.i0 = own.length;
  return response;
}

/** Returns the number of cities that all builders have loaded. */
export const sumUp = plugin.post({ name: "feed" }, (response: PluginResponse): { cities: int } => ({
  cities: response.i0,
}));
