// Functions that fill, copy, aggregate or search ranges of cells.

import { PackedValue, PropertyKind } from "../../store/property-values.js";
import type { Context } from "../context.js";
import { compareTexts, equals } from "../operators.js";
import { packedNumbers, packedPairs } from "../packed.js";
import { asNumber, Bits, boxedReal, isNumeric, Pair, toComparable, type Value } from "../values.js";
import { fits, readRange } from "./ranges.js";
import { type Argument, EFFECT, type FunctionRow, fixed, VOLATILE } from "./row.js";

type Sums = (numbers: readonly number[]) => number;

const sum: Sums = (numbers) => numbers.reduce((a, b) => a + b, 0);
const mean: Sums = (numbers) => sum(numbers) / numbers.length;

const AGGREGATES: readonly (readonly [name: string, doc: string, of: Sums])[] = [
  ["msum", "sum", sum],
  ["msumsqr", "sum of squares", (numbers) => sum(numbers.map((a) => a * a))],
  ["minvsum", "sum of inverses", (numbers) => sum(numbers.map((a) => 1 / a))],
  ["mprod", "product", (numbers) => numbers.reduce((a, b) => a * b, 1)],
  ["mmean", "mean", mean],
  ["mharmmean", "harmonic mean", (all) => all.length / sum(all.map((a) => 1 / a))],
  ["mgeomean", "geometric mean", (numbers) => Math.exp(mean(numbers.map(Math.log)))],
  ["mstdev", "standard deviation", (numbers) => standardDeviation(numbers)],
  [
    "mgeostdev",
    "geometric standard deviation",
    (all) => Math.exp(standardDeviation(all.map(Math.log))),
  ],
];

function standardDeviation(numbers: readonly number[]): number {
  const middle = mean(numbers);
  return Math.sqrt(mean(numbers.map((a) => (a - middle) ** 2)));
}

/** Returns the numbers of a range, skipping other values. */
function readNumbers(x: Context, m1: Value, mn: Value): number[] {
  const [first, last] = readRange(x, m1, mn);
  return x.run.memory.cells
    .slice(first, last + 1)
    .filter((cell) => isNumeric(cell))
    .map(asNumber);
}

function aggregate(name: string, doc: string, of: Sums): FunctionRow {
  return fixed(
    name,
    3,
    "real",
    `(dest, m1, mn): stores the ${doc} of the cells in cell dest; returns it`,
    (x, dest, a, b) => {
      const numbers = readNumbers(x, a!, b!);
      return x.run.memory.store(dest!, boxedReal(numbers.length === 0 ? 0 : of(numbers)));
    },
    EFFECT,
  );
}

/**
 * Declares a function that stores the maximum or minimum in cell dest and returns its index, -1 if
 * there is none.
 */
function extremeOfRange(name: string, doc: string, isMax: boolean): FunctionRow {
  return fixed(
    name,
    3,
    "int",
    `(dest, m1, mn): stores the ${doc} value in cell dest; returns its address`,
    (x, dest, a, b) => {
      const { cells } = x.run.memory;
      const [first, last] = readRange(x, a!, b!);
      let found = -1;
      for (let at = first; at <= last; at++) {
        if (!isNumeric(cells[at]!)) continue;
        const number = toComparable(cells[at]!);
        const best = found < 0 ? number : toComparable(cells[found]!);
        if (found < 0 || (isMax ? number > best : number < best)) found = at;
      }
      if (found >= 0) x.run.memory.store(dest!, cells[found]!);
      return found;
    },
    EFFECT,
  );
}

function findPlaces(x: Context, a: Argument, b: Argument, value: Argument): number[] {
  const { cells } = x.run.memory;
  const [first, last] = readRange(x, a!, b!);
  const positions: number[] = [];
  for (let at = first; at <= last; at++) if (equals(cells[at]!, value!)) positions.push(at);
  return positions;
}

function rangeSearch(name: string, doc: string, of: (positions: readonly number[]) => number) {
  return fixed(
    name,
    3,
    "int",
    `(m1, mn, x): ${doc}`,
    (x, a, b, value) => of(findPlaces(x, a, b, value)),
    VOLATILE,
  );
}

function rangeFill(name: string, doc: string, make: () => Value): FunctionRow {
  return fixed(
    name,
    2,
    "int",
    `(m1, mn): ${doc}`,
    (x, a, b) => {
      const [first, last] = readRange(x, a!, b!);
      for (let at = first; at <= last; at++) x.run.memory.cells[at] = make();
      return Math.max(last - first + 1, 0);
    },
    EFFECT,
  );
}

/** Copies k cells; returns 0 if either range leaves the memory. */
function copyCells(x: Context, to: number, from: number, k: Argument): number {
  const count = Math.trunc(asNumber(k!));
  if (!fits(x, to, count) || !fits(x, from, count)) return 0;
  const { cells } = x.run.memory;
  cells.slice(from, from + count).forEach((cell, index) => {
    cells[to + index] = cell;
  });
  return count;
}

/** Returns the items of a list or map; the 64-bit words of a string. */
function itemsOf(value: Value): Value[] {
  if (value instanceof PackedValue) {
    if (value.kind === PropertyKind.Map) return packedPairs(value);
    const isReals = value.kind === PropertyKind.Floats;
    return Array.from(packedNumbers(value), (item) => (isReals ? boxedReal(item) : item));
  }
  if (typeof value !== "string") return [];
  const bytes = Buffer.alloc(Math.ceil(Buffer.byteLength(value) / 8) * 8);
  bytes.write(value);
  return Array.from(
    { length: bytes.length / 8 },
    (_, index) => new Bits(bytes.readBigUInt64LE(index * 8)),
  );
}

function copyObject(x: Context, dest: Argument, value: Argument): number {
  const { memory } = x.run;
  const items = itemsOf(value!);
  const to = memory.at(dest!);
  if (!fits(x, to, items.length)) return 0;
  items.forEach((item, index) => {
    memory.cells[to + index] = item;
  });
  return items.length;
}

export function compareCells(a: Value, b: Value): number {
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const [x, y] = [sortNumber(a), sortNumber(b)];
  return x === y ? 0 : x < y ? -1 : 1;
}

function sortNumber(value: Value): number | bigint {
  return value instanceof Pair ? value.value : toComparable(value);
}

function compareRanges(x: Context, a: Argument, b: Argument, k: Argument, isNear: boolean): number {
  const { memory } = x.run;
  const [first, second, count] = [memory.at(a!), memory.at(b!), Math.trunc(asNumber(k!))];
  if (!fits(x, first, count) || !fits(x, second, count)) return -1;
  for (let index = 0; index < count; index++) {
    const [left, right] = [memory.cells[first + index]!, memory.cells[second + index]!];
    if (isNear && equals(left, right)) continue;
    const order = compareCells(left, right);
    if (order !== 0) return order;
  }
  return 0;
}

/** Returns the number of cells from an address to the first null. */
function lengthFrom({ run }: Context, a: Argument): number {
  const { memory } = run;
  const from = memory.at(a!);
  let at = from;
  while (at < memory.size && memory.cells[at] !== null) at++;
  run.spend(at - from);
  return at - from;
}

const EACH_AGGREGATE = AGGREGATES.flatMap(([name, doc, of]) => [
  aggregate(name, doc, of),
  aggregate(name.replace(/^m/, "mr"), doc, of),
]);

export const RANGE_CELLS: readonly FunctionRow[] = [
  ...EACH_AGGREGATE,
  extremeOfRange("mmax", "greatest", true),
  extremeOfRange("mmin", "least", false),
  rangeSearch("mcontains", "1 if a cell equals x", (positions) => Math.min(positions.length, 1)),
  rangeSearch("mcount", "number of cells that equal x", (positions) => positions.length),
  rangeSearch(
    "mindex",
    "address of the first cell that equals x, or -1",
    (positions) => positions[0] ?? -1,
  ),
  fixed(
    "mset",
    3,
    "int",
    "(m1, mn, x): fills the cells with x; returns the count",
    (x, a, b, value) => {
      const [first, last] = readRange(x, a!, b!);
      for (let at = first; at <= last; at++) x.run.memory.cells[at] = value!;
      return Math.max(last - first + 1, 0);
    },
    EFFECT,
  ),
  fixed(
    "mreset",
    0,
    "int",
    "(): zeroes all cells and clears the sets; returns the count",
    ({ run }) => {
      run.spend(run.memory.size);
      run.memory.reset();
      return run.memory.size;
    },
    EFFECT,
  ),
  rangeFill("mrandomize", "stores random reals", () => boxedReal(Math.random())),
  rangeFill("mrandbits", "stores random bits", () => {
    const randomWord = (): bigint => BigInt(Math.floor(Math.random() * 2 ** 32));
    return new Bits((randomWord() << 32n) | randomWord());
  }),
  fixed(
    "mcopy",
    3,
    "int",
    "(D, S, k): copies k cells from S to D; returns the count",
    (x, d, s, k) => copyCells(x, x.run.memory.at(d!), x.run.memory.at(s!), k),
    EFFECT,
  ),
  fixed(
    "mpwrite",
    3,
    "int",
    "(pD, S, k): copies k cells to the address in cell pD and advances it by k",
    (x, p, s, k) => {
      const { memory } = x.run;
      const to = memory.at(memory.load(p!));
      const count = copyCells(x, to, memory.at(s!), k);
      if (count > 0) memory.store(p!, to + count);
      return count;
    },
    EFFECT,
  ),
  fixed(
    "mcopyobj",
    2,
    "int",
    "(D, x): copies the items of x to cells D, D+1, …; returns the count",
    copyObject,
    EFFECT,
  ),
  fixed(
    "mterm",
    1,
    "any",
    "(m): stores null in cell m",
    (x, a) => {
      x.run.memory.store(a!, null);
      return a!;
    },
    EFFECT,
  ),
  fixed(
    "mlen",
    1,
    "int",
    "(A): number of cells from A before the first null",
    lengthFrom,
    VOLATILE,
  ),
  fixed(
    "mcmp",
    3,
    "int",
    "(A, B, k): three-way comparison of k cells: -1, 0 or 1",
    (x, a, b, k) => compareRanges(x, a, b, k, false),
    VOLATILE,
  ),
  fixed(
    "mcmpa",
    3,
    "int",
    "(A, B, k): three-way comparison with tolerance for reals",
    (x, a, b, k) => compareRanges(x, a, b, k, true),
    VOLATILE,
  ),
];
