// Functions of single memory cells. Each function that writes has a conditional form, which runs it
// if its first argument is true, and returns that argument.

import type { Context } from "../context.js";
import { divideInts, wrapInt } from "../ints.js";
import {
  add,
  equals,
  isAtMost,
  isLess,
  maskBits,
  multiply,
  remainder,
  shift,
  subtract,
} from "../operators.js";
import {
  asNumber,
  Bits,
  boxedReal,
  isCondition,
  isInt,
  isReal,
  rawBits,
  type Value,
} from "../values.js";
import { apply, EFFECT, type FunctionRow, fixed, variadic } from "./row.js";

/** Declares the conditional form of a function. */
function conditional(row: FunctionRow): FunctionRow {
  return {
    ...row,
    name: `${row.name}if`,
    min: row.min + 1,
    max: row.max + 1,
    type: "any",
    doc: `(c, …): ${row.name} if c; returns c`,
    call: null,
    many: (x, [c, ...rest]) => {
      if (isCondition(c!)) apply(row, x, rest);
      return c!;
    },
    number: null,
  };
}

/** Divides as `x / y` of cells: ints give a truncated int. */
export function divideCells(a: Value, b: Value): Value {
  const [x, y] = [asNumber(a), asNumber(b)];
  if (y === 0) return Number.NaN;
  return isInt(a) && isInt(b) ? divideInts(a, b) : boxedReal(x / y);
}

export function computeModulo(a: Value, b: Value): Value {
  return asNumber(b) === 0 ? Number.NaN : remainder(a, b);
}

/** Shifts 64 unsigned bits. */
export function bitShift(a: Value, b: Value, isLeft: boolean): Value {
  const moved = shift(new Bits(rawBits(a)), b, isLeft);
  return toKindOf(a, moved instanceof Bits ? moved.value : 0n);
}

export function bitMask(operator: "&" | "|" | "^", a: Value, b: Value): Value {
  const masked = maskBits(operator, new Bits(rawBits(a)), new Bits(rawBits(b)));
  return toKindOf(a, (masked as Bits).value);
}

function toKindOf(a: Value, bits: bigint): Value {
  return a instanceof Bits ? new Bits(bits) : wrapInt(bits);
}

/** Increments ints and reals; other values stay. */
export function increment(value: Value, by: 1 | -1): Value {
  if (isInt(value)) return add(value, by);
  return isReal(value) ? boxedReal(asNumber(value) + by) : value;
}

type Change = (cell: Value, ...operands: Value[]) => Value;

/** Declares an update of one cell, by address and by the address in a cell. */
function cellUpdate(name: string, arity: number, doc: string, change: Change): FunctionRow {
  return fixed(
    name,
    arity,
    "any",
    doc,
    ({ run: { memory } }, a, b, c) => memory.store(a!, change(memory.load(a!), b!, c!)),
    EFFECT,
  );
}

function comparing(name: string, doc: string, test: (a: Value, b: Value) => boolean) {
  const compare = ({ run: { memory } }: Context, a: Value, b: Value): number => {
    return Number(test(memory.load(a), memory.load(b)));
  };
  return [
    fixed(name, 2, "int", `(a, b): 1 if cell a is ${doc} cell b`, (x, a, b) => compare(x, a!, b!)),
    fixed(
      `r${name}`,
      2,
      "int",
      `(p, q): ${name} of the cells that cells p and q point to`,
      (x, a, b) => {
        const { memory } = x.run;
        return compare(x, memory.load(a!), memory.load(b!));
      },
    ),
  ];
}

/** Writes consecutive values; returns their number. */
function storeValues({ run: { memory } }: Context, first: Value, values: readonly Value[]): number {
  const at = memory.at(first);
  values.forEach((value, index) => {
    memory.store(at + index, value);
  });
  return values.length;
}

function exchangeCells({ run: { memory } }: Context, a: Value, b: Value): Value {
  const old = memory.load(a);
  memory.store(a, memory.load(b));
  memory.store(b, old);
  return memory.load(a);
}

const CHANGING: readonly FunctionRow[] = [
  fixed("store", 2, "any", "(a, x): stores x in cell a; returns x", (x, a, b) => {
    return x.run.memory.store(a!, b!);
  }),
  fixed(
    "rstore",
    2,
    "any",
    "(p, x): stores x in the cell that cell p points to; returns x",
    (x, a, b) => {
      return x.run.memory.store(x.run.memory.load(a!), b!);
    },
  ),
  variadic(
    "write",
    1,
    "int",
    "(a, ...): stores values in cells a, a+1, …; returns the count",
    (x, args) => {
      return storeValues(x, args[0]!, args.slice(1));
    },
  ),
  variadic("rwrite", 1, "int", "(p, ...): write from the cell that cell p points to", (x, args) => {
    const { memory } = x.run;
    const [pointer, ...values] = args;
    const count = storeValues(x, memory.load(pointer!), values);
    memory.store(pointer!, add(memory.load(pointer!), count));
    return count;
  }),
  fixed("push", 1, "any", "(x): pushes x; returns x", (x, a) => x.run.memory.push(a!)),
  fixed("pop", 0, "any", "(): pops and returns the top of the stack", (x) => x.run.memory.pop()),
  fixed("mov", 2, "any", "(d, s): copies cell s to cell d; returns the value", (x, a, b) => {
    return x.run.memory.store(a!, x.run.memory.load(b!));
  }),
  fixed("rmov", 2, "any", "(p, q): mov of the cells that cells p and q point to", (x, a, b) => {
    const { memory } = x.run;
    return memory.store(memory.load(a!), memory.load(memory.load(b!)));
  }),
  fixed("xchg", 2, "any", "(a, b): swaps two cells; returns cell a", (x, a, b) => {
    return exchangeCells(x, a!, b!);
  }),
  fixed("rxchg", 2, "any", "(p, q): xchg of the cells that cells p and q point to", (x, a, b) => {
    return exchangeCells(x, x.run.memory.load(a!), x.run.memory.load(b!));
  }),
  cellUpdate("inc", 1, "(a): increments cell a; returns its value", (cell) => increment(cell, 1)),
  cellUpdate("dec", 1, "(a): decrements cell a; returns its value", (cell) => increment(cell, -1)),
  fixed(
    "rinc",
    1,
    "any",
    "(p): increments the cell that cell p points to",
    ({ run: { memory } }, a) => {
      return memory.store(memory.load(a!), increment(memory.load(memory.load(a!)), 1));
    },
  ),
  fixed(
    "rdec",
    1,
    "any",
    "(p): decrements the cell that cell p points to",
    ({ run: { memory } }, a) => {
      return memory.store(memory.load(a!), increment(memory.load(memory.load(a!)), -1));
    },
  ),
  cellUpdate("add", 2, "(a, x): adds x to cell a; returns the sum", (cell, x) => add(cell, x!)),
  cellUpdate("sub", 2, "(a, x): subtracts x from cell a; returns the difference", (cell, x) =>
    subtract(cell, x!),
  ),
  cellUpdate("mul", 2, "(a, x): multiplies cell a by x; returns the product", (cell, x) =>
    multiply(cell, x!),
  ),
  cellUpdate("div", 2, "(a, x): divides cell a by x; integer division for ints", (cell, x) => {
    return divideCells(cell, x!);
  }),
  cellUpdate("mod", 2, "(a, x): sets cell a to its remainder modulo x", (cell, x) =>
    computeModulo(cell, x!),
  ),
  cellUpdate("shr", 2, "(a, n): shifts cell a right by n bits", (cell, n) =>
    bitShift(cell, n!, false),
  ),
  cellUpdate("shl", 2, "(a, n): shifts cell a left by n bits", (cell, n) =>
    bitShift(cell, n!, true),
  ),
  cellUpdate("and", 2, "(a, x): bitwise AND of cell a and x, stored in a", (cell, x) =>
    bitMask("&", cell, x!),
  ),
  cellUpdate("or", 2, "(a, x): bitwise OR of cell a and x, stored in a", (cell, x) =>
    bitMask("|", cell, x!),
  ),
  cellUpdate("xor", 2, "(a, x): bitwise XOR of cell a and x, stored in a", (cell, x) =>
    bitMask("^", cell, x!),
  ),
  cellUpdate(
    "smooth",
    3,
    "(a, x, f): exponential smoothing: moves cell a toward x by factor f",
    (cell, x, f) => {
      return boxedReal(asNumber(cell) + asNumber(f!) * (asNumber(x!) - asNumber(cell)));
    },
  ),
  variadic("count", 1, "any", "(a, ...): increments cell a; returns its value", ({ run }, [a]) => {
    const { memory } = run;
    return memory.store(a!, increment(memory.load(a!), 1));
  }),
].map((row) => ({ ...row, ...EFFECT }));

function indexBit({ run: { memory } }: Context, value: Value): readonly [number, bigint] {
  const handle = Number(rawBits(value));
  return [memory.at(Math.floor(handle / 64)), 1n << BigInt(handle & 63)];
}

const INDEX: readonly FunctionRow[] = [
  fixed(
    "index",
    1,
    "int",
    "(v): sets the memory bit of vertex v; 1 if it was clear",
    (x, a) => {
      const [at, bit] = indexBit(x, a!);
      const old = rawBits(x.run.memory.cells[at]!);
      x.run.memory.cells[at] = new Bits(old | bit);
      return (old & bit) === 0n ? 1 : 0;
    },
    EFFECT,
  ),
  fixed("indexed", 1, "int", "(v): 1 if the memory bit of vertex v is set", (x, a) => {
    const [at, bit] = indexBit(x, a!);
    return (rawBits(x.run.memory.cells[at]!) & bit) === 0n ? 0 : 1;
  }),
  fixed(
    "unindex",
    1,
    "int",
    "(v): clears the memory bit of vertex v; returns 0",
    (x, a) => {
      const [at, bit] = indexBit(x, a!);
      x.run.memory.cells[at] = new Bits(rawBits(x.run.memory.cells[at]!) & ~bit);
      return 0;
    },
    EFFECT,
  ),
];

export const MEMORY: readonly FunctionRow[] = [
  ...CHANGING,
  ...CHANGING.map(conditional),
  ...INDEX,
  fixed("load", 1, "any", "(a): value of cell a", (x, a) => x.run.memory.load(a!)),
  fixed(
    "rload",
    1,
    "any",
    "(p): value of the cell that cell p points to",
    ({ run: { memory } }, a) => {
      return memory.load(memory.load(a!));
    },
  ),
  fixed("get", 0, "any", "(): top of the stack, without popping it", (x) => x.run.memory.top()),
  ...comparing("equ", "equal to", equals),
  ...comparing("neq", "not equal to", (a, b) => !equals(a, b)),
  ...comparing("gt", "greater than", (a, b) => isLess(b, a)),
  ...comparing("gte", "at least", (a, b) => isAtMost(b, a)),
  ...comparing("lt", "less than", isLess),
  ...comparing("lte", "at most", isAtMost),
  fixed("modindex", 3, "any", "(i, m, o): i % m + o", (_x, i, m, o) => {
    return asNumber(m!) === 0 ? i! : add(remainder(i!, m!), o!);
  }),
].map((row) => (row.hasEffect ? row : { ...row, isVolatile: true }));
