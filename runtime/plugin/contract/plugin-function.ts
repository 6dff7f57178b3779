// What a plugin is written as: a function whose first argument is the request, or for a
// post-processor the merged response.

import type { PluginRequest } from "../request/plugin-request.js";
import type { PluginResponse } from "../response/plugin-response.js";

// The `never[]` bound is what lets unannotated parameters with a default keep their inferred type.

/** An engine or pre-processor function. */
export type PluginFunction = (request: PluginRequest, ...args: never[]) => unknown;
/**
 * A post-processor function. Typed as a method, because only what methods take may be narrower than
 * declared: a processor knows best which keys and items its engines return.
 */
export type PostFunction = {
  post(response: PluginResponse, ...args: never[]): unknown;
}["post"];
