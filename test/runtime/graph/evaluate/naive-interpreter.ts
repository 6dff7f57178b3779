// A second, naive implementation of expressions: it walks the tree with a tag on each value. It
// covers a part of the language and knows no types, templates, closures or loops.

import type { Node, Statement } from "../../../../runtime/graph/evaluate/tree.js";
import {
  areSameVectors,
  type NaiveVector,
  naiveCosine,
  naiveDistance,
  naiveHamming,
  naiveMagnitude,
  naiveProduct,
  naiveSum,
} from "./naive-vectors.js";

export type Tagged =
  | { readonly kind: "null" }
  | { readonly kind: "int"; readonly number: number; readonly exact: bigint }
  | { readonly kind: "real"; readonly number: number }
  | { readonly kind: "text"; readonly text: string }
  | NaiveVector;
type Numeric = Extract<Tagged, { number: number }>;

/** Meanings of names, and cells. */
export interface World {
  readonly names: ReadonlyMap<string, Tagged>;
  readonly property: (of: string, key: string) => Tagged;
  readonly cells: Tagged[];
}

const TINY = 1.1754943508222875e-38;
const NULL: Tagged = { kind: "null" };
const NAN = real(Number.NaN);
/** Distance and differing bits of operands that are not two vectors. */
const FAR = 8.5e37;
const BITS = 64;

/** 64 bits, wrapping. */
export function int(number: number | bigint): Tagged {
  const exact = BigInt.asIntN(BITS, BigInt(number));
  return { kind: "int", number: Number(exact), exact };
}

export function real(number: number): Tagged {
  return { kind: "real", number };
}

function bool(test: boolean): Tagged {
  return int(test ? 1 : 0);
}

export function isTrue(value: Tagged): boolean {
  if (value.kind === "null") return false;
  return isOther(value) || value.number !== 0;
}

/** Neither a number nor null. */
function isOther(value: Tagged): value is Exclude<Tagged, Numeric | { kind: "null" }> {
  return value.kind === "text" || value.kind === "vector";
}

export function interpret(statements: readonly Statement[], world: World): Tagged {
  const variables = new Map<string, Tagged>();
  let last: Tagged = NULL;
  for (const { variable, value } of statements) {
    last = evaluate(value, world, variables);
    if (variable !== null) variables.set(variable, last);
  }
  return last;
}

function evaluate(node: Node, world: World, variables: Map<string, Tagged>): Tagged {
  const of = (child: Node): Tagged => evaluate(child, world, variables);
  switch (node.kind) {
    case "literal": {
      const { kind, value } = node.token;
      if (kind === "$") return { kind: "text", text: value as string };
      return kind === "#i" || kind === "#l" ? int(value as number) : real(value as number);
    }
    case "name":
      return variables.get(node.name) ?? world.names.get(node.name)!;
    case "property":
      return world.property(node.of, node.key.value as string);
    case "group":
      return node.items.map(of)[0]!;
    case "unary":
      return unary(node.operator, of(node.of));
    case "ternary": {
      const [condition, yes, no] = [of(node.condition), of(node.yes), of(node.no)];
      return isTrue(condition) ? yes : no;
    }
    case "binary":
      if (node.operator === "in") return member(of(node.left), node.right, of);
      return binary(node.operator, of(node.left), of(node.right));
    case "call":
      return call(node.name, node.args.map(of), world.cells);
    default:
      throw new Error(`not known here: ${node.kind}`);
  }
}

function member(value: Tagged, right: Node, of: (node: Node) => Tagged): Tagged {
  if (right.kind === "set") {
    return bool(right.items.map(of).filter((item) => equals(value, item)).length > 0);
  }
  const [low, high] = (right as Extract<Node, { kind: "call" }>).args.map(of);
  if (value.kind === "null" || isOther(value)) return bool(false);
  return bool(value.number >= numberIn(low!) && value.number < numberIn(high!));
}

function numberIn(value: Tagged): number {
  return value.kind === "int" || value.kind === "real" ? value.number : Number.NaN;
}

function unary(operator: string, a: Tagged): Tagged {
  if (operator === "!") return bool(!isTrue(a));
  if (operator === "+" || a.kind === "null" || a.kind === "text") return a;
  if (a.kind === "vector") return naiveSum([a], [-1]) ?? NAN;
  return a.kind === "int" ? int(-a.exact) : real(-a.number);
}

function binary(operator: string, a: Tagged, b: Tagged): Tagged {
  switch (operator) {
    case "&&":
      return isTrue(a) && isTrue(b) ? b : int(0);
    case "||":
      return isTrue(a) ? a : isTrue(b) ? b : a;
    case "==":
      return bool(equals(a, b));
    case "!=":
      return bool(!equals(a, b));
    case "<":
      return bool(compares(a, b, (order) => order < 0));
    case "<=":
      return bool(compares(a, b, (order) => order <= 0));
    case ">":
      return bool(compares(a, b, (order) => order > 0));
    case ">=":
      return bool(compares(a, b, (order) => order >= 0));
    default:
      return arithmetic(operator, a, b);
  }
}

function equals(a: Tagged, b: Tagged): boolean {
  if (a.kind === "null" || b.kind === "null") return a.kind === b.kind;
  if (a.kind === "vector" || b.kind === "vector") {
    return a.kind === "vector" && b.kind === "vector" && areSameVectors(a, b);
  }
  if (a.kind === "text" || b.kind === "text") {
    return a.kind === "text" && b.kind === "text" && a.text === b.text;
  }
  if (a.kind === "int" && b.kind === "int") return a.exact === b.exact;
  return a.number === b.number || Math.abs(a.number - b.number) < 1.1920929e-7;
}

function compares(a: Tagged, b: Tagged, test: (order: number) => boolean): boolean {
  if (a.kind === "null" || b.kind === "null") return false;
  if (a.kind === "vector" || b.kind === "vector") return false;
  if (a.kind === "text" || b.kind === "text") {
    if (a.kind !== "text" || b.kind !== "text") return false;
    return test(Buffer.compare(Buffer.from(a.text), Buffer.from(b.text)));
  }
  if (Number.isNaN(a.number) || Number.isNaN(b.number)) return false;
  // JavaScript compares a BigInt with a number by all digits.
  const [x, y] = [a, b].map((side) => (side.kind === "int" ? side.exact : side.number));
  if (x !== y) return test(x! < y! ? -1 : x! > y! ? 1 : 0);
  return test(a.number === b.number ? 0 : a.number < b.number ? -1 : 1);
}

function arithmetic(operator: string, a: Tagged, b: Tagged): Tagged {
  if (a.kind === "null" || b.kind === "null") return withNull(operator, a, b);
  if (operator === "+" && a.kind === "text") return { kind: "text", text: a.text + toText(b) };
  if (a.kind === "text") return NAN;
  if (a.kind === "vector" || b.kind === "vector") return ofVectors(operator, a, b);
  if (b.kind === "text") return operator === "/" ? a : NAN;
  const [x, y] = [a.number, b.number];
  if (operator === "/") return real(divided(x, y));
  if (a.kind === "int" && b.kind === "int") return ofInts(operator, a.exact, b.exact);
  if (operator === "+") return real(x + y);
  if (operator === "-") return real(x - y);
  if (operator === "*") return real(x * y);
  return real(y === 0 ? TINY : x % y);
}

export function ofInts(operator: string, a: bigint, b: bigint): Tagged {
  if (operator === "+") return int(a + b);
  if (operator === "-") return int(a - b);
  if (operator === "*") return int(a * b);
  return int(b === 0n ? 0n : a % b);
}

function divided(x: number, y: number): number {
  return x / (y === 0 && !Object.is(y, -0) ? TINY : y);
}

/** At least one is a vector, and none is null. */
function ofVectors(operator: string, a: Tagged, b: Tagged): Tagged {
  if (a.kind === "vector" && b.kind === "vector") {
    if (operator === "*") return real(naiveProduct(a, b));
    if (operator !== "+" && operator !== "-") return NAN;
    return naiveSum([a, b], [1, operator === "+" ? 1 : -1]) ?? NAN;
  }
  const [vector, operand] = a.kind === "vector" ? [a, b] : [b as NaiveVector, a];
  if (isOther(operand) || operand.kind === "null") return NAN;
  if (operator === "*") return multiple(vector, operand.number);
  if (operator !== "/") return NAN;
  return a === vector ? multiple(vector, divided(1, operand.number)) : operand;
}

function multiple(vector: NaiveVector, factor: number): Tagged {
  return (Number.isFinite(factor) ? naiveSum([vector], [factor]) : null) ?? NAN;
}

function withNull(operator: string, a: Tagged, b: Tagged): Tagged {
  const isNeither = a.kind === "null" && b.kind === "null";
  if (operator === "*") return isNeither ? NULL : int(0);
  if (operator === "+") return a.kind === "null" ? b : a;
  if (operator === "-") {
    if (a.kind === "null") return b.kind === "null" ? NULL : unary("-", b);
    return a.kind === "text" ? NAN : a;
  }
  if (a.kind === "null") return NULL;
  if (a.kind === "vector") return operator === "/" ? a : NAN;
  return a.kind === "text" ? NAN : a;
}

/** Only operations independent of the digits are tested on strings of reals. */
function toText(value: Tagged): string {
  if (value.kind === "text") return value.text;
  if (value.kind === "int") return String(value.number);
  throw new Error("no text of a real here");
}

function call(name: string, args: readonly Tagged[], cells: Tagged[]): Tagged {
  const [a, b] = args as [Tagged, Tagged];
  switch (name) {
    case "sqrt":
    case "floor":
    case "abs": {
      if (a.kind === "null") return NULL;
      if (a.kind === "vector" && name === "abs") return real(naiveMagnitude(a));
      if (isOther(a)) return NAN;
      if (name === "sqrt") return real(a.number <= 0 ? 0 : Math.sqrt(a.number));
      if (a.kind === "int") return name === "abs" && a.exact < 0n ? int(-a.exact) : a;
      return real(name === "floor" ? Math.floor(a.number) : Math.abs(a.number));
    }
    case "firstval":
      return args.find(isValue) ?? a;
    case "isint":
      return bool(a.kind === "int");
    case "isvector":
      return bool(a.kind === "vector");
    case "len":
      if (a.kind === "vector") return int(a.bytes.length);
      return int(a.kind === "text" ? [...a.text].length : 0);
    case "cosine":
    case "sim":
    case "euclidean":
    case "hamdist":
      return measured(name, a, b);
    case "load":
      return cells[cellIndex(a, cells)]!;
    case "store":
      cells[cellIndex(a, cells)] = b;
      return b;
    case "add":
    case "sub": {
      const cell = cells[cellIndex(a, cells)]!;
      // Cells cannot hold joined strings.
      const isJoined = name === "add" && cell.kind === "text" && b.kind !== "null";
      const result = isJoined ? NAN : arithmetic(name === "add" ? "+" : "-", cell, b);
      cells[cellIndex(a, cells)] = result;
      return result;
    }
    case "mov":
      cells[cellIndex(a, cells)] = cells[cellIndex(b, cells)]!;
      return cells[cellIndex(a, cells)]!;
    case "inc":
    case "count":
    case "dec": {
      const by = name === "dec" ? -1 : 1;
      const cell = cells[cellIndex(a, cells)]!;
      const result = cell.kind === "int" ? int(cell.exact + BigInt(by)) : cell;
      cells[cellIndex(a, cells)] = cell.kind === "real" ? real(cell.number + by) : result;
      return cells[cellIndex(a, cells)]!;
    }
    default:
      if (name.endsWith("if")) {
        const isMet = isTrue(a) && !("number" in a && Number.isNaN(a.number));
        if (isMet) call(name.slice(0, -2), args.slice(1), cells);
        return a;
      }
      throw new Error(`not known here: ${name}`);
  }
}

function measured(name: string, a: Tagged, b: Tagged): Tagged {
  const areVectors = a.kind === "vector" && b.kind === "vector";
  if (name === "hamdist") return int(areVectors ? naiveHamming(a, b) : BITS);
  if (name === "euclidean") return real(areVectors ? naiveDistance(a, b) : FAR);
  return real(areVectors ? naiveCosine(a, b) : 0);
}

function isValue(value: Tagged): boolean {
  return isOther(value) || (value.kind !== "null" && !Number.isNaN(value.number));
}

function cellIndex(address: Tagged, cells: Tagged[]): number {
  return (
    Number(address.kind === "int" ? address.exact & 0xffffn : numberIn(address)) &
    (cells.length - 1)
  );
}
