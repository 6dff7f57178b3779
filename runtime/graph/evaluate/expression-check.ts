// Checks what an expression may do at its site: only arc expressions have a head, only those of
// traversals collect, only vertex conditions cull.

import { expressionErrorAt } from "./expression-error.js";
import { collectNeeds, type Expression } from "./program.js";
import type { Needs } from "./typed-tree.js";

export type QuerySite =
  | "pre"
  | "filter"
  | "post"
  | "local"
  | "localPost"
  | "rank"
  | "rankVertex"
  | "select"
  | "weighted"
  | "evaluate"
  | "evaluateVertex";

const NO_TRAVERSAL: Partial<Record<QuerySite, string>> = {
  pre: "traversal not allowed in pre-filter",
  post: "traversal not allowed in post-filter",
  local: "traversal not allowed in vertex condition local filter",
  localPost: "traversal not allowed in vertex condition post filter",
  rankVertex: "traversal not allowed where vertices are ranked",
  evaluateVertex: "formula requires head vertex",
};
const NO_CULLING: Partial<Record<QuerySite, string>> = {
  pre: "mcull() not allowed in pre-filter",
  localPost: "mcull() not allowed in vertex condition post filter",
  weighted: "mcull() not allowed in weights",
  select: "mcull() not allowed in select statement",
};
const NO_NAME = "a name can only be given by define()";

/** @throws QueryError an operation not allowed at the site, with its position */
export function checkExpressionSite(expression: Expression, site: QuerySite): void {
  const { text, program, name } = expression;
  if (name !== null) throw expressionErrorAt(NO_NAME, text, 0);
  const { needs } = program.typed;
  const refuse = (need: keyof Needs, problem: string | undefined): void => {
    if (problem === undefined || needs[need] < 0) return;
    // A cached program may stem from another text with other positions.
    throw expressionErrorAt(problem, text, collectNeeds(text)[need]);
  };
  refuse("head", NO_TRAVERSAL[site]);
  refuse("cull", NO_CULLING[site]);
  if (site === "pre") refuse("commit", "commit() not allowed in pre-filter");
}
