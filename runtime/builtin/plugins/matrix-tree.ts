// Built-in plugins about all instances of a matrix: the contribution of an engine. Dispatchers
// merge it in `matrix-processors.ts`.

import { graphTotals } from "../../graph/api/status/graph-totals.js";
import type { PluginDescription } from "../../plugin/contract/plugin-entry.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import type { PluginResponse } from "../../plugin/response/plugin-response.js";
import { serverView } from "../context.js";
import { describeInstance, listedPlugins, type ObjectCounts, response } from "../matrix-items.js";

class Exception extends Error {}

/**
 * Identifies all instances that take part in a request.
 * @plugin Identify
 * @readonly
 */
export function identify(request: PluginRequest): PluginResponse<number, object> {
  const view = serverView();
  const graphs = view.graphs().map(({ store }) => [store.name, [store.order, store.size]]);
  const identity = {
    ...describeInstance(view, request.ident),
    registry: Object.fromEntries(graphs),
  };
  return response([[request.partition, identity]]);
}

/**
 * Counts graph objects across all partitions.
 * @plugin MatrixObjects
 * @readonly
 */
export function matrixObjects(_request: PluginRequest): PluginResponse<number, ObjectCounts> {
  const { order, size, properties, vectors } = graphTotals(serverView().graphs());
  return response([[1, { order, size, properties, vectors }]]);
}

/**
 * User-defined plugins on all levels.
 * @plugin matrixplugins
 * @readonly
 */
export function matrixPlugins({
  port,
  baseport,
  partition,
}: PluginRequest): PluginResponse<string, PluginDescription> {
  if (port !== baseport) {
    const ports = `base port ${baseport} required for this request, port ${port} was used`;
    throw new Exception(`Server ${ports}`);
  }
  // All partitions have the same plugins.
  return response(partition > 0 ? [] : listedPlugins(serverView(), "engine", 0));
}
