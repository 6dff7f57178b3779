// Random expressions over a small graph of unusual values, and its contents for the naive
// interpreter: values of every kind, vectors of several lengths, ints and reals of equal value.

import { Float } from "../../../../runtime/base/float.js";
import { QueryExecution } from "../../../../runtime/graph/evaluate/context.js";
import type { MemoryCells } from "../../../../runtime/graph/evaluate/memory-cells.js";
import { parseExpression } from "../../../../runtime/graph/evaluate/parse-expression.js";
import { Scanner } from "../../../../runtime/graph/evaluate/tokens.js";
import { toScore, type Value, VectorValue } from "../../../../runtime/graph/evaluate/values.js";
import { M_FLT, M_INT } from "../../../../runtime/graph/model/constants.js";
import { valueBits } from "../../../../runtime/graph/model/modifiers.js";
import { quantize } from "../../../../runtime/graph/vectors/vector-parts.js";
import type { Random } from "../../../property/support/random.js";
import { QueryStore } from "../support/query-store.js";
import { int, interpret, real, type Tagged, type World } from "./naive-interpreter.js";
import { areSameVectors, type NaiveVector, naiveVector } from "./naive-vectors.js";

const KEYS = ["a", "b", "c", "none"];
/** Properties by vertex; `Float`s are integral reals. */
export const PROPERTIES: readonly Readonly<Record<string, number | Float | string | null>>[] = [
  { a: 3, b: 0.5, c: "x" },
  { a: new Float(2), b: 0, c: "yy" },
  { a: -7, c: null },
  { a: "x", b: -2.5, c: 4 },
];
const VALUES = [0, 5, -3, 0.25, 100, -7];

/** Vectors by vertex, of several lengths; one vertex has none. */
export const VECTORS: readonly (readonly number[])[] = [
  [1, 0, 0, 0.5],
  [-0.25, 3, 1e-3],
  [],
  Array.from({ length: 40 }, (_, index) => Math.cos(index) * 1e-4),
];
const PROBE = [0.5, 0.5, -2];

const source = new QueryStore();
export const handles = PROPERTIES.map((properties, index) =>
  source.vertex(`v${index}`, {
    properties: properties as Record<string, number>,
    vector: VECTORS[index],
  }),
);
export const { store } = source;

const TRAIL = { tail: handles[0]!, level: 1, side: 0, prev: handles[0]! };
export const START = { ...TRAIL, prevWord1: 0, prevBits: 0, prevSide: 0 };

interface Arc {
  readonly head: number;
  readonly isFloat: boolean;
  readonly value: number;
}

export const ARCS: readonly Arc[] = handles.flatMap((_, head) =>
  VALUES.map((value) => ({ head, value, isFloat: !Number.isInteger(value) || value === 100 })),
);

export function packArcs(arcs: readonly Arc[]): Uint32Array {
  return Uint32Array.from(
    arcs.flatMap(({ head, isFloat, value }) => [
      handles[head]!,
      ((7 << 16) | ((isFloat ? M_FLT : M_INT) << 8)) >>> 0,
      valueBits(isFloat ? "float" : "int", value),
    ]),
  );
}

export function tagged(value: number | Float | string | null | undefined): Tagged {
  if (value === null || value === undefined) return { kind: "null" };
  if (typeof value === "string") return { kind: "text", text: value };
  if (value instanceof Float) return real(value.value);
  return Number.isSafeInteger(value) ? int(value) : real(value);
}

export function makeWorld({ head, isFloat, value }: Arc, cells: Tagged[]): World {
  const arcValue = isFloat ? real(value) : int(value);
  return {
    names: new Map<string, Tagged>([
      [".arc.value", arcValue],
      ["next.arc.value", arcValue],
      [".deg", int(0)],
      ["null", { kind: "null" }],
      ["nan", real(Number.NaN)],
      ["pi", real(Math.PI)],
      ["true", int(1)],
      ...[1, 2, 3, 4].map((register) => [`R${register}`, int(-register)] as const),
      ["vector", naiveVector(PROBE)!],
      ["vertex.vector", naiveVector(VECTORS[0]!)!],
      ["next.vector", naiveVector(VECTORS[head]!)!],
    ]),
    property: (of, key) => tagged(PROPERTIES[of === "next" ? head : 0]![key]),
    cells,
  };
}

/** A random expression; `depth` limits it. */
export function expression(random: Random, depth: number, hasEffects: boolean): string {
  const inner = (): string => expression(random, depth - 1, hasEffects);
  if (depth === 0) return leaf(random);
  switch (random.below(hasEffects ? 16 : 13)) {
    case 0:
      return leaf(random);
    case 1:
      return `(${inner()} ${random.of(["+", "-", "*", "/", "%"])} ${inner()})`;
    case 2:
      return `(${inner()} ${random.of(["-", "*"])} ${inner()})`;
    case 3:
    case 4:
      return `(${inner()} ${random.of(["<", "<=", ">", ">=", "==", "!="])} ${inner()})`;
    case 5:
      return `(${inner()} ${random.of(["&&", "||"])} ${inner()})`;
    case 6:
      return `(${inner()} ? ${inner()} : ${inner()})`;
    case 7:
      return `${random.of(["-", "!", "+"])}${inner()}`;
    case 8:
      return `(${inner()} in {${inner()}, ${inner()}})`;
    case 9:
      return `(${inner()} in range(${inner()}, ${inner()}))`;
    case 10:
      return `${random.of(["sqrt", "floor", "abs", "isint", "firstval"])}(${inner()})`;
    case 11:
      return `${random.of(["len", "isvector", "abs"])}(${inner()})`;
    case 12:
      return `${random.of(["cosine", "sim", "euclidean", "hamdist"])}(${inner()}, ${inner()})`;
    case 13:
      return `store(${random.below(6)}, ${inner()})`;
    case 14:
      return `inc(${random.below(6)})`;
    default:
      return `load(${random.below(6)})`;
  }
}

function leaf(random: Random): string {
  const key = random.of(KEYS);
  return random.of([
    ...["0", "1", "2", "3.0", "0.5", "7", "1e-8", "'x'", "'yy'", "null", "nan", "pi", "true"],
    ...[".arc.value", "next.arc.value", ".deg", `next['${key}']`, `vertex['${key}']`],
    ...[`next['${key}']`, "vertex.vector", "next.vector", "vector"],
  ]);
}

export function isSame(value: Value, expected: Tagged): boolean {
  if (expected.kind === "null") return value === null;
  if (expected.kind === "text") return value === expected.text;
  if (expected.kind === "vector") return isSameVector(value, expected);
  if (expected.kind === "int" && typeof value === "bigint") return value === expected.exact;
  const number = value instanceof Float ? value.value : value;
  if (typeof number !== "number") return false;
  // An int zero has no sign, as a division shows.
  const isInt = typeof value === "number" && Number.isSafeInteger(value) && !Object.is(value, -0);
  const isEqual =
    number === expected.number || (Number.isNaN(number) && Number.isNaN(expected.number));
  return isEqual && isInt === (expected.kind === "int");
}

function isSameVector(value: Value, expected: NaiveVector): boolean {
  if (!(value instanceof VectorValue)) return false;
  const { bytes, scale } = value.parts;
  return areSameVectors({ kind: "vector", bytes: [...bytes], scale }, expected);
}

/** With the vector of a query. */
export function newRun(cells: MemoryCells | null): QueryExecution {
  const run = new QueryExecution(store, cells);
  run.vector = new VectorValue(quantize(PROBE, "vector"));
  return run;
}

export function scoreOfTagged(value: Tagged): number {
  return value.kind === "int" || value.kind === "real" ? toScore(value.number) : 0;
}

export function passes(value: Tagged): boolean {
  if (value.kind === "text" || value.kind === "vector") return true;
  return value.kind !== "null" && value.number > 0;
}

/** Not supported by the interpreter: strings of reals. */
export function interpreted(text: string, world: World): Tagged | null {
  try {
    return interpret(parseExpression(text, Scanner.scan(text)).statements, world);
  } catch (error) {
    if ((error as Error).message === "no text of a real here") return null;
    throw error;
  }
}

/** Stored or collected values, with and without loop support. */
export function storedValue(random: Random): string {
  return random.of([
    ...[".arc.value", ".arc.value", "next.arc.value", "2", "-1", "0.5", "3.0", ".deg"],
    ...[".arc.value * 2.0", "(.arc.value > 1)", "9007199254740991", "-0.0", "next['a']", "'x'"],
    ...[".arc.value * 10", "0 * .arc.value", ".arc.value * -1", "2 - .arc.value", "-.arc.value"],
    ...[".arc.value - next.arc.value", ".arc.value + 9007199254740991", ".deg * .arc.value"],
    ...["(.arc.value + 9007199254740991) * 3 - .arc.value", ".arc.value * next['a']"],
    ...["sqrt(4)", "next.vector"],
  ]);
}

/** Changes a cell. */
export function change(random: Random): string {
  const address = (): string => random.of(["R1", "R2", "R3", "3", "1", "9"]);
  const value = (): string => storedValue(random);
  const name = random.of(["add", "add", "sub", "store", "mov", "inc", "count", "dec"]);
  const operands = [address()];
  if (name === "mov") operands.push(address());
  else if (/^(add|sub|store)$/.test(name)) operands.push(value());
  if (random.below(4) > 0) return `${name}(${operands.join(", ")})`;
  const condition = random.of(["next['a'] > 0", ".arc.value < 1", "nan", ".deg == 0"]);
  return `${name}if(${[condition, ...operands].join(", ")})`;
}
