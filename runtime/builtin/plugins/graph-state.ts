// State of graphs, read from shared memory without waiting (http-interface, "Graph status and
// queries").

import { baseStatus, graphStatus } from "../../graph/api/status/graph-status.js";
import { memoryUsage } from "../../graph/api/status/memory-usage.js";
import type { RegisteredGraph } from "../../graph/manager/registered-graph.js";
import { SYSTEM_GRAPH, systemProperties } from "../../graph/manager/system-graph.js";
import { KeyError } from "../../graph/model/errors.js";
import type { int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { serverView } from "../context.js";

import { localSystem } from "../local-system.js";
import { systemStatus } from "../system-status.js";

/** Names of the system's own graph. */
const SYSTEM_NAMES = new Set(["system", SYSTEM_GRAPH]);

/**
 * Detailed graph status.
 * @plugin graphinfo
 * @readonly
 * @param graph name of the graph
 * @param simple 1: only name and counts
 */
export function graphinfo(_request: PluginRequest, graph: str, simple: int = 0): object {
  return describeState(graph, simple);
}

/**
 * Detailed status of all graphs, or of one.
 * @plugin status
 * @readonly
 * @param graph name of one graph; empty: all
 * @param simple 1: only the most important values
 */
export function status(_request: PluginRequest, graph: str = "", simple: int = 0): object {
  return graph === "" ? systemStatus(serverView(), simple !== 0) : describeState(graph, simple);
}

/**
 * Detailed graph memory usage in bytes.
 * @plugin memory
 * @readonly
 * @param graph name of the graph, `*` for all
 */
export function memory(_request: PluginRequest, graph: str): object {
  if (graph !== "*") return memoryUsage(graphNamed(graph).store);
  const usages = serverView().graphs();
  return Object.fromEntries(usages.map(({ store }) => [store.name, memoryUsage(store)]));
}

/**
 * System properties.
 * @plugin properties
 * @readonly
 */
export function properties(_request: PluginRequest): object {
  const view = serverView();
  const graph = view.systemGraph();
  const systemValues = graph === null ? {} : systemProperties(graph.store);
  const { id, descriptor } = view.node;
  if (descriptor !== null) {
    return { ...systemValues, SYSTEM_Descriptor: descriptor, SYSTEM_DescriptorIdent: id };
  }
  const alone = localSystem(view);
  const [ident] = alone.instances.keys();
  return { SYSTEM_Descriptor: alone.descriptor, SYSTEM_DescriptorIdent: ident, ...systemValues };
}

function describeState(name: string, simple: number): object {
  const { store, path } = graphNamed(name);
  return simple !== 0 ? baseStatus(store, path) : graphStatus(store, path);
}

/** @throws KeyError for an unknown graph */
function graphNamed(name: string): RegisteredGraph {
  const view = serverView();
  const graph = view.graphs().find(({ store }) => store.name === name);
  if (graph !== undefined) return graph;
  const system = SYSTEM_NAMES.has(name) ? view.systemGraph() : null;
  if (system === null) throw new KeyError(`Graph instance not available: ${name}`);
  return system;
}
