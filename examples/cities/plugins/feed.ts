// How data comes into the system: the dispatcher sends it to the builders alone, each of them keeps
// its part, and the search instances follow by themselves.

import { type Graph, type int, M_INT, PluginRequest, PluginResponse, plugin } from "svc-server";
import { CITIES } from "./facts.js";

/** Has the primary row load, whose instances are the builders. */
export const toBuilders = plugin.pre({ name: "feed" }, (_request: PluginRequest): PluginRequest => {
  const forwarded = new PluginRequest("load");
  forwarded.primary = 1;
  return forwarded;
});

/**
 * Loads the cities of its partition. Whoever calls it again brings them up to date.
 *
 * @plugin
 * @graph cities
 */
export function load(request: PluginRequest, graph: Graph): PluginResponse {
  const own = CITIES.filter((_, index) => index % request.width === request.partition);
  for (const { name, country, population } of own) {
    graph.createVertex(name, { type: "city", properties: { country, population } });
    graph.connect("world", ["has", M_INT, population], name);
    graph.connect(country, ["has", M_INT, population], name);
  }
  const response = new PluginResponse();
  // Numbers such as this are summed over the partitions.
  response.i0 = own.length;
  return response;
}

/** Sums up what the builders have loaded. */
export const sumUp = plugin.post({ name: "feed" }, (response: PluginResponse): { cities: int } => ({
  cities: response.i0,
}));
