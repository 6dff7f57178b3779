// The signatures of plugin functions: the first argument is the request, or for a post-processor
// the merged response.

import type { PluginRequest } from "../request/plugin-request.js";
import type { PluginResponse } from "../response/plugin-response.js";

// With `never[]`, unannotated parameters with a default keep their inferred type.

/** An engine or pre-processor function. */
export type PluginFunction = (request: PluginRequest, ...args: never[]) => unknown;
/**
 * A post-processor function. Typed as a method, because method parameters are bivariant: a
 * processor may narrow the types of keys and items to those of its engines.
 */
export type PostFunction = {
  post(response: PluginResponse, ...args: never[]): unknown;
}["post"];
