// What runs in every engine: finds in its own part of the data. The dispatcher asks one replica of
// each partition and merges what they return.

import { type int, type PluginRequest, PluginResponse, S_DESC, S_VAL, type str } from "svc-server";
import { MOUNTAINS, type Mountain } from "./facts.js";

/**
 * Lists mountains, the highest first.
 *
 * @plugin
 * @readonly
 * @param continent such as Europe; all without
 * @param n how many at most
 * @returns mountains by their heights in meters; `i0` is the sum of all heights, also of those
 *   beyond the first `n`
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
  // Numbers such as these are summed over the partitions.
  response.i0 = found.reduce((sum, { height }) => sum + height, 0);
  return response;
}
