// The public library: what plugins import, and what runs a server inside another program.

export type { ErrorCode } from "./base/error-code.js";
export { ERROR_CODES } from "./base/error-codes.js";
export {
  ArgumentError,
  PluginError,
  RequestError,
  ResponseError,
  SvcError,
} from "./base/errors.js";
export type { Float } from "./base/float.js";
export * from "./base/sort-constants.js";
export type { VertexName } from "./graph/api/call-arguments.js";
export type { OpenVertexInfo } from "./graph/api/graph.js";
export type { NameList, ObjectCounts } from "./graph/api/graph-management.js";
export type { EvaluateOptions } from "./graph/api/graph-queries.js";
export type { GraphSimilarity } from "./graph/api/graph-similarity.js";
export type { GraphSchema } from "./graph/api/schema.js";
export { SchemaGraph as Graph, type SchemaVertex } from "./graph/api/schema-graph.js";
export { Vertex } from "./graph/api/vertex.js";
export type { VertexRecord } from "./graph/api/vertex-attributes.js";
export type { ArcInput, VertexInput } from "./graph/changes/bulk.js";
export type { ArcSpec, ConnectOptions } from "./graph/changes/connect.js";
export type { PropertyIndexState } from "./graph/changes/index-properties.js";
export type { VectorIndexOptions, VectorIndexState } from "./graph/changes/index-vectors.js";
export type { CreateOptions } from "./graph/changes/vertices.js";
export { type ExpressionValue, expr } from "./graph/evaluate/expr.js";
export type { Memory, MemoryCell } from "./graph/evaluate/memory.js";
export type { EvaluationResult } from "./graph/evaluate/result-values.js";
export type { GraphOptions } from "./graph/manager/thread-graphs.js";
export * from "./graph/model/constants.js";
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
} from "./graph/model/errors.js";
export type { AdjacentOptions } from "./graph/query/calls/adjacent.js";
export type { AggregateOptions } from "./graph/query/calls/aggregate.js";
export type {
  ComponentOptions,
  CoOccurrenceOptions,
  PageRankOptions,
  PathOptions,
  ScoredVertex,
  WalkOptions,
} from "./graph/query/calls/algorithms.js";
export type { DegreeOptions } from "./graph/query/calls/degree.js";
export type { ArcListOptions, ListOptions } from "./graph/query/calls/lists.js";
export type { NearestOptions, NearestResult } from "./graph/query/calls/nearest.js";
export type { NeighborhoodOptions } from "./graph/query/calls/neighborhood.js";
export type {
  AdjacencyQuery,
  AggregatorQuery,
  ArcsQuery,
  NeighborhoodQuery,
  VerticesQuery,
} from "./graph/query/calls/prepared-query.js";
export type { ScanOptions } from "./graph/query/calls/stream.js";
export type { VerticesOptions } from "./graph/query/calls/vertices.js";
export type {
  AdjacencyQueryOptions,
  AdjacencyRule,
  AggregateQueryOptions,
  ArcFilter,
  ArcFilterItems,
  ArcValue,
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
} from "./graph/query/parse/query-options.js";
export type {
  AggregateResult,
  AggregateTotals,
  ArcsResult,
  ArcTuple,
  NeighborhoodResult,
  QueryTiming,
  ScannedArc,
  ScannedVertex,
  VerticesResult,
} from "./graph/query/render/typed-results.js";
export type { AccessMode } from "./graph/sessions/open-vertices.js";
export type { EventParameters } from "./graph/status/event-status.js";
export type { MemoryUsage } from "./graph/status/memory-usage.js";
export type { PropertyValue } from "./graph/store/property-values.js";
export type { Feature } from "./graph/vectors/features.js";
export type {
  ProjectionKeySize,
  ProjectionOptions,
  Projections,
} from "./graph/vectors/projections.js";
export type { Similarity } from "./graph/vectors/similarity.js";
export type { SimilaritySettings } from "./graph/vectors/similarity-settings.js";
export {
  Vector,
  type VectorElements,
  type VectorLike,
  type VectorRecord,
} from "./graph/vectors/vector.js";
export type { VectorComponents } from "./graph/vectors/vector-parts.js";
export type { RunOptions } from "./lifecycle/run-server.js";
export { type InitializeOptions, type StartOptions, system } from "./lifecycle/system.js";
export type { ServerMetrics } from "./metrics/server-metrics.js";
export type {
  BeforeHook,
  PluginDescription,
  PluginEntry,
} from "./plugin/contract/plugin-entry.js";
export type { PluginFunction, PostFunction } from "./plugin/contract/plugin-function.js";
export type {
  ExclusiveMaximum,
  ExclusiveMinimum,
  Format,
  MaxItems,
  Maximum,
  MaxLength,
  MinItems,
  Minimum,
  MinLength,
  MultipleOf,
  Pattern,
  UniqueItems,
} from "./plugin/contract/types.js";
export { bytes, float, int, json, str } from "./plugin/contract/types.js";
export type { AddPluginOptions } from "./plugin/register/add-plugin.js";
export { loadPlugins } from "./plugin/register/load-plugins.js";
export { type PluginOptions, plugin } from "./plugin/register/plugin.js";
export { PluginRequest } from "./plugin/request/plugin-request.js";
export { RequestData } from "./plugin/request/request-data.js";
export { HttpError } from "./plugin/response/http-error.js";
export { HttpResponse, type HttpResponseOptions } from "./plugin/response/http-response.js";
export { PluginResponse } from "./plugin/response/plugin-response.js";
export type { StandardSchema } from "./plugin/response/schema-issues.js";
export { ValidationError, validate } from "./plugin/response/validate.js";
