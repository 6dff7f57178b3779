// Vectors as values: quantization, fingerprints and comparison, against reference values and the
// same arithmetic in plain JavaScript.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ValueError } from "../../../../runtime/graph/model/errors.js";
import { MAX_COMPONENTS } from "../../../../runtime/graph/vectors/scratch-buffers.js";
import { getParts, parseVector, Vector } from "../../../../runtime/graph/vectors/vector.js";
import { rounds } from "../../../support/rounds.js";
import { fingerprintModel, quantisedModel } from "../support/vector-model.js";

const test = suite("vector");

function near(actual: number, expected: number, tolerance = 2e-4): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} instead of ${expected}`);
}

test("quantizes components to int8 with a scale", () => {
  const vector = new Vector([1, 0, 0, 0.5]);
  assert.is(vector.length, 32);
  assert.equal([...vector.internal.subarray(0, 4)], [127, 0, 0, 64]);
  assert.is(vector.alpha, 0.007874015718698502);
  near(vector.magnitude, 1.11980021, 1e-7);
  assert.equal(
    [...new Vector([127, 0.5, 1.5, 2.5, -0.5, -1.5]).internal.subarray(0, 6)],
    [127, 1, 2, 3, -1, -2],
  );
  assert.is(new Vector([3, 4]).external[1], 4);
});

test("has the reference fingerprints", () => {
  assert.is(new Vector([1, 0.5]).fingerprint, 10050035064719816136n);
  assert.is(new Vector([1, 0, 0, 0.5]).fingerprint, 13509081053180998088n);
  assert.is(new Vector([0, 0]).fingerprint, 2n ** 64n - 1n);
  assert.is(new Vector().fingerprint, 0n);
});

test("compares over the common components", () => {
  const a = new Vector([1, 0, 0, 0.5]);
  const b = [0.5, 0.5, 0, 0];
  near(a.cosine(b), 0.631458, 1e-6);
  near(a.euclideanDistance(b), 0.868304, 1e-6);
  assert.is(a.hammingDistance(b), 14);
  near(a.cosine(new Array(64).fill(1)), 0.2374);
  assert.is(a.cosine(a), 1);
  assert.is(a.euclideanDistance(a), 0);
  near(a.dot(b), 0.5, 0.01);
});

test("treats a zero vector as dissimilar to all, and the null vector as empty", () => {
  const zero = new Vector([0, 0]);
  assert.equal([zero.length, zero.magnitude, zero.alpha], [32, 0, 0]);
  assert.is(zero.cosine([1, 2]), 0);
  const emptyVector = new Vector([]);
  assert.equal([emptyVector.length, emptyVector.magnitude, emptyVector.external], [0, 0, []]);
  near(emptyVector.euclideanDistance([3, 4]), 4.995, 1e-2);
  assert.is(emptyVector.euclideanDistance([]), 0);
});

test("has vectors as sums and multiples", () => {
  const sum = new Vector([1, 0, 0, 0.5]).add([0.5, 0.5, 0, 0]);
  [1.5, 0.496, 0, 0.504].forEach((component, index) => {
    near(sum.external[index]!, component, 0.01);
  });
  near(new Vector([1, 2]).subtract([1, 1]).external[1]!, 1, 0.02);
  near(new Vector([1, 2]).multiply(-2).external[1]!, -4, 0.02);
  assert.is(new Vector([1]).add(new Array(40).fill(1)).length, 64);
  assert.ok(new Vector([1, 2]).equals([1, 2]));
  assert.not.ok(new Vector([1, 2]).equals([2, 4]));
});

test("reports the position of an invalid component", () => {
  const expectRejection = (
    elements: unknown,
    text: RegExp,
    kind: typeof ValueError | typeof TypeError,
  ) => {
    assert.throws(
      () => new Vector(elements as number[]),
      (error: Error) => error instanceof kind && text.test(error.message),
    );
  };
  expectRejection([1, Number.NaN], /vector\[1\] is NaN/, ValueError);
  expectRejection([1, 2, Number.POSITIVE_INFINITY], /vector\[2\] is Infinity/, ValueError);
  expectRejection([1e39], /vector\[0\] is 1e\+39/, ValueError);
  expectRejection(new Array(MAX_COMPONENTS + 1).fill(0), /vector length 65473 exceeds/, ValueError);
  expectRejection([1, ["a", 1]], /either all are numbers, or pairs/, ValueError);
  expectRejection([1, "2"], /vector\[1\] must be a number, not string/, TypeError);
  expectRejection([1, null], /must be a number, not null/, TypeError);
  expectRejection("abc", /must be a list of numbers/, TypeError);
  expectRejection({ bytes: [] }, /must be a list of numbers/, TypeError);
  expectRejection(new Int8Array(31), /multiple of 32/, ValueError);
  expectRejection(new Int8Array(32).fill(-128), /vector\[0\] is -128/, ValueError);
  assert.throws(() => new Vector([3e38]).multiply(10), /sum|product/);
  assert.throws(() => new Vector([1]).multiply(Number.NaN), /factor/);
});

test("accepts bytes unchanged", () => {
  const bytes = Int8Array.from({ length: 32 }, (_, index) => index - 16);
  const vector = new Vector(bytes);
  assert.equal(vector.internal, bytes);
  assert.is(vector.alpha, 1);
  assert.ok(new Vector(Buffer.from(bytes.buffer)).equals(vector));
});

test("agrees with plain arithmetic for random vectors", () => {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const times = rounds(300);
  for (let round = 0; round < times; round++) {
    const size = 10 ** Math.floor(random() * 76 - 38);
    const length = 1 + Math.floor(random() * 90);
    const numbers = Array.from({ length }, () => (random() - 0.5) * size);
    const parts = getParts(new Vector(numbers));
    const model = quantisedModel(numbers);
    assert.equal([...parts.bytes], model.bytes, `round ${round}`);
    assert.is(parts.scale, model.scale);
    const fingerprint = fingerprintModel(model.bytes);
    assert.is(new Vector(numbers).fingerprint, fingerprint, `round ${round}`);
    assert.is(
      parts.squares,
      model.bytes.reduce((sum, byte) => sum + byte * byte, 0),
    );
  }
});

test("supports the maximum length", () => {
  const parts = parseVector(new Float32Array(MAX_COMPONENTS).fill(-1), "vector");
  assert.is(parts.squares, MAX_COMPONENTS * 127 * 127);
  assert.is(new Vector(parts).fingerprint, fingerprintModel([...parts.bytes]));
});

test.run();
