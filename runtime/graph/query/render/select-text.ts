// Parses `select` into items. Errors carry positions, so that a build can report them too.
//
//   price; stock ? 5; .type; *       a property, one with a default, an attribute, all properties
//
//   label: .arc.value * 2            an expression, under a name

import { ExpressionError } from "../../evaluate/expression-error.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { PropertyValue } from "../../store/property-values.js";

/** An item and its position in the text. */
export type SelectItem = { readonly from: number; readonly to: number } & (
  | { readonly kind: "all" }
  | { readonly kind: "attribute"; readonly name: string }
  | { readonly kind: "property"; readonly name: string; readonly fallback: PropertyValue }
  /** An expression, the text at that position. */
  | { readonly kind: "expression"; readonly label: string }
);

interface Part {
  readonly from: number;
  readonly to: number;
}

const MAX_ITEMS = 1000;
const LABEL = /^\s*([A-Za-z_][\w.#$%@]*)\s*:/;
const PROPERTY = /^([A-Za-z_][\w.#$%@]*)(?:\s*\?\s*(.*))?$/s;

/** @throws QueryError not a list of items */
export function parseSelect(select: string): SelectItem[] {
  const parts = partsOf(select);
  if (parts.length > MAX_ITEMS) {
    const text = `too many property fields: ${parts.length}`;
    throw invalidArgument(text, select, `at most ${MAX_ITEMS}`, ".select");
  }
  if (select.trim() === "") throw new ExpressionError("one or more property fields required");
  return parts.map((part) => parseItem(select, part));
}

/** Splits the text at separators outside of brackets and quotes. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  let depth = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (depth <= 0 && (character === ";" || character === ",")) {
      parts.push({ from, to: at });
      from = at + 1;
    }
  }
  parts.push({ from, to: text.length });
  return parts;
}

function parseItem(whole: string, part: Part): SelectItem {
  const slice = whole.slice(part.from, part.to);
  const label = LABEL.exec(slice);
  if (label !== null) {
    return { kind: "expression", label: label[1]!, from: part.from + label[0].length, to: part.to };
  }
  const text = slice.trim();
  const from = part.from + slice.length - slice.trimStart().length;
  const place = { from, to: from + text.length };
  if (text === "*") return { kind: "all", ...place };
  if (text.startsWith(".")) return { kind: "attribute", name: text, ...place };
  const property = PROPERTY.exec(text);
  if (property === null) throw syntaxError(text === "" ? ";" : text, from);
  const [, name, defaultText] = property;
  const fallback = defaultText === undefined ? null : readDefault(defaultText.trim(), from);
  return { kind: "property", name: name!, fallback, ...place };
}

/** Parses a number or a quoted string. */
function readDefault(text: string, at: number): PropertyValue {
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  if (quoted !== null) return quoted[2]!;
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) throw syntaxError(text, at);
  return Number(text);
}

function syntaxError(token: string, at: number): ExpressionError {
  const message = `property select syntax error: '${token}', expected ',' or ';'`;
  return new ExpressionError(message, message, at, token.length);
}
