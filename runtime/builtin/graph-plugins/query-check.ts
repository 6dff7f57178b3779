// Checks a query without executing it, for editors.

import type { Graph } from "../../graph/api/graph.js";
import { rejectedArgument } from "../../graph/model/invalid-argument.js";
import type { int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { limitExpressions, withClientExpressions } from "../client-expressions.js";
import { locateArgument } from "../locate-argument.js";
import { queryFromText } from "../query-json.js";
import { graphNamed } from "./graph-named.js";

/** Arguments that are not part of a prepared query. */
const OF_EXECUTION = ["id", "graph", "hits", "offset", "timeout", "limexec", "memory", "cursor"];

/** A rejected query. */
interface QueryFault {
  readonly valid: false;
  readonly message: string;
  /** Path to the rejected argument; null: unknown. */
  readonly argument: string | null;
  /** Characters before the argument; null: unknown, like line and column, which begin at 1. */
  readonly at: int | null;
  readonly line: int | null;
  readonly column: int | null;
  /** Values that are valid there. */
  readonly expected: string | null;
}

/**
 * Checks a query without executing it.
 * @plugin querycheck
 * @readonly
 * @param content as `query`; takes precedence over it
 * @param graph name of the graph
 * @param call plugin that would execute it
 * @param query the query as JSON
 */
export function querycheck(
  _request: PluginRequest,
  content: str,
  graph: str,
  call: "vertices" | "neighbor" | "arcs" = "vertices",
  query: str = "",
): { readonly valid: true } | QueryFault {
  const target = graphNamed(graph);
  const text = content.trim() === "" ? query : content;
  try {
    const parsed = text.trim() === "" ? {} : queryFromText(text);
    limitExpressions(parsed);
    for (const name of OF_EXECUTION) delete parsed[name];
    withClientExpressions(() => prepare(target, call, parsed));
    return { valid: true };
  } catch (error) {
    return describeFault(text, error as Error);
  }
}

function prepare(graph: Graph, call: "vertices" | "neighbor" | "arcs", options: object): void {
  if (call === "vertices") graph.newVerticesQuery(options);
  else if (call === "arcs") graph.newArcsQuery(options);
  else graph.newNeighborhoodQuery(null, options);
}

function describeFault(text: string, error: Error): QueryFault {
  const rejected = rejectedArgument(error);
  const base = { valid: false, message: error.message } as const;
  if (rejected === null) {
    return { ...base, argument: null, at: null, line: null, column: null, expected: null };
  }
  const argument = rejected.path.replace(/^\./, "");
  const at = locateArgument(text, argument);
  const before = text.slice(0, at).split("\n");
  const column = before.at(-1)!.length + 1;
  return { ...base, argument, at, line: before.length, column, expected: rejected.fits };
}
