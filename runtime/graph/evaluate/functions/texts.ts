// String functions. The length of created strings is limited, so that no query exhausts the memory.

import { MODIFIERS } from "../../model/modifiers.js";
import { PackedValue, PropertyKind } from "../../store/property-values.js";
import type { Context } from "../context.js";
import { compareTexts } from "../operators.js";
import { isIntList, packedLength, packedNumbers } from "../packed.js";
import { Pattern } from "../pattern.js";
import { splitText } from "../substring-search.js";
import { valueToText } from "../text-of.js";
import { asNumber, boxedReal, isInt, type Value } from "../values.js";
import { type Argument, type FunctionRow, fixed, variadic } from "./row.js";

const DIRECTIONS = ["D_ANY", "D_IN", "D_OUT", "D_BOTH"];
const MS_PER_SECOND = 1000;
/** Larger times are milliseconds. */
const MAX_SECONDS = 2 ** 33;
const UNKNOWN = "__UNKNOWN__";

function toText({ idOf }: Context, value: Argument): string {
  return value === undefined ? "" : valueToText(value, idOf);
}

/** Declares a function of two strings; null if an argument is not a string. */
function textFunction(
  name: string,
  doc: string,
  call: (a: string, b: string) => number,
): FunctionRow {
  return fixed(name, 2, "any", `(a, b): ${doc}`, (_x, a, b) => {
    const [first, second] = [plainText(a), plainText(b)];
    return first === null || second === null ? null : call(first, second);
  });
}

function plainText(value: Argument): string | null {
  if (value instanceof Pattern) return value.head + value.tail;
  return typeof value === "string" ? value : null;
}

/** Resolves a slice bound as in Python: negative ones count from the end, null is open. */
function resolveBound(value: Value, length: number, open: number): number {
  if (value === null) return open;
  const at = Math.trunc(asNumber(value)) || 0;
  return Math.min(Math.max(at < 0 ? length + at : at, 0), length);
}

function sliceText(text: string, a: Value, b: Value): string {
  const characters = /[\ud800-\udfff]/.test(text) ? Array.from(text) : null;
  const length = characters?.length ?? text.length;
  const [from, to] = [resolveBound(a, length, 0), resolveBound(b, length, length)];
  return characters === null ? text.slice(from, to) : characters.slice(from, to).join("");
}

/** Returns the byte or item at an index modulo the length; null if there is none. */
function itemAt(value: Value, index: Value): Value {
  const at = Math.trunc(asNumber(index)) || 0;
  const isReals = value instanceof PackedValue && !isIntList(value);
  let items: ArrayLike<number> = [];
  if (value instanceof PackedValue) items = packedNumbers(value);
  else if (typeof value === "string") items = Buffer.from(value);
  const { length } = items;
  if (length === 0) return null;
  const item = items[((at % length) + length) % length]!;
  return isReals ? boxedReal(item) : item;
}

/** Replaces all occurrences. An empty `part` occurs before each character and at the end. */
function replaceAll({ run }: Context, text: string, part: string, by: string): string {
  const parts = part === "" ? Array.from(text) : splitText(text, part);
  // Charge before the creation, because the result may be much longer.
  run.reserve(text.length + parts.length * by.length);
  if (part !== "") return parts.join(by);
  return by + parts.map((character) => character + by).join("");
}

function normalized(text: string): string {
  const plain = text.normalize("NFD").replace(/\p{M}+/gu, "");
  return plain
    .toLowerCase()
    .replace(/[\p{P}\p{S}\p{Z}\s]+/gu, " ")
    .trim();
}

function timeText(value: Value): string | null {
  const number = asNumber(value);
  const isMs = Math.abs(number) > MAX_SECONDS;
  const date = new Date(isMs ? number : number * MS_PER_SECOND);
  if (Number.isNaN(date.getTime())) return null;
  const padTwo = (part: number): string => String(part).padStart(2, "0");
  const day = [date.getFullYear(), padTwo(date.getMonth() + 1), padTwo(date.getDate())].join("-");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(padTwo).join(":");
  const ms = String(date.getMilliseconds()).padStart(3, "0");
  return `${day} ${time}${isMs || !isInt(value) ? `.${ms}` : ""}`;
}

/** Returns the low 8 bits of each number. */
function bytesOf(items: readonly Value[]): PackedValue {
  return new PackedValue(
    PropertyKind.Bytes,
    Uint8Array.from(items, (item) => Math.trunc(asNumber(item)) || 0),
  );
}

function prefixOf(value: Value, count: Value): Value {
  const bytes = value instanceof PackedValue ? value.bytes : Buffer.from(plainText(value) ?? "");
  const end = Math.max(Math.trunc(asNumber(count)) || 0, 0);
  return new PackedValue(PropertyKind.Bytes, new Uint8Array(bytes.subarray(0, end)));
}

/** Returns the score of one key of the text of the visited vertex. */
function scoreOfKey({ run, next, vertex }: Context, key: Argument): Value {
  const name = plainText(key);
  const handle = next.handle === 0 ? vertex.handle : next.handle;
  return boxedReal(name === null ? 0 : (run.texts?.scoreOf(handle, name) ?? 0));
}

export const TEXTS: readonly FunctionRow[] = [
  fixed("keyscore", 1, "real", "(key): score of a key of the text in a search", scoreOfKey),
  fixed("strlen", 1, "int", "(s): length in bytes", (_x, a) => {
    if (a instanceof PackedValue) return packedLength(a);
    return Buffer.byteLength(plainText(a) ?? "");
  }),
  textFunction(
    "strcmp",
    "three-way comparison by bytes: -1, 0 or 1; null for non-strings",
    compareTexts,
  ),
  textFunction("strcasecmp", "case-insensitive three-way comparison", (a, b) => {
    return compareTexts(a.toLowerCase(), b.toLowerCase());
  }),
  textFunction("startswith", "1 if a begins with b", (a, b) => Number(a.startsWith(b))),
  textFunction("endswith", "1 if a ends with b", (a, b) => Number(a.endsWith(b))),
  variadic(
    "join",
    1,
    "text",
    "(separator, ...): joins the other arguments",
    (x, [first, ...rest]) => {
      return x.run.charge(rest.map((value) => toText(x, value)).join(toText(x, first)));
    },
  ),
  fixed("replace", 3, "text", "(s, part, by): replaces all occurrences", (x, a, b, c) => {
    return replaceAll(x, toText(x, a), toText(x, b), toText(x, c));
  }),
  fixed("slice", 3, "text", "(s, from, to): substring [from, to)", (x, a, b, c) => {
    return x.run.charge(sliceText(toText(x, a), b!, c!));
  }),
  fixed("idx", 2, "any", "(s, i): byte or item at i modulo the length", (_x, a, b) => {
    return itemAt(a!, b!);
  }),
  fixed(
    "normalize",
    1,
    "text",
    "(s): converts to lower case without accents and punctuation",
    (x, a) => {
      return x.run.charge(normalized(toText(x, a)));
    },
  ),
  fixed("prefix", 2, "any", "(s, n): the first n bytes", (_x, a, b) => prefixOf(a!, b!)),
  fixed("strftime", 1, "any", "(t): formats a time as YYYY-MM-DD HH:MM:SS", (_x, a) =>
    timeText(a!),
  ),
  variadic("bytes", 0, "any", "(...): creates a byte array", (_x, args) => bytesOf(args)),
  fixed("relenc", 1, "int", "(s): code of a relationship", ({ store }, a) => {
    return typeof a === "string" ? store.relationships.codeOf(a) || -1 : isInt(a!) ? a : 0;
  }),
  fixed("typeenc", 1, "int", "(s): code of a vertex type", ({ store }, a) => {
    return typeof a === "string" ? store.types.codeOf(a) || -1 : isInt(a!) ? a : 0;
  }),
  fixed("reldec", 1, "any", "(i): name of a relationship", ({ store }, a) => {
    return isInt(a!) ? store.relationships.nameOf(Number(a)) || UNKNOWN : a!;
  }),
  fixed("typedec", 1, "any", "(i): name of a vertex type", ({ store }, a) => {
    return isInt(a!) ? store.types.nameOf(Number(a)) || UNKNOWN : a!;
  }),
  fixed("modtostr", 1, "text", "(i): name of a modifier", (_x, a) => {
    return MODIFIERS[asNumber(a!) & 0x1f]?.name ?? "M_NONE";
  }),
  fixed("dirtostr", 1, "text", "(i): name of a direction", (_x, a) => {
    return DIRECTIONS[asNumber(a!)] ?? "D_ANY";
  }),
];
