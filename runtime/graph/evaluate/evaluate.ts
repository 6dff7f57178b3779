// `graph.evaluate`: evaluates an expression once, on the vertices and the arc given by the caller.

import { nowSeconds } from "../memory/time.js";
import { type ArcSpec, firstValue, ParsedArc } from "../model/parsed-arc.js";
import type { GraphStore } from "../store/graph-store.js";
import { parseVector, type VectorLike } from "../vectors/vector.js";
import { BoundProgram } from "./bound-program.js";
import { QueryExecution } from "./context.js";
import { checkExpressionSite } from "./expression-check.js";
import { LruCache } from "./lru-cache.js";
import type { MemoryCells } from "./memory-cells.js";
import { findExpression } from "./named-expressions.js";
import type { Expression } from "./program.js";
import { type Value, VectorValue } from "./values.js";

/** Inputs of an expression. */
export interface EvaluationTarget {
  /** Handles, 0 for none. */
  readonly tail: number;
  readonly head: number;
  readonly arc: ArcSpec;
  readonly vector: VectorLike;
  readonly memory: MemoryCells | null;
  readonly spend?: (steps: number) => void;
}

/** Side and level of the arc that the caller passes. */
const OUT = 0;
const FIRST_LEVEL = 1;
const MAX_BOUND = 64;
const MAX_BOUND_TEXT = 1024;

/**
 * Returns the value of an expression.
 * @throws QueryError malformed text, or one that needs a head without one
 * @throws ArcError
 */
export function evaluateText(store: GraphStore, text: string, subject: EvaluationTarget): Value {
  const expression = findExpression(store, text);
  checkExpressionSite(expression, subject.head === 0 ? "evaluateVertex" : "evaluate");
  return evaluateExpression(store, expression, subject);
}

function evaluateExpression(
  store: GraphStore,
  expression: Expression,
  subject: EvaluationTarget,
): Value {
  const { tail, head, arc, vector, memory, spend } = subject;
  const run = new QueryExecution(store, memory);
  if (vector.length > 0) run.vector = new VectorValue(parseVector(vector, "vector"));
  if (spend !== undefined) run.spend = spend;
  const bound = bindCached(store, expression, run);
  const { context } = bound;
  context.vertex.move(tail === 0 ? head : tail);
  context.prev.move(tail === 0 ? head : tail);
  context.next.move(head);
  context.arc.set(0, 0, 0, 0);
  context.prevArc.set(0, 0, 0, 0);
  if (arc !== undefined && arc !== null) {
    const parsed = new ParsedArc().read(arc);
    const code = store.relationships.codeOf(parsed.relationship);
    const word1 = ((code << 16) | (parsed.modifier.code << 8) | parsed.flags) >>> 0;
    const bits = firstValue(parsed, nowSeconds());
    context.arc.set(word1, bits, OUT, FIRST_LEVEL);
    context.prevArc.set(word1, bits, OUT, FIRST_LEVEL);
  }
  return bound.value();
}

/** Caches recently bound programs: binding takes longer than most evaluations. */
function bindCached(store: GraphStore, expression: Expression, run: QueryExecution): BoundProgram {
  let bounds = boundPrograms.get(store);
  if (bounds === undefined) {
    bounds = new LruCache(MAX_BOUND);
    boundPrograms.set(store, bounds);
  }
  const cached = bounds.get(expression.text);
  if (cached !== undefined) {
    cached.bind(run);
    return cached;
  }
  const bound = new BoundProgram(store, expression, run);
  if (expression.text.length <= MAX_BOUND_TEXT) bounds.set(expression.text, bound);
  return bound;
}

const boundPrograms = new WeakMap<GraphStore, LruCache<BoundProgram>>();
