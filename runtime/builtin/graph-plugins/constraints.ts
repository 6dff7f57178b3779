// Constraints of graphs over HTTP; declaring and dropping them is for trusted clients only.

import type { Constraint } from "../../graph/api/entry-points.js";
import type { int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { graphNamed } from "./graph-named.js";

/**
 * Lists the constraints of a graph.
 * @plugin constraints
 * @readonly
 * @param graph name of the graph
 */
export function constraints(_request: PluginRequest, graph: str): object {
  return { constraints: graphNamed(graph).constraints() };
}

/**
 * Declares rules for a property of the vertices of a type, in place of earlier ones.
 * @plugin constrain
 * @param graph name of the graph
 * @param type vertex type
 * @param key name of the property
 * @param unique 1: no two vertices have the same value
 * @param required 1: each vertex has a value
 * @param value kind of all values, such as `integer` or `string`; empty: any
 */
export function constrain(
  _request: PluginRequest,
  graph: str,
  type: str,
  key: str,
  unique: int = 0,
  required: int = 0,
  value: str = "",
): object {
  const target = graphNamed(graph);
  const rules = { unique: unique !== 0, required: required !== 0 };
  const kind = value === "" ? undefined : (value as Constraint["value"]);
  target.constrain({ type, key, ...rules, value: kind });
  return { constraints: target.constraints() };
}

/**
 * Drops the rules for a property of a type.
 * @plugin dropconstraint
 * @param graph name of the graph
 * @param type vertex type
 * @param key name of the property
 */
export function dropconstraint(_request: PluginRequest, graph: str, type: str, key: str): object {
  const target = graphNamed(graph);
  const dropped = target.dropConstraint({ type, key });
  return { dropped, constraints: target.constraints() };
}
