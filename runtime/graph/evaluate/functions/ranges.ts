// Functions that map each cell of a range, generated from a table: `mX` for any numbers, `miX` and
// `mrX` for ints and reals, `mvX` with the cells of a second range.

import type { Context } from "../context.js";
import { hashValue } from "../hash.js";
import { add, multiply, power, subtract } from "../operators.js";
import { asNumber, Bits, boxedReal, isInt, isNumeric, rawBits, type Value } from "../values.js";
import { toInt } from "./casts.js";
import { countBits, MATH, roundHalfAway } from "./math.js";
import { bitMask, bitShift, computeModulo, divideCells, increment } from "./memory.js";
import { apply, EFFECT, type FunctionRow, fixed } from "./row.js";

type CellChange = (cell: Value, x: Value) => Value;

/** Returns the first and last cell of an address range; last is below first if it is empty. */
export function readRange({ run }: Context, m1: Value, mn: Value): readonly [number, number] {
  const [first, last] = [run.memory.at(m1), run.memory.at(mn)];
  run.spend(Math.max(last - first, 0));
  return [first, last];
}

/** Maps the numbers of a range; returns their count. */
function mapRange(
  x: Context,
  m1: Value,
  mn: Value,
  change: (cell: Value, x: Context) => Value,
): number {
  const { cells } = x.run.memory;
  const [first, last] = readRange(x, m1, mn);
  let count = 0;
  for (let at = first; at <= last; at++) {
    const cell = cells[at]!;
    if (!isNumeric(cell)) continue;
    cells[at] = change(cell, x);
    count++;
  }
  return count;
}

function mapFunction(
  name: string,
  doc: string,
  change: (cell: Value, x: Context) => Value,
): FunctionRow {
  const about = `(m1, mn): ${doc}; returns the count`;
  return fixed(name, 2, "int", about, (x, a, b) => mapRange(x, a!, b!, change), EFFECT);
}

function mapWithValue(name: string, doc: string, change: CellChange): FunctionRow {
  const about = `(m1, mn, x): ${doc}; returns the count`;
  return fixed(
    name,
    3,
    "int",
    about,
    (x, a, b, value) => mapRange(x, a!, b!, (cell) => change(cell, value!)),
    EFFECT,
  );
}

/** Returns whether the memory contains a number of cells from an address on; charges them. */
export function fits({ run }: Context, first: number, count: number): boolean {
  const isInside = count >= 0 && first + count <= run.memory.size;
  if (isInside) run.spend(count);
  return isInside;
}

function mapPairs(name: string, doc: string, change: CellChange): FunctionRow {
  const about = `(A, B, k): ${doc} of k cells from B and from A, stored from B`;
  return fixed(
    name,
    3,
    "int",
    about,
    (x, a, b, k) => {
      const { memory } = x.run;
      const [from, to, count] = [memory.at(a!), memory.at(b!), Math.trunc(asNumber(k!))];
      if (!fits(x, from, count) || !fits(x, to, count)) return 0;
      for (let index = 0; index < count; index++) {
        memory.cells[to + index] = change(memory.cells[to + index]!, memory.cells[from + index]!);
      }
      return count;
    },
    EFFECT,
  );
}

const CALCULATED: readonly (readonly [name: string, doc: string, change: CellChange])[] = [
  ["add", "sum", add],
  ["sub", "difference", subtract],
  ["mul", "product", multiply],
  ["div", "quotient", divideCells],
  ["mod", "remainder", computeModulo],
];

const MASKED: readonly (readonly [name: string, doc: string, change: CellChange])[] = [
  ["shr", "right shift", (cell, x) => bitShift(cell, x, false)],
  ["shl", "left shift", (cell, x) => bitShift(cell, x, true)],
  ["and", "bitwise AND", (cell, x) => bitMask("&", cell, x)],
  ["or", "bitwise OR", (cell, x) => bitMask("|", cell, x)],
  ["xor", "bitwise XOR", (cell, x) => bitMask("^", cell, x)],
];

/** Functions of one number that also exist for ranges. */
const NUMERIC = new Set([
  ...["inv", "sqrt", "ceil", "floor", "round", "abs", "sign", "log2", "log", "log10", "exp"],
  ...["rad", "deg", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"],
  ...["asinh", "acosh", "atanh", "sinc"],
]);
/** Logarithm of zero or less, which differs from that of `log2`. */
const LEAST_LOG2 = -1024;

function rangeForms(row: FunctionRow): FunctionRow[] {
  const number = row.number!;
  const change = (cell: Value, x: Context): Value => {
    if (row.type === "kept" && isInt(cell)) return apply(row, x, [cell]);
    const a = asNumber(cell);
    return boxedReal(row.name === "log2" && a <= 0 ? LEAST_LOG2 : number(a, 0, 0, 0));
  };
  return [`m${row.name}`, `mr${row.name}`].map((name) =>
    mapFunction(name, `${row.name} of each`, change),
  );
}

const power2 = (base: number) => (cell: Value) => boxedReal(base ** asNumber(cell));
const square = (cell: Value): Value => multiply(cell, cell);
const count = (by: 1 | -1) => (cell: Value) => increment(cell, by);

export const RANGES: readonly FunctionRow[] = [
  ...CALCULATED.flatMap(([name, doc, change]) => [
    ...["m", "mi", "mr"].map((prefix) => mapWithValue(`${prefix}${name}`, doc, change)),
    mapPairs(`mv${name}`, doc, change),
  ]),
  ...MASKED.flatMap(([name, doc, change]) => [
    mapWithValue(`m${name}`, doc, change),
    mapPairs(`mv${name}`, doc, change),
  ]),
  ...MATH.filter(({ name }) => NUMERIC.has(name)).flatMap(rangeForms),
  ...["minc", "miinc", "mrinc"].map((name) => mapFunction(name, "increments each", count(1))),
  ...["mdec", "midec", "mrdec"].map((name) => mapFunction(name, "decrements each", count(-1))),
  ...["mpow", "mrpow"].map((name) =>
    mapWithValue(name, "power of each", (cell, x) => boxedReal(asNumber(power(cell, x)))),
  ),
  ...["msq", "mrsq"].map((name) => mapFunction(name, "square of each", square)),
  ...["mexp2", "mrexp2"].map((name) => mapFunction(name, "2 to the power of each", power2(2))),
  ...["mexp10", "mrexp10"].map((name) => mapFunction(name, "10 to the power of each", power2(10))),
  mapFunction("mint", "each as an int", (cell) => toInt(cell, Math.trunc)),
  mapFunction("mintr", "each rounded to an int", (cell) => toInt(cell, roundHalfAway)),
  mapFunction("mreal", "each as a real", (cell) => boxedReal(asNumber(cell))),
  mapFunction("mbits", "64 bits of each", (cell) => new Bits(rawBits(cell))),
  mapFunction("mpopcnt", "number of set bits of each", (cell) => countBits(rawBits(cell))),
  mapFunction("mhash", "hash of each", hashValue),
];
