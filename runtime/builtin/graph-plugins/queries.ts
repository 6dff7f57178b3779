// Graph queries over HTTP (http-interface, "Graph status and queries"). Arguments have four
// sources, in ascending precedence: defaults, URL, the text `query`, the body.

import { ParameterError } from "../../base/errors.js";
import type { Graph } from "../../graph/api/graph.js";
import { requireApproximate } from "../../graph/api/graph-similarity.js";
import type { PartitionQuery } from "../../graph/api/partition-queries.js";
import type { ArcFilter, Vector } from "../../graph/api/public-names.js";
import { D_OUT, F_AARC, F_NAMES } from "../../graph/model/constants.js";
import type { int, json, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import {
  limitExpressions,
  limitMemoryCells,
  withClientExpressions,
} from "../client-expressions.js";
import { limitFacets, limitHits } from "../client-search.js";
import { createPartitionResponse, missingVector } from "../partition-response.js";
import { queryArgument, queryFromText } from "../query-json.js";
import { retryUntilUnlocked } from "../retry-until-unlocked.js";
import { sharedMemory } from "../shared-memory.js";
import { checkVectors, vectorParameter, vectorsParameter } from "../vector-json.js";
import { graphNamed } from "./graph-named.js";
import { MAX_UNASKED_HITS, partitionResponse, partitionStatistics } from "./partition-query.js";

const TIMEOUT_MS = 5000;
/** Default size of a shared memory. */
const DEFAULT_CELLS = 128;
/** URL arguments that are typed parameters of all these plugins. */
const PARAMETERS = ["graph", "hits", "query"];
/** Further ones of plugins that search named vectors. */
const NAMED = ["name"];
/** Further ones of plugins whose expressions can share a memory. */
const SHARED_MEMORY = ["sharedmem"];

/**
 * Returns the neighborhood of a vertex.
 * @plugin neighbor
 * @readonly
 * @param content as `query`; takes precedence over it
 * @param graph name of the graph
 * @param id id of the vertex
 * @param hits maximum number of entries; negative: all, up to 10,000
 * @param query other arguments of the query as JSON
 * @param sharedmem nonzero: reuse the memory of the last request with the same size
 */
export function neighbor(
  request: PluginRequest,
  content: str,
  graph: str,
  id: str = "",
  hits: int = 25,
  query: str = "",
  sharedmem: int = 0,
): unknown {
  const defaults = { id, hits, fields: F_AARC };
  const target = graphNamed(graph);
  const args = queryArguments(request, defaults, [query, content], SHARED_MEMORY);
  return answerQuery({ request, graph: target, args, sharedmem }, "neighborhood", {
    run: ({ id, ...options }) => target.neighborhood(id as string, options),
    inPartition: ({ id, ...options }) => ({ call: "neighborhood", anchor: id as string, options }),
  });
}

/**
 * Returns vertices of a graph.
 * @plugin vertices
 * @readonly
 * @param content as `query`; takes precedence over it
 * @param graph name of the graph
 * @param hits maximum number of entries; negative: all, up to 10,000
 * @param query other arguments of the query as JSON
 * @param sharedmem nonzero: reuse the memory of the last request with the same size
 */
export function vertices(
  request: PluginRequest,
  content: str,
  graph: str,
  hits: int = 25,
  query: str = "",
  sharedmem: int = 0,
): unknown {
  const defaults = { hits, fields: F_NAMES };
  const target = graphNamed(graph);
  const args = queryArguments(request, defaults, [query, content], SHARED_MEMORY);
  return answerQuery({ request, graph: target, args, sharedmem }, "vertices", {
    run: (options) => target.vertices(options),
    inPartition: (options) => ({ call: "vertices", options }),
  });
}

/**
 * Returns the vertices whose texts match best, best first.
 * @plugin search
 * @readonly
 * @param content as `query`; takes precedence over it
 * @param graph name of the graph
 * @param text words, "phrases", -excluded words and prefixes* to search for
 * @param hits maximum number of entries; negative: all, up to 10,000
 * @param query other arguments of the query as JSON
 * @param sharedmem nonzero: reuse the memory of the last request with the same size
 * @param statistics sums over several graphs, for the scores
 */
export function search(
  request: PluginRequest,
  content: str,
  graph: str,
  text: str = "",
  hits: int = 10,
  query: str = "",
  sharedmem: int = 0,
  statistics: json = null,
): unknown {
  const target = graphNamed(graph);
  const typed = [...SHARED_MEMORY, "statistics"];
  const args = queryArguments(request, { text, hits }, [query, content], typed);
  limitHits(args);
  if (statistics !== null) args.statistics = statistics;
  if (!request.toplevel && needsStatistics(args)) {
    const { text: query, ...options } = args;
    return partitionStatistics(target, query as string, options);
  }
  return answerQuery({ request, graph: target, args, sharedmem }, "search", {
    run: ({ text: query, ...options }) => target.search(query as string, options),
    inPartition: ({ text: query, ...options }) => {
      return { call: "search", text: query as string, options };
    },
  });
}

/** Returns whether a search must be scored with the statistics of all partitions. */
function needsStatistics({ statistics, cursor }: Arguments): boolean {
  return statistics === true || (cursor === true && (statistics ?? false) === false);
}

/**
 * Returns arcs of a graph.
 * @plugin arcs
 * @readonly
 * @param content as `query`; takes precedence over it
 * @param graph name of the graph
 * @param hits maximum number of entries; negative: all, up to 10,000
 * @param query other arguments of the query as JSON
 * @param arc arc filter: a relationship, or JSON
 * @param sharedmem nonzero: reuse the memory of the last request with the same size
 */
export function arcs(
  request: PluginRequest,
  content: str,
  graph: str,
  hits: int = 25,
  query: str = "",
  arc: str = "",
  sharedmem: int = 0,
): unknown {
  const defaults = { hits, fields: F_AARC, arc };
  const target = graphNamed(graph);
  const args = queryArguments(request, defaults, [query, content], SHARED_MEMORY);
  return answerQuery({ request, graph: target, args, sharedmem }, "arcs", {
    run: (options) => target.arcs(withArc(options)),
    inPartition: (options) => ({ call: "arcs", options: withArc(options) }),
  });
}

/** Returns the options of `arcs` with the filter as a condition. */
function withArc({ arc: filter, ...options }: Arguments): Arguments {
  if (filter === null || filter === "") return options;
  // In a condition, a relationship matches both directions: each arc would be listed twice.
  const arc = (typeof filter === "string" ? [filter, D_OUT] : filter) as ArcFilter;
  return { ...options, condition: { arc, ...conditionOf(options.condition) } };
}

/**
 * Returns paths from a vertex to each that `neighbor` accepts, or all shortest ones to another.
 * @plugin paths
 * @readonly
 * @param content as `query`; takes precedence over it
 * @param graph name of the graph
 * @param id id of the first vertex
 * @param to id of the last vertex; default: each that `neighbor` accepts
 * @param hits maximum number of paths; negative: all, up to 10,000
 * @param query `arc`, `repeat`, `through`, `neighbor`; with `to` `weighted`, `maxDepth`, `k`
 */
export function paths(
  request: PluginRequest,
  content: str,
  graph: str,
  id: str = "",
  to: str = "",
  hits: int = 25,
  query: str = "",
): unknown {
  const args = queryArguments(request, { id, to, hits }, [query, content]);
  const { id: start, to: goal, ...others } = args;
  const options: Arguments = { ...others, hits: limitPaths(others.hits) };
  const target = graphNamed(graph);
  const from = start as string;
  if (!request.toplevel) {
    const query = (pathOptions: Arguments): PartitionQuery =>
      goal === ""
        ? { call: "paths", anchor: from, options: pathOptions }
        : { call: "shortestPaths", anchor: from, goal: goal as string, options: pathOptions };
    return withClientExpressions(() => partitionResponse(target, options, query));
  }
  return withClientExpressions(() =>
    goal === "" ? target.paths(from, options) : target.shortestPaths(from, goal as string, options),
  );
}

/** Returns the maximum number of paths; values that are not numbers are rejected later. */
function limitPaths(hits: unknown): unknown {
  if (typeof hits !== "number" && hits !== null) return hits;
  return hits === null || hits < 0 ? MAX_UNASKED_HITS : Math.min(hits, MAX_UNASKED_HITS);
}

/**
 * Returns the vertices with the vectors most similar to a vector, best first.
 * @plugin nearest
 * @readonly
 * @param content as `query`; takes precedence over it
 * @param graph name of the graph
 * @param id id of a vertex, whose vector replaces a missing `vector`
 * @param hits maximum number of entries; negative: all, up to 10,000
 * @param query `vector` (numbers, or float32s in base64), `vectors` by name with `weights`,
 * `condition`, `approximate` as JSON
 * @param name name of the vectors that `vector` or `id` is compared with; empty: those without one
 */
export function nearest(
  request: PluginRequest,
  content: str,
  graph: str,
  id: str = "",
  hits: int = 10,
  query: str = "",
  name: str = "",
): unknown {
  const texts = [query, content];
  const { vector, vectors = {}, ...args } = queryArguments(request, { id, hits }, texts, NAMED);
  const { id: anchor, ...options } = args;
  const target = graphNamed(graph);
  const probes = readProbes(target, vector, vectors, name);
  if (Object.keys(probes).length === 0 && anchor === "") {
    throw new ParameterError("TypeError", "missing required argument: 'vector' or 'id'");
  }
  checkVectors(target, options);
  requireApproximate(options.approximate);
  const isGiven = Object.keys(probes).length > 0;
  if (!request.toplevel) {
    const start = { id: String(anchor), name };
    return nearestInPartition(target, isGiven ? probes : null, start, options);
  }
  if (isGiven) return withClientExpressions(() => target.nearest(probes, options));
  return nearestTo(target, String(anchor), name, options);
}

type Probes = Readonly<Record<string, Vector>>;

/** @throws ParameterError for an invalid vector */
function readProbes(graph: Graph, vector: unknown, vectors: unknown, name: string): Probes {
  const probe = vectorParameter(graph, "vector", vector, name);
  const probes = { ...vectorsParameter(graph, vectors), ...(probe !== null && { [name]: probe }) };
  for (const [probeName, { length }] of Object.entries(probes)) {
    if (length > 0) continue;
    const parameter = probeName === name ? "vector" : `vectors.${probeName}`;
    throw new ParameterError("ValueError", `${parameter} (it has no components)`);
  }
  return probes;
}

async function nearestTo(graph: Graph, id: string, name: string, options: object): Promise<object> {
  const vector = await readProbe(graph, id, name);
  if (vector.length === 0) throw missingVector(id);
  return graph.nearest({ [name]: vector }, options);
}

/** Without a vector, the partition with the vertex returns its vector for a second round. */
function nearestInPartition(
  graph: Graph,
  probes: Probes | null,
  { id, name }: { readonly id: string; readonly name: string },
  options: Arguments,
): unknown {
  if (probes !== null) {
    return withClientExpressions(() =>
      partitionResponse(graph, options, (partitionOptions) => {
        return { call: "nearest", probes, options: partitionOptions };
      }),
    );
  }
  if (!graph.hasVertex(id)) return createPartitionResponse({ kind: "missing", id });
  return readProbe(graph, id, name).then((vector) =>
    createPartitionResponse(
      vector.length === 0
        ? { kind: "bare", id }
        : { kind: "probe", vector: JSON.stringify(vector) },
    ),
  );
}

function readProbe(graph: Graph, id: string, name: string): Promise<Vector> {
  return retryUntilUnlocked(TIMEOUT_MS, (timeout) => {
    const vertex = graph.openVertex(id, "r", timeout);
    const probe = vertex.getVector(name);
    vertex.close();
    return probe;
  });
}

type Arguments = Record<string, unknown>;

/** A query as a client sent it. */
interface ClientQuery {
  readonly request: PluginRequest;
  readonly graph: Graph;
  readonly args: Arguments;
  readonly sharedmem: number;
}

/** Executors of a query: for a client, and for a dispatcher that merges results. */
interface QueryCalls {
  run(options: Arguments): unknown;
  inPartition(options: Arguments): PartitionQuery;
}

function answerQuery(
  { request, graph, args, sharedmem }: ClientQuery,
  name: PartitionQuery["call"],
  { run, inPartition }: QueryCalls,
): unknown {
  if (request.toplevel) return withMemory(request, graph, name, args, sharedmem, run);
  const { memory = 0, ...options } = args;
  if (memory !== 0 || sharedmem !== 0) {
    const reason = "expression memory belongs to one graph, not to the partitions of a matrix";
    throw new ParameterError("QueryError", `memory (${reason})`);
  }
  checkVectors(graph, options);
  return withClientExpressions(() => partitionResponse(graph, options, inPartition));
}

function queryArguments(
  request: PluginRequest,
  defaults: Arguments,
  texts: readonly string[],
  typed: readonly string[] = [],
): Arguments {
  // Without a prototype, so that clients cannot set one.
  const args: Arguments = Object.assign(Object.create(null), { timeout: TIMEOUT_MS }, defaults);
  for (const [name, value] of Object.entries(request.params)) {
    if (PARAMETERS.includes(name) || typed.includes(name)) continue;
    args[name] = queryArgument(name, String(value));
  }
  for (const text of texts) {
    if (text.trim() !== "") Object.assign(args, queryFromText(text));
  }
  limitExpressions(args);
  limitFacets(args);
  return args;
}

/** Returns a query result, with a default limit and a notice when it was reached. */
function boundedResult(
  name: string,
  options: Arguments,
  run: (options: Arguments) => unknown,
): unknown {
  const { hits } = options;
  if (hits !== null && !(typeof hits === "number" && hits < 0)) return run(options);
  // The next page continues after the last entry.
  if (options.cursor) return run({ ...options, hits: MAX_UNASKED_HITS });
  const result = run({ ...options, hits: MAX_UNASKED_HITS + 1 });
  const whole = Array.isArray(result) ? { [name]: result } : (result as Arguments);
  const entries = whole[name];
  if (!Array.isArray(entries) || entries.length <= MAX_UNASKED_HITS) return result;
  const reason = `more than ${MAX_UNASKED_HITS} matches: page with sortby, hits and offset`;
  const { bounded = reason } = whole;
  return { ...whole, [name]: entries.slice(0, MAX_UNASKED_HITS), bounded };
}

/** Returns a query result, with the memory of its expressions if requested. */
function withMemory(
  request: PluginRequest,
  graph: Graph,
  name: string,
  { memory = 0, ...options }: Arguments,
  sharedmem: number,
  run: (options: Arguments) => unknown,
): unknown {
  checkVectors(graph, options);
  if (typeof memory !== "number") {
    throw new ParameterError("TypeError", "memory (a number of cells is required)");
  }
  const bounded = (queryOptions: Arguments) => boundedResult(name, queryOptions, run);
  if (memory === 0 && sharedmem === 0) return withClientExpressions(() => bounded(options));
  const size = limitMemoryCells(memory === 0 ? DEFAULT_CELLS : memory);
  const cells = sharedmem === 0 ? graph.memory(size) : sharedMemory(request, graph, size);
  const result = withClientExpressions(() => bounded({ ...options, memory: cells }));
  return { [name]: result, memory: cells.toArray() };
}

/** Returns a condition as an object, to which an arc filter can be added. */
function conditionOf(condition: unknown): object {
  if (condition === undefined || condition === null || condition === "*") return {};
  if (typeof condition === "string") return { id: condition };
  if (!Array.isArray(condition)) return condition as object;
  return typeof condition[0] === "boolean"
    ? { not: condition[0] ? { not: condition[1] } : condition[1] }
    : { id: condition };
}
