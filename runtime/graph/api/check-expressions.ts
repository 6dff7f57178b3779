// Static checks of query texts without a graph, for plugin builds: syntax of expressions and
// `select`, and warnings.

import { checkExpressionSite, type QuerySite } from "../evaluate/expression-check.js";
import { ExpressionError } from "../evaluate/expression-error.js";
import { expressionFacts } from "../evaluate/expression-facts.js";
import { isNameOnly } from "../evaluate/named-expressions.js";
import { compileExpression } from "../evaluate/program.js";
import { checkSelect } from "../query/render/select.js";

/** Where a text occurs; `name := …` is allowed only in definitions. */
export type ExpressionSite = QuerySite | "definition";

export interface ExpressionFault {
  readonly problem: string;
  /** Offset and length of the erroneous part. */
  readonly at: number;
  readonly length: number;
}

/** Returns the error of a text; null if it is valid at the site. */
export function expressionFault(text: string, site: ExpressionSite): ExpressionFault | null {
  try {
    if (site === "select") checkSelect(text);
    else if (site === "definition") compileExpression(text);
    // A bare name may refer to a definition.
    else if (!isNameOnly(text)) checkExpressionSite(compileExpression(text), site);
    return null;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { problem, at, length } = error;
    return { problem, at, length };
  }
}

/** Returns warnings about a valid text. */
export function expressionHints(text: string, site: ExpressionSite): readonly string[] {
  return site === "select" || isNameOnly(text) ? [] : expressionFacts(text).hints;
}
