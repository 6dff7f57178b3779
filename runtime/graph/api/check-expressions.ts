// What can be said of the texts of queries without any graph, for who builds plugins: whether an
// expression or a `select` can be read, and what in it looks wrong.

import { checkExpressionSite, type Place } from "../evaluate/expression-check.js";
import { ExpressionError } from "../evaluate/expression-error.js";
import { expressionFacts } from "../evaluate/expression-facts.js";
import { isNameOnly } from "../evaluate/named-expressions.js";
import { compileExpression } from "../evaluate/program.js";
import { checkSelect } from "../query/render/select.js";

/** Where a text stands: `name := …` only where definitions are. */
export type ExpressionSite = Place | "definition";

export interface ExpressionFault {
  readonly problem: string;
  /** Index of the first character of what is wrong, and how many there are. */
  readonly at: number;
  readonly length: number;
}

/** What is wrong with a text; null if it can be used there. */
export function expressionFault(text: string, place: ExpressionSite): ExpressionFault | null {
  try {
    if (place === "select") checkSelect(text);
    else if (place === "definition") compileExpression(text);
    // A name alone may be that of a definition.
    else if (!isNameOnly(text)) checkExpressionSite(compileExpression(text), place);
    return null;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { problem, at, length } = error;
    return { problem, at, length };
  }
}

/** What a text says, and probably should not; it must be without fault. */
export function expressionHints(text: string, place: ExpressionSite): readonly string[] {
  return place === "select" || isNameOnly(text) ? [] : expressionFacts(text).hints;
}
