// Errors of expressions with their position. The message quotes an excerpt of the user's text with
// a caret.

import { QueryError } from "../model/errors.js";

/** An error in the text of an expression. */
export class ExpressionError extends QueryError {
  override readonly problem: string;
  /** Offset and length of the erroneous part. */
  readonly at: number;
  readonly length: number;

  constructor(message: string, problem = message, at = 0, length = 1) {
    super(message);
    this.problem = problem;
    this.at = at;
    this.length = length;
  }
}

const MAX_CONTEXT = 20;
const MAX_TOKEN = 40;
const MAX_LINE = 100;

/** @param at offset of the first character in `text`; positions in messages count from 1 */
export function expressionError(
  problem: string,
  text: string,
  at: number,
  token: string,
): ExpressionError {
  const before = at > MAX_CONTEXT ? `...${text.slice(at - MAX_CONTEXT, at)}` : text.slice(0, at);
  const rest = text.slice(at, at + MAX_CONTEXT);
  const after = at + MAX_CONTEXT < text.length ? `${rest}...` : rest;
  const shown = token.length > MAX_TOKEN ? `${token.slice(0, MAX_TOKEN)}...` : token;
  const head = `Syntax error [ ${problem} ] at pos=${at + 1} ('${shown}')`;
  const excerpt = `${before}<<<ERROR>>>${after}`.replace(/[\t\r\n]/g, " ");
  const message = `${head}: ${excerpt}\n${caretLine(text, at)}`;
  return new ExpressionError(message, problem, at, Math.max(1, token.length));
}

/** Returns the error for an operation not allowed at the expression's site. */
export function expressionErrorAt(problem: string, text: string, at: number): ExpressionError {
  return new ExpressionError(`${problem}\n${caretLine(text, at)}`, problem, at);
}

/** Returns the line of a position, with a caret below it. */
function caretLine(text: string, at: number): string {
  // A negative start would find a line end at offset 0.
  const begin = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  const newline = text.indexOf("\n", at);
  const end = newline < 0 ? text.length : newline;
  const from = Math.max(begin, at - MAX_LINE / 2);
  const line = text.slice(from, Math.min(end, from + MAX_LINE)).replace(/[\t\r]/g, " ");
  return `  ${line}\n  ${" ".repeat(at - from)}^`;
}
