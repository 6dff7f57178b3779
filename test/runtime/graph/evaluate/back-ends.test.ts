// Random expressions, with effects and cells, mean the same to a naive interpreter, to closures and
// to loops. ROUNDS=1000000 for a long run.
// limit: 600 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Float } from "../../../../runtime/base/float.js";
import { ArcProgram } from "../../../../runtime/graph/evaluate/arc-program.js";
import { BoundProgram } from "../../../../runtime/graph/evaluate/bound-program.js";
import { Run } from "../../../../runtime/graph/evaluate/context.js";
import { MemoryCells } from "../../../../runtime/graph/evaluate/memory-cells.js";
import { parseExpression } from "../../../../runtime/graph/evaluate/parse-expression.js";
import { compileExpression } from "../../../../runtime/graph/evaluate/program.js";
import { Scanner } from "../../../../runtime/graph/evaluate/tokens.js";
import { scoreOf, type Value, VectorValue } from "../../../../runtime/graph/evaluate/values.js";
import { M_FLT, M_INT } from "../../../../runtime/graph/model/constants.js";
import { valueBits } from "../../../../runtime/graph/model/modifiers.js";
import { quantised } from "../../../../runtime/graph/vectors/vector-parts.js";
import { Random, SEED } from "../../../property/support/random.js";
import { QueryStore } from "../support/query-store.js";
import { int, interpret, real, type Tagged, type World } from "./naive-interpreter.js";
import { areSameVectors, type NaiveVector, naiveVector } from "./naive-vectors.js";

const test = suite("back ends");
const ROUNDS = Number(process.env.ROUNDS ?? 20_000);

const KEYS = ["a", "b", "c", "none"];
/** Properties by vertex; `Float`s are integral reals. */
const PROPERTIES: readonly Readonly<Record<string, number | Float | string | null>>[] = [
  { a: 3, b: 0.5, c: "x" },
  { a: new Float(2), b: 0, c: "yy" },
  { a: -7, c: null },
  { a: "x", b: -2.5, c: 4 },
];
const VALUES = [0, 5, -3, 0.25, 100];

/** Vectors by vertex, of several lengths; one vertex has none. */
const VECTORS: readonly (readonly number[])[] = [
  [1, 0, 0, 0.5],
  [-0.25, 3, 1e-3],
  [],
  Array.from({ length: 40 }, (_, index) => Math.cos(index) * 1e-4),
];
const PROBE = [0.5, 0.5, -2];

const source = new QueryStore();
const handles = PROPERTIES.map((properties, index) =>
  source.vertex(`v${index}`, {
    properties: properties as Record<string, number>,
    vector: VECTORS[index],
  }),
);
const { store } = source;

const TRAIL = { tail: handles[0]!, level: 1, side: 0, prev: handles[0]! };
const START = { ...TRAIL, prevWord1: 0, prevBits: 0, prevSide: 0 };

interface Arc {
  readonly head: number;
  readonly isFloat: boolean;
  readonly value: number;
}

const ARCS: readonly Arc[] = handles.flatMap((_, head) =>
  VALUES.map((value) => ({ head, value, isFloat: !Number.isInteger(value) || value === 100 })),
);

function wordsOf(arcs: readonly Arc[]): Uint32Array {
  return Uint32Array.from(
    arcs.flatMap(({ head, isFloat, value }) => [
      handles[head]!,
      ((7 << 16) | ((isFloat ? M_FLT : M_INT) << 8)) >>> 0,
      valueBits(isFloat ? "float" : "int", value),
    ]),
  );
}

function tagged(value: number | Float | string | null | undefined): Tagged {
  if (value === null || value === undefined) return { kind: "null" };
  if (typeof value === "string") return { kind: "text", text: value };
  if (value instanceof Float) return real(value.value);
  return Number.isSafeInteger(value) ? int(value) : real(value);
}

function worldOf({ head, isFloat, value }: Arc, cells: Tagged[]): World {
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

/** A random expression; `depth` bounds it. */
function expression(random: Random, depth: number, hasEffects: boolean): string {
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

function isSame(value: Value, wanted: Tagged): boolean {
  if (wanted.kind === "null") return value === null;
  if (wanted.kind === "text") return value === wanted.text;
  if (wanted.kind === "vector") return isSameVector(value, wanted);
  const number = value instanceof Float ? value.value : value;
  if (typeof number !== "number") return false;
  const isInt = typeof value === "number" && Number.isSafeInteger(value);
  const isEqual = number === wanted.number || (Number.isNaN(number) && Number.isNaN(wanted.number));
  return isEqual && isInt === (wanted.kind === "int");
}

function isSameVector(value: Value, wanted: NaiveVector): boolean {
  if (!(value instanceof VectorValue)) return false;
  const { bytes, scale } = value.parts;
  return areSameVectors({ kind: "vector", bytes: [...bytes], scale }, wanted);
}

/** With the vector of a query. */
function newRun(cells: MemoryCells | null): Run {
  const run = new Run(store, cells);
  run.vector = new VectorValue(quantised(PROBE, "vector"));
  return run;
}

function scoreOfTagged(value: Tagged): number {
  return value.kind === "int" || value.kind === "real" ? scoreOf(value.number) : 0;
}

function passes(value: Tagged): boolean {
  if (value.kind === "text" || value.kind === "vector") return true;
  return value.kind !== "null" && value.number > 0;
}

/** What the interpreter cannot say: texts of reals. */
function interpreted(text: string, world: World): Tagged | null {
  try {
    return interpret(parseExpression(text, Scanner.scan(text)).statements, world);
  } catch (error) {
    if ((error as Error).message === "no text of a real here") return null;
    throw error;
  }
}

function check(text: string): void {
  const arc = ARCS[text.length % ARCS.length]!;
  const cells: Tagged[] = Array.from({ length: 8 }, () => int(0));
  const wanted = interpreted(text, worldOf(arc, cells));
  if (wanted === null) return;
  const run = newRun(new MemoryCells(8));
  const bound = new BoundProgram(store, compileExpression(text), run);
  const { context } = bound;
  context.vertex.move(handles[0]!);
  context.prev.move(handles[0]!);
  context.next.move(handles[arc.head]!);
  const [, word1, bits] = wordsOf([arc]);
  context.arc.set(word1!, bits!, 0, 1);
  const message = (what: string): string => `SEED=${SEED}: ${what} of ${text}`;
  const value = bound.value();
  assert.ok(
    isSame(value, wanted),
    message(`value ${String(value)}, not ${JSON.stringify(wanted)},`),
  );
  cells.forEach((cell, at) => {
    assert.ok(isSame(run.memory.cells[at]!, cell), message(`cell ${at}`));
  });
}

/** Filters and scores arcs by closures, then by loops, and compares them with the interpreter. */
function checkArcs(text: string): boolean {
  const all = ARCS.map((arc) => interpreted(text, worldOf(arc, [int(0), int(0)])));
  if (all.includes(null)) return false;
  const run = newRun(null);
  const bound = new BoundProgram(store, compileExpression(text), run);
  const program = new ArcProgram(bound);
  const wanted = ARCS.filter((_, index) => passes(all[index]!));
  const scores = all.map((value) => scoreOfTagged(value!));
  for (const way of ["closures", "loop"]) {
    if (way === "loop") {
      bound.program.loop("filter", 1e6);
      bound.program.loop("score", 1e6);
    }
    const words = wordsOf(ARCS);
    const end = program.filter(START, words, 0, words.length);
    const message = `SEED=${SEED}: ${way}: ${text}`;
    assert.equal([...words.slice(0, end)], [...wordsOf(wanted)], message);
    const found = new Float64Array(ARCS.length);
    program.score(START, wordsOf(ARCS), 0, words.length, found);
    found.forEach((score, index) => {
      assert.ok(score === scores[index], `${message}: ${score}, not ${scores[index]}`);
    });
  }
  return bound.program.loop("filter", 0) !== null;
}

test("a naive interpreter and closures agree, effects and cells included", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const statements = Array.from({ length: 1 + random.below(3) }, () =>
      expression(random, 3, true),
    );
    check(statements.join("; "));
  }
});

test("closures and loops agree over arcs", () => {
  const random = new Random(SEED + 1);
  let loops = 0;
  const rounds = Math.ceil(ROUNDS / 20);
  for (let round = 0; round < rounds; round++) {
    if (checkArcs(expression(random, 1 + random.below(3), false))) loops++;
  }
  assert.ok(loops > rounds / 5, `${loops} loops of ${rounds}`);
});

/** A change of a cell, with what a loop knows and what it does not. */
function change(random: Random): string {
  const address = (): string => random.of(["R1", "R2", "R3", "3", "1", "9"]);
  const value = (): string =>
    random.of([
      ...[".arc.value", ".arc.value", "next.arc.value", "2", "-1", "0.5", "3.0", ".deg"],
      ...[".arc.value * 2.0", "(.arc.value > 1)", "9007199254740991", "-0.0", "next['a']", "'x'"],
      ...["sqrt(4)", "next.vector"],
    ]);
  const name = random.of(["add", "add", "sub", "store", "mov", "inc", "count", "dec"]);
  const given = [address()];
  if (name === "mov") given.push(address());
  else if (/^(add|sub|store)$/.test(name)) given.push(value());
  if (random.below(4) > 0) return `${name}(${given.join(", ")})`;
  const condition = random.of(["next['a'] > 0", ".arc.value < 1", "nan", ".deg == 0"]);
  return `${name}if(${[condition, ...given].join(", ")})`;
}

/** What remains of all arcs, and in which cells. */
function changed(text: string, isLoop: boolean): { words: number[]; cells: readonly Value[] } {
  const run = newRun(new MemoryCells(8));
  const bound = new BoundProgram(store, compileExpression(text), run);
  if (isLoop) bound.program.loop("filter", 1e6);
  const words = wordsOf(ARCS);
  const end = new ArcProgram(bound).filter(START, words, 0, words.length);
  return { words: [...words.slice(0, end)], cells: run.memory.cells };
}

test("loops leave in cells what closures and the interpreter leave", () => {
  const random = new Random(SEED + 3);
  let loops = 0;
  const rounds = Math.ceil(ROUNDS / 20);
  for (let round = 0; round < rounds; round++) {
    const changes = Array.from({ length: 1 + random.below(3) }, () => change(random));
    const last = random.of(["0", ".arc.value > 1", change(random)]);
    const text = [...changes, last].join("; ");
    const cells: Tagged[] = Array.from({ length: 8 }, () => int(0));
    const results = ARCS.map((arc) => interpreted(text, worldOf(arc, cells)));
    if (results.includes(null)) continue;
    const wanted = [...wordsOf(ARCS.filter((_, index) => passes(results[index]!)))];
    for (const isLoop of [false, true]) {
      const message = `SEED=${SEED}: ${isLoop ? "loop" : "closures"}: ${text}`;
      const made = changed(text, isLoop);
      assert.equal(made.words, wanted, message);
      cells.forEach((cell, at) => {
        const value = made.cells[at]!;
        const shown = value instanceof Float ? `${value.value}.0` : String(value);
        assert.ok(isSame(value, cell), `${message}: cell ${at}: ${shown}`);
      });
    }
    if (compileExpression(text).program.loop("filter", 0) !== null) loops++;
  }
  assert.ok(loops > rounds / 5, `${loops} loops of ${rounds}`);
});

/** Runs with another `Function`, which gets the source of each loop. */
function withFunction(make: (source: string) => unknown, run: () => void): void {
  const kept = globalThis.Function;
  const other = function other(...parts: string[]) {
    const source = parts.at(-1)!;
    return make(source) ?? kept(...parts);
  };
  globalThis.Function = other as unknown as FunctionConstructor;
  try {
    run();
  } finally {
    globalThis.Function = kept;
  }
}

/** A program that no other test has made a loop of. */
function freshProgram(text: string): ReturnType<typeof compileExpression>["program"] {
  return compileExpression(text).program;
}

const WORDS = new Set(
  `
  use strict const return function for let if divide near arcNumber scoreOf isText H C T F
  K R V P S x a h w b i from end scores store arc side level vertices properties strings
  tail prev pw pv vertex next handle prevArc word1 bits literals codes find serialOf
  readNumbers keys kinds numbers pointers top move set outDegree inDegree typeOf c1 c0
  createdAt modifiedAt true false
  isFloatArc isPositive boxed addTo subtractFrom count memory run cells at
  `
    .trim()
    .split(/\s+/),
);
/** Literals, codes, texts, serials and cells; number, null, kind and text of a property. */
const MADE = /^([lktsm]\d+|[nzqp][vnp]\d+)$/;

test("sources of loops are made of known words alone", () => {
  const hostile = "next['constructor'] == '\"); process.exit(); (\"' && next['a`$'] * 1e308 > -0.5";
  const random = new Random(SEED + 2);
  const texts = [hostile, ...Array.from({ length: 300 }, () => expression(random, 3, false))];
  let sources = 0;
  const check = (source: string): undefined => {
    sources++;
    for (const [word] of source.matchAll(/[A-Za-z_$][\w$]*/g)) {
      assert.ok(WORDS.has(word) || MADE.test(word), `${word}: ${source}`);
    }
    assert.not.match(source, /[`\\]/);
    return undefined;
  };
  withFunction(check, () => {
    for (const text of texts) {
      freshProgram(`${text} `).loop("filter", 1e6);
      freshProgram(`(${text}) * 2.5`).loop("score", 1e6);
      freshProgram(`${change(random)}; ${change(random)}; ${text}  `).loop("filter", 1e6);
    }
  });
  assert.ok(sources > 50, `${sources}`);
});

test("expressions that differ in literals share a program and a loop", () => {
  const texts = [
    "next['a'] > 1.5 + 0.25",
    "next['__proto__'] > -1e308 + 1.0",
    "next['b'] > 0.5 + 2.5",
  ];
  const [first, ...others] = texts.map(freshProgram);
  assert.is.not(first, others[0]);
  assert.is(first, others[1]);
  const loop = first!.loop("filter", 1e6);
  assert.ok(loop !== null && loop === others[1]!.loop("filter", 1));
});

test("closures remain where a process makes no code of texts", () => {
  const refuse = (): never => {
    throw new EvalError("Code generation from strings disallowed for this context");
  };
  withFunction(refuse, () => {
    assert.is(freshProgram("next['a'] + 1 > 2 && .deg < 77").loop("filter", 1e6), null);
    assert.is(freshProgram(".deg < 78 + 1").loop("score", 1e6), null);
  });
});

test.run();
