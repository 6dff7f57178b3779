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
/** Number of items whose keys are compared with each other. */
const FEW_ITEMS = 8;
/** Placeholder for a value of unknown kind. */
const UNKNOWN = "<unknown>";

/** @param fields at least one, in display order */
export function textRenderer(fields: readonly Field[]): RenderText {
  const mask = fields.reduce((bits, { bit }) => bits | bit, 0);
  if (fields.length === 1) return (row) => fieldText(fields[0]!, row);
  if ((mask & ~F_AARC) === 0) return arcRenderer(mask);
  return objectRenderer(mask, fields);
}

function fieldText(field: Field, row: Row): string {
  if (field.bit === F_ARCDIR) return ARROWS[row.side]!;
  const value = field.read(row);
  if (field.kind === "arc value") return valueText(row);
  if (field.kind === "float") return floatText(value as number);
  return typeof value === "string" ? value : jsonText(field, value)!;
}

function objectRenderer(mask: number, fields: readonly Field[]): RenderText {
  const drawn = mask & F_AARC;
  const others = fields.filter(({ bit }) => (bit & F_AARC) === 0);
  const arcText = arcRenderer(drawn);
  return (row) => {
    let text = "";
    if (drawn === F_ID) text = member(text, "id", valueJson(row.store.ids.idOf(row.head)));
    else if (drawn !== 0) text = member(text, "arc", valueJson(arcText(row)));
    for (const field of others) {
      text = member(text, field.field, jsonText(field, field.read(row)));
    }
    return `{${text}}`;
  };
}

/**
 * Returns the members of an object with one more, unless its value has no JSON text. Joining is
 * four times as fast as making an object for `JSON.stringify`.
 * @param key without characters to escape, as all names of fields, properties and attributes
 */
function member(members: string, key: string, value: string | undefined): string {
  if (value === undefined) return members;
  return members === "" ? `"${key}":${value}` : `${members},"${key}":${value}`;
}

/** Returns the JSON text of a value; undefined if it has none. */
function valueJson(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
  return JSON.stringify(value);
}

function jsonText({ kind }: Field, value: unknown): string | undefined {
  return kind === "items" ? itemsText(value as SelectedItem[]) : valueJson(value);
}

function itemsText(items: readonly SelectedItem[]): string {
  if (!haveOwnKeys(items)) {
    return JSON.stringify(
      Object.fromEntries(items.map(([key, item]) => [key, jsonProperty(item)])),
    );
  }
  let text = "";
  for (const [key, item] of items) text = member(text, key, valueJson(jsonProperty(item)));
  return `{${text}}`;
}

/** Returns whether the keys of a list are distinct; false for long lists. */
function haveOwnKeys(items: readonly SelectedItem[]): boolean {
  if (items.length > FEW_ITEMS) return false;
  for (let at = 1; at < items.length; at++) {
    for (let former = 0; former < at; former++) {
      if (items[at]![0] === items[former]![0]) return false;
    }
  }
  return true;
}

/** Returns the JSON representation of a property. */
function jsonProperty(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (value instanceof Map) return Object.fromEntries(value);
  const isNumbers = Array.isArray(value) && value.every((item) => typeof item === "number");
  return isNumbers ? value : UNKNOWN;
}

/**
 * Draws the arcs of rows, blank for fields outside the mask. The texts before and after the value
 * are cached for consecutive rows that share them.
 */
function arcRenderer(mask: number): RenderText {
  let known: Row | null = null;
  let tail = 0;
  let level = 0;
  let word1 = 0;
  let side = 0;
  let before = "";
  let behind = "";
  return (row) => {
    const isAlike = row.tail === tail && row.word1 === word1 && row.side === side;
    if (known !== row || !isAlike || row.level !== level) {
      known = row;
      ({ tail, level, word1, side } = row);
      const [left, right] = (mask & F_PRED) === 0 ? ["-", "-"] : arrowEnds(row);
      before = arcStart(mask, row, left);
      behind = `]${right}( `;
    }
    const value = (mask & F_VAL) === 0 ? "" : `${valueText(row)} `;
    return `${before}${value}${behind}${(mask & F_ID) === 0 ? "" : row.store.ids.idOf(row.head)} )`;
  };
}

/** Returns the arc up to its value. */
function arcStart(mask: number, row: Row, left: string): string {
  const isAnchored = (mask & F_ANCHOR) !== 0;
  // `join` returns a flat string, which later concatenations copy faster.
  return [
    isAnchored ? `${pathText(row)}( ${row.store.ids.idOf(row.tail)} )` : "(  )",
    `${left}[ `,
    (mask & F_REL) === 0 ? "" : `${row.relationship} `,
    (mask & F_MOD) === 0 ? "" : `<${row.modifier}> `,
  ].join("");
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
export function floatText(value: number): string {
  const quick = commonFloatText(value);
  if (quick !== "") return quick;
  if (value < 0) return `-${floatText(-value)}`;
  if (!Number.isFinite(value)) return String(value);
  const isSmall = value !== 0 && Math.abs(value) < 1e-4;
  const text = isSmall ? value.toExponential(FLOAT_DIGITS - 1) : value.toPrecision(FLOAT_DIGITS);
  return text.replace(/e([+-])(\d)$/, (_, sign, digit) => `e${sign}0${digit}`);
}

/** Decimal places of six digits, by the digits in front of the point. */
const PLACES = [1e6, 1e5, 1e4, 1e3, 1e2, 10] as const;
/** Decimal places of six digits, by the zeros behind the point, and the text in front of them. */
const SMALL_PLACES = [1e6, 1e7, 1e8, 1e9] as const;
const SMALL_STARTS = ["0.", "0.0", "0.00", "0.000"] as const;
/** A product this close to a rounding boundary may have been rounded to the wrong side. */
const DOUBTFUL = 1e-6;

/** Formats 0.0001 to 99,999 four times as fast; returns an empty text for most other numbers. */
function commonFloatText(value: number): string {
  if (value === 0) return "0.00000";
  if (!(value >= 1e-4 && value < 99_999)) return "";
  let whole = 0;
  for (let above = 1; value >= above; above *= 10) whole++;
  let zeros = 0;
  for (let below = 0.1; value < below; below /= 10) zeros++;
  const exact = value * (zeros > 0 ? SMALL_PLACES[zeros]! : PLACES[whole]!);
  const rounded = Math.floor(exact + 0.5);
  const isDoubtful = Math.abs(exact - Math.floor(exact) - 0.5) < DOUBTFUL;
  if (isDoubtful || rounded >= 1e6) return "";
  const digits = String(rounded);
  return whole === 0
    ? SMALL_STARTS[zeros] + digits
    : `${digits.slice(0, whole)}.${digits.slice(whole)}`;
}
