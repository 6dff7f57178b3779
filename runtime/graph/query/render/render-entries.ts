// Renders hits as entries: bare values (R_SIMPLE), lists (R_LIST), dictionaries (R_DICT) or strings
// (R_STR, see render-text.ts). A renderer is created per query and called per row.

import {
  F_ANCHOR,
  F_ANCHOR_OBID,
  F_PRED,
  F_REL,
  R_DICT,
  R_LIST,
  R_SIMPLE,
} from "../../model/constants.js";
import type { Field } from "./fields.js";
import { toRecord } from "./record.js";
import { textRenderer } from "./render-text.js";
import type { Row } from "./row.js";
import type { SelectedItem } from "./select.js";

export type RenderEntry = (row: Row) => unknown;

/**
 * @param format one of R_SIMPLE, R_STR, R_LIST, R_DICT
 * @param fields at least one, in display order
 */
export function entryRenderer(format: number, fields: readonly Field[]): RenderEntry {
  if (format === R_SIMPLE) return (row) => dictionaryValue(fields[0]!, row);
  if (format === R_LIST) return listRenderer(fields);
  if (format === R_DICT) return dictionaryRenderer(fields);
  return textRenderer(fields);
}

function listRenderer(fields: readonly Field[]): RenderEntry {
  const readers = fields.map(({ read }) => read);
  const [first, second] = readers;
  if (first !== undefined && readers.length === 1) return (row) => [first(row)];
  if (first !== undefined && second !== undefined && readers.length === 2) {
    return (row) => [first(row), second(row)];
  }
  return (row) => readers.map((read) => read(row));
}

function dictionaryRenderer(fields: readonly Field[]): RenderEntry {
  const anchors = fields.filter(({ bit }) => (bit & (F_ANCHOR | F_ANCHOR_OBID)) !== 0);
  const arc = fields.filter(({ bit }) => (bit & F_PRED) !== 0);
  const others = fields.filter(({ bit }) => (bit & (F_ANCHOR | F_ANCHOR_OBID | F_PRED)) === 0);
  // The relationship alone adds no distance.
  const hasDistance = arc.some(({ bit }) => bit !== F_REL);
  return (row) => {
    const entry: Record<string, unknown> = {};
    for (const field of anchors) entry[field.field] = field.read(row);
    if (arc.length > 0) entry.arc = toRecord(arc.map((field) => [field.field, field.read(row)]));
    if (hasDistance) entry.distance = row.level;
    for (const field of others) entry[field.field] = dictionaryValue(field, row);
    return entry;
  };
}

/** Returns the value of a field in a dictionary. */
export function dictionaryValue(field: Field, row: Row): unknown {
  if (field.record !== undefined) return field.record(row);
  const value = field.read(row);
  return field.kind === "items" ? toRecord(value as SelectedItem[]) : value;
}
