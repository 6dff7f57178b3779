// The `select` option: properties and attributes of an entry, beside or in place of its fields.
//
//   price; stock ? 5; .type; *       a property, one with a default, an attribute, all properties
//
// `label: expression` needs the evaluator, and is refused until there is one.

import { shownSecond } from "../../memory/time.js";
import { QueryError, UnsupportedError } from "../../model/errors.js";
import type { PropertyValue } from "../../store/property-values.js";
import type { Row } from "./row.js";

export type SelectedItem = readonly [key: string, value: PropertyValue];
/** Appends what an item gives to the list. */
type Reader = (row: Row, into: SelectedItem[]) => void;

/** Attributes, as they are written. */
const ATTRIBUTES = new Map<string, (row: Row) => PropertyValue>([
  [".id", ({ store, head }) => store.ids.idOf(head)],
  [".internalid", ({ store, head }) => store.ids.internalIdOf(head)],
  [".type", ({ store, head }) => store.types.nameOf(store.vertices.typeOf(head))],
  [".deg", ({ store: { vertices }, head }) => vertices.outDegree(head) + vertices.inDegree(head)],
  [".ideg", ({ store, head }) => store.vertices.inDegree(head)],
  [".odeg", ({ store, head }) => store.vertices.outDegree(head)],
  [".tmc", ({ store, head }) => store.vertices.createdAt(head)],
  [".tmm", ({ store, head }) => store.vertices.modifiedAt(head)],
  [".tmx", ({ store, head }) => shownSecond(store.vertices.expiresAt(head))],
  [".c1", ({ store, head }) => store.vertices.c1(head)],
  [".c0", ({ store, head }) => store.vertices.c0(head)],
  [".virtual", ({ store, head }) => (store.vertices.isVirtual(head) ? 1 : 0)],
  [".propcount", ({ store, head }) => store.properties.keysOf(head).length],
  [".op", ({ store, head }) => store.vertices.operationOf(head)],
  [".handle", ({ head }) => head],
  [".rank", (row) => row.score],
  [".arc.type", (row) => row.relationship],
  [".arc.dir", (row) => row.direction],
  [".arc.mod", (row) => row.modifier],
  // Here, as in expressions, an arc without a value has none.
  [".arc.value", (row) => (row.hasValue ? row.value : 0)],
  [".arc.dist", (row) => row.level],
  [".arc.isfwd", (row) => row.word1 & 1],
]);
/** What the interface has beside those, and this server does not. */
const LATER = new Set([".vector", ".locked", ".enum", ".context.rank", ".arc.issyn"]);

export class Selection {
  readonly #readers: readonly Reader[];

  constructor(readers: readonly Reader[]) {
    this.#readers = readers;
  }

  /** All items in the order of the text; a key may come twice. */
  read(row: Row): SelectedItem[] {
    const items: SelectedItem[] = [];
    for (const read of this.#readers) read(row, items);
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
  if (text === "*")
    return (row, into) => into.push(...Object.entries(row.store.properties.all(row.head)));
  if (text.startsWith(".")) return readAttribute(text);
  const property = PROPERTY.exec(text);
  if (property === null) throw syntaxError(text === "" ? ";" : text);
  const [, name, fallback] = property;
  return propertyReader(name!, fallback === undefined ? null : readDefault(fallback.trim()));
}

function readAttribute(text: string): Reader {
  const attribute = ATTRIBUTES.get(text);
  if (attribute !== undefined) return (row, into) => into.push([text, attribute(row)]);
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
