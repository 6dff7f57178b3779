// The arcs of all vertices as seen from one side: an unordered run of 3-word arcs per vertex, with
// a hash index beside long runs. Consistency between both sides is the task of operations/arcs.ts.
//
//   OUT or IN, per vertex   {run pointer, degree, size class of the run | shape of the index << 8,
//                            index pointer}
//
// A run has room for 2 arcs, then 4, then grows by one size class (a third or a half). It shrinks
// by two classes when it fills at most three quarters of the smaller one. A removed arc is replaced
// by the last one.

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import { BlockAllocator, blockUnits } from "../memory/block-allocator.js";
import { ARC_KEY_MASK, ARC_WORDS, SEQUENCE_WORDS, SIDE_WORDS, Side } from "../memory/layout.js";
import type { SideNumber, Writer } from "../memory/writer.js";
import { ArcIndex, countSlots, growIndex, INDEX_ABOVE, indexShapeFor } from "./arc-index.js";

/** Shift of the relationship in word 1 of an arc. */
const NAME_SHIFT = 16;
const CLASS_MASK = 0xff;
const SHAPE_SHIFT = 8;
/** Below this number of words a loop is faster than the call of `copyWithin`. */
const COPY_ABOVE = 96;
/** Size classes of the first two blocks of a run: 2 arcs, 4 arcs. */
const FIRST_CLASS = 1;
const SECOND_CLASS = 3;
/** Words of a cache line. */
const LINE_WORDS = 16;
/** Size classes by which a run shrinks. */
const SHRINK_CLASSES = 2;

export class ArcRuns {
  /** 0: arcs by their initials, 1: by their terminals. */
  readonly side: SideNumber;
  /** `SIDE_WORDS` words a vertex. */
  readonly sides: Arena;
  /** The runs. */
  readonly arcs: Arena;
  readonly #writer: Writer;
  readonly #blocks: BlockAllocator;
  readonly #index: ArcIndex;

  constructor(writer: Writer, side: SideNumber) {
    const { memory } = writer;
    this.#writer = writer;
    this.side = side;
    this.sides = side === 0 ? memory.out : memory.in;
    this.arcs = side === 0 ? memory.outArcs : memory.inArcs;
    this.#blocks = new BlockAllocator(this.arcs, ARC_WORDS);
    this.#index = new ArcIndex(writer, this.#blocks);
  }

  /**
   * Returns the degree; forward-only arcs count at their terminal too, without being in its run.
   */
  degree(vertex: number): number {
    return this.sides.words[vertex * SIDE_WORDS + Side.Degree]!;
  }

  /** Returns the arcs in the run: the degree, or 0 at a terminal of forward-only arcs only. */
  length(vertex: number): number {
    const at = vertex * SIDE_WORDS;
    return this.sides.words[at + Side.Pointer] === 0 ? 0 : this.sides.words[at + Side.Degree]!;
  }

  /** Returns the first word of the run of a vertex in `arcs`, 0 without a run. */
  runOf(vertex: number): number {
    return this.sides.words[vertex * SIDE_WORDS + Side.Pointer]!;
  }

  /** Requests memory that kernels can address. */
  requestKernelMemory(): void {
    this.#writer.memory.requestEnlargement(this.arcs);
  }

  /** Returns false if this thread must refresh its views before it may read the run of a vertex. */
  covers(vertex: number): boolean {
    const { words } = this.sides;
    const at = vertex * SIDE_WORDS;
    if (at + SIDE_WORDS > words.length) return false;
    const run = words[at + Side.Pointer]!;
    if (run === 0) return true;
    const end = run + words[at + Side.Degree]! * ARC_WORDS;
    const indexEnd = words[at + Side.Index]! + countSlots(words[at + Side.Class]! >>> SHAPE_SHIFT);
    return end <= this.arcs.words.length && indexEnd <= this.arcs.words.length;
  }

  /**
   * Returns the position in the run of an arc to `other` whose word 1, masked with `mask`, is
   * `key`; -1 if there is none. Call it within a mutation, or between `SeqlockReader.enter` and
   * `leave` if `covers` returned true.
   */
  find(vertex: number, other: number, key: number, mask = ARC_KEY_MASK): number {
    const { words } = this.sides;
    const at = vertex * SIDE_WORDS;
    const run = words[at + Side.Pointer]!;
    if (run === 0) return -1;
    const index = words[at + Side.Index]!;
    if (index !== 0) {
      const shape = words[at + Side.Class]! >>> SHAPE_SHIFT;
      return this.#index.find(run, index, shape, other, key, mask);
    }
    const degree = words[at + Side.Degree]!;
    const arcs = this.arcs.words;
    const end = run + degree * ARC_WORDS;
    for (let arc = run; arc < end; arc += ARC_WORDS) {
      if (arcs[arc] === other && (arcs[arc + 1]! & mask) === (key | 0)) {
        return (arc - run) / ARC_WORDS;
      }
    }
    return -1;
  }

  /**
   * Returns the unordered positions in the run of all arcs to `other`, or of one relationship if it
   * is not 0. Preconditions as for `find`.
   */
  findAll(vertex: number, other: number, relationship = 0): number[] {
    const { words } = this.sides;
    const at = vertex * SIDE_WORDS;
    const run = words[at + Side.Pointer]!;
    if (run === 0) return [];
    const index = words[at + Side.Index]!;
    if (index !== 0) {
      const shape = words[at + Side.Class]! >>> SHAPE_SHIFT;
      return this.#index.findAll(run, index, shape, other, relationship);
    }
    const found: number[] = [];
    const arcs = this.arcs.words;
    const degree = words[at + Side.Degree]!;
    for (let position = 0; position < degree; position++) {
      const arc = run + position * ARC_WORDS;
      const isNamed = relationship === 0 || arcs[arc + 1]! >>> NAME_SHIFT === relationship;
      if (arcs[arc] === other && isNamed) found.push(position);
    }
    return found;
  }

  /** Adds an arc that does not exist yet; within a mutation. */
  add(vertex: number, other: number, word1: number, value: number): void {
    const writer = this.#writer;
    writer.touch(this.side, vertex);
    const at = vertex * SIDE_WORDS;
    const sides = this.sides.words;
    const degree = sides[at + Side.Degree]!;
    const run = sides[at + Side.Pointer]!;
    if (run === 0 || degree === blockUnits(sides[at + Side.Class]! & CLASS_MASK)) this.#grow(at);
    assert(other !== 0 && vertex !== 0, "an arc has two ends");
    const position = sides[at + Side.Pointer]! + degree * ARC_WORDS;
    // Words beyond the degree are unreferenced and need no undo entry, unless the run was longer
    // earlier in the same batch.
    if (writer.isNested && writer.hasShortened) {
      for (let word = 0; word < ARC_WORDS; word++) writer.noteOldValue(this.arcs, position + word);
    }
    const arcs = this.arcs.words;
    arcs[position] = other;
    arcs[position + 1] = word1;
    arcs[position + 2] = value;
    writer.markDirty(this.arcs, position, ARC_WORDS);
    writer.put(this.sides, at + Side.Degree, degree + 1);
    // A run that shrank keeps its index for a while.
    if (degree >= INDEX_ABOVE || sides[at + Side.Index] !== 0) this.#enter(at, degree);
  }

  /** Removes the arc at a position and moves the last arc there; within a mutation. */
  removeAt(vertex: number, position: number): void {
    const writer = this.#writer;
    writer.touch(this.side, vertex);
    writer.hasShortened = true;
    const at = vertex * SIDE_WORDS;
    const sides = this.sides.words;
    const run = sides[at + Side.Pointer]!;
    const last = sides[at + Side.Degree]! - 1;
    assert(run !== 0 && position >= 0 && position <= last, "the run has the arc to remove");
    const index = sides[at + Side.Index]!;
    if (index !== 0) {
      const shape = sides[at + Side.Class]! >>> SHAPE_SHIFT;
      this.#index.remove(run, index, shape, position);
      if (last !== position) this.#index.move(run, index, shape, last, position);
    }
    this.#fillHole(at, run + position * ARC_WORDS, run + last * ARC_WORDS, last);
  }

  /** Removes the arc to `other` with a key, and moves the last arc there; within a mutation. */
  remove(vertex: number, other: number, key: number): void {
    const at = vertex * SIDE_WORDS;
    const sides = this.sides.words;
    const index = sides[at + Side.Index]!;
    const writer = this.#writer;
    writer.touch(this.side, vertex);
    writer.hasShortened = true;
    const run = sides[at + Side.Pointer]!;
    const last = sides[at + Side.Degree]! - 1;
    if (index === 0) {
      const end = run + last * ARC_WORDS;
      const arcs = this.arcs.words;
      // Scans from the end: recent arcs are last, and often removed first.
      let hole = end;
      while (arcs[hole] !== other || (arcs[hole + 1]! & ARC_KEY_MASK) !== (key | 0)) {
        assert(hole > run, "the run has the arc to remove");
        hole -= ARC_WORDS;
      }
      this.#fillHole(at, hole, end, last);
      return;
    }
    const shape = sides[at + Side.Class]! >>> SHAPE_SHIFT;
    const slot = this.#index.findSlot(run, index, shape, other, key, ARC_KEY_MASK);
    assert(slot >= 0, "the run has the arc to remove");
    const position = this.arcs.words[index + slot]! - 1;
    this.#index.removeSlot(run, index, shape, slot);
    if (last !== position) this.#index.move(run, index, shape, last, position);
    this.#fillHole(at, run + position * ARC_WORDS, run + last * ARC_WORDS, last);
  }

  /**
   * Reads what `remove` will read at several vertices. Each pass reads only addresses that it
   * knows, so that the cache misses of all vertices overlap.
   * @returns a number that depends on the words, so that the compiler keeps the reads
   */
  prefetchEach(vertices: Uint32Array, count: number, other: number): number {
    const sides = this.sides.words;
    const sequence = this.#writer.memory.sequence.words;
    let read = 0;
    for (let at = 0; at < count; at++) {
      const vertex = vertices[at]!;
      read ^= sides[vertex * SIDE_WORDS]! ^ sequence[vertex * SEQUENCE_WORDS + this.side]!;
    }
    const arcs = this.arcs.words;
    for (let at = 0; at < count; at++) {
      const side = vertices[at]! * SIDE_WORDS;
      const run = sides[side + Side.Pointer]!;
      if (run === 0) continue;
      const last = run + (sides[side + Side.Degree]! - 1) * ARC_WORDS;
      const index = sides[side + Side.Index]!;
      read ^= arcs[last]!;
      if (index === 0) for (let word = run; word < last; word += LINE_WORDS) read ^= arcs[word]!;
      else {
        const shape = sides[side + Side.Class]! >>> SHAPE_SHIFT;
        read ^= this.#index.prefetch(run, index, shape, other, last);
      }
    }
    return read;
  }

  /**
   * Cuts a run to its first `degree` arcs, all at once; within a mutation. The caller removes the
   * others from their other side. A run that is cut in several steps has no index in between.
   */
  cut(vertex: number, degree: number): void {
    const writer = this.#writer;
    writer.touch(this.side, vertex);
    writer.hasShortened = true;
    const at = vertex * SIDE_WORDS;
    assert(degree <= this.length(vertex), "a cut never lengthens a run");
    if (this.sides.words[at + Side.Index] !== 0) this.#dropIndex(at);
    writer.put(this.sides, at + Side.Degree, degree);
    this.#shrink(at, degree);
  }

  /** Moves the last arc to a hole, both as words of the arena, and shortens the run. */
  #fillHole(at: number, hole: number, end: number, last: number): void {
    const writer = this.#writer;
    if (end !== hole) {
      const arcs = this.arcs.words;
      writer.put(this.arcs, hole, arcs[end]!);
      writer.put(this.arcs, hole + 1, arcs[end + 1]!);
      writer.put(this.arcs, hole + 2, arcs[end + 2]!);
    }
    writer.put(this.sides, at + Side.Degree, last);
    this.#shrink(at, last);
  }

  /** Sets the value of the arc at a position of the run; within a mutation. */
  setValue(vertex: number, position: number, value: number): void {
    assert(position >= 0 && position < this.length(vertex), "the run has the arc to change");
    this.#writer.touch(this.side, vertex);
    const run = this.sides.words[vertex * SIDE_WORDS + Side.Pointer]!;
    this.#writer.put(this.arcs, run + position * ARC_WORDS + 2, value);
  }

  /** Value of the arc at a position of the run. */
  valueAt(vertex: number, position: number): number {
    return this.arcs.words[this.#arcAt(vertex, position) + 2]!;
  }

  /** Vertex at the other end of the arc at a position of the run. */
  otherAt(vertex: number, position: number): number {
    return this.arcs.words[this.#arcAt(vertex, position)]!;
  }

  /** Relationship, modifier and flags of the arc at a position of the run. */
  word1At(vertex: number, position: number): number {
    return this.arcs.words[this.#arcAt(vertex, position) + 1]!;
  }

  /**
   * Changes the degree by arcs that the run does not list: forward-only ones, at their terminal.
   */
  addUnlisted(vertex: number, delta: number): void {
    this.#writer.touch(this.side, vertex);
    this.#writer.add(this.sides, vertex * SIDE_WORDS + Side.Degree, delta);
  }

  #arcAt(vertex: number, position: number): number {
    return this.sides.words[vertex * SIDE_WORDS + Side.Pointer]! + position * ARC_WORDS;
  }

  /** Moves a full run to a larger block. */
  #grow(at: number): void {
    const sides = this.sides.words;
    const sizeClass = sides[at + Side.Class]! & CLASS_MASK;
    // Fewer sizes of short runs avoid a third of all moves, at one byte per arc.
    if (sides[at + Side.Pointer] === 0) this.#move(at, FIRST_CLASS);
    else this.#move(at, sizeClass === FIRST_CLASS ? SECOND_CLASS : sizeClass + 1);
  }

  /** Frees an empty run; moves a run with much room to a smaller block. */
  #shrink(at: number, degree: number): void {
    const sides = this.sides.words;
    const sizeClass = sides[at + Side.Class]! & CLASS_MASK;
    if (sides[at + Side.Index] !== 0 && degree <= INDEX_ABOVE >>> 1) this.#dropIndex(at);
    if (degree === 0) {
      this.#blocks.free(this.#writer, sides[at + Side.Pointer]!, sizeClass);
      this.#writer.put(this.sides, at + Side.Pointer, 0);
      this.#writer.put(this.sides, at + Side.Class, 0);
    } else if (sizeClass >= SHRINK_CLASSES) {
      const smaller = sizeClass - SHRINK_CLASSES;
      // Removal must never fail: if the arena is full, the run stays where it is.
      if (degree * 4 > blockUnits(smaller) * 3 || !this.#blocks.hasRoom(this.#writer, smaller))
        return;
      this.#move(at, smaller);
    }
  }

  #move(at: number, sizeClass: number): void {
    const writer = this.#writer;
    const run = this.#blocks.allocate(writer, sizeClass);
    const old = this.sides.words[at + Side.Pointer]!;
    const sides = this.sides.words;
    const side = sides[at + Side.Class]!;
    if (old !== 0) {
      copyWords(this.arcs.words, old, run, sides[at + Side.Degree]! * ARC_WORDS);
      this.#blocks.free(writer, old, side & CLASS_MASK);
    }
    writer.put(this.sides, at + Side.Pointer, run);
    writer.put(this.sides, at + Side.Class, (side & ~CLASS_MASK) | sizeClass);
  }

  /** Adds the arc at a position to the index; builds the index if the run has become long. */
  #enter(at: number, position: number): void {
    const sides = this.sides.words;
    const index = sides[at + Side.Index]!;
    let shape = sides[at + Side.Class]! >>> SHAPE_SHIFT;
    if (index !== 0 && !this.#index.isFull(shape, position)) {
      if (this.#index.add(sides[at + Side.Pointer]!, index, shape, position)) return;
      shape = growIndex(shape);
    }
    if (index !== 0) this.#dropIndex(at);
    const arcs = position + 1;
    const newShape = indexShapeFor(arcs, shape);
    const built = this.#index.build(this.sides.words[at + Side.Pointer]!, arcs, newShape);
    const sizeClass = this.sides.words[at + Side.Class]! & CLASS_MASK;
    this.#writer.put(this.sides, at + Side.Class, sizeClass | (newShape << SHAPE_SHIFT));
    this.#writer.put(this.sides, at + Side.Index, built);
  }

  #dropIndex(at: number): void {
    const sides = this.sides.words;
    const side = sides[at + Side.Class]!;
    this.#index.free(sides[at + Side.Index]!, side >>> SHAPE_SHIFT);
    this.#writer.put(this.sides, at + Side.Index, 0);
    this.#writer.put(this.sides, at + Side.Class, side & CLASS_MASK);
  }
}

function copyWords(words: Uint32Array, from: number, to: number, count: number): void {
  if (count > COPY_ABOVE) words.copyWithin(to, from, from + count);
  else for (let word = 0; word < count; word++) words[to + word] = words[from + word]!;
}
