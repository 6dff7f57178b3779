// What only known callers may do. The order of what runs before them is that of the tag:
// `svc build --list` shows it.

import type { int, PluginRequest, str } from "svc-server";
import { caller, keep } from "../src/guards.js";

/**
 * Who the server takes the caller for.
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
 * Orders an article. Answers with the number of the order.
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
 * A figure that takes long to find, and is found once.
 *
 * @plugin
 * @readonly
 * @before src/guards.ts#auth
 * @before src/guards.ts#fromCache
 */
export function popular(request: PluginRequest): { article: str; asked: int } {
  return keep(request, { article: "ab-1000", asked: 1 });
}
