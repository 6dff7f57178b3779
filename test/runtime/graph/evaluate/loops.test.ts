// Loops that change cells, and loops over vertices, give the same results as closures and the naive
// interpreter. ROUNDS=1000000 for a long run.
// limit: 600 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Float } from "../../../../runtime/base/float.js";
import { ArcProgram } from "../../../../runtime/graph/evaluate/arc-program.js";
import { BoundProgram } from "../../../../runtime/graph/evaluate/bound-program.js";
import { MemoryCells } from "../../../../runtime/graph/evaluate/memory-cells.js";
import { compileExpression } from "../../../../runtime/graph/evaluate/program.js";
import type { Value } from "../../../../runtime/graph/evaluate/values.js";
import { VertexProgram } from "../../../../runtime/graph/evaluate/vertex-program.js";
import { M_FLT, M_INT } from "../../../../runtime/graph/model/constants.js";
import { valueBits } from "../../../../runtime/graph/model/modifiers.js";
import { Random, SEED } from "../../../property/support/random.js";
import { rounds } from "../../../support/rounds.js";
import { int, type Tagged, type World } from "./naive-interpreter.js";
import { naiveVector } from "./naive-vectors.js";
import {
  ARCS,
  change,
  expression,
  handles,
  interpreted,
  isSame,
  makeWorld,
  newRun,
  PROPERTIES,
  packArcs,
  passes,
  START,
  store,
  storedValue,
  tagged,
  VECTORS,
} from "./random-expressions.js";

const test = suite("loops");
const ROUNDS = rounds(6_000);

/** Filters all arcs; returns the remaining ones and the cells. */
function filterArcs(text: string, isLoop: boolean): { words: number[]; cells: readonly Value[] } {
  const run = newRun(new MemoryCells(8));
  const bound = new BoundProgram(store, compileExpression(text), run);
  if (isLoop) bound.program.loop("filter", 1e6);
  const words = packArcs(ARCS);
  const end = new ArcProgram(bound).filter(START, words, 0, words.length);
  return { words: [...words.slice(0, end)], cells: run.memory.cells };
}

test("leave the same cells as closures and the interpreter", () => {
  const random = new Random(SEED + 3);
  let loops = 0;
  const rounds = Math.ceil(ROUNDS / 20);
  for (let round = 0; round < rounds; round++) {
    const changes = Array.from({ length: 1 + random.below(3) }, () => change(random));
    const last = random.of(["0", ".arc.value > 1", change(random)]);
    const text = [...changes, last].join("; ");
    const cells: Tagged[] = Array.from({ length: 8 }, () => int(0));
    const results = ARCS.map((arc) => interpreted(text, makeWorld(arc, cells)));
    if (results.includes(null)) continue;
    const expectedWords = [...packArcs(ARCS.filter((_, index) => passes(results[index]!)))];
    for (const isLoop of [false, true]) {
      const message = `SEED=${SEED}: ${isLoop ? "loop" : "closures"}: ${text}`;
      const actual = filterArcs(text, isLoop);
      assert.equal(actual.words, expectedWords, message);
      cells.forEach((cell, index) => {
        const value = actual.cells[index]!;
        const shown = value instanceof Float ? `${value.value}.0` : String(value);
        assert.ok(isSame(value, cell), `${message}: cell ${index}: ${shown}`);
      });
    }
    if (compileExpression(text).program.loop("filter", 0) !== null) loops++;
  }
  assert.ok(loops > rounds / 5, `${loops} loops of ${rounds}`);
});

/** Head, modifier and bits of the arc that `collect` creates from a value; null for none. */
function collectedArc(head: number, value: Tagged): number[] | null {
  if (value.kind === "null") return null;
  if (value.kind === "int") {
    return [head, M_INT, Number(BigInt.asUintN(32, value.exact))];
  }
  return value.kind === "real" ? [head, M_FLT, valueBits("float", value.number)] : [head, 0, 0];
}

test("collect the same arcs as the interpreter has values for", () => {
  const random = new Random(SEED + 5);
  const rounds = Math.ceil(ROUNDS / 20);
  for (let round = 0; round < rounds; round++) {
    const [first, value] = [change(random), storedValue(random)];
    const cells: Tagged[] = Array.from({ length: 8 }, () => int(0));
    const results = ARCS.map((arc) => {
      const world = makeWorld(arc, cells);
      return interpreted(first, world) === null ? null : interpreted(value, world);
    });
    if (results.includes(null)) continue;
    const expectedArcs = ARCS.map(({ head }, index) =>
      collectedArc(handles[head]!, results[index]!),
    );
    const text = `${first}; collect(${value})`;
    for (const isLoop of [false, true]) {
      const run = newRun(new MemoryCells(8));
      const bound = new BoundProgram(store, compileExpression(text), run);
      if (isLoop) bound.program.loop("filter", 1e6);
      const collected: number[][] = [];
      run.collector = (_level, _tail, head, word1, bits) => {
        collected.push([head, (word1 >>> 8) & 31, bits]);
      };
      const words = packArcs(ARCS);
      const end = new ArcProgram(bound).filter(START, words, 0, words.length);
      const message = `SEED=${SEED}: ${isLoop ? "loop" : "closures"}: ${text}`;
      assert.equal(
        collected,
        expectedArcs.filter((arc) => arc !== null),
        message,
      );
      const passing = ARCS.filter((_, index) => expectedArcs[index] !== null);
      assert.equal([...words.slice(0, end)], [...packArcs(passing)], message);
    }
  }
  const known = [".arc.value * 10", "2 - .arc.value", ".arc.value + .deg"];
  for (const value of known) {
    assert.ok(compileExpression(`collect(${value})`).program.loop("filter", 1e6) !== null, value);
  }
});

test("pass the same vertices as closures and the interpreter", () => {
  const random = new Random(SEED + 4);
  let loops = 0;
  const rounds = Math.ceil(ROUNDS / 20);
  for (let round = 0; round < rounds; round++) {
    const candidate = expression(random, 1 + random.below(3), false);
    const text = candidate
      .replaceAll(/(next)?\.arc\.value/g, "vertex['b']")
      .replaceAll("next", "vertex")
      .replaceAll(".deg", "vertex.deg");
    const worlds = handles.map((_, index): World => {
      const { names } = makeWorld({ head: index, isFloat: false, value: 0 }, []);
      const variables = new Map([...names, ["vertex.deg", int(0)]]).set(
        "vertex.vector",
        naiveVector(VECTORS[index]!)!,
      );
      return {
        names: variables,
        property: (_of, key) => tagged(PROPERTIES[index]![key]),
        cells: [],
      };
    });
    const results = worlds.map((world) => interpreted(text, world));
    if (results.includes(null)) continue;
    const expectedHandles = handles.filter((_, index) => passes(results[index]!));
    for (const isLoop of [false, true]) {
      const bound = new BoundProgram(store, compileExpression(text), newRun(null));
      if (isLoop) bound.program.loop("vertices", 1e6);
      const words = Uint32Array.from(handles.flatMap((handle) => [handle, 0, 0]));
      const end = new VertexProgram(bound).filterAlone(words, 0, words.length);
      const left = [...words.slice(0, end)].filter((_, index) => index % 3 === 0);
      assert.equal(left, expectedHandles, `SEED=${SEED}: ${isLoop ? "loop" : "closures"}: ${text}`);
    }
    if (compileExpression(text).program.loop("vertices", 0) !== null) loops++;
  }
  assert.ok(loops > rounds / 5, `${loops} loops of ${rounds}`);
});

test("compare integers with reals approximately, and with each other exactly", () => {
  const wordCount = packArcs(ARCS).length;
  const int = "(int(.arc.value) * 0 + 1)";
  for (const [text, isTrue] of [
    [`${int} == 1.00000000001`, true],
    [`1.00000000001 == ${int}`, true],
    [`${int} != 1.00000000001`, false],
    [`${int} == 1.001`, false],
    [`${int} in {1.00000000001, 7}`, true],
    [`${int} == 2`, false],
    [`${int} * 1.0 == 1.00000000001`, true],
    ["(.arc.value == .arc.value) == 1.00000000001", true],
    ["(.arc.value == .arc.value) != 1.00000000001", false],
    ["(.arc.value == .arc.value) == 1", true],
    [`${int} == 1`, true],
  ] as const) {
    for (const isLoop of [false, true]) {
      assert.is(
        filterArcs(text, isLoop).words.length,
        isTrue ? wordCount : 0,
        `${text}, ${isLoop}`,
      );
    }
  }
});

test.run();
