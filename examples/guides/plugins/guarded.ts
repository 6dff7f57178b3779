// Plugins for authenticated callers. Their hooks run in the order of the tags, which
// `svc build --list` shows.

import type { int, PluginRequest, str } from "svc-server";
import { caller, keep } from "../src/guards.js";

/**
 * Returns the name of the caller.
 *
 * @plugin
 * @readonly
 * @before src/guards.ts#auth
 */
export function whoami(request: PluginRequest): str {
  return caller.get(request).name;
}

let orders = 0;

/**
 * Orders an article. Returns the number of the order.
 *
 * @plugin
 * @before src/guards.ts#auth
 * @before src/guards.ts#limitRate
 * @before src/guards.ts#mayOrder
 */
export function order(
  request: PluginRequest,
  article: str,
  /** @minimum 1 @maximum 99 */ count: int = 1,
): { number: int; by: str; article: str; count: int } {
  return { number: ++orders, by: caller.get(request).name, article, count };
}

/**
 * Returns a result that is expensive to compute, and therefore cached.
 *
 * @plugin
 * @readonly
 * @before src/guards.ts#auth
 * @before src/guards.ts#fromCache
 */
export function popular(request: PluginRequest): { article: str; asked: int } {
  return keep(request, { article: "ab-1000", asked: 1 });
}
