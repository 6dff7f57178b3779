// Converts template literal types to anchored regular expressions: `v${number}` becomes
// `^v-?\d+…$`. As in TypeScript, a placeholder ends at the first occurrence of the following text.
// Matching never backtracks, so it takes linear time for any input.

import { ts } from "ts-morph";
import { INTEGER_SOURCE, NUMBER_SOURCE } from "../record/key-patterns.js";
import { readBrand } from "./package-symbols.js";

const DIGIT = String.raw`\d`;
const CHARACTER = String.raw`[\s\S]`;

export function patternSource(checker: ts.TypeChecker, type: ts.TemplateLiteralType): string {
  const texts = type.texts.map(escapeText);
  const parts = type.types.map((placeholder, index) => {
    const isLast = index === type.types.length - 1;
    return (
      placeholderSource(numberSource(checker, placeholder), texts[index + 1]!, isLast) +
      texts[index + 1]
    );
  });
  return `^${texts[0]}${parts.join("")}$`;
}

/**
 * Returns the regular expression of a placeholder.
 * @param number source of a number; null for a placeholder that accepts any text
 * @param next text after the placeholder; if empty, the next one starts after one character
 */
function placeholderSource(number: string | null, next: string, isLast: boolean): string {
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

function numberSource(checker: ts.TypeChecker, placeholder: ts.Type): string | null {
  const brand = readBrand(checker, placeholder);
  if (brand !== null) return brand === "int" ? INTEGER_SOURCE : NUMBER_SOURCE;
  // User-defined brands.
  const parts = placeholder.isIntersection() ? placeholder.types : [placeholder];
  const has = (flag: ts.TypeFlags) => parts.some(({ flags }) => (flags & flag) !== 0);
  if (has(ts.TypeFlags.Number)) return NUMBER_SOURCE;
  return has(ts.TypeFlags.BigInt) ? INTEGER_SOURCE : null;
}

/** Escapes text for a regular expression. */
export function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
