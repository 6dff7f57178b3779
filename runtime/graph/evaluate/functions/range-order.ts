// Functions that sort ranges of cells, use them as heaps, or compare them with lists and maps of
// properties.

import { PackedValue, PropertyKind } from "../../store/property-values.js";
import type { Context } from "../context.js";
import { equals } from "../operators.js";
import { isIntList, packedNumbers, packedPairs } from "../packed.js";
import { asNumber, boxedReal, Pair, type Value } from "../values.js";
import { compareCells } from "./range-cells.js";
import { fits, readRange } from "./ranges.js";
import { type Argument, EFFECT, type FunctionRow, fixed, VOLATILE, variadic } from "./row.js";

/** Returns the first cell and the number of cells of a range; null if it leaves the memory. */
function resolveSpan(x: Context, a: Argument, k: Argument): readonly [number, number] | null {
  const [first, count] = [x.run.memory.at(a!), Math.trunc(asNumber(k!))];
  return fits(x, first, count) ? [first, count] : null;
}

/** Sorts k cells, nulls last; returns how many are not null. */
function sortCells(x: Context, a: Argument, k: Argument, sign: 1 | -1): number {
  const span = resolveSpan(x, a, k);
  if (span === null) return 0;
  const [first, count] = span;
  const { cells } = x.run.memory;
  const part = cells.slice(first, first + count);
  const values = part.filter((cell) => cell !== null);
  values.sort((left, right) => sign * compareCells(left, right));
  x.run.spend(count * Math.ceil(Math.log2(count + 1)));
  for (let index = 0; index < count; index++) cells[first + index] = values[index] ?? null;
  return values.length;
}

function sortFunction(name: string, doc: string, sign: 1 | -1): FunctionRow {
  const about = `(A, k): sorts k cells from A, ${doc}; returns the number that are not null`;
  return fixed(name, 2, "int", about, (x, a, k) => sortCells(x, a, k, sign), EFFECT);
}

/** Returns whether `a` belongs above `b` in a heap. Null is above all other values. */
function isAbove(a: Value, b: Value, isMin: boolean): boolean {
  if (a === null || b === null) return a === null && b !== null;
  return isMin ? compareCells(a, b) < 0 : compareCells(a, b) > 0;
}

function siftDown(
  cells: Value[],
  first: number,
  count: number,
  from: number,
  isMin: boolean,
): void {
  const value = cells[first + from]!;
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= count) break;
    const other = child + 1;
    if (other < count && isAbove(cells[first + other]!, cells[first + child]!, isMin)) child++;
    if (!isAbove(cells[first + child]!, value, isMin)) break;
    cells[first + at] = cells[first + child]!;
    at = child;
  }
  cells[first + at] = value;
}

/**
 * Replaces the top of a heap by each value that belongs below it; returns the number of
 * replacements.
 */
function pushToHeap(
  x: Context,
  a: Argument,
  k: Argument,
  values: readonly Value[],
  isMin: boolean,
) {
  const span = resolveSpan(x, a, k);
  if (span === null || span[1] === 0) return 0;
  const [first, count] = span;
  const { cells } = x.run.memory;
  let replaced = 0;
  for (const value of values) {
    if (value === null || !isAbove(cells[first]!, value, isMin)) continue;
    cells[first] = value;
    siftDown(cells, first, count, 0, isMin);
    replaced++;
  }
  return replaced;
}

function heapify(x: Context, a: Argument, k: Argument, isMin: boolean): number {
  const span = resolveSpan(x, a, k);
  if (span === null) return 0;
  const [first, count] = span;
  for (let at = (count >>> 1) - 1; at >= 0; at--) {
    siftDown(x.run.memory.cells, first, count, at, isMin);
  }
  return count;
}

function heapFamily(suffix: "min" | "max"): FunctionRow[] {
  const isMin = suffix === "min";
  const kept = isMin ? "greatest" : "least";
  return [
    fixed(
      `mheapify${suffix}`,
      2,
      "int",
      "(A, k): heapifies k cells; returns k",
      (x, a, k) => heapify(x, a, k, isMin),
      EFFECT,
    ),
    fixed(
      `mheappush${suffix}`,
      3,
      "int",
      `(A, k, x): pushes x to a heap that keeps the k ${kept}; 1 if kept`,
      (x, a, k, value) => pushToHeap(x, a, k, [value!], isMin),
      EFFECT,
    ),
    variadic(
      `mheapwrite${suffix}`,
      2,
      "int",
      `(A, k, ...): mheappush${suffix} of several values; returns the number kept`,
      (x, [a, k, ...values]) => pushToHeap(x, a, k, values, isMin),
      EFFECT,
    ),
    fixed(
      `mheapsift${suffix}`,
      4,
      "int",
      `(A, k, m1, mn): mheappush${suffix} of a range of cells; returns their number`,
      (x, a, k, m1, mn) => {
        const [first, last] = readRange(x, m1!, mn!);
        const values = x.run.memory.cells.slice(first, last + 1);
        pushToHeap(x, a, k, values, isMin);
        return values.length;
      },
      EFFECT,
    ),
  ];
}

/** Returns keys and weights of a list or map; an int is its own key with weight 1. */
function weightsOf(value: Argument): Map<number, number> {
  const weights = new Map<number, number>();
  if (!(value instanceof PackedValue)) return weights;
  if (value.kind === PropertyKind.Map) {
    for (const pair of packedPairs(value)) weights.set(pair.key, pair.value);
  } else if (isIntList(value)) {
    for (const item of Array.from(packedNumbers(value))) weights.set(item >>> 0, 1);
  }
  return weights;
}

function probe(cell: Value): readonly [key: number, weight: number] {
  return cell instanceof Pair ? [cell.key, cell.value] : [asNumber(cell) >>> 0, 1];
}

function productOf(x: Context, a: Argument, b: Argument, value: Argument): Value {
  const [first, last] = readRange(x, a!, b!);
  const weights = weightsOf(value);
  x.run.spend(weights.size);
  let sum = 0;
  for (let at = first; at <= last; at++) {
    const [key, weight] = probe(x.run.memory.cells[at]!);
    sum += weight * (weights.get(key) ?? 0);
  }
  return boxedReal(sum);
}

function isSubsetOf(x: Context, a: Argument, b: Argument, value: Argument): number {
  const [first, last] = readRange(x, a!, b!);
  const weights = weightsOf(value);
  x.run.spend(weights.size);
  for (let at = first; at <= last; at++) {
    if (!weights.has(probe(x.run.memory.cells[at]!)[0])) return 0;
  }
  return 1;
}

function isSubsetOfCells(x: Context, a: Argument, b: Argument, c: Argument, d: Argument): number {
  const { cells } = x.run.memory;
  const [first, last] = readRange(x, a!, b!);
  const [from, to] = readRange(x, c!, d!);
  x.run.spend(Math.max(last - first, 0) * Math.max(to - from, 0));
  for (let at = first; at <= last; at++) {
    let other = from;
    while (other <= to && !equals(cells[at]!, cells[other]!)) other++;
    if (other > to) return 0;
  }
  return 1;
}

export const RANGE_ORDER: readonly FunctionRow[] = [
  ...["msort", "mrsort"].map((name) => sortFunction(name, "ascending", 1)),
  ...["msortrev", "mrsortrev"].map((name) => sortFunction(name, "descending", -1)),
  fixed(
    "mreverse",
    2,
    "int",
    "(A, k): reverses k cells; returns k",
    (x, a, k) => {
      const span = resolveSpan(x, a, k);
      if (span === null) return 0;
      const [first, count] = span;
      const { cells } = x.run.memory;
      const reversed = cells.slice(first, first + count).reverse();
      reversed.forEach((cell, index) => {
        cells[first + index] = cell;
      });
      return count;
    },
    EFFECT,
  ),
  fixed(
    "mheapinit",
    2,
    "int",
    "(A, k): creates an empty heap of k cells; returns k",
    (x, a, k) => {
      const span = resolveSpan(x, a, k);
      if (span === null) return 0;
      const [first, count] = span;
      x.run.memory.cells.fill(null, first, first + count);
      return count;
    },
    EFFECT,
  ),
  ...heapFamily("min"),
  ...heapFamily("max"),
  fixed(
    "msubset",
    4,
    "int",
    "(p1, pk, m1, mn): 1 if cells m1 to mn contain cells p1 to pk",
    isSubsetOfCells,
    VOLATILE,
  ),
  fixed(
    "msubsetobj",
    3,
    "int",
    "(p1, pk, x): 1 if x contains cells p1 to pk",
    isSubsetOf,
    VOLATILE,
  ),
  fixed(
    "msumprodobj",
    3,
    "real",
    "(p1, pk, x): dot product of two sparse vectors",
    productOf,
    VOLATILE,
  ),
];
