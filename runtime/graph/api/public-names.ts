// The names of the graph engine that the package exports, for plugins.

export type { KeySlots } from "../../base/instance-slots.js";
export type { ArcInput, VertexInput } from "../changes/bulk.js";
export type { ArcSpec, ConnectOptions } from "../changes/connect.js";
export type { ConstrainedProperty, Constraint } from "../changes/constraints.js";
export type { PropertyIndexState } from "../changes/index-properties.js";
export type { VectorIndexOptions, VectorIndexState } from "../changes/index-vectors.js";
export type { AccessMode } from "../changes/sessions/open-vertices.js";
export type { ConfiguredVectors, VectorSettings } from "../changes/vector-settings.js";
export type { CreateOptions } from "../changes/vertices.js";
export { type ExpressionValue, expr } from "../evaluate/expr.js";
export type { Memory, MemoryCell } from "../evaluate/memory.js";
export type { EvaluationResult } from "../evaluate/result-values.js";
export type { ChangeFilter, ChangeKind, GraphChange } from "../log/graph-change.js";
export type { GraphOptions } from "../manager/thread-graphs.js";
export * from "../model/constants.js";
export {
  AccessError,
  ArcError,
  CapacityError,
  ConstraintError,
  type ConstraintViolation,
  DataError,
  EnumerationError,
  IndexError,
  InternalError,
  KeyError,
  LookupError,
  OperationTimeout,
  OwnerError,
  PositionError,
  PositionExpiredError,
  QueryError,
  SearchError,
  UnsupportedError,
  ValueError,
  VertexError,
} from "../model/errors.js";
export type { AdjacentOptions } from "../query/calls/adjacent.js";
export type { AggregateOptions } from "../query/calls/aggregate.js";
export type { CoOccurrenceOptions, ScoredVertex, WalkOptions } from "../query/calls/algorithms.js";
export type { DegreeOptions } from "../query/calls/degree.js";
export type { ArcListOptions, ListOptions } from "../query/calls/lists.js";
export type { NearestOptions, NearestResult } from "../query/calls/nearest.js";
export type { NeighborhoodOptions } from "../query/calls/neighborhood.js";
export type {
  FoundPath,
  PathOptions,
  PathsOptions,
  ShortestPathsOptions,
} from "../query/calls/paths.js";
export type {
  AdjacencyQuery,
  AggregatorQuery,
  ArcsQuery,
  NeighborhoodQuery,
  VerticesQuery,
} from "../query/calls/prepared-query.js";
export type { ScanOptions } from "../query/calls/stream.js";
export type { VerticesOptions } from "../query/calls/vertices.js";
export type {
  BackgroundOptions,
  ComponentOptions,
  PageRankOptions,
} from "../query/calls/whole-graph.js";
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
  RepeatRange,
  TimeCondition,
  TraverseRule,
  ValueCondition,
  VertexCondition,
  VertexConditionObject,
} from "../query/parse/query-options.js";
export type { Explain, Explained } from "../query/render/explained.js";
export type {
  AggregateResult,
  AggregateTotals,
  ArcsResult,
  ArcTuple,
  Explanation,
  NeighborhoodResult,
  QueryTiming,
  ScannedArc,
  ScannedVertex,
  VerticesResult,
} from "../query/render/typed-results.js";
export type { PropertyValue } from "../store/property-values.js";
export {
  addTextStatistics,
  type TextStatisticsShare,
} from "../texts/text-statistics.js";
export type { Feature } from "../vectors/features.js";
export type { VectorMeasure } from "../vectors/measures/measures.js";
export type { VectorPrecision } from "../vectors/precision.js";
export type {
  ProjectionKeySize,
  ProjectionOptions,
  Projections,
} from "../vectors/projections.js";
export type { Similarity } from "../vectors/similarity.js";
export type { SimilaritySettings } from "../vectors/similarity-settings.js";
export {
  Vector,
  type VectorElements,
  type VectorLike,
  type VectorRecord,
} from "../vectors/vector.js";
export type { VectorComponents } from "../vectors/vector-parts.js";
export type { VertexName } from "./call-arguments.js";
export type { OpenVertexInfo } from "./graph.js";
export type { EvaluateOptions } from "./graph-expressions.js";
export type { NameList, ObjectCounts } from "./graph-management.js";
export type { GraphSimilarity } from "./graph-similarity.js";
export type { NamedVectors } from "./graph-vectors.js";
export type { NamedProbes, NearestProbe } from "./nearest-probe.js";
export type { GraphSchema } from "./schema.js";
export { SchemaGraph as Graph, type SchemaVertex } from "./schema-graph.js";
export type { EventParameters } from "./status/event-status.js";
export type { MemoryUsage } from "./status/memory-usage.js";
export { Vertex } from "./vertex.js";
export type { VertexRecord } from "./vertex-attributes.js";
