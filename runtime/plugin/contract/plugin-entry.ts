// The run-time form of one registered plugin: emitted by `svc build` into `.svc/plugins.js`, or
// created by `addPlugin`. Executors call `invoke`; the IO thread sees only the record.

import type { PluginRole } from "../../../argspec/argspec.js";
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

/**
 * Converts the request's query, headers and body to the function's arguments and calls it. Throws
 * ParameterError for invalid input; all other errors come from the plugin.
 */
export type Invoke = (request: PluginRequest, source: RequestSource) => unknown;

/**
 * Runs before a plugin: throws to reject the request, returns a value other than undefined to
 * answer it.
 */
export type BeforeHook = (request: PluginRequest) => unknown;

/** Returns what is wrong with a result, or null. */
export type ResultFault = (result: unknown) => string | null;

export interface PluginEntry {
  readonly name: string;
  readonly role: PluginRole;
  readonly graph: string | null;
  readonly readonly: boolean;
  /** The reader of each parameter, for `request.params`. */
  readonly readers: Readonly<Record<string, ParamReader>>;
  readonly description: PluginDescription;
  readonly invoke: Invoke;
  /** NaN in the result is an error, because its declared type is number. */
  readonly isExact?: true;
  /** Returns why a result, or an item of a stream, breaks its declared type; null if not. */
  readonly resultFault?: ResultFault;
  /** Converts instances of classes in a result, or in an item of it, to JSON values. */
  readonly encodeResult?: (value: unknown) => unknown;
  /** Hooks in order; never empty. */
  readonly before?: readonly BeforeHook[];
  /** Returns the status of an error that is the client's fault, null for others. */
  readonly errorStatus?: (thrown: unknown) => number | null;
}
