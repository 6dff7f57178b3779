// From hashes to entries: handles of vertices by their ids, pointers to strings by their bytes. It
// must never look at what entries mean: a matcher tells whether an entry is the one looked for.
//
//   directory  256 segments, by the top 8 bits of the hash: {table / 16 << 5 | lg slots, entries}
//   table      2^lg slots {hash, entry}, by the low bits of the hash, then the next free one;
//              at most three quarters full; entry 0 is free; removing moves later entries back
//
// Each segment grows and shrinks by itself, so that no change moves more than 1/256 of the entries.
//
// Readers take no lock. What they find is verified by the matcher. What they do not find counts
// only if no entry was moved or removed meanwhile: that makes the sequence odd until the commit.
//
// Hashes can be foreseen, so that whoever chooses ids can make them collide. Not more than 32 with
// the same hash are taken, which leaves him chains of some 20,000 slots, read one after the other
// in about 20 microseconds, in the one segment that he has aimed at.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import { CapacityError, InternalError } from "../model/errors.js";

/** Tells whether an entry is the one looked for; must bear entries that are no longer valid. */
export interface EntryMatcher {
  matches(entry: number): boolean;
}

const SEGMENTS = 256;
const SEGMENT_SHIFT = 24;
const SEGMENT_WORDS = 2;
const ENTRY_COUNT = 1;
const SLOT_WORDS = 2;
/** Words of the smallest block of the arena; tables begin at multiples of it. */
const UNIT_WORDS = 16;
const UNIT_SHIFT = 4;
const LG_BITS = 5;
const LG_MASK = 31;
const SMALLEST_LG = 3;
const MAX_SAME_HASH = 32;

export class HashIndex {
  readonly #writer: Writer;
  readonly #reader: SeqlockReader;
  readonly #header: Arena;
  readonly #arena: Arena;
  readonly #blocks: BlockAllocator;
  readonly #directoryWord: number;
  readonly #sequenceWord: number;

  /**
   * @param directoryWord header word that points to the directory
   * @param sequenceWord header word that is odd while entries are moved or removed
   */
  constructor(writer: Writer, reader: SeqlockReader, directoryWord: number, sequenceWord: number) {
    this.#writer = writer;
    this.#reader = reader;
    this.#header = writer.memory.header;
    this.#arena = writer.memory.index;
    this.#blocks = new BlockAllocator(this.#arena, UNIT_WORDS);
    this.#directoryWord = directoryWord;
    this.#sequenceWord = sequenceWord;
  }

  /** In a mutation: lays out an empty index. */
  format(): void {
    const writer = this.#writer;
    writer.touchWord(this.#header, this.#sequenceWord);
    const words = SEGMENTS * SEGMENT_WORDS;
    const directory = this.#blocks.allocate(writer, this.#blocks.classFor(words));
    for (let word = 0; word < words; word++) writer.put(this.#arena, directory + word, 0);
    writer.put(this.#header, this.#directoryWord, directory);
  }

  /** Entry with the hash that the matcher accepts, 0 if there is none. Takes no lock. */
  find(hash: number, matcher: EntryMatcher): number {
    const seen = Atomics.load(this.#header.ints, this.#sequenceWord);
    const entry = this.#probe(hash, matcher);
    if (entry !== 0 || this.#writer.isWriting) return entry;
    if ((seen & 1) === 0 && Atomics.load(this.#header.ints, this.#sequenceWord) === seen) return 0;
    return this.#findAgain(hash, matcher);
  }

  /**
   * In a mutation: adds an entry that is not there.
   * @throws SvcError SVC2402 when too many have the same hash
   */
  add(hash: number, entry: number): void {
    const writer = this.#writer;
    const arena = this.#arena;
    const segment = this.#segmentOf(hash);
    const count = arena.words[segment + ENTRY_COUNT]! + 1;
    let table = arena.words[segment]!;
    if (table === 0 || count * 4 > slotsOf(table) * 3) {
      const lg = table === 0 ? SMALLEST_LG : (table & LG_MASK) + 1;
      table = this.#resize(segment, lg);
    }
    const mask = slotsOf(table) - 1;
    const { ints } = arena;
    let at = slotAt(table, hash & mask);
    let same = 0;
    for (let slot = hash & mask; ints[at + 1] !== 0; at = slotAt(table, slot)) {
      if (ints[at] === hash && ++same === MAX_SAME_HASH) {
        throw new CapacityError("too many identifiers with the same hash");
      }
      slot = (slot + 1) & mask;
    }
    // A free slot needs no hash, so this need not be undone; see also `#closeGap`.
    ints[at] = hash;
    writer.put(arena, at + 1, entry);
    writer.put(arena, segment + ENTRY_COUNT, count);
  }

  /** In a mutation: removes an entry that is there. */
  remove(hash: number, entry: number): void {
    const writer = this.#writer;
    const arena = this.#arena;
    writer.touchWord(this.#header, this.#sequenceWord);
    const segment = this.#segmentOf(hash);
    const table = arena.words[segment]!;
    const mask = slotsOf(table) - 1;
    let slot = hash & mask;
    for (let found = 0; found !== entry; ) {
      found = arena.words[slotAt(table, slot) + 1]!;
      if (found === 0) throw new InternalError("entry is not in its index");
      if (found !== entry) slot = (slot + 1) & mask;
    }
    this.#closeGap(table, slot);
    const count = arena.words[segment + ENTRY_COUNT]! - 1;
    writer.put(arena, segment + ENTRY_COUNT, count);
    const lg = table & LG_MASK;
    if (count === 0) {
      this.#free(table);
      writer.put(arena, segment, 0);
    } else if (lg > SMALLEST_LG && count * 8 < slotsOf(table)) this.#resize(segment, lg - 1);
  }

  #findAgain(hash: number, matcher: EntryMatcher): number {
    const reader = this.#reader;
    for (let attempt = 0; ; attempt++) {
      const seen = reader.enterWord(this.#header, this.#sequenceWord, attempt);
      const entry = this.#probe(hash, matcher);
      const isValid = reader.leaveWord(this.#header, this.#sequenceWord, seen);
      if (entry !== 0 || isValid) return entry;
    }
  }

  #segmentOf(hash: number): number {
    const directory = this.#header.words[this.#directoryWord]!;
    return directory + (hash >>> SEGMENT_SHIFT) * SEGMENT_WORDS;
  }

  #probe(hash: number, matcher: EntryMatcher): number {
    const segment = this.#segmentOf(hash);
    let { ints } = this.#arena;
    let table = ints[segment]!;
    if (slotAt(table, slotsOf(table)) > ints.length) {
      // Either others let the arena grow, or the word was never a table: then the sequence tells.
      this.#writer.memory.refresh();
      ints = this.#arena.ints;
      table = ints[segment]!;
      if (slotAt(table, slotsOf(table)) > ints.length) return 0;
    }
    if (table === 0) return 0;
    const mask = slotsOf(table) - 1;
    let slot = hash & mask;
    // Counted, because a table that is being reused need not have a free slot.
    for (let left = mask; left >= 0; left--) {
      const at = slotAt(table, slot);
      const entry = ints[at + 1]!;
      if (entry === 0) return 0;
      if (ints[at] === hash && matcher.matches(entry)) return entry;
      slot = (slot + 1) & mask;
    }
    return 0;
  }

  /** Moves later entries of the chain back until the free slot does no harm. */
  #closeGap(table: number, freed: number): void {
    const writer = this.#writer;
    const arena = this.#arena;
    const mask = slotsOf(table) - 1;
    let gap = freed;
    for (let slot = (gap + 1) & mask; ; slot = (slot + 1) & mask) {
      const at = slotAt(table, slot);
      const entry = arena.words[at + 1]!;
      if (entry === 0) break;
      const hash = arena.words[at]!;
      const distance = (slot - (hash & mask)) & mask;
      if (distance < ((slot - gap) & mask)) continue;
      writer.put(arena, slotAt(table, gap), hash);
      writer.put(arena, slotAt(table, gap) + 1, entry);
      gap = slot;
    }
    // Noted as well, because what is added in its place within this mutation is not.
    writer.put(arena, slotAt(table, gap), 0);
    writer.put(arena, slotAt(table, gap) + 1, 0);
  }

  /** Moves a segment into a table of another size, which nobody sees before it is complete. */
  #resize(segment: number, lg: number): number {
    const writer = this.#writer;
    const arena = this.#arena;
    writer.touchWord(this.#header, this.#sequenceWord);
    const words = SLOT_WORDS << lg;
    const block = this.#blocks.allocate(writer, this.#blocks.classFor(words));
    const { ints } = arena;
    ints.fill(0, block, block + words);
    const table = ((block >>> UNIT_SHIFT) << LG_BITS) | lg;
    const old = ints[segment]!;
    if (old !== 0) {
      copyEntries(ints, old, table);
      this.#free(old);
    }
    writer.wrote(arena, block, words);
    writer.put(arena, segment, table);
    return table;
  }

  #free(table: number): void {
    const words = slotsOf(table) * SLOT_WORDS;
    this.#blocks.free(this.#writer, slotAt(table, 0), this.#blocks.classFor(words));
  }
}

function copyEntries(ints: Int32Array, from: number, to: number): void {
  const mask = slotsOf(to) - 1;
  const end = slotAt(from, slotsOf(from));
  for (let at = slotAt(from, 0); at < end; at += SLOT_WORDS) {
    const entry = ints[at + 1]!;
    if (entry === 0) continue;
    const hash = ints[at]!;
    let slot = hash & mask;
    while (ints[slotAt(to, slot) + 1] !== 0) slot = (slot + 1) & mask;
    ints[slotAt(to, slot)] = hash;
    ints[slotAt(to, slot) + 1] = entry;
  }
}

/** Slots of a table, of which there is 1 when there is none. */
function slotsOf(table: number): number {
  return 1 << (table & LG_MASK);
}

/** Word of a slot in a table. */
function slotAt(table: number, slot: number): number {
  return ((table >>> LG_BITS) << UNIT_SHIFT) + slot * SLOT_WORDS;
}
