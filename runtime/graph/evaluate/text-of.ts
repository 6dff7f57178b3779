// String conversion of values for `str` and concatenation.

import { Float } from "../../base/float.js";
import { Pattern } from "./pattern.js";
import { Bits, Pair, type Value, VertexRef } from "./values.js";

const DIGITS = 6;

/** Formats with six significant digits and a decimal point: 2.5 is `2.50000`. */
function realText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const [mantissa, exponent] = value.toExponential(DIGITS - 1).split("e");
  const power = Number(exponent);
  if (power < -4 || power >= DIGITS) {
    const digits = String(Math.abs(power)).padStart(2, "0");
    return `${mantissa}e${power < 0 ? "-" : "+"}${digits}`;
  }
  const fixed = value.toFixed(DIGITS - 1 - power);
  return fixed.includes(".") ? fixed : `${fixed}.`;
}

/** @param idOf returns the id of the vertex with a handle */
export function valueToText(value: Value, idOf: (handle: number) => string): string {
  if (typeof value === "string") return value;
  if (value === null) return "null";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : realText(value);
  }
  if (value instanceof Float) return realText(value.value);
  if (value instanceof Pair) return `{${value.key}:${realText(value.value)}}`;
  if (value instanceof VertexRef) return idOf(value.handle);
  if (value instanceof Bits) return value.shown;
  if (value instanceof Pattern) return value.head + value.tail;
  return "";
}
