// Template literal types as anchored regular expressions: `v${number}` is `^v-?\d+…$`.

import { ts } from "ts-morph";

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
const INTEGER = String.raw`-?\d+`;
const ANYTHING = String.raw`[\s\S]*`;

export function patternSource(type: ts.TemplateLiteralType): string {
  const parts = type.texts.map((text, index) => {
    const hole = type.types[index];
    return escapeText(text) + (hole ? holeSource(hole) : "");
  });
  return `^${parts.join("")}$`;
}

function holeSource(type: ts.Type): string {
  if (type.flags & ts.TypeFlags.Number) return NUMBER;
  if (type.flags & ts.TypeFlags.BigInt) return INTEGER;
  return ANYTHING;
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
