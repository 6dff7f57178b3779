// Expressions over HTTP (http-interface, "Graph status and queries"): evaluate, define, and
// describe the language for tools. The cost of a text is limited here.

import type { ArcSpec } from "../../graph/api/public-names.js";
import { displayEvaluation } from "../../graph/api/shown-evaluation.js";
import { expressionFacts, vocabulary } from "../../graph/evaluate/expression-facts.js";
import type { int, str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { limitExpression, limitMemoryCells, withClientExpressions } from "../client-expressions.js";
import { queryArgument, queryNames } from "../query-json.js";
import { sharedMemory } from "../shared-memory.js";
import { graphNamed } from "./graph-named.js";

const TIMEOUT_MS = 5000;

/**
 * Evaluates an expression.
 * @plugin evaluate
 * @readonly
 * @param content the expression; takes precedence over `expression`
 * @param graph name of the graph
 * @param expression the expression
 * @param tail id of the vertex `vertex`
 * @param arc the arc `next.arc` as `["relationship", modifier, value]`
 * @param head id of the vertex `next`
 * @param memory number of memory cells
 * @param memresult number of cells to return
 * @param sharedmem nonzero: reuse the cells of the last request with the same size
 * @param vocabulary nonzero: return the names of the language and of queries instead
 * @param check nonzero: return facts about the expression instead of its value
 */
export function evaluate(
  request: PluginRequest,
  content: str,
  graph: str,
  expression: str = "",
  tail: str = "",
  arc: str = "",
  head: str = "",
  memory: int = 128,
  memresult: int = 0,
  sharedmem: int = 0,
  vocabulary: int = 0,
  check: int = 0,
): object {
  if (vocabulary !== 0) return { ...names(), query: queryNames() };
  const text = limitExpression(content.trim() === "" ? expression : content);
  if (check !== 0) return withClientExpressions(() => expressionFacts(text));
  const target = graphNamed(graph);
  const size = limitMemoryCells(memory);
  const cells = sharedmem === 0 ? target.memory(size) : sharedMemory(request, target, size);
  const arcSpec = arc === "" ? null : (queryArgument("arc", arc) as ArcSpec);
  const subject = { tail, head, arc: arcSpec, memory: cells };
  const result = withClientExpressions(() => displayEvaluation(target, text, subject, TIMEOUT_MS));
  return { result, memory: cells.toArray(0, Math.max(memresult, 0)) };
}

/**
 * Defines a name for an expression.
 * @plugin define
 * @param content the definition; takes precedence over `expression`
 * @param graph name of the graph
 * @param expression `name := expression`
 */
export function define(
  _request: PluginRequest,
  content: str,
  graph: str,
  expression: str = "",
): object {
  const target = graphNamed(graph);
  const text = limitExpression(content.trim() === "" ? expression : content);
  withClientExpressions(() => target.define(text));
  return target.getDefinitions();
}

/** Renamed: a parameter is called `vocabulary`. */
const names = vocabulary;
