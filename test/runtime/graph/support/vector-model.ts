// Naive implementation of vectors in plain JavaScript, for comparison with the kernels.

const MASK = 2n ** 64n - 1n;
const [K1, K2] = [0x9e3779b97f4a7c15n, 0xc6a4a7935bd1e995n];
const [K3, K4] = [0x94d049bb133111ebn, 0x2545f4914f6cdd1dn];

/** Components and scale of a vector built from numbers. */
export function quantisedModel(numbers: readonly number[]): { bytes: number[]; scale: number } {
  const floats = numbers.map(Math.fround);
  const largest = floats.reduce((maximum, number) => Math.max(maximum, Math.abs(number)), 0);
  const scale = Math.fround(largest / 127);
  const padded = Math.ceil(numbers.length / 32) * 32;
  const bytes = Array.from({ length: padded }, (_, index) => {
    const exact = scale === 0 ? 0 : (floats[index] ?? 0) / scale;
    const rounded = Math.trunc(exact + Math.sign(exact) * 0.5) + 0;
    return Math.max(-127, Math.min(127, rounded));
  });
  return { bytes, scale };
}

/** Weights by position: words of 64 bits. */
const words: bigint[][] = [];
let state: { s: bigint[]; h: bigint[] } | null = null;

function mix(n: bigint): bigint {
  const rotate = (word: bigint, by: bigint): bigint => ((word >> by) | (word << (64n - by))) & MASK;
  let injected = ((n & 0x1ffffn) * K2) & MASK;
  injected ^= injected >> 47n;
  let hash = n ^ K1 ^ injected;
  hash = (hash * K3) & MASK;
  hash ^= rotate(hash, 23n);
  hash = rotate(hash, 11n);
  hash = (hash * K4) & MASK;
  return hash ^ rotate(hash, 33n);
}

function wordsAt(position: number): bigint[] {
  if (state === null) {
    const s = [1n, 2n, 3n, 4n].map(mix);
    state = { s, h: s.map(mix) };
  }
  while (words.length <= position) {
    const { s, h } = state;
    words.push([...h]);
    for (let index = 0; index < 4; index++) {
      h[index] = mix((h[(index + 1) % 4]! + s[index]!) & MASK);
    }
  }
  return words[position]!;
}

/** Fingerprint of int8 components. */
export function fingerprintModel(bytes: readonly number[]): bigint {
  const print = sumsModel(bytes).reduce((bits, sum) => (bits << 1n) | (sum < 0 ? 1n : 0n), 0n);
  return print === 0n ? MASK : print;
}

/** Bits of a fingerprint whose sums are less than 1/16 of the largest power of two among them. */
export function lowConfidenceModel(bytes: readonly number[]): bigint {
  const sums = sumsModel(bytes).map(Math.abs);
  const largest = 2 ** Math.floor(Math.log2(Math.max(1, ...sums)));
  const unsure = sums.map((sum) => (largest < 16 ? sum === 0 : sum < largest / 16));
  return unsure.reduce((bits, isUnsure) => (bits << 1n) | BigInt(isUnsure), 0n);
}

function sumsModel(bytes: readonly number[]): number[] {
  const sums = new Array<number>(64).fill(0);
  bytes.forEach((byte, position) => {
    if (byte === 0) return;
    const four = wordsAt(position);
    for (let bit = 0; bit < 64; bit++) {
      const nibble = (four[bit % 4]! >> BigInt(4 * Math.floor(bit / 4))) & 15n;
      sums[bit]! += (2 * Number(nibble) - 15) * byte;
    }
  });
  return sums;
}
