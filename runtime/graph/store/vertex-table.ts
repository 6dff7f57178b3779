// Columns of vertices: allocation of handles and their fixed-size attributes. It does not interpret
// ids, arcs or properties; see memory/layout.ts for the layout.

import type { Arena } from "../memory/arena.js";
import {
  ARC_WORDS,
  Header,
  NEVER,
  RECORD_WORDS,
  RecordWord,
  SEQUENCE_WORDS,
  SIDE_WORDS,
  Side,
  VertexFlag,
} from "../memory/layout.js";
import type { Allocator, Writer } from "../memory/writer.js";

const TYPE_MASK = 0xff;
const FLAGS_SHIFT = 8;
const floatBits = new Float32Array(1);
const floatWord = new Uint32Array(floatBits.buffer);

function floatToWord(value: number): number {
  floatBits[0] = value;
  return floatWord[0]!;
}

function wordToFloat(word: number): number {
  floatWord[0] = word;
  return floatBits[0]!;
}

const ONE = floatToWord(1);

export class VertexTable implements Allocator {
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #meta: Arena;
  readonly #record: Arena;
  readonly #out: Arena;
  readonly #in: Arena;
  /** Handles below this are covered by this thread's views of all columns. */
  #covered = 0;

  constructor(writer: Writer) {
    const { memory } = writer;
    this.#writer = writer;
    this.#header = memory.header;
    this.#meta = memory.meta;
    this.#record = memory.record;
    this.#out = memory.out;
    this.#in = memory.in;
  }

  /** One more than the highest handle ever used. */
  get end(): number {
    return this.#header.words[Header.HandleEnd]!;
  }

  /** Generation of the handle that was allocated last. */
  get serial(): number {
    return this.#header.words[Header.VertexSerial]!;
  }

  /**
   * Allocates a handle with initial columns; its out side is touched. It counts as unused until
   * `setMeta`. Requires a mutation.
   * @throws SvcError SVC2402
   */
  allocate(): number {
    const writer = this.#writer;
    const freed = this.#header.words[Header.FreeHandle]!;
    const handle = freed !== 0 ? freed : this.end;
    if (freed === 0) {
      if (handle >= this.#covered) this.#extend(handle + 1);
      writer.put(this.#header, Header.HandleEnd, handle + 1);
    } else {
      const next = this.#record.words[freed * RECORD_WORDS + RecordWord.IdPointer]!;
      writer.put(this.#header, Header.FreeHandle, next);
      writer.put(this.#record, freed * RECORD_WORDS + RecordWord.IdPointer, 0);
    }
    writer.touch(0, handle);
    this.#clear(handle);
    return handle;
  }

  /** Returns up to `maxCount` free handles in the order of allocation. Requires the mutex. */
  listFree(maxCount: number): Uint32Array {
    const listed = new Uint32Array(maxCount);
    let count = 0;
    let handle = this.#header.words[Header.FreeHandle]!;
    for (; handle !== 0 && count < maxCount; count++) {
      listed[count] = handle;
      handle = this.#record.words[handle * RECORD_WORDS + RecordWord.IdPointer]!;
    }
    return listed.subarray(0, count);
  }

  /** Frees a handle, whose id, arcs and properties must be gone. Requires a mutation. */
  free(handle: number): void {
    const writer = this.#writer;
    writer.touch(0, handle);
    writer.hasShortened = true;
    writer.put(this.#meta, handle, 0);
    writer.freeAtCommit(this, handle, 0);
  }

  /** Called by the writer during the commit. */
  release(writer: Writer, handle: number): void {
    const link = handle * RECORD_WORDS + RecordWord.IdPointer;
    writer.put(this.#record, link, this.#header.words[Header.FreeHandle]!);
    writer.put(this.#header, Header.FreeHandle, handle);
  }

  /** Sets type code and `VertexFlag`s. Requires a mutation. */
  setMeta(handle: number, type: number, flags: number): void {
    this.#writer.put(this.#meta, handle, type | (flags << FLAGS_SHIFT));
  }

  isUsed(handle: number): boolean {
    return this.flagsOf(handle) !== 0;
  }

  isReal(handle: number): boolean {
    return (this.flagsOf(handle) & VertexFlag.Real) !== 0;
  }

  isVirtual(handle: number): boolean {
    return (this.flagsOf(handle) & VertexFlag.Virtual) !== 0;
  }

  typeOf(handle: number): number {
    return this.#metaOf(handle) & TYPE_MASK;
  }

  flagsOf(handle: number): number {
    return this.#metaOf(handle) >>> FLAGS_SHIFT;
  }

  outDegree(handle: number): number {
    const at = this.#clampHandle(handle) * SIDE_WORDS;
    return this.#out.words[at + Side.Degree]!;
  }

  inDegree(handle: number): number {
    const at = this.#clampHandle(handle) * SIDE_WORDS;
    return this.#in.words[at + Side.Degree]!;
  }

  /** Computes the degrees of the heads of arcs, times a sign; returns the smallest result. */
  degreesOf(
    arcs: Uint32Array,
    from: number,
    end: number,
    sign: number,
    keys: Float64Array,
  ): number {
    const out = this.#out.words;
    const into = this.#in.words;
    const reach = Math.min(out.length, into.length);
    let minKey = Number.POSITIVE_INFINITY;
    for (let arc = from, index = 0; arc < end; arc += ARC_WORDS, index++) {
      const head = arcs[arc]!;
      const at = head * SIDE_WORDS + Side.Degree;
      const degree = at < reach ? out[at]! + into[at]! : this.outDegree(head) + this.inDegree(head);
      const key = degree * sign;
      keys[index] = key;
      if (key < minKey) minKey = key;
    }
    return minKey;
  }

  createdAt(handle: number): number {
    return this.fieldOf(handle, RecordWord.CreatedAt);
  }

  modifiedAt(handle: number): number {
    return this.fieldOf(handle, RecordWord.ModifiedAt);
  }

  /** Returns the expiry time, or `NEVER`. */
  expiresAt(handle: number): number {
    return this.fieldOf(handle, RecordWord.ExpiresAt);
  }

  c1(handle: number): number {
    return wordToFloat(this.fieldOf(handle, RecordWord.C1));
  }

  c0(handle: number): number {
    return wordToFloat(this.fieldOf(handle, RecordWord.C0));
  }

  /** Sets the rank coefficients. Requires a mutation. */
  setRank(handle: number, c1: number, c0: number): void {
    this.setField(handle, RecordWord.C1, floatToWord(c1));
    this.setField(handle, RecordWord.C0, floatToWord(c0));
  }

  /** Returns a number that changes whenever the handle is reused. */
  generationOf(handle: number): number {
    return this.fieldOf(handle, RecordWord.Generation);
  }

  /**
   * Returns whether the generation of a handle is not later than `serial`; false also if it is more
   * than 2^31 allocations older.
   */
  isAsOld(handle: number, serial: number): boolean {
    return ((this.generationOf(handle) - serial) | 0) <= 0;
  }

  /** Returns the operation count at the vertex's last commit. */
  operationOf(handle: number): number {
    const low = this.fieldOf(handle, RecordWord.Operation);
    return low + this.fieldOf(handle, RecordWord.OperationHigh) * 2 ** 32;
  }

  /** Sets another word of `RecordWord`; see memory/layout.ts. Requires a mutation. */
  setField(handle: number, field: number, value: number): void {
    this.#writer.put(this.#record, handle * RECORD_WORDS + field, value);
  }

  /** Returns another word of `RecordWord`. */
  fieldOf(handle: number, field: number): number {
    const at = this.#clampHandle(handle) * RECORD_WORDS;
    return this.#record.words[at + field]!;
  }

  #metaOf(handle: number): number {
    const at = this.#clampHandle(handle);
    return this.#meta.words[at]!;
  }

  /**
   * Maps a handle out of range to handle 0, which is never used. Call it before reading views: it
   * may recreate them.
   */
  #clampHandle(handle: number): number {
    if (handle < this.#covered) return handle;
    this.#writer.memory.refresh();
    this.refreshViews();
    return handle < this.#covered ? handle : 0;
  }

  /** Recreates the views after columns have grown or moved. */
  refreshViews(): void {
    const { sequence } = this.#writer.memory;
    this.#covered = Math.min(
      this.#meta.words.length,
      Math.floor(this.#record.words.length / RECORD_WORDS),
      Math.floor(this.#out.words.length / SIDE_WORDS),
      Math.floor(this.#in.words.length / SIDE_WORDS),
      Math.floor(sequence.words.length / SEQUENCE_WORDS),
    );
  }

  #extend(handles: number): void {
    const writer = this.#writer;
    writer.ensureWords(this.#meta, handles);
    writer.ensureWords(this.#record, handles * RECORD_WORDS);
    writer.ensureWords(this.#out, handles * SIDE_WORDS);
    writer.ensureWords(this.#in, handles * SIDE_WORDS);
    writer.ensureWords(writer.memory.sequence, handles * SEQUENCE_WORDS);
    this.refreshViews();
  }

  /**
   * Initializes the columns. An unreferenced handle needs no undo entries, unless it was freed
   * earlier in the same batch.
   */
  #clear(handle: number): void {
    const base = handle * RECORD_WORDS;
    const { words } = this.#record;
    if (this.#writer.isNested && this.#writer.hasShortened) {
      for (let word = 0; word < RECORD_WORDS; word++) {
        if (word !== RecordWord.Generation) this.#writer.noteOldValue(this.#record, base + word);
      }
    }
    this.#writer.markDirty(this.#record, base, RECORD_WORDS);
    // Never decreased, not even by a rollback: caches rely on it.
    words[base + RecordWord.Generation] = ++this.#header.words[Header.VertexSerial]!;
    words[base + RecordWord.IdBytes] = 0;
    for (let word = RecordWord.CreatedAt; word < RECORD_WORDS; word++) words[base + word] = 0;
    words[base + RecordWord.ExpiresAt] = NEVER;
    words[base + RecordWord.C1] = ONE;
  }
}
