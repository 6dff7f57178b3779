// The properties of all vertices: values in cells, and in the pool what does not fit one. This also
// keeps what is counted of them: by vertex, by key, and in the header.

import { Float } from "../../base/float.js";
import type { Arena } from "../memory/arena.js";
import { Header, RECORD_WORDS, RecordWord, VertexFlag } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import type { ContentDigest, Sign } from "./content-digest.js";
import { ExternalValue, type ExternalValues } from "./external-values.js";
import type { NameEnumeration } from "./names.js";
import {
  isFloatCell,
  kindOfCell,
  lastCell,
  makeFloatCell,
  makeNumberCell,
  makePointerCell,
  numberOfCell,
} from "./property-cells.js";
import { plainValue } from "./property-codec.js";
import { bitOf, groupOf, PropertyGroups } from "./property-groups.js";
import type { PropertyIndexes } from "./property-indexes.js";
import {
  PackedValue,
  PropertyKind,
  type PropertyValue,
  type StoredValue,
  validatePropertyValue,
} from "./property-values.js";
import type { StringPool } from "./string-pool.js";
import { TextView } from "./text-view.js";

/** Properties of one vertex, as `readNumbers` gives them. */
export class PropertyNumbers {
  readonly numbers: Float64Array;
  /** `PropertyKind` of each, 0 where there is none. */
  readonly kinds: Uint8Array;
  /** Where texts lie. */
  readonly pointers: Uint32Array;
  /** What the group that was read last has of each key, while its sequence is the same. */
  readonly entries: Uint32Array;
  group = NO_GROUP;
  seen = NO_GROUP;

  constructor(keys: number) {
    this.numbers = new Float64Array(keys);
    this.kinds = new Uint8Array(keys);
    this.pointers = new Uint32Array(keys);
    this.entries = new Uint32Array(keys);
  }

  /** To be called before other keys are read, or those of another graph. */
  forget(): void {
    this.group = NO_GROUP;
  }
}
const NO_GROUP = -1;

/** What a table of properties is made of. */
export interface PropertyParts {
  readonly writer: Writer;
  readonly reader: SeqlockReader;
  readonly strings: StringPool;
  readonly keys: NameEnumeration;
  readonly indexes: PropertyIndexes;
  readonly digest: ContentDigest;
  readonly values: ExternalValues;
}

/** `VertexFlag.HasProperties` where META has it. */
const HAS_PROPERTIES = VertexFlag.HasProperties << 8;

export class PropertyTable {
  /** For conditions, which look at cells. */
  readonly groups: PropertyGroups;
  readonly #writer: Writer;
  readonly #strings: StringPool;
  readonly #keys: NameEnumeration;
  readonly #indexes: PropertyIndexes;
  readonly #cells: Arena;
  readonly #digest: ContentDigest;
  readonly #values: ExternalValues;

  /** @param parts what it is made of */
  constructor({ writer, reader, strings, keys, indexes, digest, values }: PropertyParts) {
    this.groups = new PropertyGroups(writer, reader);
    this.#writer = writer;
    this.#strings = strings;
    this.#keys = keys;
    this.#indexes = indexes;
    this.#cells = writer.memory.cells;
    this.#digest = digest;
    this.#values = values;
  }

  /** In a mutation: leaves no properties, of a new graph or of one that is truncated. */
  format(): void {
    this.groups.clear();
  }

  /**
   * In a mutation: sets or adds a property.
   * @throws SvcError SVC2411, TypeError as `validatePropertyValue`
   */
  set(vertex: number, key: number, value: PropertyValue | TextView): void {
    const stored = value instanceof TextView ? value : validatePropertyValue(value);
    const { groups } = this;
    groups.touch(vertex);
    const found = groups.find(vertex, key);
    const old = found === 0 ? 0 : this.#pointerAt(found);
    if (found !== 0) this.#tell(-1, vertex, key, found);
    this.#makeCell(stored);
    const { high, low } = lastCell;
    const isIndexed = !this.#indexes.isEmpty && this.#indexes.has(key);
    if (isIndexed && found !== 0) this.#unindex(vertex, key, found);
    const cell = found === 0 ? groups.insert(vertex, key) : found;
    this.#writer.put(this.#cells, cell, low);
    this.#writer.put(this.#cells, cell + 1, high);
    this.#tell(1, vertex, key, cell);
    if (isIndexed) this.#indexes.addCell(key, vertex, high, low);
    if (old !== 0) this.#strings.release(old);
    if (found === 0) this.#count(vertex, key, 1);
  }

  /** In a mutation; false if there was none. */
  remove(vertex: number, key: number): boolean {
    const { groups } = this;
    const cell = groups.find(vertex, key);
    if (cell === 0) return false;
    groups.touch(vertex);
    const old = this.#pointerAt(cell);
    this.#tell(-1, vertex, key, cell);
    if (!this.#indexes.isEmpty) this.#unindex(vertex, key, cell);
    groups.remove(vertex, key);
    if (old !== 0) this.#strings.release(old);
    this.#count(vertex, key, -1);
    return true;
  }

  /** In a mutation: adds the value of a vertex to the index of its key. */
  index(vertex: number, key: number): void {
    const cell = this.groups.find(vertex, key);
    const { words } = this.#cells;
    if (cell !== 0) this.#indexes.addCell(key, vertex, words[cell + 1]!, words[cell]!);
  }

  /** In a mutation: removes all; returns how many there were. */
  clear(vertex: number): number {
    if (this.countOf(vertex) === 0) return 0;
    const keys = this.keysOf(vertex);
    for (const key of keys) this.remove(vertex, key);
    return keys.length;
  }

  /** How many properties a vertex has. */
  countOf(vertex: number): number {
    return this.#writer.memory.record.words[vertex * RECORD_WORDS + RecordWord.PropertyCount] ?? 0;
  }

  /** The value, undefined if there is none. */
  get(vertex: number, key: number): PropertyValue | undefined {
    const stored = this.stored(vertex, key);
    return stored === undefined ? undefined : plainValue(stored);
  }

  /** The value as `validatePropertyValue` made it, which tells integral floats from integers. */
  stored(vertex: number, key: number): StoredValue | undefined {
    const { groups } = this;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      const cell = groups.find(vertex, key);
      const value = cell === 0 ? undefined : this.#valueAt(cell);
      if (groups.leave(vertex, seen)) return value;
    }
  }

  /** The values of some keys, as they were at one time; undefined where there is none. */
  storedAll(vertex: number, keys: readonly number[], into: (StoredValue | undefined)[]): void {
    const { groups } = this;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      for (let place = 0; place < keys.length; place++) {
        const key = keys[place]!;
        const cell = key === 0 ? 0 : groups.find(vertex, key);
        into[place] = cell === 0 ? undefined : this.#valueAt(cell);
      }
      if (groups.leave(vertex, seen)) return;
    }
  }

  /** As `storedAll`, as numbers: what is none is NaN, a text is told by where it lies. */
  readNumbers(vertex: number, keys: readonly number[], into: PropertyNumbers): void {
    const { groups } = this;
    const group = groupOf(vertex);
    // Neighbours are mostly of one group: that nothing was changed since the one before is enough.
    if (into.group === group) {
      this.#readCells(bitOf(vertex), keys.length, into);
      if (groups.leave(vertex, into.seen)) return;
    }
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      for (let place = 0; place < keys.length; place++) {
        const key = keys[place]!;
        into.entries[place] = key === 0 ? 0 : groups.entryOf(vertex, key);
      }
      this.#readCells(bitOf(vertex), keys.length, into);
      if (!groups.leave(vertex, seen)) continue;
      into.seen = seen;
      // What this thread itself is writing, or keeps others from writing, has no sequence.
      into.group = seen >= 0 ? group : NO_GROUP;
      return;
    }
  }

  /** What lies in the cells at this moment, which may be anything. */
  #readCells(bit: number, count: number, into: PropertyNumbers): void {
    const { numbers, kinds, pointers, entries } = into;
    for (let place = 0; place < count; place++) {
      const entry = entries[place]!;
      const cell = entry === 0 ? 0 : this.groups.cellAt(entry, bit);
      if (cell === 0) {
        kinds[place] = 0;
        numbers[place] = Number.NaN;
        continue;
      }
      const { words } = this.#cells;
      const low = words[cell]!;
      const high = words[cell + 1]!;
      kinds[place] = kindOfCell(high);
      // Read as a whole: two words would have to be put together in memory first.
      numbers[place] = isFloatCell(high)
        ? numberOfCell(high, low)
        : this.groups.floats[cell >>> 1]!;
      pointers[place] = low;
    }
  }

  has(vertex: number, key: number): boolean {
    const { groups } = this;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      const cell = groups.find(vertex, key);
      if (groups.leave(vertex, seen)) return cell !== 0;
    }
  }

  /** Codes of the keys that a vertex has, in ascending order. */
  keysOf(vertex: number): number[] {
    const { groups } = this;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      const listed = groups.list(vertex);
      if (groups.leave(vertex, seen)) return listed.filter((_, index) => (index & 1) === 0);
    }
  }

  /** All properties, as they were at one time. */
  all(vertex: number): Record<string, PropertyValue> {
    const { ints } = this.#writer.memory.header;
    for (;;) {
      const seen = Atomics.load(ints, Header.NameReuses);
      const all: Record<string, PropertyValue> = {};
      for (const [key, value] of this.allStored(vertex)) {
        all[this.#keys.nameOf(key)] = plainValue(value);
      }
      if (Atomics.load(ints, Header.NameReuses) === seen) return all;
    }
  }

  /** The same by key code, as `stored` has them. */
  allStored(vertex: number): [key: number, value: StoredValue][] {
    const { groups } = this;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      const listed = groups.list(vertex);
      const all: [number, StoredValue][] = [];
      for (let index = 0; index < listed.length; index += 2) {
        all.push([listed[index]!, this.#valueAt(listed[index + 1]!)]);
      }
      if (groups.leave(vertex, seen)) return all;
    }
  }

  /** Makes the cell of a value, which holds a reference to what it points to. */
  #makeCell(value: StoredValue | TextView): void {
    if (typeof value === "number") makeNumberCell(value);
    else if (value === null) makePointerCell(PropertyKind.Null, 0);
    else if (typeof value === "string") {
      makePointerCell(PropertyKind.String, this.#strings.intern(value));
    } else if (value instanceof TextView) {
      makePointerCell(PropertyKind.String, this.#strings.internPlaced(value));
    } else if (value instanceof Float) makeFloatCell(value.value);
    else {
      const kind = value instanceof ExternalValue ? PropertyKind.Disk : value.kind;
      makePointerCell(kind, this.#strings.internBytes(value.bytes));
    }
  }

  /** With the mutex: lets the digest know all properties of a vertex. */
  tell(vertex: number): void {
    const listed = this.groups.list(vertex);
    for (let index = 0; index < listed.length; index += 2) {
      this.#tell(1, vertex, listed[index]!, listed[index + 1]!);
    }
  }

  #tell(sign: Sign, vertex: number, key: number, cell: number): void {
    if (!this.#digest.isKept) return;
    const { words } = this.#cells;
    const pointer = this.#pointerAt(cell);
    const low = pointer === 0 ? words[cell]! : this.#strings.hashOf(pointer);
    this.#digest.property(sign, vertex, key, words[cell + 1]!, low);
  }

  #unindex(vertex: number, key: number, cell: number): void {
    const { words } = this.#cells;
    this.#indexes.removeCell(key, vertex, words[cell + 1]!, words[cell]!);
  }

  /** What a cell holds a reference to, 0 for nothing. */
  #pointerAt(cell: number): number {
    const { words } = this.#cells;
    return kindOfCell(words[cell + 1]!) >= PropertyKind.String ? words[cell]! : 0;
  }

  /** The value of a cell; anything where it is none, for `leave` to throw away. */
  #valueAt(cell: number): StoredValue {
    const { words } = this.#cells;
    const low = words[cell]!;
    const high = words[cell + 1]!;
    const kind = kindOfCell(high);
    switch (kind) {
      case PropertyKind.Number:
        return numberOfCell(high, low);
      case PropertyKind.Float:
        return new Float(numberOfCell(high, low));
      case PropertyKind.String:
        return this.#strings.text(low);
      case PropertyKind.Bytes:
      case PropertyKind.Integers:
      case PropertyKind.Floats:
      case PropertyKind.Map:
      case PropertyKind.Opaque:
        return new PackedValue(kind, this.#strings.bytes(low));
      case PropertyKind.Disk:
        return new ExternalValue(this.#strings.bytes(low), this.#values);
      default:
        return null;
    }
  }

  #count(vertex: number, key: number, change: 1 | -1): void {
    const writer = this.#writer;
    const { header, meta, record } = writer.memory;
    writer.touch(0, vertex);
    writer.add(header, Header.PropertyCount, change);
    this.#keys.addCount(key, change);
    const count = writer.add(record, vertex * RECORD_WORDS + RecordWord.PropertyCount, change);
    const flags = meta.words[vertex]!;
    const wanted = count > 0 ? flags | HAS_PROPERTIES : flags & ~HAS_PROPERTIES;
    if (wanted !== flags) writer.put(meta, vertex, wanted);
  }
}
