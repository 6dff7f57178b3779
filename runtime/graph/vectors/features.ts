// Storage format of vectors of named, weighted features. Each vector contains the names of its
// features, so it has the same meaning in every graph and cannot exhaust a table of names.
//
//   word 0                number of features
//   1 word per feature    hash of the name, ascending; names with equal hashes are sorted by bytes
//   1 word per feature    code of the weight | bytes of the name << 8 | offset of the name << 16
//   names                 zero-padded to a multiple of 32 bytes

import { ValueError } from "../model/errors.js";
import { COMPONENT_STEP } from "./scratch-buffers.js";

/** Name and weight of a feature. */
export type Feature = readonly [name: string, weight: number];

export const MAX_FEATURES = 48;
/** Maximum length of a name in bytes; longer names are truncated. */
const MAX_NAME_BYTES = 27;
const MAX_BYTES = padLength(4 + MAX_FEATURES * (8 + MAX_NAME_BYTES));
/** Integer that represents the weight 1 in sums. */
export const UNIT = 136;
const CODES = 64;
const LARGEST_CODE = CODES - 1;
/** Quantization steps between two powers of two, and the exponent of the first power. */
const STEPS = 8;
const MIN_EXPONENT = -7;
const CODE_BITS = 0x3f;
/** Features are identified by the upper bits of their name's hash. */
const DIMENSION_SHIFT = 6;

const VALUES = Float64Array.from({ length: CODES }, (_, code) => {
  return (1 + (code % STEPS) / STEPS) * 2 ** ((code >> 3) + MIN_EXPONENT);
});
/** Integer weights by code. */
const INTEGERS = Uint32Array.from(VALUES, (value) => Math.round(UNIT * value));

/** Rounds a weight down to a code; weights that are negative or too large get the largest. */
function encodeWeight(weight: number): number {
  const value = Math.fround(weight);
  if (value < 0 || value >= 2) return LARGEST_CODE;
  let code = 0;
  while (code < LARGEST_CODE && VALUES[code + 1]! <= value) code++;
  return code;
}

/** Reads features in place from a range of words. */
export class FeatureList {
  /** @param at offset of the first word; `end` follows the last */
  constructor(
    readonly words: Uint32Array,
    readonly at: number,
    readonly end: number,
  ) {}

  /** Number of features; 0 if the range cannot contain them, because the words may be arbitrary. */
  get count(): number {
    const count = this.at < this.end ? this.words[this.at]! : 0;
    return count <= MAX_FEATURES && this.at + 1 + 2 * count <= this.end ? count : 0;
  }

  hash(index: number): number {
    return this.words[this.at + 1 + index]!;
  }

  /** Returns the dimension that identifies the feature in fingerprints. */
  dimension(index: number): number {
    return this.hash(index) >>> DIMENSION_SHIFT;
  }

  code(index: number): number {
    return this.#entry(index) & CODE_BITS;
  }

  magnitude(index: number): number {
    return INTEGERS[this.code(index)]!;
  }

  weight(index: number): number {
    return VALUES[this.code(index)]!;
  }

  name(index: number): Uint8Array {
    const entry = this.#entry(index);
    const bytes = Math.min((entry >>> 8) & 0xff, MAX_NAME_BYTES);
    const names = this.at + 1 + 2 * this.count;
    const from = this.words.byteOffset + names * 4 + (entry >>> 16);
    const isInside = from + bytes <= this.words.byteOffset + this.end * 4;
    return new Uint8Array(this.words.buffer, from, isInside ? bytes : 0);
  }

  pairs(): Feature[] {
    return Array.from({ length: this.count }, (_, index): Feature => {
      // A decoder does not accept shared memory.
      return [Buffer.from(this.name(index)).toString(), this.weight(index)];
    });
  }

  #entry(index: number): number {
    return this.words[this.at + 1 + this.count + index]!;
  }
}

export function toFeatureList(bytes: Int8Array): FeatureList {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return new FeatureList(words, 0, words.length);
}

interface Entry {
  readonly name: Buffer;
  readonly hash: number;
  readonly code: number;
}

/**
 * Encodes features.
 * @param path name of the argument in messages
 * @throws ValueError, TypeError
 */
export function encodeFeatures(features: readonly unknown[], path: string): Int8Array {
  if (features.length > MAX_FEATURES) {
    throw new ValueError(`${path} has ${features.length} features: ${MAX_FEATURES} at most`);
  }
  const entries = features.map((feature, index) => parseFeature(feature, `${path}[${index}]`));
  entries.sort(compareEntries);
  entries.forEach(({ name }, index) => {
    if (index > 0 && name.equals(entries[index - 1]!.name)) {
      throw new ValueError(`${path} has two features '${name.toString()}'`);
    }
  });
  const names = entries.reduce((sum, { name }) => sum + name.length, 0);
  const bytes = new Int8Array(padLength(4 + 8 * entries.length + names));
  const words = new Uint32Array(bytes.buffer);
  const start = 4 + 8 * entries.length;
  words[0] = entries.length;
  let at = 0;
  entries.forEach(({ name, hash, code }, index) => {
    words[1 + index] = hash;
    words[1 + entries.length + index] = code | (name.length << 8) | (at << 16);
    bytes.set(name, start + at);
    at += name.length;
  });
  return bytes;
}

/**
 * Returns whether bytes are an encoding of `encodeFeatures`; they may come from untrusted input.
 */
export function isFeatureList(bytes: Int8Array): boolean {
  if (bytes.length === 0 || bytes.length > MAX_BYTES || bytes.length % COMPONENT_STEP !== 0) {
    return false;
  }
  const list = toFeatureList(bytes);
  if (list.count === 0) return false;
  try {
    const encoded = encodeFeatures(list.pairs(), "features");
    return encoded.length === bytes.length && encoded.every((byte, index) => byte === bytes[index]);
  } catch {
    return false;
  }
}

function parseFeature(feature: unknown, path: string): Entry {
  const isPair = Array.isArray(feature) && feature.length === 2;
  const [name, weight] = isPair ? feature : [];
  if (typeof name !== "string" || typeof weight !== "number") {
    throw new TypeError(`${path} must be a name and a weight: ["blue", 0.5]`);
  }
  if (!Number.isFinite(weight)) {
    throw new ValueError(`${path} is ${weight}: weights of features must be finite numbers`);
  }
  const truncated = truncateName(Buffer.from(name));
  return { name: truncated, hash: hashName(truncated), code: encodeWeight(weight) };
}

/** Truncates a name without splitting a character. */
function truncateName(name: Buffer): Buffer {
  if (name.length <= MAX_NAME_BYTES) return name;
  let end = MAX_NAME_BYTES;
  while ((name[end]! & 0xc0) === 0x80) end--;
  return name.subarray(0, end);
}

/** Returns the FNV-1a hash. A collision only costs a comparison of names. */
function hashName(name: Uint8Array): number {
  let hash = 0x811c_9dc5;
  for (const byte of name) hash = Math.imul(hash ^ byte, 0x0100_0193);
  return hash >>> 0;
}

function compareEntries(a: Entry, b: Entry): number {
  return a.hash - b.hash || a.name.compare(b.name);
}

function padLength(bytes: number): number {
  return Math.ceil(bytes / COMPONENT_STEP) * COMPONENT_STEP;
}
