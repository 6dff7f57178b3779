// Template tag that inserts program values into an expression as literals, so no value is parsed as
// code: expr`next["city"] == ${city}`.

/** A value that can be inserted into an expression. */
export type ExpressionValue = null | boolean | number | string | readonly ExpressionValue[];

/**
 * Returns the text of an expression: values become literals, lists become `a, b, c`.
 * @throws TypeError a value that is not an expression value
 */
export function expr(parts: TemplateStringsArray, ...values: readonly ExpressionValue[]): string {
  return parts.reduce((text, part, index) => `${text}${toLiteral(values[index - 1]!)}${part}`);
}

function toLiteral(value: ExpressionValue): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number" && Number.isFinite(value)) return number(value);
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value) && value.length > 0) return value.map(toLiteral).join(", ");
  throw new TypeError("expr values must be numbers, strings, booleans, null or lists of them");
}

/** Parenthesizes signed numbers: `2 ** -1` and `-2 ** 2` bind differently. */
function number(value: number): string {
  return value < 0 || Object.is(value, -0) ? `(${value})` : String(value);
}

/** Writes every byte as `\xHH`, so quotes, backslashes and stars have no special meaning. */
function quote(text: string): string {
  if (!/['\\*]/.test(text)) return `'${text}'`;
  const bytes = Buffer.from(text);
  return `'${Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}'`;
}
