// Signs of vectors: one bit per component. The Hamming distance of signs approximates the angle
// between the vectors. Two steps make all bits equally informative. First a center is subtracted,
// because a component with the same sign in all vectors carries no information. Then a rotation
// spreads large components over all bits; otherwise, they would weigh no more than small ones.
//
// The rotation is a product of random reflections and Walsh-Hadamard transforms, which need
// n log n additions. The size of a transform is a power of two, so transforms alternate between the
// first and the last components.

import { Precision } from "./precision.js";
import { scratchBuffers } from "./scratch-buffers.js";
import { exactComponents, VectorParts } from "./vector-parts.js";

/** A step of the rotation. */
interface Reflection {
  /** Factors of all components: 1 or -1, scaled so that the rotation preserves the norm. */
  readonly factors: Float32Array;
  /** First component of the transform. */
  readonly first: number;
}

/** Number of steps. A single step would not spread large components enough. */
const STEPS = 2;

/** Cached rotations by number of components. */
const rotations = new Map<number, readonly Reflection[]>();

/**
 * Returns the signs of a vector as a binary vector.
 * @param center center to subtract; determines the number of components
 * @param isScaled whether to scale the vector to norm 1
 */
export function computeSigns(
  vector: VectorParts,
  center: Float32Array,
  isScaled: boolean,
): VectorParts {
  const { length } = center;
  const buffers = scratchBuffers();
  const exact = exactComponents(vector);
  buffers.input.set(exact.length === length ? exact : exact.subarray(0, length));
  buffers.center(center, isScaled);
  const size = transformedSize(length);
  for (const { factors, first } of findRotation(length)) buffers.reflect(factors, first, size);
  buffers.sign(length);
  const bytes = buffers.output.slice(0, length);
  const squares = buffers.squares(length);
  return new VectorParts(bytes, 1, squares, null, false, null, Precision.Binary);
}

/** Returns the components, scaled to norm 1 if `isScaled`. */
export function toDirection(vector: VectorParts, isScaled: boolean): Float64Array {
  const numbers = Float64Array.from(exactComponents(vector));
  const squares = numbers.reduce((sum, number) => sum + number * number, 0);
  const factor = isScaled && squares > 0 ? 1 / Math.sqrt(squares) : 1;
  return numbers.map((number) => number * factor);
}

/** Returns the size of a transform: the largest power of two up to the number of components. */
function transformedSize(length: number): number {
  return 2 ** (31 - Math.clz32(length));
}

function findRotation(length: number): readonly Reflection[] {
  let rotation = rotations.get(length);
  if (rotation === undefined) {
    rotation = createRotation(length);
    rotations.set(length, rotation);
  }
  return rotation;
}

function createRotation(length: number): readonly Reflection[] {
  const size = transformedSize(length);
  // A fixed seed: every thread must compute the same rotation.
  let state = 1;
  const sign = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 0 ? 1 : -1;
  };
  return Array.from({ length: STEPS }, (_, step) => {
    const factors = Float32Array.from({ length }, sign);
    // Compensates the previous transform, which multiplies the norm by the root of the size.
    const rescaled = step === 0 ? factors.subarray(0, 0) : factors.subarray(0, size);
    rescaled.forEach((factor, at) => {
      rescaled[at] = factor / Math.sqrt(size);
    });
    return { factors, first: step % 2 === 0 ? 0 : length - size };
  });
}
