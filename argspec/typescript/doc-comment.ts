// Doc comments of generated TypeScript. Their texts come from authors or from a foreign argspec:
// they must never end the comment or be read as tags.

import type { JsonSchema } from "../argspec.js";
import { readLimits } from "../limits/limits.js";

/** Characters that only JavaScript treats as line ends, or that reverse the direction of text. */
const HIDDEN = /[\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Printed code in which such characters of texts are escaped. */
export function plainCode(code: string): string {
  return code.replace(HIDDEN, (found) => `\\u${found.charCodeAt(0).toString(16)}`);
}

/** Returns text for use inside a comment; it may have several lines. */
export function commentText(text: string): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trimEnd());
  return lines
    .join("\n")
    .trim()
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replace(HIDDEN, "")
    .replaceAll("*/", "*\\/")
    .replace(/(^|\s)@/g, "$1\\@");
}

/** Returns the same text on one line. */
export function commentLine(text: string): string {
  return commentText(text.replace(/\s+/g, " "));
}

/** Returns the documentation in a schema. */
export function schemaComment(schema: JsonSchema): string {
  const { description, deprecated } = schema;
  const comment = typeof description === "string" ? commentText(description) : "";
  const tags = [...limitTags(schema), ...(deprecated === true ? ["@deprecated"] : [])];
  return [comment, ...tags].join("\n").trimStart();
}

/** Returns tags such as `@minimum 1` for readers; the server checks the limits. */
export function limitTags(schema: JsonSchema): string[] {
  const { type, prefixItems } = schema;
  if (type === "array" && prefixItems !== undefined) return [];
  const limits = Object.entries(readLimits(schema));
  return limits.map(
    ([word, value]) => `@${word}${value === true ? "" : ` ${commentLine(String(value))}`}`,
  );
}

/** @param parts of the comment; empty ones are skipped; each comes from `commentText` */
export function docComment(parts: readonly string[]): string {
  const lines = parts.filter((part) => part !== "").flatMap((part) => part.split("\n"));
  if (lines.length === 0) return "";
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */\n"].join("\n");
}

/** Indents every non-empty line. */
export function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
