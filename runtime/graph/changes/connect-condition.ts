// Condition for connecting two vertices: an arc filter over the existing arcs between them.

import { D_ANY, D_BOTH, D_IN } from "../model/constants.js";
import type { ArcTest } from "../query/match/arc-test.js";
import { compileArcFilter } from "../query/parse/arc-filter.js";
import type { ArcFilter } from "../query/parse/query-options.js";
import type { GraphStore } from "../store/graph-store.js";

/** Evaluates the condition for two handles, 0 for a missing vertex. */
export type ConnectCondition = (initial: number, terminal: number) => boolean;

/**
 * Compiles a condition. A negated filter holds if no arc matches the negated one, so `[false,
 * "rel"]` connects only vertices not yet connected by `rel`.
 * @throws QueryError
 */
export function connectCondition(store: GraphStore, filter: ArcFilter): ConnectCondition {
  const { isNegated, inner, at } = withoutNegation(filter);
  const test = compileArcFilter(store, inner, D_ANY, `.condition${at}`);
  return (initial, terminal) => {
    test.bind(store.relationships);
    return hasArc(store, initial, terminal, test) !== isNegated;
  };
}

function withoutNegation(filter: ArcFilter): {
  isNegated: boolean;
  inner: ArcFilter;
  at: string;
} {
  let inner = filter;
  let isNegated = false;
  let at = "";
  while (Array.isArray(inner) && inner.length === 2 && typeof inner[0] === "boolean") {
    if (!inner[0]) isNegated = !isNegated;
    inner = inner[1] as ArcFilter;
    at += "[1]";
  }
  return { isNegated, inner, at };
}

function hasArc(store: GraphStore, initial: number, terminal: number, test: ArcTest): boolean {
  if (initial === 0 || terminal === 0 || test.direction === D_IN) return false;
  if (!matchesOne(store, initial, terminal, test)) return false;
  return test.direction !== D_BOTH || matchesOne(store, terminal, initial, test);
}

function matchesOne(store: GraphStore, from: number, to: number, test: ArcTest): boolean {
  const { outArcs } = store;
  return outArcs
    .findAll(from, to, test.relationship)
    .some((at) => test.matches(outArcs.word1At(from, at), outArcs.valueAt(from, at)));
}
