// Runs in the dispatcher: a pre-processor that calls another plugin of the engines, and a
// post-processor that turns the merged list into a plain response.

import { type int, PluginRequest, type PluginResponse, plugin, type str } from "svc-server";
import type { Mountain } from "./facts.js";

const MOST = 20;

/** Result over all engines. */
interface Summary {
  /** for example `Elbrus 5642 m` */
  readonly highest: readonly string[];
  /** total number of mountains */
  readonly found: int;
  /** in meters */
  readonly averageHeight: int;
  /** empty if all requested mountains are shown */
  readonly note: str;
  /** number of engines that responded */
  readonly engines: int;
}

/**
 * Names the highest mountains of a continent, or of the world.
 *
 * @param continent such as Europe; defaults to all
 * @param n number of mountains, at most 20
 * @example mountains({ continent: "South America" })
 */
export const ask = plugin.pre(
  { name: "mountains" },
  (_request: PluginRequest, continent: str = "", n: int = 3): PluginRequest => {
    const forwarded = new PluginRequest("heights", { continent, n: Math.min(n, MOST) });
    forwarded.local = n > MOST ? `${MOST} are shown at most` : "";
    return forwarded;
  },
);

/** Summarizes the results of the partitions. */
export const sumUp = plugin.post(
  { name: "mountains" },
  (response: PluginResponse<int, Mountain>): Summary => ({
    highest: response.entries.map(([height, { name }]) => `${name} ${height} m`),
    found: response.hitcount,
    averageHeight: Math.round(response.i0 / Math.max(1, response.hitcount)),
    note: String(response.local),
    engines: response.partials,
  }),
);
