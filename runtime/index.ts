// The public library: what plugins import, and what runs a server inside another program.

export { ERROR_CODES, type ErrorCode } from "./error-codes.js";
export {
  ArgumentError,
  PluginError,
  RequestError,
  ResponseError,
  SvcError,
} from "./errors.js";
export type { RunOptions } from "./lifecycle/run-server.js";
export { type InitializeOptions, type StartOptions, system } from "./lifecycle/system.js";
export type { ServerMetrics } from "./metrics/server-metrics.js";
export type { AddPluginOptions } from "./plugin/add-plugin.js";
export { loadPlugins } from "./plugin/load-plugins.js";
export { type PluginOptions, plugin } from "./plugin/plugin.js";
export type { PluginDescription, PluginEntry } from "./plugin/plugin-entry.js";
export type { PluginFunction, PostFunction } from "./plugin/plugin-function.js";
export { PluginRequest } from "./plugin/plugin-request.js";
export { PluginResponse } from "./plugin/plugin-response.js";
export * from "./plugin/sort-constants.js";
export { bytes, float, int, json, str } from "./plugin/types.js";
