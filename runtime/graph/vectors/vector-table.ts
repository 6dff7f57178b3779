// Maps vertices to vectors and manages their slots; see vector-layout.ts. Writers call within a
// mutation, after touching the vertex; readers check its sequence.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Allocator, Writer } from "../memory/writer.js";
import { CapacityError } from "../model/errors.js";
import type { ContentDigest, Sign } from "../store/content-digest.js";
import { INDEX_WORDS, retire, VectorIndex } from "./index-layout.js";
import type { Measure } from "./measures/measure.js";
import { MEASURES } from "./measures/measures.js";
import { roundUp } from "./measures/score-bound.js";
import { computeHalfUnit, decodeHalf, encodeHalf, Precision } from "./precision.js";
import {
  readSetting,
  readSettings,
  type SimilaritySettings,
  settingIndex,
  writeSetting,
} from "./similarity-settings.js";
import {
  computeSlabShare,
  computeStride,
  countComponents,
  findTail,
  hasFeatures,
  MAX_SLAB_WORDS,
  RING_WORDS,
  readPrecision,
  SLAB_UNIT_WORDS,
  SLAB_WORDS,
  SLOT_WORDS,
  Slab,
  Slot,
  SPACE_WORDS,
  Space,
  slotLength,
  Tail,
} from "./vector-layout.js";
import { VectorMemory } from "./vector-memory.js";
import { exactComponents, NULL_PARTS, sumExactSquares, VectorParts } from "./vector-parts.js";

export class VectorTable implements Allocator {
  readonly writer: Writer;
  readonly reader: SeqlockReader;
  readonly #header: Arena;
  readonly #vectors: Arena;
  readonly #slots: Arena;
  readonly #lists: Arena;
  readonly #slabs: BlockAllocator;
  readonly #blocks: BlockAllocator;
  readonly #digest: ContentDigest;
  #memory: VectorMemory | null = null;

  constructor(writer: Writer, reader: SeqlockReader, digest: ContentDigest) {
    const { memory } = writer;
    this.#digest = digest;
    this.writer = writer;
    this.reader = reader;
    this.#header = memory.header;
    this.#vectors = memory.vectors;
    this.#slots = memory.vectorSlots;
    this.#lists = memory.lists;
    this.#slabs = new BlockAllocator(memory.vectors, SLAB_UNIT_WORDS);
    this.#blocks = new BlockAllocator(memory.lists, LIST_UNIT_WORDS);
  }

  /** Number of vertices that have a vector. */
  get count(): number {
    return this.#header.words[Header.VectorCount]!;
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

  /** True if kernels can scan the vectors; if not, requests that. */
  get hasKernel(): boolean {
    const hasKernel = this.memory.kernel !== null;
    if (!hasKernel) this.writer.memory.requestEnlargement(this.#vectors);
    return hasKernel;
  }

  /** Refreshes the views after the graph has moved to another memory. */
  refresh(): void {
    this.#memory?.refresh();
  }

  /** Returns the slot of a vertex's vector; 0 for none. */
  slotOf(vertex: number): number {
    if (vertex >= this.#slots.words.length) this.writer.memory.refresh();
    const { words } = this.#slots;
    return vertex < words.length ? words[vertex]! : 0;
  }

  has(vertex: number): boolean {
    return this.slotOf(vertex) !== 0;
  }

  /** Returns a copy of a vertex's vector; the null vector if it has none. */
  get(vertex: number): VectorParts {
    for (let attempt = 0; ; attempt++) {
      const seen = this.reader.enter(0, vertex, attempt);
      const slot = this.slotOf(vertex);
      const parts = slot === 0 ? NULL_PARTS : this.#read(slot);
      if (this.reader.leave(0, vertex, seen)) return parts ?? NULL_PARTS;
    }
  }

  /** Number of vector writes and removals; see `changedSince`. */
  get writes(): number {
    return Atomics.load(this.#header.ints, Header.VectorWrites);
  }

  /**
   * Returns the vertices whose vector was set or removed since a value of `writes`, possibly with
   * repetitions; null if the ring no longer has all of them.
   */
  changedSince(writes: number): Uint32Array | null {
    this.reader.fence();
    const now = this.writes;
    const count = (now - writes) >>> 0;
    const ring = this.#header.words[Header.VectorRing]!;
    if (count === 0) return new Uint32Array(0);
    const { words } = this.#lists;
    if (count > RING_WORDS / 2 || ring === 0 || ring + RING_WORDS > words.length) return null;
    const vertices = new Uint32Array(count);
    for (let index = 0; index < count; index++) {
      vertices[index] = words[ring + ((writes + index) & (RING_WORDS - 1))]!;
    }
    this.reader.fence();
    // Writers may have overwritten the first ones meanwhile.
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
    const space = this.spaceOf(length) || this.#makeSpace(length);
    const slot = this.#take(space);
    this.#fill(slot, parts);
    writer.memory.requestEnlargement(this.#vectors);
    writer.ensureWords(this.#slots, vertex + 1);
    const old = this.slotOf(vertex);
    this.addToDigest(vertex, -1);
    writer.add(this.#lists, space + Space.Count, 1);
    writer.put(this.#slots, vertex, slot);
    writer.put(this.#vectors, slot + Slot.Vertex, vertex);
    this.addToDigest(vertex);
    // The order matters: a reader of the old count may have passed the new slot while it was empty,
    // and the ring must name the vertex before the old slot changes; a reader of the new count
    // finds the new slot.
    this.#note(vertex);
    if (old === 0) writer.add(this.#header, Header.VectorCount, 1);
    else this.#free(old);
  }

  /** Within a mutation: removes the vector; false if there was none. */
  remove(vertex: number): boolean {
    const { writer } = this;
    const old = this.slotOf(vertex);
    if (old === 0) return false;
    this.addToDigest(vertex, -1);
    this.#note(vertex);
    this.#free(old);
    writer.add(this.#header, Header.VectorCount, -1);
    writer.put(this.#slots, vertex, 0);
    return true;
  }

  /** With the mutex: adds the vector of a vertex to the digest. */
  addToDigest(vertex: number, sign: Sign = 1): void {
    const slot = this.#digest.isMaintained ? this.slotOf(vertex) : 0;
    const parts = slot === 0 ? null : this.#read(slot);
    if (parts !== null) this.#digest.vector(sign, vertex, parts);
  }

  /** For the writer, as part of a commit: frees the slot. */
  release(writer: Writer, slot: number, space: number): void {
    writer.put(this.#vectors, slot + Slot.Scale, this.#lists.words[space + Space.FreeSlot]!);
    writer.put(this.#lists, space + Space.FreeSlot, slot);
  }

  /** Within a mutation: frees a slot that an index has released. */
  freeSlot(slot: number, space: number): void {
    this.writer.freeAtCommit(this, slot, space);
  }

  /**
   * Within a mutation: requests an index for vectors of a length, which the index thread builds.
   * @param ef candidates examined for each new node
   */
  addIndex(length: number, ef: number): void {
    const { writer } = this;
    const space = this.spaceOf(length) || this.#makeSpace(length);
    let index = this.readSpace(space, Space.Index);
    if (index === 0) {
      index = this.#blocks.allocate(writer, this.#blocks.classFor(INDEX_WORDS));
      this.#lists.words.fill(0, index, index + INDEX_WORDS);
      writer.put(this.#lists, space + Space.Index, index);
    }
    writer.put(this.#lists, index + VectorIndex.Ef, ef);
  }

  /** Within a mutation: removes the index of a length from searches; false if there is none. */
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

  /** Returns whether there are vectors of the other kind: a graph has one kind at a time. */
  hasOtherKind(isFeatures: boolean): boolean {
    return this.spaces().some((space) => {
      const isOther = hasFeatures(this.readSpace(space, Space.Length)) !== isFeatures;
      return isOther && this.readSpace(space, Space.Count) > 0;
    });
  }

  /** Changes a similarity setting. Requires a mutation. */
  changeSetting(place: number, bits: number): void {
    writeSetting(this.writer, place, bits);
  }

  /** The current similarity settings. */
  get settings(): SimilaritySettings {
    return readSettings(this.#header);
  }

  /** Precision of vectors that are set, as an offset in `PRECISIONS`. */
  get precision(): number {
    return readSetting(this.#header, PRECISION);
  }

  /** Measure of similarity, sort orders, searches and indexes. */
  get measure(): Measure {
    return MEASURES[readSetting(this.#header, MEASURE)]!;
  }

  /** Returns some vertices with a vector, spread over the table; fewer if few have one. */
  sample(count: number): number[] {
    const { words } = this.#slots;
    const end = Math.min(words.length, this.#header.words[Header.HandleEnd]!);
    const step = Math.max(1, Math.floor(end / (count * 4)));
    const vertices: number[] = [];
    for (let vertex = 1; vertex < end && vertices.length < count; vertex += step) {
      if (words[vertex] !== 0) vertices.push(vertex);
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
    let space = this.#header.words[Header.VectorSpaces]!;
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

  /** Resets the table after its memory was discarded; readers were notified before. */
  reset(): void {
    const { writer } = this;
    for (const word of EMPTY) writer.put(this.#header, word, 0);
    writer.add(this.#header, Header.VectorEpoch, 1);
    this.#slots.words.fill(0);
    writer.markDirty(this.#slots, 0, this.#slots.words.length);
  }

  #read(slot: number): VectorParts | null {
    const { memory } = this;
    const features = memory.featuresIn(slot);
    const kind = features === null ? memory.lengthIn(slot) : 0;
    const length = features === null ? countComponents(kind) : (features.end - features.at) * 4;
    if (length === 0) return null;
    const { words } = this.#vectors;
    const start = (slot + SLOT_WORDS) * 4;
    return new VectorParts(
      // A `slice` of shared memory would be shared too.
      new Int8Array(memory.bytes.subarray(start, start + length)),
      memory.floats[slot + Slot.Scale]!,
      words[slot + Slot.Squares]!,
      words[slot + Slot.FingerprintLow]!,
      words[slot + Slot.FingerprintHigh]!,
      features !== null,
      this.#readRow(slot, kind),
      readPrecision(kind),
    );
  }

  /** Returns a copy of the exact components; null of int8 vectors. */
  #readRow(slot: number, length: number): Float32Array | null {
    const precision = readPrecision(length);
    if (precision === Precision.Int8) return null;
    const { floats, words } = this.memory;
    const components = countComponents(length);
    const row = words[findTail(slot, components) + Tail.Row]!;
    if (precision === Precision.Float32) {
      return new Float32Array(floats.subarray(row, row + components));
    }
    const unit = computeHalfUnit(floats[slot + Slot.Scale]!);
    return Float32Array.from({ length: components }, (_, at) => {
      return decodeHalf((words[row + (at >> 1)]! >>> ((at & 1) * 16)) & 0xffff, unit);
    });
  }

  /** Unreferenced until the commit, so only the free-list link is in the undo log. */
  #fill(slot: number, parts: VectorParts): void {
    const { bytes, squares, scale, precision } = parts;
    const length = slotLength(bytes.length, parts.isFeatures, precision);
    const { memory, writer } = this;
    const { words } = this.#vectors;
    const { floats } = memory;
    words[slot + Slot.Vertex] = 0;
    writer.put(this.#vectors, slot + Slot.Scale, wordOfFloat(scale));
    words[slot + Slot.Squares] = squares;
    floats[slot + Slot.Factor] = squares === 0 ? 0 : 1 / Math.sqrt(squares);
    words[slot + Slot.FingerprintLow] = parts.fingerprintLow;
    words[slot + Slot.FingerprintHigh] = parts.fingerprintHigh;
    words[slot + Slot.Length] = length;
    words[slot + Slot.Node] = 0;
    memory.bytes.set(bytes, (slot + SLOT_WORDS) * 4);
    if (precision !== Precision.Int8) this.#fillRow(slot, parts);
    writer.markDirty(this.#vectors, slot, computeStride(length));
  }

  /** Writes the tail and the row, and the factor by the exact norm. */
  #fillRow(slot: number, parts: VectorParts): void {
    const { bytes, scale, precision } = parts;
    const { words, floats, doubles } = this.memory;
    const exact = exactComponents(parts);
    const tail = findTail(slot, bytes.length);
    const row = words[tail + Tail.Row]!;
    let lost = 0;
    for (let at = 0; at < exact.length; at++) lost += (exact[at]! - scale * bytes[at]!) ** 2;
    const squares = sumExactSquares(parts);
    floats[slot + Slot.Factor] = squares === 0 ? 0 : scale / Math.sqrt(squares);
    floats[tail + Tail.Residual] = scale === 0 ? 0 : roundUp(Math.sqrt(lost) / scale);
    doubles[(tail + Tail.Squares) / 2] = squares;
    if (precision === Precision.Float32) floats.set(exact, row);
    else {
      const unit = computeHalfUnit(scale);
      for (let at = 0; at < exact.length; at += 2) {
        const high = encodeHalf(exact[at + 1]!, unit) << 16;
        words[row + at / 2] = (high | encodeHalf(exact[at]!, unit)) >>> 0;
      }
    }
    const share = computeSlabShare(words[slot + Slot.Length]!);
    this.writer.markDirty(this.#vectors, row, share - computeStride(words[slot + Slot.Length]!));
  }

  /** Notifies readers of slots. Not undone on rollback: a superfluous entry is harmless. */
  #note(vertex: number): void {
    const { writer } = this;
    let ring = this.#header.words[Header.VectorRing]!;
    if (ring === 0) {
      ring = this.#blocks.allocate(writer, this.#blocks.classFor(RING_WORDS));
      writer.put(this.#header, Header.VectorRing, ring);
    }
    const at = ring + (this.writes & (RING_WORDS - 1));
    this.#lists.words[at] = vertex;
    writer.markDirty(this.#lists, at, 1);
    Atomics.add(this.#header.ints, Header.VectorWrites, 1);
    writer.markDirty(this.#header, Header.VectorWrites, 1);
  }

  #free(slot: number): void {
    const { writer } = this;
    const space = this.spaceOf(this.#vectors.words[slot + Slot.Length]!);
    writer.put(this.#vectors, slot + Slot.Vertex, 0);
    writer.add(this.#lists, space + Space.Count, -1);
    if (this.#vectors.words[slot + Slot.Node] === 0) writer.freeAtCommit(this, slot, space);
    else retire(writer, slot, this.readSpace(space, Space.Index));
  }

  /** Returns an unreferenced slot. */
  #take(space: number): number {
    const { writer } = this;
    const free = this.readSpace(space, Space.FreeSlot);
    if (free !== 0) {
      writer.put(this.#lists, space + Space.FreeSlot, this.#vectors.words[free + Slot.Scale]!);
      return free;
    }
    const length = this.readSpace(space, Space.Length);
    const stride = computeStride(length);
    let slab = this.readSpace(space, Space.LastSlab);
    const { words } = this.#vectors;
    if (slab === 0 || words[slab + Slab.Used] === words[slab + Slab.Slots]) {
      slab = this.#addSlab(space, computeSlabShare(length));
    }
    const used = this.#vectors.words[slab + Slab.Used]!;
    const slot = slab + SLAB_WORDS + used * stride;
    // A scan of the slab must not see a vertex there before it sees the slot.
    this.#vectors.words[slot + Slot.Vertex] = 0;
    if (readPrecision(length) !== Precision.Int8) this.#assignRow(slab, used, length);
    writer.put(this.#vectors, slab + Slab.Used, used + 1);
    return slot;
  }

  /** A slot has the same row for ever. */
  #assignRow(slab: number, position: number, length: number): void {
    const { words } = this.#vectors;
    const stride = computeStride(length);
    const rows = slab + SLAB_WORDS + words[slab + Slab.Slots]! * stride;
    const tail = findTail(slab + SLAB_WORDS + position * stride, countComponents(length));
    words[tail + Tail.Row] = rows + position * (computeSlabShare(length) - stride);
  }

  /**
   * Doubles the space up to a limit, so that a space of few vectors stays small.
   * @param stride words that each slot takes
   */
  #addSlab(space: number, stride: number): number {
    const { writer } = this;
    const slots = this.readSpace(space, Space.Slots);
    const wanted = Math.min(MAX_SLAB_WORDS, SLAB_WORDS + Math.max(1, slots) * stride);
    const least = SLAB_WORDS + stride;
    const sizeClass = this.#slabs.classFor(Math.max(least, wanted));
    const slab = this.#slabs.allocate(writer, sizeClass);
    const capacity = Math.floor((this.#slabs.blockWords(sizeClass) - SLAB_WORDS) / stride);
    const { words } = this.#vectors;
    words[slab + Slab.Next] = 0;
    words[slab + Slab.Used] = 0;
    words[slab + Slab.Slots] = capacity;
    const last = this.readSpace(space, Space.LastSlab);
    if (last === 0) writer.put(this.#lists, space + Space.FirstSlab, slab);
    else writer.put(this.#vectors, last + Slab.Next, slab);
    writer.put(this.#lists, space + Space.LastSlab, slab);
    writer.put(this.#lists, space + Space.Slots, slots + capacity);
    return slab;
  }

  #makeSpace(length: number): number {
    const { writer } = this;
    const space = this.#blocks.allocate(writer, this.#blocks.classFor(SPACE_WORDS));
    const { words } = this.#lists;
    words.fill(0, space, space + SPACE_WORDS);
    words[space + Space.Length] = length;
    words[space + Space.Next] = this.#header.words[Header.VectorSpaces]!;
    writer.put(this.#header, Header.VectorSpaces, space);
    return space;
  }
}

/** One for each possible length and precision. */
const MAX_SPACES = 3 * 2046;
const PRECISION = settingIndex("precision");
const MEASURE = settingIndex("measure");
const EMPTY = [Header.VectorCount, Header.VectorSpaces, Header.VectorRing];

const float = new Float32Array(1);
const floatWord = new Uint32Array(float.buffer);
function wordOfFloat(value: number): number {
  float[0] = value;
  return floatWord[0]!;
}

function noVectorsError(name: string): CapacityError {
  return new CapacityError(
    `graph "${name}" has small memory, which has no vectors; open it with memory "large"`,
  );
}
