// Maps vertices to their vectors with one name, or without a name; see vector-layout.ts. Writers
// need a mutation and must have touched the vertex; readers check its sequence.

import { PRECISIONS } from "../../base/precisions.js";
import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import { CapacityError } from "../model/errors.js";
import type { ContentDigest, Sign } from "../store/content-digest.js";
import { unpackBits } from "./binary-vector.js";
import { INDEX_WORDS, retire, VectorIndex } from "./index-layout.js";
import type { Measure } from "./measures/measure.js";
import { MEASURES } from "./measures/measures.js";
import { computeHalfUnit, decodeHalf, Precision } from "./precision.js";
import {
  readSetting,
  readSettings,
  type SimilaritySettings,
  settingIndex,
  writeSetting,
} from "./similarity-settings.js";
import {
  countComponents,
  findTail,
  hasBits,
  hasFeatures,
  hasRow,
  RING_WORDS,
  readPrecision,
  SLOT_WORDS,
  Slot,
  SPACE_WORDS,
  Space,
  slotLength,
  Tail,
} from "./vector-layout.js";
import { VectorMemory } from "./vector-memory.js";
import { NULL_PARTS, VectorParts } from "./vector-parts.js";
import type { VectorRoot } from "./vector-root.js";
import { VectorSlots } from "./vector-slots.js";

export class VectorTable {
  readonly writer: Writer;
  readonly reader: SeqlockReader;
  readonly #header: Arena;
  readonly #vectors: Arena;
  readonly #root: VectorRoot;
  readonly #slots: VectorSlots;
  readonly #lists: Arena;
  readonly #blocks: BlockAllocator;
  readonly #digest: ContentDigest | null;
  #memory: VectorMemory | null = null;

  /** @param digest null for signs, which the digest of a graph does not include */
  constructor(
    writer: Writer,
    reader: SeqlockReader,
    digest: ContentDigest | null,
    root: VectorRoot,
  ) {
    const { memory } = writer;
    this.#digest = digest;
    this.#root = root;
    this.#slots = new VectorSlots(writer, () => this.memory);
    this.writer = writer;
    this.reader = reader;
    this.#header = memory.header;
    this.#vectors = memory.vectors;
    this.#lists = memory.lists;
    this.#blocks = new BlockAllocator(memory.lists, LIST_UNIT_WORDS);
  }

  /** Key code of the name; 0: vectors without a name. */
  get key(): number {
    return this.#root.key;
  }

  /** False once the graph has been truncated, which removes the name. */
  get exists(): boolean {
    return this.#root.exists;
  }

  /** Number of vertices that have a vector. */
  get count(): number {
    return this.#read(this.#root.count);
  }

  /**
   * This thread's kernel view of the vectors.
   * @throws CapacityError in a graph of small memory
   */
  get memory(): VectorMemory {
    if (this.#memory === null) {
      const { name, share } = this.writer.memory;
      if (share.size === "small") throw noVectorsError(name);
      this.#memory = new VectorMemory(this.#vectors, this.writer.thread);
    }
    return this.#memory;
  }

  /** True if kernels can address the vectors; otherwise, requests larger memory. */
  get hasKernel(): boolean {
    const hasKernel = this.memory.kernel !== null;
    if (!hasKernel) this.writer.memory.requestEnlargement(this.#vectors);
    return hasKernel;
  }

  /** Refreshes the views after the graph has moved to another memory. */
  refresh(): void {
    this.#memory?.refresh();
  }

  /** Returns the slot of a vertex; 0 if it has no vector. */
  slotOf(vertex: number): number {
    return this.#root.slotOf(vertex);
  }

  /** Writes the slots of the first `count` vertices. */
  findSlots(vertices: Uint32Array, slots: Uint32Array, count: number): void {
    this.#root.findSlots(vertices, slots, count);
  }

  has(vertex: number): boolean {
    return this.slotOf(vertex) !== 0;
  }

  /** Returns a copy of a vertex's vector; the null vector if it has none. */
  get(vertex: number): VectorParts {
    for (let attempt = 0; ; attempt++) {
      const sequence = this.reader.enter(0, vertex, attempt);
      const slot = this.slotOf(vertex);
      const parts = slot === 0 ? NULL_PARTS : this.#readParts(slot);
      if (this.reader.leave(0, vertex, sequence)) return parts ?? NULL_PARTS;
    }
  }

  /** Number of vector writes and removals; see `changedSince`. */
  get writes(): number {
    return Atomics.load(this.#root.arena.ints, this.#root.writes);
  }

  /**
   * Returns the vertices whose vector was set or removed since a value of `writes`, possibly with
   * duplicates; null if the ring no longer contains all of them.
   */
  changedSince(writes: number): Uint32Array | null {
    this.reader.fence();
    const now = this.writes;
    const count = (now - writes) >>> 0;
    const ring = this.#read(this.#root.ring);
    if (count === 0) return NO_VERTICES;
    const { words } = this.#lists;
    if (count > RING_WORDS / 2 || ring === 0 || ring + RING_WORDS > words.length) return null;
    const vertices = new Uint32Array(count);
    for (let index = 0; index < count; index++) {
      vertices[index] = words[ring + ((writes + index) & (RING_WORDS - 1))]!;
    }
    this.reader.fence();
    // Writers may have overwritten the oldest entries meanwhile.
    return (this.writes - writes) >>> 0 > RING_WORDS ? null : vertices;
  }

  /** Changes when all vectors and their indexes are removed at once. */
  get epoch(): number {
    return Atomics.load(this.#header.ints, Header.VectorEpoch);
  }

  /** Within a mutation: sets the vector of a vertex, which must not be the null vector. */
  set(vertex: number, parts: VectorParts): void {
    const { writer } = this;
    const length = slotLength(parts.bytes.length, parts.isFeatures, parts.precision);
    const space = this.spaceOf(length) || this.#createSpace(length);
    const slot = this.#slots.create(space, parts);
    writer.memory.requestEnlargement(this.#vectors);
    const old = this.slotOf(vertex);
    this.addToDigest(vertex, -1);
    writer.add(this.#lists, space + Space.Count, 1);
    this.#root.setSlot(vertex, slot);
    writer.put(this.#vectors, slot + Slot.Vertex, vertex);
    this.addToDigest(vertex);
    // The order matters. A scan may have passed the new slot while it was empty. So the ring must
    // contain the vertex before the old slot changes; a scan that starts afterwards finds the new
    // slot.
    this.#recordChange(vertex);
    if (old === 0) writer.add(this.#root.arena, this.#root.count, 1);
    else this.#free(old);
  }

  /** Within a mutation: removes the vector of a vertex; returns false if there is none. */
  remove(vertex: number): boolean {
    const { writer } = this;
    const old = this.slotOf(vertex);
    if (old === 0) return false;
    this.addToDigest(vertex, -1);
    this.#recordChange(vertex);
    this.#free(old);
    writer.add(this.#root.arena, this.#root.count, -1);
    this.#root.setSlot(vertex, 0);
    return true;
  }

  /** With the writer mutex: adds the vector of a vertex to the digest, or subtracts it. */
  addToDigest(vertex: number, sign: Sign = 1): void {
    const digest = this.#digest;
    const slot = digest?.isMaintained === true ? this.slotOf(vertex) : 0;
    const parts = slot === 0 ? null : this.#readParts(slot);
    if (parts !== null) digest!.vector(sign, vertex, parts, this.key);
  }

  /** Within a mutation: frees a slot that the index has released. */
  freeSlot(slot: number, space: number): void {
    this.#slots.free(slot, space);
  }

  /** Within a mutation: frees the memory of a space without vectors and nodes. */
  freeSlabs(space: number): void {
    this.#slots.freeSlabs(space);
  }

  /**
   * Within a mutation: requests an index of the vectors of a length. The interconnect thread builds
   * it.
   * @param ef number of candidates examined for each new node
   */
  addIndex(length: number, ef: number): void {
    const { writer } = this;
    const space = this.spaceOf(length) || this.#createSpace(length);
    let index = this.readSpace(space, Space.Index);
    if (index === 0) {
      index = this.#blocks.allocate(writer, this.#blocks.classFor(INDEX_WORDS));
      this.#lists.words.fill(0, index, index + INDEX_WORDS);
      writer.put(this.#lists, space + Space.Index, index);
    }
    writer.put(this.#lists, index + VectorIndex.Ef, ef);
  }

  /** Within a mutation: removes an index from searches; returns false if there is no index. */
  dropIndex(length: number): boolean {
    const { writer } = this;
    const space = this.spaceOf(length);
    const index = space === 0 ? 0 : this.readSpace(space, Space.Index);
    if (index === 0 || this.#lists.words[index + VectorIndex.Ef] === 0) return false;
    writer.put(this.#lists, index + VectorIndex.Ef, 0);
    writer.put(this.#lists, index + VectorIndex.IsComplete, 0);
    writer.put(this.#lists, index + VectorIndex.Dropping, 1);
    writer.add(this.#lists, index + VectorIndex.Sweeps, 1);
    return true;
  }

  /** Returns whether vectors of the other kind exist: a graph has one kind at a time. */
  hasOtherKind(isFeatures: boolean): boolean {
    return this.spaces().some((space) => {
      const isOther = hasFeatures(this.readSpace(space, Space.Length)) !== isFeatures;
      return isOther && this.readSpace(space, Space.Count) > 0;
    });
  }

  /** Changes a similarity setting. Requires a mutation. */
  changeSetting(index: number, bits: number): void {
    writeSetting(this.writer, this.#root, index, bits);
  }

  /** The current similarity settings. */
  get settings(): SimilaritySettings {
    return readSettings(this.#root);
  }

  /** Precision of new vectors, as an offset in `PRECISIONS`. */
  get precision(): number {
    return readSetting(this.#root, PRECISION);
  }

  /** Measure for similarity, sort orders, searches and indexes. */
  get measure(): Measure {
    return MEASURES[readSetting(this.#root, MEASURE)]!;
  }

  /** Returns a sample of up to `count` vertices with a vector, spread over the table. */
  sample(count: number): number[] {
    const end = this.#header.words[Header.HandleEnd]!;
    const step = Math.max(1, Math.floor(end / (count * 4)));
    const vertices: number[] = [];
    for (let vertex = 1; vertex < end && vertices.length < count; vertex += step) {
      if (this.has(vertex)) vertices.push(vertex);
    }
    return vertices;
  }

  /** Returns the block of the space of a length; 0 if there is none. */
  spaceOf(length: number): number {
    const spaces = this.spaces();
    return spaces.find((space) => this.#lists.words[space + Space.Length] === length) ?? 0;
  }

  /** Returns the blocks of all spaces. */
  spaces(): number[] {
    const spaces: number[] = [];
    this.writer.memory.refresh();
    const { words } = this.#lists;
    let space = this.exists ? this.#read(this.#root.spaces) : 0;
    while (space !== 0 && space + SPACE_WORDS <= words.length && spaces.length < MAX_SPACES) {
      spaces.push(space);
      space = words[space + Space.Next]!;
    }
    return spaces;
  }

  /** Returns a word of a space's block. */
  readSpace(space: number, word: number): number {
    return this.#lists.words[space + word]!;
  }

  /** Resets the words of the table after its memory was discarded. */
  reset(): void {
    const { arena, count, spaces, ring } = this.#root;
    for (const word of [count, spaces, ring]) this.writer.put(arena, word, 0);
  }

  #read(word: number): number {
    if (word >= this.#root.arena.words.length) this.writer.memory.refresh();
    return this.#root.arena.words[word]!;
  }

  #readParts(slot: number): VectorParts | null {
    const { memory } = this;
    const features = memory.featuresIn(slot);
    const kind = features === null ? memory.lengthIn(slot) : 0;
    const length = features === null ? countComponents(kind) : (features.end - features.at) * 4;
    if (length === 0) return null;
    const { words } = this.#vectors;
    const start = (slot + SLOT_WORDS) * 4;
    return new VectorParts(
      hasBits(kind)
        ? unpackBits(words, slot + SLOT_WORDS, length)
        : // A `slice` of shared memory would be shared too.
          new Int8Array(memory.bytes.subarray(start, start + length)),
      memory.floats[slot + Slot.Scale]!,
      words[slot + Slot.Squares]!,
      { low: words[slot + Slot.FingerprintLow]!, high: words[slot + Slot.FingerprintHigh]! },
      features !== null,
      this.#readRow(slot, kind),
      readPrecision(kind),
    );
  }

  /** Returns a copy of the exact components; null if there is no row. */
  #readRow(slot: number, length: number): Float32Array | null {
    if (!hasRow(length)) return null;
    const { floats, words } = this.memory;
    const components = countComponents(length);
    const row = words[findTail(slot, components) + Tail.Row]!;
    if (readPrecision(length) === Precision.Float32) {
      return new Float32Array(floats.subarray(row, row + components));
    }
    const unit = computeHalfUnit(floats[slot + Slot.Scale]!);
    return Float32Array.from({ length: components }, (_, at) => {
      return decodeHalf((words[row + (at >> 1)]! >>> ((at & 1) * 16)) & 0xffff, unit);
    });
  }

  /** Notifies readers of slots. A rollback does not undo this: an additional entry is harmless. */
  #recordChange(vertex: number): void {
    const { writer } = this;
    const root = this.#root;
    let ring = this.#read(root.ring);
    if (ring === 0) {
      ring = this.#blocks.allocate(writer, this.#blocks.classFor(RING_WORDS));
      writer.put(root.arena, root.ring, ring);
    }
    const at = ring + (this.writes & (RING_WORDS - 1));
    this.#lists.words[at] = vertex;
    writer.markDirty(this.#lists, at, 1);
    Atomics.add(root.arena.ints, root.writes, 1);
    writer.markDirty(root.arena, root.writes, 1);
  }

  #free(slot: number): void {
    const { writer } = this;
    const space = this.spaceOf(this.#vectors.words[slot + Slot.Length]!);
    writer.put(this.#vectors, slot + Slot.Vertex, 0);
    writer.add(this.#lists, space + Space.Count, -1);
    if (this.#vectors.words[slot + Slot.Node] === 0) this.#slots.free(slot, space);
    else retire(writer, slot, this.readSpace(space, Space.Index));
  }

  #createSpace(length: number): number {
    const { writer } = this;
    const space = this.#blocks.allocate(writer, this.#blocks.classFor(SPACE_WORDS));
    const { words } = this.#lists;
    words.fill(0, space, space + SPACE_WORDS);
    words[space + Space.Length] = length;
    words[space + Space.Next] = this.#read(this.#root.spaces);
    writer.put(this.#root.arena, this.#root.spaces, space);
    return space;
  }
}

const NO_VERTICES = new Uint32Array(0);
/** Maximum number of spaces: one per possible length and precision. */
const MAX_SPACES = PRECISIONS.length * 2046;
const PRECISION = settingIndex("precision");
const MEASURE = settingIndex("measure");

function noVectorsError(name: string): CapacityError {
  return new CapacityError(
    `graph "${name}" has small memory, which has no vectors; open it with memory "large"`,
  );
}
