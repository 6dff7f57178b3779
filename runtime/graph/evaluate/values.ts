// Values of expressions, and their three notions of truth. A JavaScript number is an int if it is a
// safe integer, otherwise a real. Whole reals are `Float` objects, as in the store, and ints beyond
// the safe range are BigInts. NaN is the `nan` of the language.

import { Float } from "../../base/float.js";
import type { PackedValue } from "../store/property-values.js";
import {
  NULL_PARTS,
  toComponents,
  type VectorComponents,
  type VectorParts,
} from "../vectors/vector-parts.js";
import type { Pattern } from "./pattern.js";

/** 64 unsigned bits. */
export class Bits {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = BigInt.asUintN(64, value);
  }

  get shown(): string {
    return `0x${this.value.toString(16).padStart(16, "0")}`;
  }
}

/** A 32-bit key and a float32. */
export class Pair {
  readonly key: number;
  readonly value: number;

  constructor(key: number, value: number) {
    this.key = key >>> 0;
    this.value = Math.fround(value);
  }
}

/** A vertex; valid during one query only. */
export class VertexRef {
  constructor(readonly handle: number) {}
}

/** The vector of a vertex or of a query; the null vector if it has none. */
export class VectorValue {
  constructor(readonly parts: VectorParts) {}

  get components(): VectorComponents {
    return toComponents(this.parts);
  }
}

/** A set such as `{a, b}`, on the right side of `in` or on its own. */
export class SetValue {
  constructor(readonly items: readonly Value[]) {}
}

export type Value =
  | null
  | number
  | Float
  | bigint
  | string
  | Bits
  | Pair
  | VertexRef
  | VectorValue
  | SetValue
  | Pattern
  | PackedValue;

export const NO_VECTOR = new VectorValue(NULL_PARTS);

/** Boxes a real for receivers that do not know its static type. */
export function boxedReal(number: number): Value {
  return Number.isSafeInteger(number) ? new Float(number) : number;
}

/** Returns the number in a value; NaN if there is none. */
export function asNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (value instanceof Float) return value.value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Bits) return Number(value.value);
  return Number.NaN;
}

/** As `asNumber`, but exact for ints of any size, for comparisons. */
export function toComparable(value: Value): number | bigint {
  return typeof value === "bigint" ? value : asNumber(value);
}

/** Returns whether a value counts as a number, bits included. */
export function isNumeric(value: Value): value is number | Float | bigint | Bits {
  return (
    typeof value === "number" ||
    value instanceof Float ||
    typeof value === "bigint" ||
    value instanceof Bits
  );
}

export function isInt(value: Value): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
}

export function isReal(value: Value): value is number | Float {
  return value instanceof Float || (typeof value === "number" && !Number.isSafeInteger(value));
}

/** Returns 64 raw bits: ints in two's complement, reals as float64. */
export function rawBits(value: Value): bigint {
  if (typeof value === "bigint") return BigInt.asUintN(64, value);
  if (value instanceof Bits) return value.value;
  if (value instanceof Float) return floatBits(value.value);
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? BigInt.asUintN(64, BigInt(value)) : floatBits(value);
  }
  if (value instanceof Pair) return (BigInt(value.key) << 32n) | (floatBits32(value.value) >> 0n);
  if (value instanceof VertexRef) return BigInt(value.handle);
  return 0n;
}

const float = new Float64Array(1);
const bits = new BigUint64Array(float.buffer);
const float32 = new Float32Array(1);
const bits32 = new Uint32Array(float32.buffer);

function floatBits(value: number): bigint {
  float[0] = value;
  return bits[0]!;
}

function floatBits32(value: number): bigint {
  float32[0] = value;
  return BigInt(bits32[0]!);
}

/** Returns the real with the given 64 bits. */
export function realOfBits(value: bigint): number {
  bits[0] = BigInt.asUintN(64, value);
  return float[0]!;
}

/** For `&& || ! ?:`. */
export function isTrue(value: Value): boolean {
  if (typeof value === "number") return value !== 0;
  if (value === null) return false;
  if (value instanceof Float) return value.value !== 0;
  if (typeof value === "bigint") return value !== 0n;
  if (value instanceof Bits) return value.value !== 0n;
  return !(value instanceof Pair) || value.key !== 0 || value.value !== 0;
}

/** For the conditions of functions: as `isTrue`, but false for NaN. */
export function isCondition(value: Value): boolean {
  return isTrue(value) && !Number.isNaN(value);
}

/** For filters. */
export function isPositive(value: Value): boolean {
  if (typeof value === "number") return value > 0;
  if (value === null || value instanceof SetValue) return false;
  if (value instanceof Float) return value.value > 0;
  if (typeof value === "bigint") return value > 0n;
  if (value instanceof Bits) return value.value !== 0n;
  return !(value instanceof Pair) || value.value > 0;
}

/** Returns the sort key for ranking: 0 for non-numbers; hits below 0 are dropped. */
export function toScore(value: Value): number {
  const number = value instanceof Pair ? value.value : asNumber(value);
  if (Number.isNaN(number)) return 0;
  return Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE);
}
