// Template literal types as anchored regular expressions: `v${number}` is `^v-?\d+…$`. As in
// TypeScript, a hole ends where the text behind it comes first. So nothing is tried twice, and the
// time to match grows no faster than the text, whatever a client sends.

import { ts } from "ts-morph";

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`;
const INTEGER = String.raw`-?\d+`;
const DIGIT = String.raw`\d`;
const CHARACTER = String.raw`[\s\S]`;

export function patternSource(type: ts.TemplateLiteralType): string {
  const texts = type.texts.map(escapeText);
  const parts = type.types.map((hole, index) => {
    const isLast = index === type.types.length - 1;
    return holeSource(hole, texts[index + 1]!, isLast) + texts[index + 1];
  });
  return `^${texts[0]}${parts.join("")}$`;
}

/** @param next the text behind the hole; without one, the next hole begins after one character */
function holeSource(type: ts.Type, next: string, isLast: boolean): string {
  const isNumber = (type.flags & (ts.TypeFlags.Number | ts.TypeFlags.BigInt)) !== 0;
  if (next === "" && !isLast) return isNumber ? DIGIT : CHARACTER;
  if (isNumber) return type.flags & ts.TypeFlags.Number ? NUMBER : INTEGER;
  return isLast ? `${CHARACTER}*` : `(?:(?!${next})${CHARACTER})*`;
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
