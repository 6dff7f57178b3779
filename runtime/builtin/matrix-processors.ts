// Dispatcher-side merging of built-in plugins for a whole matrix and its graphs. These built-in
// post-processors need no executor: they read only the merged response and the state of this
// server. Below the top level, they return a response that can be merged again.

import type { PluginEntry } from "../plugin/contract/plugin-entry.js";
import type { PluginResponse } from "../plugin/response/plugin-response.js";
import { clientErrorStatus } from "./client-faults.js";
import { serverView } from "./context.js";
import {
  describeInstance,
  type ListedPlugin,
  listedPlugins,
  type ObjectCounts,
  response,
} from "./matrix-items.js";
import { mergeQuery, probeRound, secondRound } from "./matrix-queries.js";

export interface MatrixProcessor {
  /** Sends the request to the primary row only. */
  readonly isPrimary: boolean;
  /** Available on the admin port, too. */
  readonly isOnBothPorts: boolean;
  /** Queries a graph: forwarded only if this instance does not have the graph. */
  readonly isOfGraph: boolean;
  /** The responses are endless feeds. */
  readonly isFeed: boolean;
  /** Returns a parameter for a second round of requests; null to respond. */
  readonly secondRound: ((partial: Uint8Array) => string | null) | null;
  readonly post: PluginEntry;
}

const NO_OBJECTS: ObjectCounts = { order: 0, size: 0, properties: 0, vectors: 0 };

/** By path. */
export const MATRIX_PROCESSORS: ReadonlyMap<string, MatrixProcessor> = new Map([
  processor("Identify", identify, { isPrimary: true, isOnBothPorts: true }),
  processor("MatrixObjects", sumObjects, { isPrimary: true, isOnBothPorts: true }),
  processor("matrixplugins", listPlugins),
  processor("search", mergeQuery, { isOfGraph: true, secondRound }),
  processor("nearest", mergeQuery, { isOfGraph: true, secondRound: probeRound }),
  processor("vertices", mergeQuery, { isOfGraph: true }),
  processor("arcs", mergeQuery, { isOfGraph: true }),
  processor("neighbor", mergeQuery, { isOfGraph: true }),
  processor("paths", mergeQuery, { isOfGraph: true }),
  processor("changes", () => null, { isOfGraph: true, isFeed: true }),
]);

function processor(
  name: string,
  combine: (merged: PluginResponse<never, never>) => unknown,
  options: Partial<MatrixProcessor> = {},
): [path: string, MatrixProcessor] {
  const path = `/svc/builtin/${name}`;
  const post: PluginEntry = {
    name,
    role: "post",
    graph: null,
    readonly: true,
    readers: {},
    description: { path, description: "", parameters: {}, bound_graph: null },
    // Post-processors are called with a response.
    invoke: (merged) => combine(merged as object as PluginResponse<never, never>),
    errorStatus: clientErrorStatus,
  };
  const defaults = { isPrimary: false, isOnBothPorts: false, isOfGraph: false };
  return [path, { ...defaults, isFeed: false, secondRound: null, ...options, post }];
}

/** Returns this instance with its back-ends by partition. */
function identify(merged: PluginResponse<number, object>): unknown {
  const identity = { ...describeInstance(serverView(), merged.ident), matrix: merged.entries };
  return merged.toplevel ? identity : response([[merged.partition, identity]]);
}

function sumObjects(merged: PluginResponse<number, ObjectCounts>): unknown {
  const objects = merged.entries.reduce(
    (sum, [, { order, size, properties, vectors }]) => ({
      order: sum.order + order,
      size: sum.size + size,
      properties: sum.properties + properties,
      vectors: sum.vectors + vectors,
    }),
    NO_OBJECTS,
  );
  return merged.toplevel ? { level: merged.level, objects } : response([[1, objects]]);
}

/** Parallel dispatchers have the same plugins; each is listed once. */
function listPlugins(merged: PluginResponse<string, ListedPlugin>): unknown {
  const location = merged.toplevel ? "top-dispatch" : "dispatch";
  const ownPlugins = listedPlugins(serverView(), location, merged.level);
  const byKey = new Map([...merged.entries, ...ownPlugins]);
  const entries = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  return merged.toplevel ? entries.map(([, plugin]) => plugin) : response(entries);
}
