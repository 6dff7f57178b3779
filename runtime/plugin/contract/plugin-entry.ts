// The run-time form of one registered plugin: what `svc build` emits into `.svc/plugins.js`, and
// what `addPlugin` makes at run time. Executors call `invoke`; the IO thread sees only the record.

import type { PluginRequest } from "../request/plugin-request.js";
import type { ParamReader } from "../request/query-values.js";
import type { RequestSource } from "./request-source.js";

/** Exactly these four fields (http-interface, "Plugin description record"). */
export interface PluginDescription {
  readonly path: string;
  readonly description: string;
  /** Parameter names in signature order to their type text. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly bound_graph: string | null;
}

export type PluginRole = "engine" | "pre" | "post";

/**
 * Converts the request's query, headers and body to the function's arguments and calls it.
 * Throws ParameterError for bad input; whatever else it throws came from the plugin.
 */
export type Invoke = (request: PluginRequest, source: RequestSource) => unknown;

/**
 * Runs before a plugin: throws to refuse the request, gives anything but undefined to answer it.
 */
export type BeforeHook = (request: PluginRequest) => unknown;

export interface PluginEntry {
  readonly name: string;
  readonly role: PluginRole;
  readonly graph: string | null;
  readonly readonly: boolean;
  /** How each parameter of the signature is read, for `request.params`. */
  readonly readers: Readonly<Record<string, ParamReader>>;
  readonly description: PluginDescription;
  readonly invoke: Invoke;
  /** The type of its result has numbers, and no place for what else a NaN could be. */
  readonly isExact?: true;
  /** What runs before it, in order; never empty. */
  readonly before?: readonly BeforeHook[];
}
