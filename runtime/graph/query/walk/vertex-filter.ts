// Conditions of algorithms on single vertices.

import { ExpressionSet } from "../../evaluate/expression-set.js";
import type { GraphStore } from "../../store/graph-store.js";
import { HitCounter } from "../hits/hit-sink.js";
import type { Deadline } from "../match/deadline.js";
import type { VertexCondition } from "../parse/query-options.js";
import { compileVertexCondition } from "../parse/vertex-condition.js";
import { Walker } from "./walker.js";

export type VertexFilter = (vertex: number) => boolean;

/**
 * Returns a function that tests vertices; it is valid until the next query of this thread.
 * @param at path of the condition within the arguments of the call
 * @throws QueryError, SearchError, UnsupportedError
 */
export function createVertexFilter(
  store: GraphStore,
  condition: VertexCondition | undefined,
  at: string,
  deadline: Deadline,
): VertexFilter {
  const expressions = new ExpressionSet(store, undefined);
  const test = compileVertexCondition(store, expressions, condition, at);
  if (test === null) return () => true;
  const run = expressions.isEmpty ? null : expressions.start((steps) => deadline.spend(steps));
  const walker = Walker.of(store);
  return (vertex) => {
    walker.start(NO_HITS, deadline, true, run);
    return walker.test(test, vertex, 0);
  };
}

const NO_HITS = new HitCounter();
