// Brings the facts of `cities/` into the graph `cities`:
//
//   "Europe", "NO" -[ has <M_INT> population ]-> "Oslo" -[ rail <M_INT> minutes ]-> "Bergen"
//
// A city's own properties are its `Facts`.

import { readFileSync } from "node:fs";
import { type float, type Graph, type int, M_INT, type PluginRequest, type str } from "svc-server";

const EVERYWHERE = "Europe";

/** Properties of a city. */
export type Facts = {
  /** two letters, such as NO */
  country: str;
  population: int;
  /** degrees north */
  latitude: float;
  /** degrees east */
  longitude: float;
};

/** How much there is now in the graph. */
interface Fed {
  vertices: int;
  arcs: int;
}

/**
 * Loads all cities and railways. Another call brings them up to date.
 *
 * @plugin
 * @graph cities
 * @example curl http://127.0.0.1:9000/svc/plugin/feed
 */
export function feed(_request: PluginRequest, graph: Graph): Fed {
  for (const [city = "", country = "", ...numbers] of rowsOf("cities")) {
    const [population = 0, latitude = 0, longitude = 0] = numbers.map(Number);
    const properties: Facts = { country, population, latitude, longitude };
    graph.createVertex(city, { type: "city", properties });
    graph.connect(EVERYWHERE, ["has", M_INT, population], city);
    graph.connect(country, ["has", M_INT, population], city);
  }
  for (const [from = "", to = "", minutes = ""] of rowsOf("railways")) {
    graph.connect(from, ["rail", M_INT, Number(minutes)], to);
    graph.connect(to, ["rail", M_INT, Number(minutes)], from);
  }
  return { vertices: graph.order, arcs: graph.size };
}

/** Cells of a file without its first line. The built plugins lie in a folder beside `cities`. */
function rowsOf(name: string): string[][] {
  const text = readFileSync(new URL(`../cities/${name}.csv`, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
}
