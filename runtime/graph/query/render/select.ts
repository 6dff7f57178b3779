// The `select` option: properties, attributes and expressions of an entry, with or instead of its
// fields.

import type { BoundProgram } from "../../evaluate/bound-program.js";
import { checkExpressionSite } from "../../evaluate/expression-check.js";
import { ExpressionError } from "../../evaluate/expression-error.js";
import type { ExpressionSet } from "../../evaluate/expression-set.js";
import { compilePart } from "../../evaluate/program.js";
import { jsonResult } from "../../evaluate/result-values.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import { ARC_ATTRIBUTES } from "../../store/attributes/arc-attributes.js";
import type { HitView } from "../../store/attributes/attribute.js";
import { PROPERTIES, VERTEX_ATTRIBUTES } from "../../store/attributes/vertex-attributes.js";
import type { PropertyValue } from "../../store/property-values.js";
import { parseSelect, type SelectItem } from "./select-text.js";

export type SelectedItem = readonly [key: string, value: PropertyValue];
/** Appends the values of an item to the list. */
type Reader = (hit: HitView, into: SelectedItem[]) => void;
/** Attributes with a name in `select` are never the list of properties. */
type ReadAttribute = (hit: HitView) => PropertyValue;

/** Attributes by name. */
const ATTRIBUTES = new Map(
  [...VERTEX_ATTRIBUTES, ...ARC_ATTRIBUTES].flatMap(({ name, isSelectable, read }) =>
    name !== null && isSelectable ? [[name as string, read as ReadAttribute] as const] : [],
  ),
);

export class Selection {
  readonly #readers: readonly Reader[];

  constructor(readers: readonly Reader[]) {
    this.#readers = readers;
  }

  /** Returns all items in text order; a key may occur twice. */
  read(hit: HitView): SelectedItem[] {
    const items: SelectedItem[] = [];
    for (const read of this.#readers) read(hit, items);
    return items;
  }
}

/**
 * Parses a `select` option; null if there is none.
 * @throws QueryError not a list of items
 */
export function parseSelectOption(select: unknown, expressions: ExpressionSet): Selection | null {
  if (select === undefined || select === null) return null;
  if (typeof select !== "string") {
    throw invalidArgument("select must be string", select, '"name; age: .arc.value"', ".select");
  }
  return new Selection(parseSelect(select).map((item) => createReader(select, item, expressions)));
}

/**
 * Validates a `select` text without a graph.
 * @throws QueryError with the position
 */
export function checkSelect(select: string): void {
  for (const item of parseSelect(select)) {
    if (item.kind === "attribute") attributeOf(item.name, item.from);
    if (item.kind !== "expression") continue;
    checkExpressionSite(compilePart(select, item.from, item.to), "select");
  }
}

function createReader(whole: string, item: SelectItem, expressions: ExpressionSet): Reader {
  switch (item.kind) {
    case "all":
      return (hit, into) => into.push(...PROPERTIES.read(hit));
    case "attribute": {
      const { name, from } = item;
      const read = attributeOf(name, from);
      return (hit, into) => into.push([name, read(hit)]);
    }
    case "property":
      return propertyReader(item.name, item.fallback);
    case "expression":
      return expressionReader(item.label, expressions.ofPart(whole, item.from, item.to, "select"));
  }
}

function attributeOf(name: string, at: number): ReadAttribute {
  const attribute = ATTRIBUTES.get(name);
  if (attribute !== undefined) return attribute;
  const message = `undefined attribute: '${name}'`;
  throw new ExpressionError(message, message, at, name.length);
}

function expressionReader(label: string, bound: BoundProgram): Reader {
  const { context } = bound;
  return ({ store, tail, head, word1, bits, side, level, score }, into) => {
    // A vertex found without an arc has no tail.
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
