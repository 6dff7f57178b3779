// The `select` option: properties and attributes of an entry, beside or in place of its fields.
//
//   price; stock ? 5; .type; *       a property, one with a default, an attribute, all properties
//
// `label: expression` needs the evaluator, and is refused until there is one.

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
const LATER = new Set([".vector", ".locked", ".enum", ".context.rank", ".arc.issyn"]);

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

/**
 * Reads a `select` text; null when there is none.
 * @throws QueryError what is no list of items
 * @throws UnsupportedError expressions
 */
export function readSelect(select: unknown): Selection | null {
  if (select === undefined || select === null) return null;
  if (typeof select !== "string") throw new QueryError("select must be string");
  const items = select.split(/[;,]/);
  if (items.length > MAX_ITEMS) throw new QueryError(`too many property fields: ${items.length}`);
  if (select.trim() === "") throw new QueryError("one or more property fields required");
  // Whatever has a label may have separators within.
  if (select.includes(":"))
    throw new UnsupportedError("expressions in `select` are not supported yet");
  return new Selection(items.map(readItem));
}

const MAX_ITEMS = 1000;
const PROPERTY = /^([A-Za-z_][\w.#$%@]*)(?:\s*\?\s*(.*))?$/s;

function readItem(written: string): Reader {
  const text = written.trim();
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
