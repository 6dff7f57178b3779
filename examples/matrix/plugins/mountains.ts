// What runs in the dispatcher: a pre-processor that asks the engines something else than it was
// asked, and a post-processor that makes a plain answer of the merged list.

import { type int, PluginRequest, type PluginResponse, plugin, type str } from "svc-server";
import type { Mountain } from "./facts.js";

const MOST = 20;

/** What all engines together know. */
interface Summary {
  /** such as `Elbrus 5642 m` */
  readonly highest: readonly string[];
  /** how many mountains there are in all */
  readonly found: int;
  /** in meters */
  readonly averageHeight: int;
  /** empty where all were shown that were asked for */
  readonly note: str;
  /** how many engines have answered */
  readonly engines: int;
}

/**
 * Names the highest mountains of a continent, or of the world.
 *
 * @param continent such as Europe; all without
 * @param n how many, at most 20
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

/** Sums up what the partitions found. */
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
