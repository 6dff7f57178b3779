// Runs in every engine, on its partition of the data. The dispatcher calls one replica of each
// partition and merges the results.

import { type int, type PluginRequest, PluginResponse, S_DESC, S_VAL, type str } from "svc-server";
import { MOUNTAINS, type Mountain } from "./facts.js";

/**
 * Lists mountains, the highest first.
 *
 * @plugin
 * @readonly
 * @param continent such as Europe; defaults to all
 * @param n maximum number of mountains
 * @returns mountains, keyed by height in meters; `i0` is the sum of all heights, including
 *   mountains beyond the first `n`
 * @example ?continent=Africa&n=3
 */
export function heights(
  request: PluginRequest,
  continent: str = "",
  n: int = 10,
): PluginResponse<int, Mountain> {
  const own = MOUNTAINS.filter((_, index) => index % request.width === request.partition);
  const found = own.filter((mountain) => continent === "" || mountain.continent === continent);
  found.sort((a, b) => b.height - a.height);
  const response = new PluginResponse<int, Mountain>({ maxhits: n, sortby: S_VAL | S_DESC });
  for (const mountain of found.slice(0, n)) response.append(mountain.height, mountain);
  response.hitcount = found.length;
  // The dispatcher adds up such numbers over the partitions.
  response.i0 = found.reduce((sum, { height }) => sum + height, 0);
  return response;
}
