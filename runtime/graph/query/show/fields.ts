// The fields of an entry, one row each, in the order in which they are shown. All that differs
// between fields is in this table.

import { RECORD_WORDS } from "../../memory/layout.js";
import { shownSecond } from "../../memory/time.js";
import * as F from "../../model/constants.js";
import { QueryError } from "../../model/errors.js";
import type { FieldName } from "../parse/query-options.js";
import type { Row } from "./row.js";
import type { Selection } from "./select.js";

/** What a field holds; `items` is a list of keys and values, for the properties. */
export type FieldKind = "text" | "integer" | "float" | "arc value" | "vector" | "items";

export interface Field {
  /** `F_` constant. */
  readonly bit: number;
  readonly name: FieldName | "raw-vertex";
  readonly kind: FieldKind;
  readonly read: (row: Row) => unknown;
}

function field(
  bit: number,
  name: Field["name"],
  kind: FieldKind,
  read: (row: Row) => unknown,
): Field {
  return { bit, name, kind, read };
}

/** What stands for the similarity to a vector, and the distance from it, where there is none. */
const NO_SIMILARITY = -1;
const NO_HAMMING = 64;

const FIELDS: readonly Field[] = [
  field(F.F_ANCHOR, "anchor", "text", ({ store, tail }) => store.ids.idOf(tail)),
  field(F.F_ANCHOR_OBID, "anchor-internalid", "text", ({ store, tail }) =>
    store.ids.internalIdOf(tail),
  ),
  field(F.F_ARCDIR, "direction", "text", (row) => row.direction),
  field(F.F_REL, "relationship", "text", (row) => row.relationship),
  field(F.F_MOD, "modifier", "text", (row) => row.modifier),
  field(F.F_VAL, "value", "arc value", (row) => row.value),
  field(F.F_ID, "id", "text", ({ store, head }) => store.ids.idOf(head)),
  field(F.F_OBID, "internalid", "text", ({ store, head }) => store.ids.internalIdOf(head)),
  field(F.F_TYPE, "type", "text", typeName),
  field(F.F_DEG, "degree", "integer", degree),
  field(F.F_IDEG, "indegree", "integer", ({ store, head }) => store.vertices.inDegree(head)),
  field(F.F_ODEG, "outdegree", "integer", ({ store, head }) => store.vertices.outDegree(head)),
  field(F.F_VEC, "vector", "vector", () => []),
  field(F.F_PROP, "properties", "items", ({ store, head }) =>
    Object.entries(store.properties.all(head)),
  ),
  field(F.F_RANK, "rankscore", "float", (row) => row.score),
  field(F.F_SIM, "similarity", "float", () => NO_SIMILARITY),
  field(F.F_HAM, "hamming-distance", "integer", () => NO_HAMMING),
  field(F.F_TMC, "created", "integer", ({ store, head }) => store.vertices.createdAt(head)),
  field(F.F_TMM, "modified", "integer", ({ store, head }) => store.vertices.modifiedAt(head)),
  field(F.F_TMX, "expires", "integer", ({ store, head }) =>
    shownSecond(store.vertices.expiresAt(head)),
  ),
  // What follows is of use to who looks for defects. It shows where and how this implementation
  // keeps a vertex: type code and flags, the handle, the handle with its generation, the record.
  field(
    F.F_DESCR,
    "descriptor",
    "integer",
    ({ store: { vertices }, head }) => vertices.typeOf(head) + vertices.flagsOf(head) * 256,
  ),
  field(F.F_ADDR, "address", "integer", ({ head }) => head),
  field(
    F.F_HANDLE,
    "handle",
    "text",
    ({ store, head }) => `${head}:${store.vertices.generationOf(head)}`,
  ),
  field(F.F_RAW, "raw-vertex", "text", rawVertex),
];

function typeName({ store, head }: Row): string {
  return store.types.nameOf(store.vertices.typeOf(head));
}

function degree({ store: { vertices }, head }: Row): number {
  return vertices.outDegree(head) + vertices.inDegree(head);
}

/** The words of the vertex's record as hexadecimal digits. */
function rawVertex({ store, head }: Row): string {
  let text = "";
  for (let word = 0; word < RECORD_WORDS; word++) {
    text += store.vertices.fieldOf(head, word).toString(16).padStart(8, "0");
  }
  return text;
}

const ALL = FIELDS.reduce((mask, { bit }) => mask | bit, 0);
const BY_NAME = new Map<unknown, Field>(FIELDS.map((field) => [field.name, field]));
const BY_MASK = new Map<number, readonly Field[]>();
/** Masks whose fields are remembered; few are ever used. */
const MAX_MASKS = 256;

/**
 * Reads `fields`: a mask or names; `fallback` when absent.
 * @throws QueryError what is no field
 */
export function fieldMask(fields: unknown, fallback: number): number {
  if (fields === undefined || fields === null) return fallback;
  if (Array.isArray(fields)) return maskOfNames(fields);
  if (!Number.isInteger(fields) || (Number(fields) & ~ALL) !== 0 || Number(fields) > ALL) {
    throw new QueryError("invalid fields parameter");
  }
  return Number(fields);
}

function maskOfNames(names: readonly unknown[]): number {
  let mask = 0;
  for (const name of names) {
    const field = BY_NAME.get(name);
    if (field === undefined) throw new QueryError(`invalid fields parameter: '${name}'`);
    mask |= field.bit;
  }
  return mask;
}

/** The fields that are shown: those of a mask, and what was selected in place of properties. */
export function shownFields(mask: number, selection: Selection | null): readonly Field[] {
  const fields = fieldsOf(mask);
  if (selection === null) return fields;
  return fields.map((field) =>
    field.kind === "items" ? { ...field, read: (row) => selection.read(row) } : field,
  );
}

/** The fields of a mask in the order of display. */
function fieldsOf(mask: number): readonly Field[] {
  const known = BY_MASK.get(mask);
  if (known !== undefined) return known;
  if (BY_MASK.size === MAX_MASKS) BY_MASK.clear();
  const fields = FIELDS.filter(({ bit }) => (mask & bit) !== 0);
  BY_MASK.set(mask, fields);
  return fields;
}
