// Table of arc modifiers: their value kinds, and the effect of connecting again. All differences
// between modifiers are in this table; other code does not test for a particular one.

import {
  M_ACC,
  M_CNT,
  M_DIST,
  M_FLT,
  M_FLTAGGR,
  M_INT,
  M_INTAGGR,
  M_LSH,
  M_SIM,
  M_STAT,
  M_TMC,
  M_TMM,
  M_TMX,
  M_UINT,
  T_NEVER,
} from "./constants.js";

/** How the 32 bits of a value are read. `unit`: no value, shown as 1. */
export type ValueKind = "unit" | "int" | "uint" | "float";

export interface Modifier {
  readonly code: number;
  /** Name in query results. */
  readonly name: string;
  readonly kind: ValueKind;
  readonly min: number;
  readonly max: number;
  /** Values above `max` become `max`; otherwise they are an error. */
  readonly isClamped: boolean;
  /** Negative values count from now. */
  readonly isRelative: boolean;
  /** Default value; "now": the time of the call. */
  readonly initial: number | "now";
  /** Effect of connecting again on the value. */
  readonly update: "keep" | "set" | "add" | "refuse";
  /** Only queries produce such arcs. */
  readonly isResult: boolean;
}

/** Flags in the low byte of word 1 of an arc. */
export const ArcFlag = { ForwardOnly: 1 } as const;

/** Code of M_STAT in arcs. */
export const STATIC_CODE = 1;

/** Returns the code of an M_ constant: M_STAT has an extra bit to tell it from a direction. */
export function modifierCode(constant: number): number {
  return constant === M_STAT ? STATIC_CODE : constant;
}

const MAX_INT = 2 ** 31 - 1;
const MAX_UINT = 2 ** 32 - 1;
const MAX_FLOAT = 3.4028234663852886e38;

function row(
  code: number,
  name: string,
  kind: ValueKind,
  [min, max]: readonly [number, number],
  initial: number | "now",
  update: Modifier["update"],
  { isClamped = false, isRelative = false, isResult = false } = {},
): Modifier {
  return { code, name, kind, min, max, isClamped, isRelative, initial, update, isResult };
}

const UINT = [0, MAX_UINT] as const;
const INT = [-MAX_INT - 1, MAX_INT] as const;
const FLOAT = [-MAX_FLOAT, MAX_FLOAT] as const;
const CLAMPED = { isClamped: true };
const RESULT = { isResult: true };

const ROWS = [
  row(STATIC_CODE, "M_STAT", "unit", [1, 1], 1, "keep"),
  row(M_LSH, "M_LSH", "uint", UINT, 0, "set", CLAMPED),
  row(M_INT, "M_INT", "int", INT, 0, "set"),
  row(M_UINT, "M_UINT", "uint", UINT, 0, "set", CLAMPED),
  row(M_CNT, "M_CNT", "uint", UINT, 1, "add", CLAMPED),
  row(M_INTAGGR, "M_INTAGGR", "int", INT, 1, "set", RESULT),
  row(M_TMC, "M_TMC", "uint", UINT, "now", "refuse", CLAMPED),
  row(M_TMM, "M_TMM", "uint", UINT, "now", "set", CLAMPED),
  row(M_TMX, "M_TMX", "uint", UINT, T_NEVER, "set", { isClamped: true, isRelative: true }),
  row(M_SIM, "M_SIM", "float", [-1, 1], 0, "set"),
  row(M_DIST, "M_DIST", "float", [0, MAX_FLOAT], 0, "set"),
  row(M_FLT, "M_FLT", "float", FLOAT, 0, "set"),
  row(M_ACC, "M_ACC", "float", FLOAT, 1, "add"),
  row(M_FLTAGGR, "M_FLTAGGR", "float", FLOAT, 1, "set", RESULT),
];

/** By code; unassigned codes are undefined. */
export const MODIFIERS: readonly (Modifier | undefined)[] = Array.from({ length: 32 }, (_, code) =>
  ROWS.find((modifier) => modifier.code === code),
);

/** Names of modifiers beside `"int"` for M_INT. */
const ALIASES = new Map([["float", "M_FLT"]]);

/** Returns the code for `"int"` or `"M_INT"`; other values are returned unchanged. */
export function parseModifierName(modifier: unknown): unknown {
  if (typeof modifier !== "string") return modifier;
  const named = modifier.startsWith("M_") ? modifier : `M_${modifier.toUpperCase()}`;
  const name = ALIASES.get(modifier) ?? named;
  return ROWS.find((row) => row.name === name)?.code ?? modifier;
}

const NAMES = ROWS.filter(({ isResult }) => !isResult).map(({ name }) => name);
/** Expected modifiers, for error messages. */
export const MODIFIER_FORMS = `M_INT and its like, or by name in { mod: "int" }: ${NAMES.map(
  (name) => name.slice("M_".length).toLowerCase(),
).join(", ")}, float`;

/** Set in the code of every modifier with float values. */
export const FLOAT_MODIFIER = 0x10;

const bits = new Uint32Array(1);
const float = new Float32Array(bits.buffer);
const int = new Int32Array(bits.buffer);

/** Returns word 2 of an arc for a value in range; floats are rounded, others truncated. */
export function valueBits(kind: ValueKind, value: number): number {
  if (kind === "float") float[0] = value;
  else if (kind === "int") int[0] = Math.trunc(value);
  else bits[0] = kind === "uint" ? Math.trunc(value) : 1;
  return bits[0]!;
}

/** Returns the value that word 2 of an arc represents. */
export function valueFromBits(kind: ValueKind, word: number): number {
  if (kind === "uint") return word;
  if (kind === "unit") return 1;
  bits[0] = word;
  return kind === "float" ? float[0]! : int[0]!;
}
