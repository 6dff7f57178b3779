// The public library: what plugins import, and what runs a server inside another program.

export { ERROR_CODES, type ErrorCode } from "./error-codes.js";
export {
  ArgumentError,
  PluginError,
  RequestError,
  ResponseError,
  SvcError,
} from "./errors.js";
export type { Float } from "./float.js";
export type { VertexName } from "./graph/call-arguments.js";
export type { ArcSpec, ConnectOptions } from "./graph/changes/connect.js";
export type { CreateOptions } from "./graph/changes/vertices.js";
export * from "./graph/constants.js";
export {
  AccessError,
  ArcError,
  CapacityError,
  DataError,
  EnumerationError,
  IndexError,
  InternalError,
  KeyError,
  LookupError,
  OperationTimeout,
  QueryError,
  SearchError,
  UnsupportedError,
  ValueError,
  VertexError,
} from "./graph/errors.js";
export type { EventParameters } from "./graph/expiry/event-control.js";
export { Graph, type OpenVertexState } from "./graph/graph.js";
export type { NameList, ObjectCounts } from "./graph/graph-management.js";
export type { GraphOptions } from "./graph/keeper/thread-graphs.js";
export type { AdjacentOptions } from "./graph/query/adjacent.js";
export type { AggregateOptions } from "./graph/query/aggregate.js";
export type { DegreeOptions } from "./graph/query/degree.js";
export type { ArcListOptions, ListOptions } from "./graph/query/lists.js";
export type { NeighborhoodOptions } from "./graph/query/neighborhood.js";
export type {
  AdjacencyQuery,
  AggregatorQuery,
  ArcsQuery,
  NeighborhoodQuery,
  VerticesQuery,
} from "./graph/query/prepared-query.js";
export type {
  AdjacencyQueryOptions,
  AdjacentRule,
  AggregateQueryOptions,
  ArcFilter,
  CollectRule,
  DegreeCondition,
  ExecuteOptions,
  FieldName,
  GlobalQueryOptions,
  NeighborhoodQueryOptions,
  TimeCondition,
  TraverseRule,
  ValueCondition,
  VertexCondition,
  VertexConditionObject,
} from "./graph/query/query-options.js";
export type {
  AggregateResult,
  AggregateTotals,
  ArcsResult,
  ArcTuple,
  NeighborhoodResult,
  QueryTime,
  VerticesResult,
} from "./graph/query/typed-results.js";
export type { GlobalOptions } from "./graph/query/vertices.js";
export type { AccessMode } from "./graph/sessions/open-vertices.js";
export type { MemoryUsage } from "./graph/status/memory-usage.js";
export type { PropertyValue } from "./graph/store/property-values.js";
export { Vertex } from "./graph/vertex.js";
export type { VertexRecord } from "./graph/vertex-attributes.js";
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
