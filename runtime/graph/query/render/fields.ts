// Fields that a query renders, by mask or by names.

import { invalidArgument } from "../../model/invalid-argument.js";
import type { Attribute, HitView } from "../../store/attributes/attribute.js";
import { FIELD_LIST } from "../../store/attributes/field-list.js";
import type { Selection } from "./select.js";

export type Field = Attribute<string> & {
  /** Returns items as an object; undefined if only `read` returns them. */
  readonly record?: (hit: HitView) => Record<string, unknown>;
};

const FIELDS: readonly Field[] = FIELD_LIST;
const ALL = FIELDS.reduce((mask, { bit }) => mask | bit, 0);
const BY_NAME = new Map<unknown, Field>(FIELDS.map((row) => [row.field, row]));
const BY_MASK = new Map<number, readonly Field[]>();
/** Maximum number of cached masks; few are ever used. */
const MAX_MASKS = 256;

/**
 * Parses `fields`: a mask or names; `fallback` if absent.
 * @throws QueryError unknown field
 */
export function fieldMask(fields: unknown, fallback: number): number {
  if (fields === undefined || fields === null) return fallback;
  if (Array.isArray(fields)) return maskOfNames(fields);
  if (!Number.isInteger(fields) || (Number(fields) & ~ALL) !== 0 || Number(fields) > ALL) {
    throw invalidArgument(
      "invalid fields parameter",
      fields,
      "F_ID and its like, or names",
      ".fields",
    );
  }
  return Number(fields);
}

function maskOfNames(names: readonly unknown[]): number {
  let mask = 0;
  for (const [index, name] of names.entries()) {
    const field = BY_NAME.get(name);
    if (field === undefined) {
      const known = [...BY_NAME.keys()].join(", ");
      throw invalidArgument(
        `invalid fields parameter: '${name}'`,
        name,
        known,
        `.fields[${index}]`,
      );
    }
    mask |= field.bit;
  }
  return mask;
}

/** Returns the fields to render: those of a mask, with a selection in place of the properties. */
export function displayFields(mask: number, selection: Selection | null): readonly Field[] {
  const fields = fieldsOf(mask);
  if (selection === null) return fields;
  const selected = {
    read: (hit: HitView) => selection.read(hit),
    record: (hit: HitView) => selection.record(hit),
  };
  return fields.map((field) => (field.kind === "items" ? { ...field, ...selected } : field));
}

/** Returns the fields of a mask in display order. */
function fieldsOf(mask: number): readonly Field[] {
  const known = BY_MASK.get(mask);
  if (known !== undefined) return known;
  if (BY_MASK.size === MAX_MASKS) BY_MASK.clear();
  const fields = FIELDS.filter(({ bit }) => (mask & bit) !== 0);
  BY_MASK.set(mask, fields);
  return fields;
}
