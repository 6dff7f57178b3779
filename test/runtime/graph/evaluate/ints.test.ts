// Ints have 64 bits and wrap in all computations: literals, operators, functions, aggregates,
// comparisons and cells agree with a naive model of BigInts, in closures and in loops.
// ROUNDS=1000000 for a long run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Float } from "../../../../runtime/base/float.js";
import { ArcProgram } from "../../../../runtime/graph/evaluate/arc-program.js";
import { BoundProgram } from "../../../../runtime/graph/evaluate/bound-program.js";
import { QueryExecution } from "../../../../runtime/graph/evaluate/context.js";
import { compileExpression } from "../../../../runtime/graph/evaluate/program.js";
import { M_INT } from "../../../../runtime/graph/model/constants.js";
import { valueBits } from "../../../../runtime/graph/model/modifiers.js";
import { Random, SEED } from "../../../property/support/random.js";
import { rounds } from "../../../support/rounds.js";
import { makeGraph } from "../support/make-graph.js";
import { QueryStore } from "../support/query-store.js";

const test = suite("ints of 64 bits");
const ROUNDS = rounds(4_000);
const LEAST = -(2n ** 63n);

/** An expression, and its value by the model, of each arc. */
interface Wanted {
  readonly text: string;
  readonly values: readonly bigint[];
}

const source = new QueryStore();
const NUMBERS = [0, 1, -1, 7, 2 ** 31, -(2 ** 40), 3_037_000_500, 2 ** 53 - 1, 1 - 2 ** 53];
const ARCS = NUMBERS.map((a, index) => {
  const b = NUMBERS[(index * 5 + 3) % NUMBERS.length]!;
  const value = [0, 5, -3, 2 ** 31 - 1, -(2 ** 31)][index % 5]!;
  return { head: source.vertex(`v${index}`, { properties: { a, b } }), a, b, value };
});
const { store } = source;
const START = {
  ...{ tail: ARCS[0]!.head, level: 1, side: 0, prev: ARCS[0]!.head },
  ...{ prevWord1: 0, prevBits: 0, prevSide: 0 },
};

function words(): Uint32Array {
  return Uint32Array.from(
    ARCS.flatMap(({ head, value }) => [
      ...[head, ((7 << 16) | (M_INT << 8)) >>> 0, valueBits("int", value)],
    ]),
  );
}

function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function power(a: bigint, b: bigint): bigint {
  if (b >= 0n) {
    if (b > 200n && a * a > 1n) return LEAST;
    const result = b > 200n ? (a === -1n && b % 2n === 0n ? 1n : a) : a ** b;
    return result === wrap(result) ? result : LEAST;
  }
  if (a === 0n) return LEAST;
  return a * a > 1n ? 0n : b % 2n === 0n ? 1n : a;
}

function bit(test: boolean): bigint {
  return test ? 1n : 0n;
}

// Math.max takes no BigInts.
function greater(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

const BINARY: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "%": (a, b) => (b === 0n ? 0n : a % b),
  "**": power,
  "<<": (a, b) => a << (b & 63n),
  ">>": (a, b) => a >> (b & 63n),
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "==": (a, b) => bit(a === b),
  "!=": (a, b) => bit(a !== b),
  "<": (a, b) => bit(a < b),
  "<=": (a, b) => bit(a <= b),
  ">": (a, b) => bit(a > b),
  ">=": (a, b) => bit(a >= b),
};
const UNARY: Readonly<Record<string, (a: bigint) => bigint>> = {
  "-": (a) => -a,
  "~": (a) => ~a,
  "+": (a) => a,
  "!": (a) => bit(a === 0n),
};
const FUNCTIONS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  max: greater,
  min: lesser,
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
  sumsqr: (a, b) => a * a + b * b,
};
const OF_ONE: Readonly<Record<string, (a: bigint) => bigint>> = {
  neg: (a) => -a,
  abs: (a) => (a < 0n ? -a : a),
  sign: (a) => (a < 0n ? -1n : bit(a > 0n)),
  int: (a) => a,
  floor: (a) => a,
};

function leaf(random: Random): Wanted {
  const expectedResult = (
    text: string,
    of: (arc: (typeof ARCS)[number]) => number | bigint,
  ): Wanted => {
    return { text, values: ARCS.map((arc) => wrap(BigInt(of(arc)))) };
  };
  switch (random.below(8)) {
    case 0:
      return expectedResult("next['a']", ({ a }) => a);
    case 1:
      return expectedResult("next['b']", ({ b }) => b);
    case 2:
      return expectedResult(".arc.value", ({ value }) => value);
    case 3:
      return expectedResult("next.arc.value", ({ value }) => value);
    case 4: {
      const long = BigInt(2 ** random.below(66)) + BigInt(random.below(3));
      return expectedResult(String(long), () => long);
    }
    default: {
      const short = random.below(10);
      return expectedResult(String(short), () => short);
    }
  }
}

function expression(random: Random, depth: number): Wanted {
  if (depth === 0) return leaf(random);
  const a = expression(random, depth - 1);
  const b = expression(random, random.below(depth));
  const both = (text: string, of: (x: bigint, y: bigint) => bigint): Wanted => {
    return { text, values: a.values.map((value, index) => wrap(of(value, b.values[index]!))) };
  };
  switch (random.below(8)) {
    case 0: {
      const name = random.of(Object.keys(FUNCTIONS));
      return both(`${name}(${a.text}, ${b.text})`, FUNCTIONS[name]!);
    }
    case 1: {
      const name = random.of(Object.keys(OF_ONE));
      return both(`${name}(${a.text})`, OF_ONE[name]!);
    }
    case 2: {
      const operator = random.of(Object.keys(UNARY));
      return both(`(${operator}${a.text})`, UNARY[operator]!);
    }
    case 3:
      return both(`(${a.text} in {${b.text}, 1})`, (x, y) => bit(x === y || x === 1n));
    case 4:
      return both(`(${a.text} in range(${b.text}, 100))`, (x, y) => bit(x >= y && x < 100n));
    case 5:
      return both(`(${a.text} > ${b.text} ? ${b.text} : ${a.text})`, lesser);
    default: {
      const operator = random.of(Object.keys(BINARY));
      return both(`(${a.text} ${operator} ${b.text})`, BINARY[operator]!);
    }
  }
}

function checkValues({ text, values }: Wanted): void {
  const bound = new BoundProgram(store, compileExpression(text), new QueryExecution(store, null));
  const { context } = bound;
  const collectedWords = words();
  ARCS.forEach(({ head }, index) => {
    context.next.move(head);
    context.arc.set(collectedWords[index * 3 + 1]!, collectedWords[index * 3 + 2]!, 0, 1);
    const value = bound.value();
    const message = `SEED=${SEED}: ${text} is ${String(value)}, not ${values[index]}`;
    assert.ok(!(value instanceof Float) && !Object.is(value, -0), message);
    assert.is(typeof value === "bigint" || Number.isSafeInteger(value), true, message);
    assert.is(BigInt(value as number), values[index], message);
  });
}

/** Returns whether there is a loop that filters. */
function checkLoops({ text, values }: Wanted): boolean {
  const bound = new BoundProgram(store, compileExpression(text), new QueryExecution(store, null));
  const program = new ArcProgram(bound);
  const arcWords = [...words()];
  const expected = arcWords.filter((_, index) => values[Math.floor(index / 3)]! > 0n);
  for (const way of ["closures", "loop"]) {
    if (way === "loop") {
      bound.program.loop("filter", 1e6);
      bound.program.loop("score", 1e6);
    }
    const message = `SEED=${SEED}: ${way}: ${text}`;
    const passing = words();
    assert.equal(
      [...passing.slice(0, program.filter(START, passing, 0, passing.length))],
      expected,
      message,
    );
    const scores = new Float64Array(ARCS.length);
    program.score(START, words(), 0, arcWords.length, scores);
    assert.equal(
      [...scores].map((score) => score + 0),
      values.map(Number),
      message,
    );
  }
  return bound.program.loop("filter", 0) !== null;
}

test("closures agree with a model of BigInts", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) checkValues(expression(random, random.below(4)));
});

test("loops agree with a model of BigInts", () => {
  const random = new Random(SEED + 1);
  let loops = 0;
  const rounds = Math.ceil(ROUNDS / 8);
  for (let round = 0; round < rounds; round++) {
    if (checkLoops(expression(random, 1 + random.below(3)))) loops++;
  }
  assert.ok(loops > rounds / 6, `${loops} loops of ${rounds}`);
});

test("cells add, count and divide with all digits", () => {
  const graph = makeGraph();
  const long = 2n ** 53n + 1n;
  assert.is(graph.evaluate(`store(0, 9007199254740991); inc(0); inc(0)`), long);
  assert.is(graph.evaluate(`store(0, ${long}); add(0, 2); load(0)`), long + 2n);
  assert.is(graph.evaluate(`store(0, ${long * 5n}); div(0, 5)`), long);
  assert.is(graph.evaluate(`write(0, ${long}, ${long - 1n}); msort(0, 2); load(0)`), 2n ** 53n);
  assert.is(graph.evaluate(`write(0, ${long - 1n}, ${long}); mmax(5, 0, 1)`), 1);
  assert.is(graph.evaluate(`store(0, -${long}); mabs(0, 0); load(0)`), long);
});

test("values of examples", () => {
  const graph = makeGraph();
  const is = (text: string, value: unknown): void => assert.is(graph.evaluate(text), value, text);
  is("1 / prod(64, 0, -65)", 1 / 1.1754943508222875e-38);
  is("9007199254740993 > 9007199254740992", 1);
  is("max(9007199254740992, 9007199254740993)", 9007199254740993n);
  is("sum(4611686018427387904, 1)", 4611686018427387905n);
  is("sumsqr(3037000500)", -9223372036709301616n);
  is("9223372036854775807 + 1", LEAST);
  is("99999999999999999999", 7766279631452241919n);
  is("3 ** 39", 4052555153018976267n);
  is("2 ** 64", LEAST);
  is("2 ** -1", 0);
  is("1 << 63", LEAST);
  is("sum(1, 2.5)", 3.5);
  is("sum()", 0);
  is("isint(9007199254740991 * 3)", 1);
  is("isreal(9007199254740991 * 3.0)", 1);
});

test("random ints of any range are ints of it", () => {
  const graph = makeGraph();
  const long = 2n ** 53n;
  for (const [low, high] of [
    [LEAST, -(LEAST + 1n)],
    [0n, -(LEAST + 1n)],
    [long + 1n, long + 4n],
    [1n - long, long - 1n],
    [LEAST, LEAST + 2n],
    [LEAST, 5n],
    [-5n, 3n],
  ] as const) {
    const drawn = Array.from({ length: 200 }, () => {
      const value = graph.evaluate(`randint(${low}, ${high})`) as number | bigint;
      assert.ok(value >= low && value < high, `${value}`);
      assert.ok(typeof value === "bigint" || Number.isSafeInteger(value), `${value}`);
      return value;
    });
    // Both halves of the range occur.
    const middle = (low + high) / 2n;
    assert.ok(drawn.some((value) => value < middle) && drawn.some((value) => value >= middle));
  }
  const alone = ["randint(7, 8)", `randint(${long}, ${LEAST})`, "randint(2.5, 1)"];
  assert.equal(
    alone.map((text) => graph.evaluate(text)),
    [7, long, 2.5],
  );
});

test.run();
