// One vertex with a few of its arcs (http-interface, "Graph status and queries").

import { S_VAL } from "../../base/sort-constants.js";
import type { Graph } from "../../graph/api/graph.js";
import { D_IN, D_OUT, F_AARC, R_STR } from "../../graph/model/constants.js";
import type { int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { retryUntilUnlocked } from "../retry-until-unlocked.js";
import { graphNamed } from "./graph-named.js";

const TIMEOUT_MS = 5000;

/**
 * Returns the properties, attributes and highest-valued arcs of a vertex.
 * @plugin vertex
 * @readonly
 * @param graph name of the graph
 * @param id id of the vertex
 * @param maxarcs maximum number of arcs per direction
 */
export function vertex(
  _request: PluginRequest,
  graph: str,
  id: str,
  maxarcs: int = 3,
): Promise<object> {
  const target = graphNamed(graph);
  return retryUntilUnlocked(TIMEOUT_MS, (timeout) => {
    const opened = target.openVertex(id, "r", timeout);
    const { id: _, properties, ...attributes } = opened.asDict();
    opened.close();
    return {
      [`Vertex( ${id} )`]: {
        outarcs: arcsOf(target, id, D_OUT, maxarcs),
        inarcs: arcsOf(target, id, D_IN, maxarcs),
        properties,
        attributes,
      },
    };
  });
}

function arcsOf(graph: Graph, id: string, arc: number, hits: number): string[] {
  const options = { arc, hits, fields: F_AARC, sortby: S_VAL, result: R_STR, counts: true };
  const { neighborhood, counts } = graph.neighborhood(id, options) as {
    readonly neighborhood: string[];
    readonly counts: { readonly arcs: number };
  };
  const omitted = counts.arcs - neighborhood.length;
  return omitted > 0 ? [...neighborhood, `(${omitted} more...)`] : neighborhood;
}
