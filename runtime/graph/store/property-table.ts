// Properties of all vertices: values in cells, large values in the string pool. Maintains the
// counts per vertex, per key and in the header, the property indexes and the digest.

import { Float } from "../../base/float.js";
import type { Arena } from "../memory/arena.js";
import { Header, RECORD_WORDS, RecordWord, VertexFlag } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { Writer } from "../memory/writer.js";
import type { TextTable } from "../texts/text-table.js";
import type { Constraints } from "./constraints.js";
import type { ContentDigest, Sign } from "./content-digest.js";
import { ExternalValue, type ExternalValues } from "./external-values.js";
import type { NameEnumeration } from "./names.js";
import {
  isFloatCell,
  isPointerCell,
  isStringCell,
  kindOfCell,
  lastCell,
  makeFloatCell,
  makeNumberCell,
  makePointerCell,
  numberOfCell,
} from "./property-cells.js";
import { decodeStoredValue } from "./property-codec.js";
import { getGroup, getGroupBit, PropertyGroups } from "./property-groups.js";
import type { PropertyIndexes } from "./property-indexes.js";
import {
  PackedValue,
  PropertyKind,
  type PropertyValue,
  type StoredValue,
  toStoredNumber,
  validatePropertyValue,
} from "./property-values.js";
import type { StringPool } from "./string-pool.js";
import { TextView } from "./text-view.js";

/** Properties of one vertex as numbers; see `readNumbers`. */
export class PropertyNumbers {
  readonly numbers: Float64Array;
  /** `PropertyKind` of each, 0 if absent. */
  readonly kinds: Uint8Array;
  /** String pool pointers of texts. */
  readonly pointers: Uint32Array;
  /** Cached entries of the group that was read last, valid while its sequence is unchanged. */
  readonly entries: Uint32Array;
  group = NO_GROUP;
  seen = NO_GROUP;

  constructor(keys: number) {
    this.numbers = new Float64Array(keys);
    this.kinds = new Uint8Array(keys);
    this.pointers = new Uint32Array(keys);
    this.entries = new Uint32Array(keys);
  }

  /** Invalidates the cache. Call it before reading other keys or another graph. */
  forget(): void {
    this.group = NO_GROUP;
  }
}
const NO_GROUP = -1;

/** Components that a property table uses. */
export interface PropertyParts {
  readonly writer: Writer;
  readonly reader: SeqlockReader;
  readonly strings: StringPool;
  readonly keys: NameEnumeration;
  readonly indexes: PropertyIndexes;
  readonly digest: ContentDigest;
  readonly values: ExternalValues;
  readonly texts: TextTable;
  readonly constraints: Constraints;
}

/** `VertexFlag.HasProperties` shifted to its position in META. */
const HAS_PROPERTIES = VertexFlag.HasProperties << 8;

export class PropertyTable {
  /** Direct access to cells, for query conditions. */
  readonly groups: PropertyGroups;
  readonly #writer: Writer;
  readonly #strings: StringPool;
  readonly #keys: NameEnumeration;
  readonly #indexes: PropertyIndexes;
  readonly #cells: Arena;
  readonly #digest: ContentDigest;
  readonly #values: ExternalValues;
  readonly #texts: TextTable;
  readonly #constraints: Constraints;

  constructor(parts: PropertyParts) {
    const { writer, reader, strings, keys, indexes, digest, values, texts, constraints } = parts;
    this.groups = new PropertyGroups(writer, reader);
    this.#writer = writer;
    this.#strings = strings;
    this.#keys = keys;
    this.#indexes = indexes;
    this.#cells = writer.memory.cells;
    this.#digest = digest;
    this.#values = values;
    this.#texts = texts;
    this.#constraints = constraints;
  }

  /** Removes the properties of all vertices below a handle. Requires a mutation. */
  dropAll(end: number): void {
    this.groups.clear(end);
  }

  /**
   * Sets or adds a property. Requires a mutation.
   * @throws SvcError SVC2411, TypeError as `validatePropertyValue`
   */
  set(vertex: number, key: number, value: PropertyValue | TextView): void {
    const stored = value instanceof TextView ? value : validatePropertyValue(value);
    const { groups } = this;
    groups.touch(vertex);
    if (!this.#texts.isEmpty && this.#texts.hasKey(key)) this.#texts.markChanged(vertex);
    const found = groups.find(vertex, key);
    const old = found === 0 ? 0 : this.#pointerAt(found);
    if (found !== 0) this.#updateDigest(-1, vertex, key, found);
    this.#makeCell(stored);
    const { high, low } = lastCell;
    const isIndexed = !this.#indexes.isEmpty && this.#indexes.has(key);
    if (isIndexed && found !== 0) this.#unindex(vertex, key, found);
    const isConstrained = !this.#constraints.isEmpty;
    if (isConstrained && found !== 0) this.#removeConstrained(vertex, key, found);
    const cell = found === 0 ? groups.insert(vertex, key) : found;
    this.#writer.put(this.#cells, cell, low);
    this.#writer.put(this.#cells, cell + 1, high);
    this.#updateDigest(1, vertex, key, cell);
    if (isIndexed) this.#indexes.addCell(key, vertex, high, low);
    if (isConstrained) this.#constraints.addValue(vertex, key, high, low);
    if (old !== 0) this.#strings.release(old);
    if (found !== 0) return;
    this.#keys.addCount(key, 1);
    this.#count(vertex, 1);
  }

  /** Removes a property; returns false if absent. Requires a mutation. */
  remove(vertex: number, key: number): boolean {
    const { groups } = this;
    const cell = groups.find(vertex, key);
    if (cell === 0) return false;
    groups.touch(vertex);
    this.#removeCell(vertex, key, cell);
    this.#count(vertex, -1);
    return true;
  }

  #removeCell(vertex: number, key: number, cell: number): void {
    if (!this.#texts.isEmpty && this.#texts.hasKey(key)) this.#texts.markChanged(vertex);
    const old = this.#pointerAt(cell);
    this.#updateDigest(-1, vertex, key, cell);
    if (!this.#indexes.isEmpty) this.#unindex(vertex, key, cell);
    if (!this.#constraints.isEmpty) this.#removeConstrained(vertex, key, cell);
    this.groups.remove(vertex, key);
    if (old !== 0) this.#strings.release(old);
    this.#keys.addCount(key, -1);
  }

  /** Adds the value of a vertex to the index of its key. Requires a mutation. */
  index(vertex: number, key: number): void {
    const cell = this.groups.find(vertex, key);
    const { words } = this.#cells;
    if (cell !== 0) this.#indexes.addCell(key, vertex, words[cell + 1]!, words[cell]!);
  }

  /** Removes all properties of a vertex; returns their number. Requires a mutation. */
  clear(vertex: number): number {
    const count = this.countOf(vertex);
    if (count === 0) return 0;
    const { groups } = this;
    groups.touch(vertex);
    for (let key = groups.keyFrom(vertex, 0); key >= 0; key = groups.keyFrom(vertex, key + 1)) {
      this.#removeCell(vertex, key, groups.find(vertex, key));
    }
    this.#count(vertex, -count);
    return count;
  }

  /** Returns the number of properties of a vertex. */
  countOf(vertex: number): number {
    return this.#writer.memory.record.words[vertex * RECORD_WORDS + RecordWord.PropertyCount] ?? 0;
  }

  /** Returns the value, or undefined. */
  get(vertex: number, key: number): PropertyValue | undefined {
    const stored = this.stored(vertex, key);
    return stored === undefined ? undefined : decodeStoredValue(stored);
  }

  /** Returns the value in stored form, which distinguishes integral floats from integers. */
  stored(vertex: number, key: number): StoredValue | undefined {
    const { groups } = this;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      const cell = groups.find(vertex, key);
      const value = cell === 0 ? undefined : this.#valueAt(cell);
      if (groups.leave(vertex, seen)) return value;
    }
  }

  /** Reads the values of several keys consistently; undefined if absent. */
  storedAll(vertex: number, keys: readonly number[], into: (StoredValue | undefined)[]): void {
    const { groups } = this;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      for (let position = 0; position < keys.length; position++) {
        const key = keys[position]!;
        const cell = key === 0 ? 0 : groups.find(vertex, key);
        into[position] = cell === 0 ? undefined : this.#valueAt(cell);
      }
      if (groups.leave(vertex, seen)) return;
    }
  }

  /** Variant of `storedAll` that yields numbers: NaN for everything else, pointers for texts. */
  readNumbers(vertex: number, keys: readonly number[], into: PropertyNumbers): void {
    const { groups } = this;
    const group = getGroup(vertex);
    // Consecutive vertices mostly share a group: its cached entries stay valid.
    if (into.group === group) {
      this.#readCells(getGroupBit(vertex), keys.length, into);
      if (groups.leave(vertex, into.seen)) return;
    }
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      for (let position = 0; position < keys.length; position++) {
        const key = keys[position]!;
        into.entries[position] = key === 0 ? 0 : groups.entryOf(vertex, key);
      }
      this.#readCells(getGroupBit(vertex), keys.length, into);
      if (!groups.leave(vertex, seen)) continue;
      into.seen = seen;
      // Reads of own changes or under the mutex have no sequence that could validate the cache.
      into.group = seen >= 0 ? group : NO_GROUP;
      return;
    }
  }

  /** Reads the cells as they are now, possibly torn. */
  #readCells(bit: number, count: number, into: PropertyNumbers): void {
    const { numbers, kinds, pointers, entries } = into;
    for (let position = 0; position < count; position++) {
      const entry = entries[position]!;
      const cell = entry === 0 ? 0 : this.groups.cellAt(entry, bit);
      if (cell === 0) {
        kinds[position] = 0;
        numbers[position] = Number.NaN;
        continue;
      }
      const { words } = this.#cells;
      const low = words[cell]!;
      const high = words[cell + 1]!;
      kinds[position] = kindOfCell(high);
      // Read as float64, because composing it from two words would go through memory.
      numbers[position] = isFloatCell(high)
        ? numberOfCell(high, low)
        : this.groups.floats[cell >>> 1]!;
      pointers[position] = low;
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

  /** Returns the key codes of a vertex in ascending order. */
  keysOf(vertex: number): number[] {
    const { groups } = this;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      const listed = groups.list(vertex);
      if (groups.leave(vertex, seen)) return listed.filter((_, index) => (index & 1) === 0);
    }
  }

  /** Returns all properties, read consistently. */
  all(vertex: number): Record<string, PropertyValue> {
    const { ints } = this.#writer.memory.header;
    for (;;) {
      const seen = Atomics.load(ints, Header.NameReuses);
      const all: Record<string, PropertyValue> = {};
      for (const [key, value] of this.allStored(vertex)) {
        all[this.#keys.nameOf(key)] = decodeStoredValue(value);
      }
      if (Atomics.load(ints, Header.NameReuses) === seen) return all;
    }
  }

  /** Variant of `all` by key code, in stored form. */
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

  /**
   * Returns a value in stored form, a text as a view of its words. Requires the mutex.
   * @param key key of a property that the vertex has
   */
  storedInPlace(vertex: number, key: number, view: TextView): StoredValue | TextView {
    const cell = this.groups.find(vertex, key);
    const { words } = this.#cells;
    if (!isStringCell(words[cell + 1]!)) return this.#valueAt(cell);
    return this.#strings.view(words[cell]!, view);
  }

  /** Creates the cell of a value, with a reference to its string if it has one. */
  #makeCell(value: StoredValue | TextView): void {
    if (typeof value === "number") makeNumberCell(value);
    else if (value === null) makePointerCell(PropertyKind.Null, 0);
    else if (typeof value === "string") {
      makePointerCell(PropertyKind.String, this.#strings.intern(value));
    } else if (value instanceof TextView) {
      makePointerCell(PropertyKind.String, this.#strings.internView(value));
    } else if (value instanceof Float) makeFloatCell(value.value);
    else {
      const kind = value instanceof ExternalValue ? PropertyKind.External : value.kind;
      makePointerCell(kind, this.#strings.internBytes(value.bytes));
    }
  }

  /** Adds all properties of a vertex to the digest. Requires the mutex. */
  addToDigest(vertex: number): void {
    const listed = this.groups.list(vertex);
    for (let index = 0; index < listed.length; index += 2) {
      this.#updateDigest(1, vertex, listed[index]!, listed[index + 1]!);
    }
  }

  #updateDigest(sign: Sign, vertex: number, key: number, cell: number): void {
    if (!this.#digest.isMaintained) return;
    const { words } = this.#cells;
    const pointer = this.#pointerAt(cell);
    const low = pointer === 0 ? words[cell]! : this.#strings.hashOf(pointer);
    this.#digest.property(sign, vertex, key, words[cell + 1]!, low);
  }

  #unindex(vertex: number, key: number, cell: number): void {
    const { words } = this.#cells;
    this.#indexes.removeCell(key, vertex, words[cell + 1]!, words[cell]!);
  }

  #removeConstrained(vertex: number, key: number, cell: number): void {
    const { words } = this.#cells;
    this.#constraints.removeValue(vertex, key, words[cell + 1]!, words[cell]!);
  }

  /** Returns the string pool pointer of a cell, or 0. */
  #pointerAt(cell: number): number {
    const { words } = this.#cells;
    return isPointerCell(words[cell + 1]!) ? words[cell]! : 0;
  }

  /** Returns the value of a cell, possibly torn: then `leave` rejects it. */
  #valueAt(cell: number): StoredValue {
    const { words } = this.#cells;
    const low = words[cell]!;
    const high = words[cell + 1]!;
    const kind = kindOfCell(high);
    switch (kind) {
      case PropertyKind.Number:
        return toStoredNumber(numberOfCell(high, low));
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
      case PropertyKind.External:
        return new ExternalValue(this.#strings.bytes(low), this.#values);
      default:
        return null;
    }
  }

  #count(vertex: number, change: number): void {
    const writer = this.#writer;
    const { header, meta, record } = writer.memory;
    writer.touch(0, vertex);
    writer.add(header, Header.PropertyCount, change);
    const count = writer.add(record, vertex * RECORD_WORDS + RecordWord.PropertyCount, change);
    const flags = meta.words[vertex]!;
    const newFlags = count > 0 ? flags | HAS_PROPERTIES : flags & ~HAS_PROPERTIES;
    if (newFlags !== flags) writer.put(meta, vertex, newFlags);
  }
}
