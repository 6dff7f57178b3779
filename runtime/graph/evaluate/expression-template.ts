// Template of an expression: its text with number and string literals replaced by parameters.
// Expressions of one template share everything compiled from it.

import { type Token, TokenKind } from "./tokens.js";

export interface ExpressionTemplate {
  /** Equal for expressions that differ only in literals. */
  readonly key: string;
  readonly literals: readonly (number | string)[];
  /** Parameter number of each literal's token. */
  readonly positions: ReadonlyMap<Token, number>;
}

const { Int, Long, Real, Text } = TokenKind;
const PARAMETERS = new Set<string>([Int, Long, Real, Text]);

export function createTemplate(tokens: readonly Token[]): ExpressionTemplate {
  const literals: (number | string)[] = [];
  const positions = new Map<Token, number>();
  let key = "";
  for (const token of tokens) {
    const { kind, text, value } = token;
    if (PARAMETERS.has(kind)) {
      positions.set(token, literals.push(value as number | string) - 1);
      key += `${kind}\n`;
    } else key += `${text}\n`;
  }
  return { key, literals, positions };
}
