// The `select` option: properties and attributes of an entry, beside or in place of its fields.
//
//   price; stock ? 5; .type; *       a property, one with a default, an attribute, all properties
//
//   label: .arc.value * 2            an expression, under a name

import type { BoundProgram } from "../../evaluate/bound-program.js";
import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { jsonResult } from "../../evaluate/plain-result.js";
import { QueryError, UnsupportedError } from "../../model/errors.js";
import type { PropertyValue } from "../../store/property-values.js";
import { ARC_ATTRIBUTES } from "../attributes/arc-attributes.js";
import type { HitView } from "../attributes/attribute.js";
import { PROPERTIES, VERTEX_ATTRIBUTES } from "../attributes/vertex-attributes.js";

export type SelectedItem = readonly [key: string, value: PropertyValue];
/** Appends what an item gives to the list. */
type Reader = (hit: HitView, into: SelectedItem[]) => void;
/** What has a name is no vector and no list of properties. */
type ReadAttribute = (hit: HitView) => string | number;

/** As they are written. */
const ATTRIBUTES = new Map(
  [...VERTEX_ATTRIBUTES, ...ARC_ATTRIBUTES].flatMap(({ name, read }) =>
    name === null ? [] : [[name, read as ReadAttribute] as const],
  ),
);
/** What the interface has beside those, and this server does not. */
const LATER = new Set([".vector", ".enum", ".arc.issyn"]);

export class Selection {
  readonly #readers: readonly Reader[];

  constructor(readers: readonly Reader[]) {
    this.#readers = readers;
  }

  /** All items in the order of the text; a key may come twice. */
  read(hit: HitView): SelectedItem[] {
    const items: SelectedItem[] = [];
    for (const read of this.#readers) read(hit, items);
    return items;
  }
}

/** An item of the text. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a `select` text; null when there is none.
 * @throws QueryError what is no list of items
 */
export function readSelect(select: unknown, expressions: ExpressionSet): Selection | null {
  if (select === undefined || select === null) return null;
  if (typeof select !== "string") throw new QueryError("select must be string");
  const parts = partsOf(select);
  if (parts.length > MAX_ITEMS) throw new QueryError(`too many property fields: ${parts.length}`);
  if (select.trim() === "") throw new QueryError("one or more property fields required");
  return new Selection(parts.map((part) => readItem(select, part, expressions)));
}

/** The text between separators that stand neither in brackets nor in quotes. */
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

const MAX_ITEMS = 1000;
const LABEL = /^\s*([A-Za-z_][\w.#$%@]*)\s*:/;
const PROPERTY = /^([A-Za-z_][\w.#$%@]*)(?:\s*\?\s*(.*))?$/s;

function readItem(whole: string, { from, to }: Part, expressions: ExpressionSet): Reader {
  const label = LABEL.exec(whole.slice(from, to));
  if (label !== null) {
    const bound = expressions.ofPart(whole, from + label[0].length, to, "select");
    return expressionReader(label[1]!, bound);
  }
  const text = whole.slice(from, to).trim();
  if (text === "*") return (hit, into) => into.push(...PROPERTIES.read(hit));
  if (text.startsWith(".")) return readAttribute(text);
  const property = PROPERTY.exec(text);
  if (property === null) throw syntaxError(text === "" ? ";" : text);
  const [, name, fallback] = property;
  return propertyReader(name!, fallback === undefined ? null : readDefault(fallback.trim()));
}

function readAttribute(text: string): Reader {
  const attribute = ATTRIBUTES.get(text);
  if (attribute !== undefined) return (hit, into) => into.push([text, attribute(hit)]);
  if (LATER.has(text)) throw new UnsupportedError(`\`${text}\` is not supported yet`);
  throw new QueryError(`undefined attribute: '${text}'`);
}

function expressionReader(label: string, bound: BoundProgram): Reader {
  const { context } = bound;
  return ({ store, tail, head, word1, bits, side, level, score }, into) => {
    // A vertex that was found by itself has no tail.
    const vertex = tail === 0 ? head : tail;
    context.vertex.move(vertex);
    context.prev.move(vertex);
    context.next.move(head);
    context.arc.set(word1, bits, side, level);
    context.prevArc.set(word1, bits, side, level);
    context.score = score;
    into.push([label, jsonResult(store, bound.value())]);
  };
}

function propertyReader(name: string, fallback: PropertyValue): Reader {
  return ({ store, head }, into) => {
    const key = store.keys.codeOf(name);
    const value = key === 0 ? undefined : store.properties.get(head, key);
    into.push([name, value === undefined ? fallback : value]);
  };
}

/** A number, or a text in quotes. */
function readDefault(text: string): PropertyValue {
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  if (quoted !== null) return quoted[2]!;
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) throw syntaxError(text);
  return Number(text);
}

function syntaxError(token: string): QueryError {
  return new QueryError(`property select syntax error: '${token}', expected ',' or ';'`);
}
