// Random expressions, with side effects and cells, give the same results in a naive interpreter, in
// closures and in loops. ROUNDS=1000000 for a long run.
// limit: 600 s

import { inspect } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ArcProgram } from "../../../../runtime/graph/evaluate/arc-program.js";
import { BoundProgram } from "../../../../runtime/graph/evaluate/bound-program.js";
import { MemoryCells } from "../../../../runtime/graph/evaluate/memory-cells.js";
import { compileExpression } from "../../../../runtime/graph/evaluate/program.js";
import { Random, SEED } from "../../../property/support/random.js";
import { rounds } from "../../../support/rounds.js";
import { int, type Tagged } from "./naive-interpreter.js";
import {
  ARCS,
  change,
  expression,
  handles,
  interpreted,
  isSame,
  makeWorld,
  newRun,
  packArcs,
  passes,
  START,
  scoreOfTagged,
  store,
} from "./random-expressions.js";

const test = suite("expression back ends");
const ROUNDS = rounds(4_000);

function check(text: string): void {
  const arc = ARCS[text.length % ARCS.length]!;
  const cells: Tagged[] = Array.from({ length: 8 }, () => int(0));
  const expected = interpreted(text, makeWorld(arc, cells));
  if (expected === null) return;
  const run = newRun(new MemoryCells(8));
  const bound = new BoundProgram(store, compileExpression(text), run);
  const { context } = bound;
  context.vertex.move(handles[0]!);
  context.prev.move(handles[0]!);
  context.next.move(handles[arc.head]!);
  const [, word1, bits] = packArcs([arc]);
  context.arc.set(word1!, bits!, 0, 1);
  const message = (subject: string): string => `SEED=${SEED}: ${subject} of ${text}`;
  const value = bound.value();
  assert.ok(isSame(value, expected), message(`value ${String(value)}, not ${inspect(expected)},`));
  cells.forEach((cell, index) => {
    assert.ok(isSame(run.memory.cells[index]!, cell), message(`cell ${index}`));
  });
}

/** Filters and scores arcs by closures, then by loops, and compares them with the interpreter. */
function checkArcs(text: string): boolean {
  const expectedResults = ARCS.map((arc) => interpreted(text, makeWorld(arc, [int(0), int(0)])));
  if (expectedResults.includes(null)) return false;
  const run = newRun(null);
  const bound = new BoundProgram(store, compileExpression(text), run);
  const program = new ArcProgram(bound);
  const expectedArcs = ARCS.filter((_, index) => passes(expectedResults[index]!));
  const scores = expectedResults.map((value) => scoreOfTagged(value!));
  for (const way of ["closures", "loop"]) {
    if (way === "loop") {
      bound.program.loop("filter", 1e6);
      bound.program.loop("score", 1e6);
    }
    const words = packArcs(ARCS);
    const end = program.filter(START, words, 0, words.length);
    const message = `SEED=${SEED}: ${way}: ${text}`;
    assert.equal([...words.slice(0, end)], [...packArcs(expectedArcs)], message);
    const results = new Float64Array(ARCS.length);
    program.score(START, packArcs(ARCS), 0, words.length, results);
    results.forEach((score, index) => {
      assert.ok(score === scores[index], `${message}: ${score}, not ${scores[index]}`);
    });
  }
  return bound.program.loop("filter", 0) !== null;
}

test("closures agree with a naive interpreter, including side effects and cells", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const statements = Array.from({ length: 1 + random.below(3) }, () =>
      expression(random, 3, true),
    );
    check(statements.join("; "));
  }
});

test("loops agree with closures over arcs", () => {
  const random = new Random(SEED + 1);
  let loops = 0;
  const rounds = Math.ceil(ROUNDS / 20);
  for (let round = 0; round < rounds; round++) {
    if (checkArcs(expression(random, 1 + random.below(3), false))) loops++;
  }
  assert.ok(loops > rounds / 5, `${loops} loops of ${rounds}`);
});

/** Runs with a replaced `Function` that receives the source of each loop. */
function withFunction(make: (source: string) => unknown, run: () => void): void {
  const original = globalThis.Function;
  const other = function other(...parts: string[]) {
    const source = parts.at(-1)!;
    return make(source) ?? original(...parts);
  };
  globalThis.Function = other as unknown as FunctionConstructor;
  try {
    run();
  } finally {
    globalThis.Function = original;
  }
}

/** A program that no other test has compiled to a loop. */
function freshProgram(text: string): ReturnType<typeof compileExpression>["program"] {
  return compileExpression(text).program;
}

const WORDS = new Set(
  `
  use strict const return function for let if divide near arcNumber toScore isText H C T F
  K R V P S x a h w b i from end scores store arc side level vertices properties strings
  tail prev pw pv vertex next handle prevArc word1 bits literals codes find serialOf
  collectNumber made
  readNumbers forget keys kinds numbers pointers top move set outDegree inDegree typeOf c1 c0
  createdAt modifiedAt true false
  big E
  isFloatArc isPositive box addTo subtractFrom count memory run cells at
  `
    .trim()
    .split(/\s+/),
);
/**
 * Literals, codes, strings, serials, cells and noted numbers; number, null, kind and string of a
 * property.
 */
const MADE = /^([lktsmu]\d+|[nzqp][vnp]\d+)$/;

test("loop sources consist of known words only", () => {
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
      freshProgram(`vertex['a'] + vertex['b'] > 0 && (${text})`).loop("vertices", 1e6);
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

test("the function neg has the loop of the operator", () => {
  const sources: string[] = [];
  withFunction(
    (source) => void sources.push(source),
    () => {
      for (const negated of ["neg(next.deg)", "-next.deg"]) {
        freshProgram(`${negated} < -3`).loop("filter", 1e6);
      }
    },
  );
  assert.is(sources.length, 2);
  assert.is(sources[0], sources[1]);
});

test("closures are used when the process forbids code generation", () => {
  const refuse = (): never => {
    throw new EvalError("Code generation from strings disallowed for this context");
  };
  withFunction(refuse, () => {
    assert.is(freshProgram("next['a'] + 1 > 2 && .deg < 77").loop("filter", 1e6), null);
    assert.is(freshProgram(".deg < 78 + 1").loop("score", 1e6), null);
  });
});

test.run();
