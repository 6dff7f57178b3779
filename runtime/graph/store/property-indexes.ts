// Ordered indexes of property values and of id prefixes. An index yields candidates; the condition
// is evaluated for each of them anyway, so an index may be inexact where values have no order.
//
//   LISTS  one descriptor per index: {next descriptor, key, head of its skip list, entries}
//
//   kind of value    a   b                        c
//   number           1   order-preserving bits of the float64, high and low word
//   text             2   its first 4 bytes        pointer into the string pool
//   anything else    3   0                        0
//   id               0   bytes 0 to 3             bytes 4 to 7
//
// Equal texts share a pointer, so lookups of equal texts are exact.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";
import { CapacityError } from "../model/errors.js";
import { kindOfCell, numberOfCell } from "./property-cells.js";
import { PropertyKind } from "./property-values.js";
import { type IndexKey, MAX_VERTEX, SkipList } from "./skip-list.js";
import type { StringPool } from "./string-pool.js";

/** Key code that represents ids. */
export const ID_KEY = 0;
const MAX_INDEXES = 64;
const Descriptor = { Next: 0, Key: 1, Head: 2, Count: 3 } as const;
const SIZE_CLASS = 0;
const Class = { Id: 0, Number: 1, Text: 2, Other: 3, End: 4 } as const;

/** An index: its key code and number of entries. */
export interface PropertyIndex {
  readonly key: number;
  readonly entries: number;
}

/** Inclusive range of values. */
export type ValueRange =
  | { readonly kind: "any" }
  | { readonly kind: "number"; readonly low: number; readonly high: number }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "prefix"; readonly prefix: string };

const float = new Float64Array(1);
const floatWords = new Uint32Array(float.buffer);

export class PropertyIndexes {
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #lists: Arena;
  readonly #blocks: BlockAllocator;
  readonly #list: SkipList;
  readonly #strings: StringPool;
  readonly #key: IndexKey = { a: 0, b: 0, c: 0, vertex: 0 };

  constructor(writer: Writer, strings: StringPool) {
    this.#writer = writer;
    this.#header = writer.memory.header;
    this.#lists = writer.memory.lists;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
    this.#list = new SkipList(writer);
    this.#strings = strings;
  }

  /** Removes all indexes when their memory is cleared as a whole. Requires a mutation. */
  format(): void {
    this.#writer.put(this.#header, Header.PropertyIndexes, 0);
  }

  /** True if there are no indexes to maintain. */
  get isEmpty(): boolean {
    return this.#header.words[Header.PropertyIndexes] === 0;
  }

  /** Returns all indexes. Requires the mutex. */
  all(): PropertyIndex[] {
    const { words } = this.#lists;
    const found: PropertyIndex[] = [];
    for (let at = this.#first; at !== 0; at = words[at + Descriptor.Next]!) {
      found.push({ key: words[at + Descriptor.Key]!, entries: words[at + Descriptor.Count]! });
    }
    return found;
  }

  has(key: number): boolean {
    return !this.isEmpty && this.#find(key) !== 0;
  }

  /**
   * Creates an empty index. Requires a mutation.
   * @throws CapacityError at 64 indexes
   */
  make(key: number): void {
    if (this.all().length >= MAX_INDEXES)
      throw new CapacityError("too many indexes of a graph: 64");
    const head = this.#list.make();
    const entry = this.#blocks.allocate(this.#writer, SIZE_CLASS);
    const { words } = this.#lists;
    words[entry + Descriptor.Next] = this.#first;
    words[entry + Descriptor.Key] = key;
    words[entry + Descriptor.Head] = head;
    words[entry + Descriptor.Count] = 0;
    this.#writer.put(this.#header, Header.PropertyIndexes, entry);
  }

  /** Drops an index. Requires a mutation. */
  drop(key: number): void {
    const { words } = this.#lists;
    let before = 0;
    for (let at = this.#first; at !== 0; before = at, at = words[at + Descriptor.Next]!) {
      if (words[at + Descriptor.Key] !== key) continue;
      const next = words[at + Descriptor.Next]!;
      if (before === 0) this.#writer.put(this.#header, Header.PropertyIndexes, next);
      else this.#writer.put(this.#lists, before + Descriptor.Next, next);
      this.#list.free(words[at + Descriptor.Head]!);
      this.#blocks.free(this.#writer, at, SIZE_CLASS);
      return;
    }
  }

  /** Adds the value in a cell of a vertex. Requires a mutation. */
  addCell(key: number, vertex: number, high: number, low: number): void {
    const at = this.#find(key);
    if (at !== 0) this.#add(at, this.#cellKey(vertex, high, low));
  }

  /** Removes the value in a cell of a vertex. Requires a mutation. */
  removeCell(key: number, vertex: number, high: number, low: number): void {
    const at = this.#find(key);
    if (at !== 0) this.#remove(at, this.#cellKey(vertex, high, low));
  }

  /** Adds the id of a vertex, given its first 8 bytes. Requires a mutation. */
  addId(vertex: number, first: number, second: number): void {
    const at = this.isEmpty ? 0 : this.#find(ID_KEY);
    if (at !== 0) this.#add(at, this.#idKey(vertex, first, second));
  }

  removeId(vertex: number, first: number, second: number): void {
    const at = this.isEmpty ? 0 : this.#find(ID_KEY);
    if (at !== 0) this.#remove(at, this.#idKey(vertex, first, second));
  }

  /**
   * Returns a superset of the vertices with a value in the range; null without an index, or if
   * there are more than `limit`.
   */
  candidates(key: number, range: ValueRange, limit: number): number[] | null {
    return this.#look(key, range, [], (head, from, to) =>
      this.#list.between(head, from, to, limit),
    );
  }

  /** Returns the approximate number of vertices with such a value; null without an index. */
  estimate(key: number, range: ValueRange): number | null {
    return this.#look(key, range, 0, (head, from, to) => this.#list.estimate(head, from, to));
  }

  /** Returns the result of reading a range; null without an index. */
  #look<T>(
    key: number,
    range: ValueRange,
    ofNone: T,
    read: (head: number, from: IndexKey, to: IndexKey) => T | null,
  ): T | null {
    if (this.isEmpty) return null;
    this.#writer.beginReading();
    try {
      const at = this.#find(key);
      if (at === 0) return null;
      const ends = key === ID_KEY ? idEnds(range) : this.#endsOf(range);
      if (ends === null) return ofNone;
      return read(this.#lists.words[at + Descriptor.Head]!, ends[0], ends[1]);
    } finally {
      this.#writer.end();
    }
  }

  get #first(): number {
    return this.#header.words[Header.PropertyIndexes]!;
  }

  /** Returns the descriptor of an index, or 0. */
  #find(key: number): number {
    const { words } = this.#lists;
    let at = this.#first;
    while (at !== 0 && words[at + Descriptor.Key] !== key) at = words[at + Descriptor.Next] ?? 0;
    return at;
  }

  #add(at: number, key: IndexKey): void {
    this.#list.add(this.#lists.words[at + Descriptor.Head]!, key);
    this.#writer.add(this.#lists, at + Descriptor.Count, 1);
  }

  #remove(at: number, key: IndexKey): void {
    if (!this.#list.remove(this.#lists.words[at + Descriptor.Head]!, key)) return;
    this.#writer.add(this.#lists, at + Descriptor.Count, -1);
  }

  #idKey(vertex: number, first: number, second: number): IndexKey {
    const key = this.#key;
    key.a = Class.Id;
    key.b = bigEndian(first);
    key.c = bigEndian(second);
    key.vertex = vertex;
    return key;
  }

  #cellKey(vertex: number, high: number, low: number): IndexKey {
    const key = this.#key;
    const kind = kindOfCell(high);
    key.vertex = vertex;
    if (kind === PropertyKind.Number || kind === PropertyKind.Float) {
      setNumber(key, numberOfCell(high, low));
    } else if (kind === PropertyKind.String) {
      key.a = Class.Text;
      key.b = bigEndian(this.#strings.firstWord(low));
      key.c = low;
    } else {
      key.a = Class.Other;
      key.b = 0;
      key.c = 0;
    }
    return key;
  }

  /** Returns the ends of a range as a half-open interval; null if empty. Requires the mutex. */
  #endsOf(range: ValueRange): readonly [IndexKey, IndexKey] | null {
    switch (range.kind) {
      case "any":
        return [createKey(0, 0, 0, 0), createKey(Class.End, 0, 0, 0)];
      case "number": {
        const from = setNumber(createKey(0, 0, 0, 0), range.low);
        const to = setNumber(createKey(0, 0, 0, MAX_VERTEX), range.high);
        return [from, to];
      }
      case "text": {
        const pointer = this.#strings.find(range.text);
        if (pointer === 0) return null;
        const first = bigEndian(this.#strings.firstWord(pointer));
        const key = createKey(Class.Text, first, pointer, 0);
        return [key, { ...key, vertex: MAX_VERTEX }];
      }
      case "prefix": {
        const [low, high] = wordRange(Buffer.from(range.prefix), 0);
        return [createKey(Class.Text, low, 0, 0), createKey(Class.Text, high, 2 ** 32, 0)];
      }
    }
  }
}

function idEnds(range: ValueRange): readonly [IndexKey, IndexKey] | null {
  if (range.kind !== "prefix") return null;
  const bytes = Buffer.from(range.prefix);
  const [low, high] = wordRange(bytes, 0);
  const [lowRest, highRest] = low === high ? wordRange(bytes, 4) : [0, 2 ** 32];
  return [createKey(Class.Id, low, lowRest, 0), createKey(Class.Id, high, highRest, 2 ** 32)];
}

/** Returns the smallest and largest big-endian word that starts with the prefix bytes at `at`. */
function wordRange(prefix: Buffer, at: number): readonly [low: number, high: number] {
  const bytes = prefix.subarray(at, at + 4);
  const low = Buffer.alloc(4);
  const high = Buffer.alloc(4, 0xff);
  bytes.copy(low);
  bytes.copy(high);
  return [low.readUInt32BE(), high.readUInt32BE()];
}

function createKey(a: number, b: number, c: number, vertex: number): IndexKey {
  return { a, b, c, vertex };
}

/** Sets words whose order is that of the numbers; -0 equals 0, NaN counts as unordered. */
function setNumber(key: IndexKey, value: number): IndexKey {
  if (Number.isNaN(value)) {
    key.a = Class.Other;
    key.b = 0;
    key.c = 0;
    return key;
  }
  float[0] = value === 0 ? 0 : value;
  const [low, high] = floatWords as unknown as [number, number];
  const isNegative = high >= 0x8000_0000;
  key.a = Class.Number;
  key.b = isNegative ? ~high >>> 0 : (high | 0x8000_0000) >>> 0;
  key.c = isNegative ? ~low >>> 0 : low;
  return key;
}

/** Converts a word of text to big-endian. */
function bigEndian(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
}
