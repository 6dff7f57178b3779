// The text indexes of a graph in shared memory; see text-layout.ts. Changes run within a mutation;
// searches read entries, versions and the ring without a lock.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import { CapacityError } from "../model/errors.js";
import { SegmentViews } from "./segment.js";
import { MAX_COLUMNS, MAX_KEYS, SegmentHead } from "./segment-layout.js";
import {
  BUILD_VERSION,
  DIRECTORY_WORDS,
  Directory,
  Entry,
  entryAt,
  INDEX_PLACES,
  keyWord,
  MAX_INDEXES,
  MAX_LISTED_KEYS,
  MAX_VERSION,
  RING_WORDS,
  TEXT_UNIT_WORDS,
} from "./text-layout.js";

/** Snapshot of an index at one moment. */
export interface TextIndexState {
  /** Position in the directory. */
  readonly index: number;
  readonly generation: number;
  /** First words of the segments. */
  readonly segments: readonly number[];
  readonly progress: BuildProgress;
}

/** Build progress of an index; see text-layout.ts. */
export interface BuildProgress {
  readonly builtTo: number;
  readonly scannedTo: number;
  readonly scanFrom: number;
}

/** Stored declaration of an index. */
export interface StoredDefinition {
  readonly text: string;
  readonly keys: readonly number[];
  readonly generation: number;
}

/** Changes to an index that a builder publishes in one mutation. */
export interface Publication {
  readonly state: TextIndexState;
  /** Segments to remove. */
  readonly replaced: readonly number[];
  /** Whether to add the segment in the current block. */
  readonly isAdded: boolean;
  readonly progress: BuildProgress;
}

/** Maximum number of properties that an index reads, including its columns. */
const MAX_READ_KEYS = MAX_KEYS + MAX_COLUMNS;

export class TextTable {
  readonly writer: Writer;
  readonly reader: SeqlockReader;
  readonly #header: Arena;
  readonly #texts: Arena;
  readonly #versions: Arena;
  readonly #blocks: BlockAllocator;
  #views: SegmentViews | null = null;

  constructor(writer: Writer, reader: SeqlockReader) {
    const { memory } = writer;
    this.writer = writer;
    this.reader = reader;
    this.#header = memory.header;
    this.#texts = memory.texts;
    this.#versions = memory.textVersions;
    this.#blocks = new BlockAllocator(memory.texts, TEXT_UNIT_WORDS);
  }

  /** True if the graph has no text index. */
  get isEmpty(): boolean {
    return this.#header.words[Header.TextIndexCount] === 0;
  }

  /** Returns whether any index may read a key. */
  hasKey(key: number): boolean {
    const directory = this.#directory;
    const { words } = this.#texts;
    const count = words[directory + Directory.KeyCount]!;
    if (count > MAX_LISTED_KEYS) return true;
    for (let at = 0; at < count; at++) {
      if (words[directory + Directory.Keys + at] === key) return true;
    }
    return false;
  }

  /**
   * In a mutation, before a text of a vertex changes: assigns the next version to the vertex. A
   * rollback does not undo this: readers that have seen the version treat the vertex as pending.
   * @throws CapacityError versions are used up, because no builder has restarted them
   */
  markChanged(vertex: number): void {
    const { writer } = this;
    writer.ensureWords(this.#versions, vertex + 1);
    const serial = this.#header.words[Header.TextSerial]! + 1;
    if (serial > MAX_VERSION) {
      throw new CapacityError("too many changes of indexed texts: restart the server");
    }
    const at = this.#header.words[Header.TextRing]! + (serial & (RING_WORDS - 1));
    Atomics.store(this.#texts.ints, at, vertex);
    Atomics.store(this.#header.ints, Header.TextSerial, serial);
    Atomics.store(this.#versions.ints, vertex, serial);
    writer.markDirty(this.#texts, at, 1);
    writer.markDirty(this.#header, Header.TextSerial, 1);
    writer.markDirty(this.#versions, vertex, 1);
  }

  /** Latest version. */
  get serial(): number {
    return Atomics.load(this.#header.ints, Header.TextSerial) >>> 0;
  }

  /** Latest version that a vertex has. Writers raise `serial` before they store the version. */
  get settledSerial(): number {
    const { serial } = this;
    const isSettled = this.versionOf(this.vertexOfVersion(serial)) === serial;
    return isSettled || serial === 0 ? serial : serial - 1;
  }

  /** Version of the texts of a vertex. */
  versionOf(vertex: number): number {
    const { words } = this.#versions;
    return vertex < words.length ? words[vertex]! : 0;
  }

  /** Returns the vertex of a version that the ring still lists. */
  vertexOfVersion(version: number): number {
    const ring = this.#header.words[Header.TextRing]!;
    return Atomics.load(this.#texts.ints, ring + (version & (RING_WORDS - 1)));
  }

  /** Views of the arena, for reading segments. */
  get views(): SegmentViews {
    if (this.#views?.words !== this.#texts.words) this.#views = new SegmentViews(this.#texts.words);
    return this.#views;
  }

  /**
   * In a mutation: declares an empty index; returns its position.
   * @throws CapacityError
   */
  declare(definition: string, keys: readonly number[]): number {
    const { writer } = this;
    this.#format();
    const index = this.#freeEntry();
    const bytes = Buffer.from(definition);
    const sizeClass = this.#blocks.classFor(Math.ceil(bytes.length / 4) + 1);
    const block = this.#blocks.allocate(writer, sizeClass);
    const words = this.#texts.words.subarray(block, block + this.#blocks.blockWords(sizeClass));
    new Uint8Array(words.buffer, words.byteOffset, bytes.length).set(bytes);
    const entry = this.#beginChange(index);
    this.#put(entry, Entry.Generation, this.#word(entry, Entry.Generation) + 1);
    this.#put(entry, Entry.Definition, block);
    this.#put(entry, Entry.DefinitionBytes, bytes.length);
    this.#put(entry, Entry.SegmentCount, 0);
    this.#put(entry, Entry.BuiltTo, this.serial);
    this.#put(entry, Entry.ScannedTo, 0);
    this.#put(entry, Entry.ScanFrom, 0);
    this.#put(entry, Entry.KeyCount, keys.length);
    for (const [at, key] of keys.entries()) this.#put(entry, keyWord(at), key);
    writer.add(this.#header, Header.TextIndexCount, 1);
    this.#listKeys();
    return index;
  }

  /** In a mutation: drops an index; its segments are freed once no thread reads them. */
  drop(index: number): void {
    const { writer } = this;
    const entry = this.#beginChange(index);
    this.#raiseEpoch();
    this.#retireSegments(entry);
    const bytes = this.#word(entry, Entry.DefinitionBytes);
    const sizeClass = this.#blocks.classFor(Math.ceil(bytes / 4) + 1);
    this.#blocks.free(writer, this.#word(entry, Entry.Definition), sizeClass);
    this.#put(entry, Entry.Definition, 0);
    writer.add(this.#header, Header.TextIndexCount, -1);
    this.#listKeys();
  }

  /** In a mutation: drops all indexes. */
  dropAll(): void {
    for (const index of this.indexes()) this.drop(index);
  }

  /** Positions of all indexes at this moment; see `readAllEntries`. */
  indexes(): number[] {
    if (this.#directory === 0) return [];
    const declared: number[] = [];
    for (let index = 0; index < INDEX_PLACES; index++) {
      if (this.#word(this.#entry(index), Entry.Definition) !== 0) declared.push(index);
    }
    return declared;
  }

  /** Returns a snapshot of an index; null if there is none. */
  read(index: number): TextIndexState | null {
    if (this.#directory === 0) return null;
    const entry = this.#entry(index);
    for (let attempt = 0; ; attempt++) {
      const sequence = this.reader.enterWord(this.#texts, entry + Entry.Sequence, attempt);
      const isDeclared = this.#word(entry, Entry.Definition) !== 0;
      const count = isDeclared ? this.#word(entry, Entry.SegmentCount) : 0;
      const { words } = this.#texts;
      const first = entry + Entry.Segments;
      const state: TextIndexState = {
        index,
        generation: this.#word(entry, Entry.Generation),
        segments: Array.from(words.subarray(first, first + count)),
        progress: {
          builtTo: this.#word(entry, Entry.BuiltTo),
          scannedTo: this.#word(entry, Entry.ScannedTo),
          scanFrom: this.#word(entry, Entry.ScanFrom),
        },
      };
      if (!this.reader.leaveWord(this.#texts, entry + Entry.Sequence, sequence)) continue;
      // The arena may have grown, and segments may lie in the new part.
      this.writer.memory.refresh();
      return isDeclared ? state : null;
    }
  }

  /** Returns the definition of an index and the codes of its keys; null if there is no index. */
  definition(index: number): StoredDefinition | null {
    if (this.#directory === 0) return null;
    const entry = this.#entry(index);
    for (let attempt = 0; ; attempt++) {
      const sequence = this.reader.enterWord(this.#texts, entry + Entry.Sequence, attempt);
      const block = this.#word(entry, Entry.Definition);
      const bytes = this.#word(entry, Entry.DefinitionBytes);
      const { words } = this.#texts;
      const copy = words.slice(block, block + Math.ceil(bytes / 4));
      const keyCount = Math.min(this.#word(entry, Entry.KeyCount), MAX_READ_KEYS);
      const keys = Array.from({ length: keyCount }, (_, at) => this.#word(entry, keyWord(at)));
      const generation = this.#word(entry, Entry.Generation);
      if (!this.reader.leaveWord(this.#texts, entry + Entry.Sequence, sequence)) continue;
      if (block === 0) return null;
      // The arena may have grown, and the text may lie in the new part.
      if (copy.byteLength < bytes) {
        this.writer.memory.refresh();
        continue;
      }
      return { text: Buffer.from(copy.buffer, 0, bytes).toString(), keys, generation };
    }
  }

  /** Returns whether an index is still the one that was read. */
  isSame({ index, generation }: Pick<TextIndexState, "index" | "generation">): boolean {
    const entry = this.#entry(index);
    const isDeclared = this.#word(entry, Entry.Definition) !== 0;
    return isDeclared && this.#word(entry, Entry.Generation) === generation;
  }

  /**
   * In a mutation: allocates a block that a builder fills until it publishes it.
   * @throws CapacityError
   */
  allocate(state: TextIndexState, words: number): number {
    const sizeClass = this.#blocks.classFor(words);
    const block = this.#blocks.allocate(this.writer, sizeClass);
    const entry = this.#entry(state.index);
    this.#put(entry, Entry.Building, block);
    this.#put(entry, Entry.BuildingClass, sizeClass);
    return block;
  }

  /** Writes a part of a segment into the current block; requires no mutation. */
  fill(state: TextIndexState, words: Uint32Array, from: number, end: number): void {
    const block = this.#word(this.#entry(state.index), Entry.Building);
    this.#texts.words.set(words.subarray(from, end), block + from);
  }

  /** In a mutation: replaces segments with a new one. */
  publish({ state, replaced, isAdded, progress }: Publication): void {
    const { writer } = this;
    const entry = this.#beginChange(state.index);
    const block = this.#word(entry, Entry.Building);
    if (replaced.length > 0) this.#raiseEpoch();
    const remaining: number[] = [];
    const count = this.#word(entry, Entry.SegmentCount);
    for (let at = 0; at < count; at++) {
      const segment = this.#word(entry, Entry.Segments + at);
      if (replaced.includes(segment)) this.#retire(segment);
      else remaining.push(segment);
    }
    if (isAdded) {
      const sizeClass = this.#word(entry, Entry.BuildingClass);
      this.#texts.words[block + SegmentHead.SizeClass] = sizeClass;
      // A snapshot may have saved parts of the block earlier.
      writer.markDirty(this.#texts, block, this.#texts.words[block + SegmentHead.Words]!);
      remaining.push(block);
      this.#put(entry, Entry.Building, 0);
    }
    for (const [at, segment] of remaining.entries()) this.#put(entry, Entry.Segments + at, segment);
    this.#put(entry, Entry.SegmentCount, remaining.length);
    this.#put(entry, Entry.BuiltTo, progress.builtTo);
    this.#put(entry, Entry.ScannedTo, progress.scannedTo);
    this.#put(entry, Entry.ScanFrom, progress.scanFrom);
  }

  /** In a mutation: drops all segments, so that all vertices are scanned again. */
  dropSegments(): void {
    for (const index of this.indexes()) {
      const entry = this.#beginChange(index);
      this.#raiseEpoch();
      this.#retireSegments(entry);
      this.#put(entry, Entry.BuiltTo, this.serial);
      this.#put(entry, Entry.ScannedTo, 0);
      this.#put(entry, Entry.ScanFrom, 0);
    }
  }

  /** In a mutation: drops segments of another layout or analysis, so that they are rebuilt. */
  dropOutdated(): void {
    const directory = this.#directory;
    if (directory === 0) return;
    const at = directory + Directory.SegmentVersion;
    if (this.#texts.words[at] === BUILD_VERSION) return;
    this.dropSegments();
    this.writer.put(this.#texts, at, BUILD_VERSION);
    this.#listKeys();
  }

  /**
   * In a mutation after `dropSegments`: restarts versions at 0. A rollback does not restore the
   * versions of vertices; the scan finds them by the old version as well as by 0.
   */
  restartVersions(): void {
    const { writer } = this;
    for (const index of this.indexes()) {
      const entry = this.#beginChange(index);
      this.#put(entry, Entry.Generation, this.#word(entry, Entry.Generation) + 1);
      this.#put(entry, Entry.BuiltTo, 0);
    }
    // A search that sees a cleared version also sees the new generation.
    this.#raiseEpoch();
    writer.put(this.#header, Header.TextSerial, 0);
    const { words } = this.#versions;
    words.fill(0);
    if (words.length > 0) writer.markDirty(this.#versions, 0, words.length);
  }

  /** In a mutation: frees the unfinished blocks of builders. */
  freeAbandoned(): boolean {
    if (this.#directory === 0) return false;
    let hasFreed = false;
    for (let index = 0; index < INDEX_PLACES; index++) {
      const entry = this.#entry(index);
      const block = this.#word(entry, Entry.Building);
      if (block === 0) continue;
      hasFreed = true;
      this.#blocks.free(this.writer, block, this.#word(entry, Entry.BuildingClass));
      this.#put(entry, Entry.Building, 0);
    }
    return hasFreed;
  }

  /** Returns the latest epoch of retired segments that still have memory; -1 if there are none. */
  get retiredEpoch(): number {
    const segment = this.#header.words[Header.TextRetired]!;
    return segment === 0 ? -1 : this.#texts.words[segment + SegmentHead.RetiredIn]!;
  }

  /** In a mutation: frees all retired segments; no thread may read them. */
  freeRetired(): void {
    const { words } = this.#texts;
    let segment = this.#header.words[Header.TextRetired]!;
    while (segment !== 0) {
      const next = words[segment + SegmentHead.NextRetired]!;
      this.#blocks.free(this.writer, segment, words[segment + SegmentHead.SizeClass]!);
      segment = next;
    }
    this.writer.put(this.#header, Header.TextRetired, 0);
  }

  /** Number of words of all blocks in use. */
  get usedWords(): number {
    return this.#blocks.usedWords(this.writer) - this.#blocks.freeWords(this.writer);
  }

  get #directory(): number {
    return this.#header.words[Header.TextDirectory]!;
  }

  #entry(index: number): number {
    return entryAt(this.#directory, index);
  }

  #word(entry: number, word: number): number {
    return this.#texts.words[entry + word] ?? 0;
  }

  #put(entry: number, word: number, value: number): void {
    this.writer.put(this.#texts, entry + word, value);
  }

  /** Starts a change of an entry: its readers wait for the commit. */
  #beginChange(index: number): number {
    const entry = this.#entry(index);
    this.writer.touchWord(this.#texts, entry + Entry.Sequence);
    return entry;
  }

  /** After `#enter`; see pins.ts. */
  #raiseEpoch(): void {
    Atomics.add(this.#header.ints, Header.TextEpoch, 1);
    this.writer.markDirty(this.#header, Header.TextEpoch, 1);
  }

  #retireSegments(entry: number): void {
    const count = this.#word(entry, Entry.SegmentCount);
    for (let at = 0; at < count; at++) this.#retire(this.#word(entry, Entry.Segments + at));
    this.#put(entry, Entry.SegmentCount, 0);
  }

  #retire(segment: number): void {
    const { writer } = this;
    const epoch = this.#header.words[Header.TextEpoch]!;
    writer.put(
      this.#texts,
      segment + SegmentHead.NextRetired,
      this.#header.words[Header.TextRetired]!,
    );
    writer.put(this.#texts, segment + SegmentHead.RetiredIn, epoch);
    writer.put(this.#header, Header.TextRetired, segment);
  }

  /** Creates the directory and the ring for the first index of the graph. */
  #format(): void {
    if (this.#directory !== 0) return;
    const { writer } = this;
    const directory = this.#blocks.allocate(writer, this.#blocks.classFor(DIRECTORY_WORDS));
    this.#texts.words.fill(0, directory, directory + DIRECTORY_WORDS);
    const ring = this.#blocks.allocate(writer, this.#blocks.classFor(RING_WORDS));
    this.#texts.words.fill(0, ring, ring + RING_WORDS);
    this.#texts.words[directory + Directory.SegmentVersion] = BUILD_VERSION;
    writer.put(this.#header, Header.TextRing, ring);
    writer.put(this.#header, Header.TextDirectory, directory);
  }

  #freeEntry(): number {
    const isFull = this.#header.words[Header.TextIndexCount]! >= MAX_INDEXES;
    for (let index = 0; index < INDEX_PLACES && !isFull; index++) {
      const entry = this.#entry(index);
      const isFree = this.#word(entry, Entry.Definition) === 0;
      if (isFree && this.#word(entry, Entry.Building) === 0) return index;
    }
    throw new CapacityError(`too many text indexes in a graph: ${MAX_INDEXES}`);
  }

  /** Collects the keys of all indexes, for `hasKey`. */
  #listKeys(): void {
    const keys = new Set<number>();
    for (const index of this.indexes()) {
      const entry = this.#entry(index);
      const count = this.#word(entry, Entry.KeyCount);
      for (let at = 0; at < count; at++) keys.add(this.#word(entry, keyWord(at)));
    }
    const directory = this.#directory;
    this.#put(directory, Directory.KeyCount, keys.size);
    if (keys.size > MAX_LISTED_KEYS) return;
    for (const [at, key] of [...keys].entries()) this.#put(directory, Directory.Keys + at, key);
  }
}
