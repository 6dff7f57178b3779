// What runs in the dispatcher: a pre-processor that asks the engines something else than it was
// asked, and a post-processor that makes a plain answer of the merged list.

import { type int, PluginRequest, type PluginResponse, plugin, type str } from "svc-server";
import type { Mountain } from "./facts.js";

const MOST = 20;

interface Summary {
  readonly highest: readonly string[];
  readonly found: int;
  readonly averageHeight: int;
  readonly note: str;
  readonly engines: int;
}

/** Names the highest mountains of a continent, or of the world. */
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
