// Sort orders: the key types they accept, and the comparison of keys.

import * as S from "./sort-constants.js";

/** Type of a response's sort keys. */
export type KeyWire = "int" | "float" | "str" | "bytes";

export type SortKey = number | string | Uint8Array;

/** `any` orders accept all types and check no order; `none` is undecided until the first key. */
export type SortClass = "none" | "numeric" | "string" | "any";

const DIRECTION_MASK = S.S_ASC | S.S_DESC;

const KINDS: ReadonlyMap<number, readonly [name: string, sorts: SortClass]> = new Map([
  [S.S_NONE, ["S_NONE", "none"]],
  [S.S_VAL, ["S_VAL", "numeric"]],
  [S.S_ADDR, ["S_ADDR", "numeric"]],
  [S.S_ANCHOR_OBID, ["S_ANCHOR_OBID", "string"]],
  [S.S_ANCHOR, ["S_ANCHOR", "string"]],
  [S.S_NATIVE, ["S_NATIVE", "any"]],
  [S.S_RANDOM, ["S_RANDOM", "any"]],
  [S.S_RANK, ["S_RANK", "numeric"]],
  [S.S_OBID, ["S_OBID", "string"]],
  [S.S_ID, ["S_ID", "string"]],
  [S.S_DEG, ["S_DEG", "numeric"]],
  [S.S_IDEG, ["S_IDEG", "numeric"]],
  [S.S_ODEG, ["S_ODEG", "numeric"]],
  [S.S_HAM, ["S_HAM", "numeric"]],
  [S.S_SIM, ["S_SIM", "numeric"]],
  [S.S_TMC, ["S_TMC", "numeric"]],
  [S.S_TMM, ["S_TMM", "numeric"]],
  [S.S_TMX, ["S_TMX", "numeric"]],
  [S.S_TEXT, ["S_TEXT", "numeric"]],
]);

/** Orders whose best items are the greatest. */
const DESCENDING = new Set([S.S_VAL, S.S_DEG, S.S_IDEG, S.S_ODEG, S.S_SIM, S.S_RANK, S.S_TEXT]);

/** Returns whether a number is one known order with at most one direction. */
export function isSortby(sortby: number): boolean {
  const direction = sortby & DIRECTION_MASK;
  return direction !== DIRECTION_MASK && KINDS.has(sortby - direction);
}

/** Returns the order with its default direction if none is given. */
export function withDirection(sortby: number): number {
  if (sortby === S.S_NONE || (sortby & DIRECTION_MASK) !== 0) return sortby;
  return sortby | (DESCENDING.has(sortby) ? S.S_DESC : S.S_ASC);
}

export function isDescending(sortby: number): boolean {
  return (sortby & S.S_DESC) !== 0;
}

/** Returns the class of keys that an order accepts. */
export function sortClass(sortby: number): SortClass {
  return KINDS.get(sortby & ~DIRECTION_MASK)?.[1] ?? "none";
}

/** Returns `S_VAL|S_ASC`, for messages. */
export function sortbyText(sortby: number): string {
  const name = KINDS.get(sortby & ~DIRECTION_MASK)?.[0] ?? String(sortby);
  const direction = sortby & DIRECTION_MASK;
  if (direction === 0) return name;
  return `${name}|${direction === S.S_ASC ? "S_ASC" : "S_DESC"}`;
}

/** Returns whether keys of a type fit the order. */
export function takesKeys(sortby: number, keytype: KeyWire): boolean {
  const sorts = sortClass(sortby);
  if (sorts === "none" || sorts === "any") return true;
  return (sorts === "numeric") === (keytype === "int" || keytype === "float");
}

/** Returns whether `key` may follow `previous`; always true for unchecked orders. */
export function isSortedPair(previous: SortKey, key: SortKey, sortby: number): boolean {
  if (sortClass(sortby) === "any") return true;
  const difference = compareKeys(previous, key);
  return isDescending(sortby) ? difference >= 0 : difference <= 0;
}

/** Compares numbers by value, texts and bytes by their UTF-8 bytes. Both keys have one type. */
export function compareKeys(a: SortKey, b: SortKey): number {
  // Not by subtraction, because of infinite keys.
  if (typeof a === "number") return a < (b as number) ? -1 : a > (b as number) ? 1 : 0;
  if (typeof a === "string") return compareTexts(a, b as string);
  return Buffer.compare(a, b as Uint8Array);
}

function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return utf8Rank(left) - utf8Rank(right);
  }
  return a.length - b.length;
}

/** UTF-16 sorts surrogate pairs before U+E000, UTF-8 after U+FFFF. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
