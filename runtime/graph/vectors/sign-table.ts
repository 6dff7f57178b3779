// The signs of all vectors of one length and name, in a separate table of binary vectors. A sign
// index is the HNSW index of this table by Hamming distance. It selects candidates, whose vectors
// are then compared, so outdated signs are harmless. The interconnect thread computes the signs
// (sign-builder.ts), so writers do not wait for them, and the transaction log does not contain
// them.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { LIST_UNIT_WORDS } from "../memory/layout.js";
import { VectorIndex } from "./index-layout.js";
import { Precision } from "./precision.js";
import { Probe } from "./probe.js";
import { computeSigns } from "./signs.js";
import { countComponents, hasFeatures, Space, slotLength } from "./vector-layout.js";
import type { VectorParts } from "./vector-parts.js";
import { Field } from "./vector-root.js";
import type { VectorTable } from "./vector-table.js";

/** Returns the length word of the slots of signs. */
function signLength(components: number): number {
  return slotLength(components, false, Precision.Binary);
}

export class SignTable {
  /** Vectors whose signs the table contains. */
  readonly vectors: VectorTable;
  /** Table of the signs. */
  readonly table: VectorTable;
  /** Number of components. */
  readonly length: number;
  readonly #field: number;
  readonly #lists: Arena;
  readonly #blocks: BlockAllocator;
  /** Cached probe, and its vector. */
  #probeVector: VectorParts | null = null;
  #probe: Probe | null = null;

  /** @param field block of the table in `lists` */
  constructor(vectors: VectorTable, table: VectorTable, field: number) {
    this.vectors = vectors;
    this.table = table;
    this.#field = field;
    this.#lists = table.writer.memory.lists;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
    this.length = this.#read(Field.Signs);
  }

  get exists(): boolean {
    return this.table.exists;
  }

  /** Space of the signs; 0 before the first request of an index. */
  get space(): number {
    return this.table.spaceOf(signLength(this.length));
  }

  /** Number of candidates examined per vector; 0: no index requested. */
  get ef(): number {
    const { space } = this;
    const index = space === 0 ? 0 : this.table.readSpace(space, Space.Index);
    return index === 0 ? 0 : this.#lists.words[index + VectorIndex.Ef]!;
  }

  /** True once the signs of every vector have been computed. */
  get isFilled(): boolean {
    return this.#read(Field.IsFilled) === 1;
  }

  /** Value of the vector table's `writes` up to which all vectors have signs. */
  get signsTo(): number {
    return this.#read(Field.SignsTo);
  }

  get hasCenter(): boolean {
    return this.#read(Field.Center) !== 0;
  }

  /** Number of vectors with this number of components, in any precision. */
  get count(): number {
    const { vectors } = this;
    return this.spaces().reduce((sum, space) => sum + vectors.readSpace(space, Space.Count), 0);
  }

  /** Returns the spaces of the vectors. */
  spaces(): number[] {
    const { vectors } = this;
    return vectors.spaces().filter((space) => this.covers(vectors.readSpace(space, Space.Length)));
  }

  /** Returns whether the table contains the signs of vectors of a length word. */
  covers(length: number): boolean {
    return !hasFeatures(length) && countComponents(length) === this.length;
  }

  /** Computes the signs of a vector. */
  compute(vector: VectorParts): VectorParts {
    return computeSigns(vector, this.#center, this.vectors.measure.name === "cosine");
  }

  get #center(): Float32Array {
    const { buffer, byteOffset } = this.#lists.words;
    return new Float32Array(buffer, byteOffset + this.#read(Field.Center) * 4, this.length);
  }

  /** Returns the probe for comparing a vector with the signs. */
  probeFor(vector: VectorParts): Probe {
    if (this.#probeVector !== vector || this.#probe === null) {
      const { name } = this.vectors.measure;
      // A dot product is the product of the probe and the center, a constant, plus the product of
      // the probe and the vector minus the center. So the center is not subtracted from the probe.
      const center = name === "dot" ? new Float32Array(this.length) : this.#center;
      const signs = computeSigns(vector, center, name === "cosine");
      this.#probe ??= new Probe(this.table, signs);
      this.#probe.rebind(signs);
      this.#probeVector = vector;
    }
    return this.#probe;
  }

  /** Within a mutation: requests an index. */
  request(ef: number): void {
    this.table.addIndex(signLength(this.length), ef);
  }

  /** Within a mutation: removes the index from searches; returns false if there is no index. */
  drop(): boolean {
    this.#put(Field.IsFilled, 0);
    return this.table.dropIndex(signLength(this.length));
  }

  /** Within a mutation: stores the center. */
  setCenter(center: Float64Array): void {
    const block = this.#blocks.allocate(this.table.writer, this.#blocks.classFor(this.length));
    const { buffer, byteOffset } = this.#lists.words;
    new Float32Array(buffer, byteOffset + block * 4, this.length).set(center);
    this.#put(Field.Center, block);
  }

  /** Within a mutation: records that all vectors up to a value of `writes` have signs. */
  setFilled(writes: number): void {
    this.#put(Field.SignsTo, writes);
    this.#put(Field.IsFilled, 1);
  }

  /** Within a mutation: frees the memory of a dropped index, after its signs. */
  release(): void {
    const center = this.#read(Field.Center);
    if (center !== 0) {
      this.#blocks.free(this.table.writer, center, this.#blocks.classFor(this.length));
    }
    this.#put(Field.Center, 0);
    this.table.freeSlabs(this.space);
    this.#probeVector = null;
  }

  #read(word: number): number {
    return this.#lists.words[this.#field + word]!;
  }

  #put(word: number, value: number): void {
    this.table.writer.put(this.#lists, this.#field + word, value);
  }
}

type SignFinder = (length: number) => SignTable | null;
const finders = new WeakMap<VectorTable, SignFinder>();

/** Registers the function that finds the signs of a table by the number of components. */
export function registerSigns(vectors: VectorTable, finder: SignFinder): void {
  finders.set(vectors, finder);
}

/** Returns the signs of vectors with a number of components; null if there never was an index. */
export function findSigns(vectors: VectorTable, length: number): SignTable | null {
  return finders.get(vectors)?.(length) ?? null;
}
