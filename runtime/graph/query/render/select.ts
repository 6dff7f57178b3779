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
import { setMember } from "./record.js";
import { parseSelect, type SelectItem } from "./select-text.js";

export type SelectedItem = readonly [key: string, value: PropertyValue];
/** An item of one key. */
interface Item {
  readonly key: string;
  readonly read: (hit: HitView) => PropertyValue;
}
/** The item that represents all properties. */
const ALL = null;
/** Attributes with a name in `select` are never the list of properties. */
type ReadAttribute = (hit: HitView) => PropertyValue;

/** Attributes by name. */
const ATTRIBUTES = new Map(
  [...VERTEX_ATTRIBUTES, ...ARC_ATTRIBUTES].flatMap(({ name, isSelectable, read }) =>
    name !== null && isSelectable ? [[name as string, read as ReadAttribute] as const] : [],
  ),
);

export class Selection {
  readonly #items: readonly (Item | typeof ALL)[];

  constructor(items: readonly (Item | typeof ALL)[]) {
    this.#items = items;
  }

  /** Returns all items in text order; a key may occur twice. */
  read(hit: HitView): SelectedItem[] {
    const items: SelectedItem[] = [];
    for (const item of this.#items) {
      if (item === ALL) items.push(...PROPERTIES.read(hit));
      else items.push([item.key, item.read(hit)]);
    }
    return items;
  }

  /** Returns the items as an object, in which the last of equal keys counts. */
  record(hit: HitView): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    for (const item of this.#items) {
      if (item !== ALL) setMember(record, item.key, item.read(hit));
      else for (const [key, value] of PROPERTIES.read(hit)) setMember(record, key, value);
    }
    return record;
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
  return new Selection(parseSelect(select).map((item) => createItem(select, item, expressions)));
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

function createItem(
  whole: string,
  item: SelectItem,
  expressions: ExpressionSet,
): Item | typeof ALL {
  switch (item.kind) {
    case "all":
      return ALL;
    case "attribute":
      return { key: item.name, read: attributeOf(item.name, item.from) };
    case "property":
      return { key: item.name, read: propertyReader(item.name, item.fallback) };
    case "expression": {
      const bound = expressions.ofPart(whole, item.from, item.to, "select");
      return { key: item.label, read: expressionReader(bound) };
    }
  }
}

function attributeOf(name: string, at: number): ReadAttribute {
  const attribute = ATTRIBUTES.get(name);
  if (attribute !== undefined) return attribute;
  const message = `undefined attribute: '${name}'`;
  throw new ExpressionError(message, message, at, name.length);
}

function expressionReader(bound: BoundProgram): Item["read"] {
  const { context } = bound;
  return ({ store, tail, head, word1, bits, side, level, score }) => {
    // A vertex found without an arc has no tail.
    const vertex = tail === 0 ? head : tail;
    context.vertex.move(vertex);
    context.prev.move(vertex);
    context.next.move(head);
    context.arc.set(word1, bits, side, level);
    context.prevArc.set(word1, bits, side, level);
    context.score = score;
    return jsonResult(store, bound.value());
  };
}

function propertyReader(name: string, fallback: PropertyValue): Item["read"] {
  return ({ store, head }) => {
    const key = store.keys.codeOf(name);
    const value = key === 0 ? undefined : store.properties.get(head, key);
    return value === undefined ? fallback : value;
  };
}
