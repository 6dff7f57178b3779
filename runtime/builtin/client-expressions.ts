// Expressions of clients. Limits their length before they are parsed, and reports errors as client
// errors.

import { ParameterError } from "../base/errors.js";
import { ExpressionError } from "../graph/evaluate/expression-error.js";
import { MAX_HTTP_CELLS, MAX_HTTP_TEXT, MIN_CELLS } from "../graph/evaluate/limits.js";

/** Members of queries and conditions that contain expressions. */
const EXPRESSIONS = new Set(["pre", "filter", "post", "rank", "select"]);

/**
 * Runs code that parses expressions of a client.
 * @throws ParameterError for an invalid expression
 */
export function withClientExpressions<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new ParameterError("QueryError", error.message);
  }
}

/** @throws ParameterError for an expression that is too long */
export function limitExpression(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_HTTP_TEXT) return text;
  const limit = `the maximum is ${MAX_HTTP_TEXT} bytes over HTTP`;
  throw new ParameterError("QueryError", `expression too long: ${bytes} bytes; ${limit}`);
}

/**
 * Limits all expressions in a query, whose depth is limited already.
 * @throws ParameterError for an expression that is too long
 */
export function limitExpressions(query: unknown): void {
  if (typeof query !== "object" || query === null) return;
  for (const [name, value] of Object.entries(query)) {
    if (typeof value !== "string") limitExpressions(value);
    else if (EXPRESSIONS.has(name)) limitExpression(value);
  }
}

/** @throws ParameterError for more cells than clients may use, or too few */
export function limitMemoryCells(cells: number): number {
  if (!Number.isInteger(cells) || cells < MIN_CELLS) {
    throw new ParameterError("ValueError", `memory must be at least ${MIN_CELLS}`);
  }
  if (cells <= MAX_HTTP_CELLS) return cells;
  throw new ParameterError("ValueError", `memory must be at most ${MAX_HTTP_CELLS}`);
}
