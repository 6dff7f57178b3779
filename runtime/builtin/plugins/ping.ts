// The simplest check that plugins respond.

import type { PluginRequest } from "../../plugin/request/plugin-request.js";

/**
 * Server ping.
 * @plugin ping
 * @readonly
 */
export function ping(_request: PluginRequest): boolean {
  return true;
}
