// Hash table from hashes to entries: vertex handles by id, string pointers by content. It does not
// interpret entries; a matcher decides whether an entry is the wanted one.
//
//   directory  256 segments, by the top 8 bits of the hash: {table / 16 << 5 | lg slots, entries}
//   table      2^lg slots {hash, entry}, linear probing by the low bits of the hash, at most three
//              quarters full; entry 0 is free; backward-shift deletion
//
// Each segment grows and shrinks separately, so that no change moves more than 1/256 of the
// entries.
//
// Readers take no lock. The matcher validates hits. A miss counts only if no entry was moved or
// removed meanwhile, which makes the sequence odd until the commit.
//
// The hash is predictable, so clients can choose ids that collide. At most 32 entries with the same
// hash are accepted, which limits an attack to clusters of some 20,000 slots in one segment,
// scanned in about 20 microseconds.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import { CapacityError, InternalError } from "../model/errors.js";

/** Decides whether an entry is the wanted one; must tolerate entries that are no longer valid. */
export interface EntryMatcher {
  matches(entry: number): boolean;
}

const SEGMENTS = 256;
const SEGMENT_SHIFT = 24;
const SEGMENT_WORDS = 2;
const ENTRY_COUNT = 1;
const SLOT_WORDS = 2;
/** Words of the smallest block of the arena; tables start at multiples of it. */
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

  /** Initializes an empty index. Requires a mutation. */
  format(): void {
    const writer = this.#writer;
    writer.touchWord(this.#header, this.#sequenceWord);
    const words = SEGMENTS * SEGMENT_WORDS;
    const directory = this.#blocks.allocate(writer, this.#blocks.classFor(words));
    for (let word = 0; word < words; word++) writer.put(this.#arena, directory + word, 0);
    writer.put(this.#header, this.#directoryWord, directory);
  }

  /** Removes an index with all its entries. Requires a mutation. */
  drop(): void {
    const writer = this.#writer;
    const { words } = this.#arena;
    const directory = this.#header.words[this.#directoryWord]!;
    if (directory === 0) return;
    writer.touchWord(this.#header, this.#sequenceWord);
    const end = directory + SEGMENTS * SEGMENT_WORDS;
    for (let segment = directory; segment < end; segment += SEGMENT_WORDS) {
      if (words[segment] !== 0) this.#free(words[segment]!);
    }
    this.#blocks.free(writer, directory, this.#blocks.classFor(SEGMENTS * SEGMENT_WORDS));
    writer.put(this.#header, this.#directoryWord, 0);
  }

  /** Returns the entry with the hash that the matcher accepts, or 0. Takes no lock. */
  find(hash: number, matcher: EntryMatcher): number {
    const seen = Atomics.load(this.#header.ints, this.#sequenceWord);
    const entry = this.#probe(hash, matcher);
    if (entry !== 0 || this.#writer.isWriting) return entry;
    if ((seen & 1) === 0 && Atomics.load(this.#header.ints, this.#sequenceWord) === seen) return 0;
    return this.#findAgain(hash, matcher);
  }

  /**
   * Adds an entry that does not exist yet. Requires a mutation.
   * @returns number of other entries with the same hash
   * @throws SvcError SVC2402 if too many entries have the same hash
   */
  add(hash: number, entry: number): number {
    const writer = this.#writer;
    const arena = this.#arena;
    const segment = this.#segmentOf(hash);
    const count = arena.words[segment + ENTRY_COUNT]! + 1;
    let table = arena.words[segment]!;
    if (table === 0 || count * 4 > countSlots(table) * 3) {
      const lg = table === 0 ? SMALLEST_LG : (table & LG_MASK) + 1;
      table = this.#resize(segment, lg);
    }
    const mask = countSlots(table) - 1;
    const { ints } = arena;
    let at = slotAt(table, hash & mask);
    let same = 0;
    for (let slot = hash & mask; ints[at + 1] !== 0; at = slotAt(table, slot)) {
      if (ints[at] === hash && ++same === MAX_SAME_HASH) {
        throw new CapacityError("too many identifiers with the same hash");
      }
      slot = (slot + 1) & mask;
    }
    // The hash of a free slot is never read, so it needs no undo entry; see also `#closeGap`.
    ints[at] = hash;
    writer.put(arena, at + 1, entry);
    writer.put(arena, segment + ENTRY_COUNT, count);
    return same;
  }

  /** Removes an existing entry. Requires a mutation. */
  remove(hash: number, entry: number): void {
    const writer = this.#writer;
    const arena = this.#arena;
    writer.touchWord(this.#header, this.#sequenceWord);
    const segment = this.#segmentOf(hash);
    const table = arena.words[segment]!;
    const mask = countSlots(table) - 1;
    let slot = hash & mask;
    for (;;) {
      const at = slotAt(table, slot);
      const found = arena.words[at + 1]!;
      if (found === 0) throw new InternalError("entry is not in its index");
      // A vertex has several entries in an index of values.
      if (found === entry && arena.ints[at] === hash) break;
      slot = (slot + 1) & mask;
    }
    this.#closeGap(table, slot);
    const count = arena.words[segment + ENTRY_COUNT]! - 1;
    writer.put(arena, segment + ENTRY_COUNT, count);
    const lg = table & LG_MASK;
    if (count === 0) {
      this.#free(table);
      writer.put(arena, segment, 0);
    } else if (lg > SMALLEST_LG && count * 8 < countSlots(table)) this.#resize(segment, lg - 1);
  }

  /**
   * Returns the entry in the home slot of a hash, usually the wanted one; 0 if the slot is free.
   * For prefetching.
   */
  firstEntry(hash: number): number {
    const { ints } = this.#arena;
    const table = ints[this.#segmentOf(hash)]!;
    return ints[slotAt(table, hash & (countSlots(table) - 1)) + 1] ?? 0;
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
    if (slotAt(table, countSlots(table)) > ints.length) {
      // Either the arena has grown, or the word was never a table: the caller checks the sequence.
      this.#writer.memory.refresh();
      ints = this.#arena.ints;
      table = ints[segment]!;
      if (slotAt(table, countSlots(table)) > ints.length) return 0;
    }
    if (table === 0) return 0;
    const mask = countSlots(table) - 1;
    let slot = hash & mask;
    // Bounded, because a table that is being reused may have no free slot.
    for (let left = mask; left >= 0; left--) {
      const at = slotAt(table, slot);
      const entry = ints[at + 1]!;
      if (entry === 0) return 0;
      if (ints[at] === hash && matcher.matches(entry)) return entry;
      slot = (slot + 1) & mask;
    }
    return 0;
  }

  /** Shifts later entries of the cluster back, then frees the last slot. */
  #closeGap(table: number, freed: number): void {
    const writer = this.#writer;
    const arena = this.#arena;
    const mask = countSlots(table) - 1;
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
    // Undo entries are needed: `add` writes none for a free slot in the same mutation.
    writer.put(arena, slotAt(table, gap), 0);
    writer.put(arena, slotAt(table, gap) + 1, 0);
  }

  /** Moves a segment to a table of another size, invisible to readers until complete. */
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
    writer.markDirty(arena, block, words);
    writer.put(arena, segment, table);
    return table;
  }

  #free(table: number): void {
    const words = countSlots(table) * SLOT_WORDS;
    this.#blocks.free(this.#writer, slotAt(table, 0), this.#blocks.classFor(words));
  }
}

function copyEntries(ints: Int32Array, from: number, to: number): void {
  const mask = countSlots(to) - 1;
  const end = slotAt(from, countSlots(from));
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

/** Returns the slots of a table; 1 for the null reference. */
function countSlots(table: number): number {
  return 1 << (table & LG_MASK);
}

/** Returns the offset of a slot in a table. */
function slotAt(table: number, slot: number): number {
  return ((table >>> LG_BITS) << UNIT_SHIFT) + slot * SLOT_WORDS;
}
