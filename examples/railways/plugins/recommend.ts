// Suggests destinations by train with one change: two steps along the railways.

import {
  C_NONE,
  D_OUT,
  type float,
  type Graph,
  type int,
  M_INT,
  type PluginRequest,
  PluginResponse,
  S_ASC,
  S_VAL,
  type str,
  V_LTE,
} from "svc-server";

/** A journey with two trains. */
interface Journey {
  city: str;
  /** city to change trains in */
  via: str;
}

/**
 * Lists cities that are reachable with one change and without a direct train, nearest first.
 *
 * @plugin
 * @graph cities
 * @readonly
 * @param city start of the journey
 * @param hours maximum duration of a single train ride
 * @param n maximum number of cities
 * @returns journeys, keyed by minutes on trains
 * @example ?city=Oslo&hours=3.5
 */
export function recommend(
  _request: PluginRequest,
  graph: Graph,
  city: str,
  hours: float = 4,
  n: int = 10,
): PluginResponse<int, Journey> {
  const trains = ["rail", D_OUT, M_INT, V_LTE, Math.floor(60 * hours)] as const;
  const direct = new Map(
    graph
      .neighborhood(city, { arc: "rail", fields: ["value", "id"], result: "list" })
      .map(([minutes, to]) => [to, minutes]),
  );
  const changes = graph.neighborhood(city, {
    arc: trains,
    collect: C_NONE,
    neighbor: { arc: trains, collect: true },
    fields: ["anchor", "value", "id"],
    result: "list",
  });
  const best = new Map<string, Journey & { minutes: int }>();
  for (const [via, minutes, to] of changes) {
    if (to === city || direct.has(to)) continue;
    const total = direct.get(via)! + minutes;
    if (total < (best.get(to)?.minutes ?? Infinity))
      best.set(to, { city: to, via, minutes: total });
  }
  const response = new PluginResponse<int, Journey>({ maxhits: n, sortby: S_VAL | S_ASC });
  const journeys = [...best.values()].sort((a, b) => a.minutes - b.minutes);
  for (const { minutes, ...journey } of journeys.slice(0, n)) response.append(minutes, journey);
  response.hitcount = journeys.length;
  return response;
}
