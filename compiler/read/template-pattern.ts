// Template literal types as anchored regular expressions: `v${number}` becomes `^v-?\d+…$`. As in
// TypeScript, a hole ends at the first occurrence of the following text. Matching never backtracks,
// so it takes linear time for any input.

import { ts } from "ts-morph";
import { INTEGER_SOURCE, NUMBER_SOURCE } from "../record/key-patterns.js";
import { readBrand } from "./package-symbols.js";

const DIGIT = String.raw`\d`;
const CHARACTER = String.raw`[\s\S]`;

export function patternSource(checker: ts.TypeChecker, type: ts.TemplateLiteralType): string {
  const texts = type.texts.map(escapeText);
  const parts = type.types.map((hole, index) => {
    const isLast = index === type.types.length - 1;
    return holeSource(numberSource(checker, hole), texts[index + 1]!, isLast) + texts[index + 1];
  });
  return `^${texts[0]}${parts.join("")}$`;
}

/**
 * @param number source of a number; null for a hole that accepts any text
 * @param next text after the hole; if empty, the next hole starts after one character
 */
function holeSource(number: string | null, next: string, isLast: boolean): string {
  if (next === "" && !isLast) return number === null ? CHARACTER : DIGIT;
  if (number !== null) return number;
  return isLast ? `${CHARACTER}*` : `(?:(?!${next})${CHARACTER})*`;
}

/** Returns the pattern of the keys that an index signature accepts; null: all keys. */
export function readKeyPattern(checker: ts.TypeChecker, key: ts.Type): string | null {
  if (key.flags & ts.TypeFlags.TemplateLiteral) {
    return patternSource(checker, key as ts.TemplateLiteralType);
  }
  const number = numberSource(checker, key);
  return number === null ? null : `^${number}$`;
}

function numberSource(checker: ts.TypeChecker, hole: ts.Type): string | null {
  const brand = readBrand(checker, hole);
  if (brand !== null) return brand === "int" ? INTEGER_SOURCE : NUMBER_SOURCE;
  // User-defined brands.
  const parts = hole.isIntersection() ? hole.types : [hole];
  const has = (flag: ts.TypeFlags) => parts.some(({ flags }) => (flags & flag) !== 0);
  if (has(ts.TypeFlags.Number)) return NUMBER_SOURCE;
  return has(ts.TypeFlags.BigInt) ? INTEGER_SOURCE : null;
}

/** Escapes a text for a regular expression. */
export function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
