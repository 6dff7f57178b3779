// Signs of vectors against their definition in float64.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { computeSigns } from "../../../../runtime/graph/vectors/signs.js";
import { parseVector } from "../../../../runtime/graph/vectors/vector.js";
import { exactComponents } from "../../../../runtime/graph/vectors/vector-parts.js";

const test = suite("signs");

/** As the factors of signs.ts. */
function makeSigns(length: number): readonly number[][] {
  let state = 1;
  const sign = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 0 ? 1 : -1;
  };
  return [0, 1].map(() => Array.from({ length }, sign));
}

/** Row i and column j of a Hadamard matrix differ in sign by the bits that both numbers have. */
function hadamard(numbers: readonly number[]): number[] {
  return numbers.map((_, row) =>
    numbers.reduce((sum, number, column) => {
      const bits = (row & column).toString(2).replaceAll("0", "").length;
      return sum + (bits % 2 === 0 ? number : -number);
    }, 0),
  );
}

function rotate(vector: readonly number[]): number[] {
  const size = 2 ** Math.floor(Math.log2(vector.length));
  let numbers = [...vector];
  for (const [step, signs] of makeSigns(vector.length).entries()) {
    numbers = numbers.map((number, index) => number * signs[index]!);
    const first = step === 0 ? 0 : vector.length - size;
    const part = hadamard(numbers.slice(first, first + size));
    numbers.splice(first, size, ...part.map((number) => number / Math.sqrt(size)));
  }
  return numbers;
}

for (const length of [32, 96, 256, 416]) {
  for (const isScaled of [false, true]) {
    test(`of ${length} components are those of the rotated vector, scaled: ${isScaled}`, () => {
      const vector = parseVector(
        Array.from(
          { length },
          (_, index) => 40 * Math.sin(index * index) + (index % 31 === 3 ? 900 : 0),
        ),
        "vector",
      );
      const center = Float32Array.from(
        { length },
        (_, index) => Math.cos(index) / (isScaled ? 20 : 1),
      );
      const exact = [...exactComponents(vector)];
      const norm = isScaled ? Math.hypot(...exact) : 1;
      const rotated = rotate(exact.map((number, index) => number / norm - center[index]!));
      const { bytes, squares, scale } = computeSigns(vector, center, isScaled);
      // Of float32 numbers near 0, either sign is right.
      const near = 1e-4 * Math.max(...rotated.map(Math.abs));
      for (const [index, number] of rotated.entries()) {
        if (Math.abs(number) > near)
          assert.is(bytes[index], Number(number > 0), `component ${index}`);
      }
      assert.is(bytes.length, length);
      assert.is(
        squares,
        bytes.reduce((sum, byte) => sum + byte, 0),
      );
      assert.is(scale, 1);
    });
  }
}

test("cover the first components of a longer vector, and zero vectors", () => {
  const numbers = Array.from({ length: 128 }, (_, index) => Math.sin(index * 7));
  const center = new Float32Array(96);
  const signs = (vector: readonly number[]): Int8Array =>
    computeSigns(parseVector(vector, "vector"), center, true).bytes;
  assert.equal(signs(numbers), signs(numbers.slice(0, 96)));
  assert.ok(signs(Array.from({ length: 96 }, () => 0)).every((byte) => byte === 0));
});

test.run();
