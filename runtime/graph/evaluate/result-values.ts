// Converts values for callers, and formats them for the built-in service.

import { Float } from "../../base/float.js";
import type { GraphStore } from "../store/graph-store.js";
import { decodeStoredValue } from "../store/property-codec.js";
import { PackedValue, type PropertyValue } from "../store/property-values.js";
import { Pattern } from "./pattern.js";
import { Bits, Pair, SetValue, type Value, VectorValue, VertexRef } from "./values.js";

/** Result of an evaluation in programs: vertices as ids, ints beyond 2^53 as BigInt. */
export type EvaluationResult = PropertyValue | bigint;

export function toPlainValue({ ids }: GraphStore, value: Value): EvaluationResult {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Float) return value.value;
  if (value instanceof VertexRef) return ids.idOf(value.handle);
  if (value instanceof Bits) return value.shown;
  if (value instanceof Pair) return [value.key, value.value];
  if (value instanceof VectorValue) return value.components;
  if (value instanceof Pattern) return value.head + value.tail;
  if (value instanceof SetValue) return null;
  return value instanceof PackedValue ? decodeStoredValue(value) : value;
}

/** As `EvaluationResult` for JSON: long ints as decimal strings, no NaN. */
export function jsonResult(store: GraphStore, value: Value): PropertyValue {
  const plain = toPlainValue(store, value);
  if (typeof plain === "bigint") return String(plain);
  return typeof plain === "number" && !Number.isFinite(plain) ? null : plain;
}

/** Formats a value for the built-in service: strings quoted, reals with a decimal point. */
export function displayResult(store: GraphStore, value: Value): string {
  if (value === null) return "None";
  if (value instanceof Float) return shownReal(value.value);
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? String(value) : shownReal(value);
  }
  if (value instanceof Bits) return `<bitvector ${value.shown}>`;
  if (value instanceof Pair) return `<keyval (${value.key},${value.value})>`;
  if (value instanceof SetValue) return "<set>";
  if (value instanceof VectorValue) return "<vector>";
  const plain = toPlainValue(store, value);
  if (typeof plain === "string") return `'${plain.replace(/[\\']/g, "\\$&")}'`;
  if (plain instanceof Map) {
    return `{${[...plain].map(([key, item]) => `${key}: ${item}`).join(", ")}}`;
  }
  if (plain instanceof Uint8Array) return `<bytes ${plain.length}>`;
  return typeof plain === "bigint" ? String(plain) : JSON.stringify(plain);
}

function shownReal(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? value.toFixed(1) : String(value);
}
