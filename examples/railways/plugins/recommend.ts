// Suggests where to go by train with one change: two steps along the railways.

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

/** A way by two trains. */
interface Journey {
  city: str;
  /** where to change */
  via: str;
}

/**
 * Lists cities that no direct train goes to but one with a single change, the nearest first.
 *
 * @plugin
 * @graph cities
 * @readonly
 * @param city where the journey begins
 * @param hours how long a single train may take
 * @param n how many are shown at most
 * @returns journeys by the minutes that they take in trains
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
