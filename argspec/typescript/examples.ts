// Example calls with a client, for comments and for the README of a generated package.

import type { ExampleSpec } from "../argspec.js";
import type { Operation } from "../operations.js";
import { commentText, plainCode } from "./doc-comment.js";
import type { Method } from "./section.js";

/** Returns a call, or the author's own text. Safe within a comment. */
export function exampleCode(example: ExampleSpec, call: string, form: Method["form"]): string {
  if (!("query" in example)) return commentText(example.text);
  const code = `${call}(${objectText(example.query)})`;
  return commentText(
    form === "stream" ? `for await (const piece of ${code}) use(piece);` : `await ${code};`,
  );
}

/** Returns a call with the author's example, or with the required parameters. */
export function sampleCall({ params, content, examples }: Operation, call: string): string {
  const example = examples.find((candidate) => "query" in candidate);
  if (example !== undefined && "query" in example) return `${call}(${objectText(example.query)})`;
  const inputs = content === null ? params : [...params, content];
  const names = inputs.filter(({ required }) => required).map(({ name }) => name);
  return `${call}(${names.length === 0 ? "" : `{ ${names.join(", ")} }`})`;
}

/** A foreign argspec may contain any name. */
function key(name: string): string {
  return /^\w+$/.test(name) ? name : JSON.stringify(name);
}

function objectText(members: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(members).map(
    ([name, value]) => `${key(name)}: ${JSON.stringify(value) ?? "undefined"}`,
  );
  return texts.length === 0 ? "" : plainCode(`{ ${texts.join(", ")} }`);
}
