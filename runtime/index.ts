// The public library: what plugins import, and what runs a server inside another program.

export { ERROR_CODES, type ErrorCode } from "./error-codes.js";
export {
  ArgumentError,
  PluginError,
  RequestError,
  ResponseError,
  SvcError,
} from "./errors.js";
export * from "./graph/constants.js";
export {
  AccessError,
  ArcError,
  CapacityError,
  DataError,
  EnumerationError,
  IndexError,
  KeyError,
  LookupError,
  OperationTimeout,
  QueryError,
  SearchError,
  UnsupportedError,
  ValueError,
  VertexError,
} from "./graph/errors.js";
export { Graph } from "./graph/graph.js";
export type { GraphOptions } from "./graph/keeper/thread-graphs.js";
export type {
  AdjacencyQuery,
  AggregatorQuery,
  ArcsQuery,
  NeighborhoodQuery,
  VerticesQuery,
} from "./graph/query/prepared-query.js";
export type {
  AdjacencyQueryOptions,
  AggregateQueryOptions,
  ArcFilter,
  ExecuteOptions,
  GlobalQueryOptions,
  NeighborhoodQueryOptions,
  ValueCondition,
  VertexCondition,
} from "./graph/query/query-options.js";
export type {
  AggregateResult,
  ArcsResult,
  NeighborhoodResult,
  VerticesResult,
} from "./graph/query/typed-results.js";
export { Float, type PropertyValue } from "./graph/store/property-values.js";
export { Vertex } from "./graph/vertex.js";
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
export { bytes, float, int, json, str } from "./plugin/types.js";
export * from "./sort-constants.js";
