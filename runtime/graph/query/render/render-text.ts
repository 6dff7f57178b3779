// Renders entries as strings (R_STR). A single field is its bare value, fields of the arc and its
// ends are drawn as an arc, and any others make the entry the JSON text of an object.
//
//   ( ann )-[ bought <M_CNT> 2 ]->( lamp )       level 1, all fields of F_AARC
//   ( ann )-[...]-( bo )-[ knows ]->( dee )       level 2
//   ( ann )-[...]-(1)-[...]-( cy )-[ 7 ]->(  )    level 3: one vertex in between is omitted

import {
  F_AARC,
  F_ANCHOR,
  F_ARCDIR,
  F_ID,
  F_MOD,
  F_PRED,
  F_REL,
  F_VAL,
} from "../../model/constants.js";
import { HitSide } from "../hits/hit-sink.js";
import type { Field } from "./fields.js";
import type { Row } from "./row.js";
import type { SelectedItem } from "./select.js";

type RenderText = (row: Row) => string;

/** Significant digits of floats, as in `4.50000`. */
const FLOAT_DIGITS = 6;
/** Arrows by `HitSide`. */
const ARROWS = ["->", "<-", "-", "-"] as const;
/** Placeholder for a value stored without a kind of its own. */
const UNKNOWN = "<unknown>";

/** @param fields at least one, in display order */
export function textRenderer(fields: readonly Field[]): RenderText {
  const mask = fields.reduce((bits, { bit }) => bits | bit, 0);
  if (fields.length === 1) return (row) => fieldText(fields[0]!, row);
  if ((mask & ~F_AARC) === 0) return (row) => arcText(mask, row);
  return objectRenderer(mask, fields);
}

function fieldText(field: Field, row: Row): string {
  if (field.bit === F_ARCDIR) return ARROWS[row.side]!;
  const value = field.read(row);
  if (field.kind === "arc value") return valueText(row);
  if (field.kind === "float") return floatText(value as number);
  return typeof value === "string" ? value : JSON.stringify(jsonValue(field, value));
}

function objectRenderer(mask: number, fields: readonly Field[]): RenderText {
  const drawn = mask & F_AARC;
  const others = fields.filter(({ bit }) => (bit & F_AARC) === 0);
  return (row) => {
    const entry: Record<string, unknown> = {};
    if (drawn === F_ID) entry.id = row.store.ids.idOf(row.head);
    else if (drawn !== 0) entry.arc = arcText(drawn, row);
    for (const field of others) entry[field.field] = jsonValue(field, field.read(row));
    return JSON.stringify(entry);
  };
}

function jsonValue({ kind }: Field, value: unknown): unknown {
  if (kind !== "items") return value;
  const items = value as SelectedItem[];
  return Object.fromEntries(items.map(([key, item]) => [key, jsonProperty(item)]));
}

/** Returns the JSON representation of a property. */
function jsonProperty(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (value instanceof Map) return Object.fromEntries(value);
  const isNumbers = Array.isArray(value) && value.every((item) => typeof item === "number");
  return isNumbers ? value : UNKNOWN;
}

/** Returns the arc of a row, blank for fields outside the mask. */
function arcText(mask: number, row: Row): string {
  const { ids } = row.store;
  const head = (mask & F_ID) === 0 ? "" : ids.idOf(row.head);
  const [left, right] = (mask & F_PRED) === 0 ? ["-", "-"] : arrowEnds(row);
  let text = (mask & F_ANCHOR) === 0 ? "(  )" : `${pathText(row)}( ${ids.idOf(row.tail)} )`;
  text += `${left}[ `;
  if ((mask & F_REL) !== 0) text += `${row.relationship} `;
  if ((mask & F_MOD) !== 0) text += `<${row.modifier}> `;
  if ((mask & F_VAL) !== 0) text += `${valueText(row)} `;
  return `${text}]${right}( ${head} )`;
}

/** Returns the path to the tail of a deeper level. */
function pathText({ level, root, store }: Row): string {
  if (level < 2) return "";
  const start = root === 0 ? "(  )" : `( ${store.ids.idOf(root)} )`;
  return level === 2 ? `${start}-[...]-` : `${start}-[...]-(${level - 2})-[...]-`;
}

/**
 * Returns both ends of the line; an arc in both directions, or for several arcs, has no arrowhead.
 */
function arrowEnds({ side }: Row): readonly [left: string, right: string] {
  if (side === HitSide.Both || side === HitSide.Any) return ["-", "-"];
  return side === HitSide.Out ? ["-", "->"] : ["<-", "-"];
}

function valueText(row: Row): string {
  return row.hasFloatValue ? floatText(row.value) : String(row.value);
}

/** Formats with six significant digits, zeros included: `4.50000`, `0.750000`, `1.20000e+09`. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const isSmall = value !== 0 && Math.abs(value) < 1e-4;
  const text = isSmall ? value.toExponential(FLOAT_DIGITS - 1) : value.toPrecision(FLOAT_DIGITS);
  return text.replace(/e([+-])(\d)$/, (_, sign, digit) => `e${sign}0${digit}`);
}
