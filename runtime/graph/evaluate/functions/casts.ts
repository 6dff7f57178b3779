// Functions that convert values or test their kind.

import { PackedValue, PropertyKind } from "../../store/property-values.js";
import { computeMagnitude } from "../../vectors/vector-parts.js";
import type { Context } from "../context.js";
import { hashValue } from "../hash.js";
import { truncateReal, wrapInt } from "../ints.js";
import { packedLength } from "../packed.js";
import { Pattern } from "../pattern.js";
import { valueToText } from "../text-of.js";
import {
  asNumber,
  Bits,
  boxedReal,
  isInt,
  isReal,
  Pair,
  rawBits,
  realOfBits,
  type Value,
  VectorValue,
  VertexRef,
} from "../values.js";
import { isNan } from "./control.js";
import { countBits, roundHalfAway } from "./math.js";
import { type FunctionRow, fixed } from "./row.js";

export function toInt(value: Value, round: (a: number) => number): Value {
  if (isInt(value)) return value;
  if (value instanceof Bits) return wrapInt(value.value);
  return truncateReal(round(value instanceof Pair ? value.value : asNumber(value)));
}

/** Returns the number at the start of a string; 0 if there is none. */
function parseInteger(text: string): Value {
  const hex = /^\s*(-?)0[xX]([0-9a-fA-F]+)/.exec(text);
  if (hex !== null) {
    const value = BigInt(`0x${hex[2]!}`);
    return wrapInt(hex[1] === "-" ? -value : value);
  }
  const found = /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?/.exec(text);
  return found === null ? 0 : toInt(Number(found[0]), Math.trunc);
}

function asInt(value: Value): Value {
  if (typeof value === "string") return parseInteger(value);
  if (value instanceof VectorValue) return value.parts.length;
  if (value === null) return 0;
  return isReal(value) ? wrapInt(rawBits(value)) : toInt(value, Math.trunc);
}

function asReal(value: Value): Value {
  if (typeof value === "string") {
    const text = value.trim();
    const isHex = /^-?0[xX][0-9a-fA-F]+$/.test(text);
    if (isHex) return boxedReal(asNumber(parseInteger(text)));
    const isNumber = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text);
    return boxedReal(isNumber ? Number(text) : Number.NaN);
  }
  if (value instanceof VectorValue) return boxedReal(computeMagnitude(value.parts));
  if (isReal(value)) {
    const number = asNumber(value);
    if (number === Number.POSITIVE_INFINITY) return Number.MAX_VALUE;
    return number === Number.NEGATIVE_INFINITY ? -Number.MAX_VALUE : value;
  }
  return boxedReal(realOfBits(rawBits(value)));
}

function lengthOf({ store }: Context, value: Value): number {
  if (typeof value === "string") return codePoints(value);
  if (value instanceof PackedValue) return packedLength(value);
  if (value instanceof VectorValue) return value.parts.length;
  if (value instanceof Bits) return countBits(value.value);
  return value instanceof VertexRef ? store.properties.countOf(value.handle) : 0;
}

function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xdc00) count--;
  }
  return count;
}

function kindTest(name: string, doc: string, test: (value: Value) => boolean): FunctionRow {
  return fixed(name, 1, "int", `(x): 1 if x is ${doc}`, (_x, a) => Number(test(a!)));
}

function isPacked(value: Value, ...kinds: readonly number[]): boolean {
  return value instanceof PackedValue && kinds.includes(value.kind);
}

function isText(value: Value): boolean {
  return typeof value === "string" || value instanceof Pattern;
}

const { Bytes, Integers, Floats, Map: MapKind } = PropertyKind;

export const CASTS: readonly FunctionRow[] = [
  fixed("int", 1, "any", "(x): truncates to an int", (_x, a) => toInt(a!, Math.trunc)),
  fixed("intr", 1, "any", "(x): rounds to an int", (_x, a) => toInt(a!, roundHalfAway)),
  fixed("real", 1, "real", "(x): converts to a real", (_x, a) => {
    return boxedReal(a === null ? 0 : a instanceof Pair ? a.value : asNumber(a!));
  }),
  fixed("asint", 1, "any", "(x): a real's bits, or a parsed string, as an int", (_x, a) => {
    return asInt(a!);
  }),
  fixed("asreal", 1, "real", "(x): an int's bits, or a parsed string, as a real", (_x, a) => {
    return asReal(a!);
  }),
  fixed("asbits", 1, "any", "(x): the 64 bits of x as an int", (_x, a) => wrapInt(rawBits(a!))),
  fixed(
    "bitvector",
    1,
    "bits",
    "(x): the 64 bits of x as a bit vector",
    (_x, a) => new Bits(rawBits(a!)),
  ),
  fixed("keyval", 2, "pair", "(key, value): creates a pair", (_x, a, b) => {
    return new Pair(Math.trunc(asNumber(a!)), asNumber(b!));
  }),
  fixed("str", 1, "any", "(x): converts to a string", ({ idOf, run }, a) => {
    return a instanceof Bits ? null : run.charge(valueToText(a!, idOf));
  }),
  kindTest("isint", "an int", isInt),
  kindTest("isreal", "a real other than nan", (a) => isReal(a) && !Number.isNaN(asNumber(a))),
  kindTest("isbitvector", "bits", (a) => a instanceof Bits),
  kindTest("iskeyval", "a pair", (a) => a instanceof Pair),
  kindTest("isstr", "a text", (a) => isText(a) || isPacked(a, Bytes)),
  kindTest("isvector", "a vector", (a) => a instanceof VectorValue),
  kindTest("isarray", "a list of numbers", (a) => isPacked(a, Integers, Floats)),
  kindTest("ismap", "a map", (a) => isPacked(a, MapKind)),
  kindTest("isbytearray", "a list of bytes", (a) => isPacked(a, Bytes)),
  kindTest("isbytes", "bytes", (a) => isPacked(a, Bytes)),
  kindTest("isutf8", "a text", isText),
  kindTest("isnan", "no number", isNan),
  kindTest("isinf", "infinite", (a) => Math.abs(asNumber(a)) === Number.POSITIVE_INFINITY),
  fixed("len", 1, "int", "(x): number of characters, items, dimensions or properties", (x, a) => {
    return lengthOf(x, a!);
  }),
  fixed("hash", 1, "any", "(x): 64-bit hash of x", (_x, a) => hashValue(a!)),
];
