// Incremental digest of the contents of a graph: four 32-bit sums over its real vertices, arcs,
// properties and vectors, each hashed to one term. A change subtracts the old term and adds the new
// one in the same mutation, so the sums do not depend on the order of changes. Vertices count by
// the hash of their id, because handles differ between replicas. The digest detects faults; it is
// not a defense against attackers.
//
// Only graphs with a transaction log maintain it, because only they are compared.
// `Header.DigestVersion` is the version of the hash function; change both together.

import { ARC_WORDS, Header, RECORD_WORDS, RecordWord } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";
import type { VectorParts } from "../vectors/vector-parts.js";

export const DIGEST_VERSION = 1;
export const DIGEST_WORDS = 4;

/** Whether a term is added or removed. */
export type Sign = 1 | -1;

const Seed = {
  Arc: 0x2545_f491,
  Property: 0x6c07_8965,
  Vertex: 0x1b87_3593,
  Vector: 0x4cf5_ad43,
} as const;

/** Result of the last `mix`. */
const term = new Int32Array(DIGEST_WORDS);
/** Sum of several terms. */
const total = new Int32Array(DIGEST_WORDS);

export class ContentDigest {
  /** False: the digest is not maintained, and changes need not be reported. */
  isMaintained: boolean;
  readonly #writer: Writer;
  /** During `measure`, receives the terms that otherwise change the sums of the graph. */
  #sums: Uint32Array | null = null;

  constructor(writer: Writer) {
    this.#writer = writer;
    this.isMaintained = writer.memory.log !== null;
  }

  /** Adds or removes an arc. All methods below require a mutation. */
  arc(sign: Sign, initial: number, terminal: number, word1: number, value: number): void {
    mix(Seed.Arc, this.#idHash(initial), this.#idHash(terminal), word1, value);
    this.#change(sign);
  }

  /**
   * Adds or removes arcs of one initial, as runs have them.
   * @param first offset of the first one
   */
  arcs(sign: Sign, initial: number, words: Uint32Array, first: number, count: number): void {
    const initialHash = this.#idHash(initial);
    total.fill(0);
    const end = first + count * ARC_WORDS;
    for (let at = first; at < end; at += ARC_WORDS) {
      mix(Seed.Arc, initialHash, this.#idHash(words[at]!), words[at + 1]!, words[at + 2]!);
      for (let word = 0; word < DIGEST_WORDS; word++) total[word]! += term[word]!;
    }
    term.set(total);
    this.#change(sign);
  }

  /** @param low low word of the cell, or the hash of the value it points to */
  property(sign: Sign, vertex: number, key: number, high: number, low: number): void {
    mix(Seed.Property, this.#idHash(vertex), key, high, low);
    this.#change(sign);
  }

  /** Adds or removes a real vertex with its own attributes. */
  vertex(sign: Sign, vertex: number, type: number): void {
    const { words } = this.#writer.memory.record;
    const at = vertex * RECORD_WORDS;
    const expiry = Math.imul(words[at + RecordWord.ExpiresAt]!, 0x9e37_79b1);
    const rank = Math.imul(words[at + RecordWord.C0]!, 0x9e37_79b1) + words[at + RecordWord.C1]!;
    mix(Seed.Vertex, this.#idHash(vertex), type + expiry, words[at + RecordWord.CreatedAt]!, rank);
    this.#change(sign);
  }

  /** @param key key code of the name of the vector, 0 for none */
  vector(sign: Sign, vertex: number, parts: VectorParts, key: number): void {
    const { bytes, scale, exact, precision } = parts;
    let hash = bytes.length + Math.imul(key, 0x9e37_79b1);
    for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x0100_0193);
    if (exact !== null && precision !== 0) {
      const { buffer, byteOffset, length } = exact;
      for (const word of new Uint32Array(buffer, byteOffset, length)) {
        hash = Math.imul((hash ^ (hash >>> 15)) + word, 0x0100_0193);
      }
    }
    mix(Seed.Vector, this.#idHash(vertex), bytes.length, hash, Math.fround(scale) * 2 ** 20);
    this.#change(sign);
  }

  /** Returns the sums of the terms that `report` adds; those of the graph do not change. */
  measure(report: () => void): Uint32Array {
    const sums = new Uint32Array(DIGEST_WORDS);
    const { isMaintained } = this;
    this.#sums = sums;
    this.isMaintained = true;
    try {
      report();
    } finally {
      this.#sums = null;
      this.isMaintained = isMaintained;
    }
    return sums;
  }

  #idHash(vertex: number): number {
    return this.#writer.memory.record.words[vertex * RECORD_WORDS + RecordWord.IdHash]!;
  }

  #change(sign: Sign): void {
    const writer = this.#writer;
    const { header } = writer.memory;
    const sums = this.#sums;
    for (let word = 0; word < DIGEST_WORDS; word++) {
      if (sums !== null) sums[word]! += sign * term[word]!;
      else {
        writer.noteOldValue(header, Header.Digest + word);
        header.words[Header.Digest + word]! += sign * term[word]!;
      }
    }
    if (sums === null) writer.markDirty(header, Header.Digest, DIGEST_WORDS);
  }
}

/** Returns the sums as 32 hexadecimal digits. */
export function digestText(sums: Uint32Array): string {
  return Array.from(sums, (sum) => sum.toString(16).padStart(8, "0")).join("");
}

/** Hashes a seed and four words to a term; each bit of the term depends on all their bits. */
function mix(seed: number, a: number, b: number, c: number, d: number): void {
  let h = Math.imul(seed ^ a, 0x85eb_ca6b);
  let g = Math.imul((seed + b) | 0, 0xc2b2_ae35);
  h = Math.imul((h ^ (h >>> 15)) + c, 0x27d4_eb2f);
  g = Math.imul((g ^ (g >>> 13)) + d, 0x1656_67b1);
  h = Math.imul(h ^ (g >>> 16) ^ b, 0xcc9e_2d51);
  g = Math.imul(g ^ (h >>> 15) ^ a, 0x1b87_3593);
  h = Math.imul(h ^ (h >>> 13) ^ d, 0x85eb_ca6b);
  g = Math.imul(g ^ (g >>> 16) ^ c, 0xc2b2_ae35);
  h ^= h >>> 16;
  g ^= g >>> 15;
  term[0] = h;
  term[1] = g;
  term[2] = Math.imul(h ^ ((g << 16) | (g >>> 16)), 0x9e37_79b1);
  term[3] = Math.imul(g + ((h << 11) | (h >>> 21)), 0x85eb_ca77);
}
