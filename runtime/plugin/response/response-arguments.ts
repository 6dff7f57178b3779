// Validates values that plugin code passes to a PluginResponse.

import { ArgumentError } from "../../base/errors.js";
import { S_NONE } from "../../base/sort-constants.js";
import {
  isSortby,
  type KeyWire,
  sortbyText,
  sortClass,
  takesKeys,
  withDirection,
} from "../../base/sort-order.js";
import { typeName } from "../contract/describe-error.js";
import { Converter } from "../contract/types.js";

/** @throws ArgumentError for values other than safe integers */
export function integer(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw new ArgumentError("TypeError", `${name}: an integer is required`);
  }
  if (!Number.isSafeInteger(value)) {
    throw new ArgumentError("ValueError", `${name}: integer overflow`);
  }
  return value;
}

/** @throws ArgumentError for values other than numbers */
export function number(value: unknown, name: string): number {
  if (typeof value === "number") return value;
  throw new ArgumentError("TypeError", `${name}: a number is required, not ${typeName(value)}`);
}

/** Any negative number means unlimited. */
export function parseMaxhits(value: unknown): number {
  return Math.max(-1, integer(value, "maxhits"));
}

export function parseKeytype(value: unknown): KeyWire | null {
  if (value === null || value === undefined) return null;
  if (!(value instanceof Converter)) {
    throw new ArgumentError("TypeError", "keytype: a type is required");
  }
  if (value.wire === "json") {
    throw new ArgumentError("TypeError", "keytype: int, float, bytes or unicode required");
  }
  return value.wire;
}

/** Returns the order with its direction. */
export function requireSortby(value: unknown, keytype: KeyWire | null): number {
  const sortby = integer(value ?? S_NONE, "sortby");
  if (!isSortby(sortby)) throw new ArgumentError("ValueError", "invalid sortby");
  if (keytype !== null && !takesKeys(sortby, keytype)) {
    const classes = sortClass(sortby) === "numeric" ? "numeric/string" : "string/numeric";
    throw new ArgumentError(
      "ValueError",
      `incompatible sortby/keytype (${classes}): ${sortbyText(sortby)}, ${keytype}`,
    );
  }
  return withDirection(sortby);
}
