// A second, naive implementation of vectors by the formulas of their documentation: lists of int8
// with a scale, weights of fingerprints as BigInts. It uses no kernels and no shared memory.

export interface NaiveVector {
  readonly kind: "vector";
  readonly bytes: readonly number[];
  readonly scale: number;
}

const STEP = 32;
const LARGEST = 127;
const BITS = 64;

/** Built from numbers; null if one is too large for a float32. */
export function naiveVector(numbers: readonly number[]): NaiveVector | null {
  const padded = Math.ceil(numbers.length / STEP) * STEP;
  const floats = Array.from({ length: padded }, (_, index) => Math.fround(numbers[index] ?? 0));
  const largest = Math.max(0, ...floats.map(Math.abs));
  if (!Number.isFinite(largest)) return null;
  const scale = Math.fround(largest / LARGEST);
  const bytes = floats.map((float) => (scale === 0 ? 0 : rounded(float / scale)));
  return { kind: "vector", bytes, scale };
}

/** Rounds halves away from zero. */
function rounded(number: number): number {
  const result = Math.trunc(number + (number < 0 ? -0.5 : 0.5));
  return Math.min(LARGEST, Math.max(-LARGEST, result)) + 0;
}

/** Sum of vectors, each times a factor. */
export function naiveSum(
  vectors: readonly NaiveVector[],
  factors: readonly number[],
): NaiveVector | null {
  const length = Math.max(...vectors.map(({ bytes }) => bytes.length));
  const sums = Array.from({ length }, (_, index) => {
    const terms = vectors.map(({ bytes, scale }, position) => {
      return (bytes[index] ?? 0) * (scale * factors[position]!);
    });
    return terms.reduce((sum, term) => sum + term, 0);
  });
  return naiveVector(sums);
}

/** Over the common components. */
function dot(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).reduce((sum, byte, index) => sum + byte * b[index]!, 0);
}

export function naiveProduct(a: NaiveVector, b: NaiveVector): number {
  return a.scale * b.scale * dot(a.bytes, b.bytes);
}

export function naiveMagnitude({ bytes, scale }: NaiveVector): number {
  return scale * Math.sqrt(dot(bytes, bytes));
}

/** Both, truncated to the common length. */
function common(a: NaiveVector, b: NaiveVector): [readonly number[], readonly number[]] {
  const length = Math.min(a.bytes.length, b.bytes.length);
  return [a.bytes.slice(0, length), b.bytes.slice(0, length)];
}

export function naiveCosine(a: NaiveVector, b: NaiveVector): number {
  const [x, y] = common(a, b);
  const squares = dot(x, x) * dot(y, y);
  if (squares === 0) return 0;
  return Math.fround(Math.max(-1, Math.min(1, dot(x, y) / Math.sqrt(squares))));
}

export function naiveDistance(a: NaiveVector, b: NaiveVector): number {
  const [x, y] = common(a, b);
  if (x.length === 0) return Math.fround(naiveMagnitude(a) + naiveMagnitude(b));
  const squared = dot(x, x) * a.scale * a.scale;
  const others = dot(y, y) * b.scale * b.scale;
  const square = squared + others - 2 * dot(x, y) * a.scale * b.scale;
  return Math.fround(Math.sqrt(Math.max(0, square)));
}

export function areSameVectors(a: NaiveVector, b: NaiveVector): boolean {
  if (a.scale !== b.scale || a.bytes.length !== b.bytes.length) return false;
  return a.bytes.every((byte, index) => byte === b.bytes[index]);
}

export function naiveHamming(a: NaiveVector, b: NaiveVector): number {
  const otherSigns = signs(b);
  return signs(a).filter((sign, bit) => sign !== otherSigns[bit]).length;
}

/** Bits of the fingerprint, highest first. */
function signs({ bytes }: NaiveVector): readonly boolean[] {
  if (bytes.length === 0) return new Array<boolean>(BITS).fill(false);
  const result = Array.from({ length: BITS }, (_, bit) => {
    return bytes.reduce((sum, byte, position) => sum + byte * weightsAt(position)[bit]!, 0) < 0;
  });
  return result.includes(true) ? result : result.map(() => true);
}

const cut = (word: bigint): bigint => BigInt.asUintN(64, word);
const rotate = (word: bigint, by: bigint): bigint => cut((word >> by) | (word << (64n - by)));

function mix(n: bigint): bigint {
  let b = cut((n & 0x1ffffn) * 0xc6a4_a793_5bd1_e995n);
  b ^= b >> 47n;
  let h = cut((n ^ 0x9e37_79b9_7f4a_7c15n ^ b) * 0x94d0_49bb_1331_11ebn);
  h ^= rotate(h, 23n);
  h = cut(rotate(h, 11n) * 0x2545_f491_4f6c_dd1dn);
  return h ^ rotate(h, 33n);
}

const seeds = [1n, 2n, 3n, 4n].map(mix);
const words = seeds.map(mix);
/** The 64 weights of each position so far. */
const table: number[][] = [];

function weightsAt(position: number): readonly number[] {
  while (table.length <= position) {
    const row = Array.from({ length: BITS }, (_, bit) => {
      const word = words[bit % 4]!;
      const nibble = Number((word >> BigInt(4 * Math.floor(bit / 4))) & 15n);
      return 2 * nibble - 15;
    });
    table.push(row);
    for (let index = 0; index < 4; index++) {
      words[index] = mix(cut(words[(index + 1) % 4]! + seeds[index]!));
    }
  }
  return table[position]!;
}
