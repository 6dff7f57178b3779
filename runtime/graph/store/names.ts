// Enumeration of one kind of names: relationships, vertex types or property keys. A name keeps its
// code until all codes are assigned. Then the code of the oldest unused name is reassigned; the
// choice depends on the operations only, so replicas choose the same.
//
//   LISTS  {size class, names}, then per name {pointer to its string, count, serial}: first the
//          system names, then the users' names by ascending code; null pointer: unnamed code
//
// Every thread caches names and codes. A cache entry is valid only while its serial equals the one
// in memory. Serials are never reused, so a rolled-back definition or a truncated graph cannot be
// mistaken for an earlier state.

import { assert } from "../../base/assert.js";
import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";
import { EnumerationError } from "../model/errors.js";
import type { StringPool } from "./string-pool.js";

/** Parameters that distinguish the kinds. */
export interface CodeRange {
  /** Header word that points to the table. */
  readonly headerWord: number;
  readonly firstCode: number;
  readonly lastCode: number;
  /** Names that every graph has, with fixed codes. */
  readonly system: readonly (readonly [name: string, code: number])[];
  /** Error message when no code is left. */
  readonly exhausted: string;
}

/** Offsets in the table head. */
const HEAD_WORDS = 2;
const SIZE_CLASS = 0;
const NAME_COUNT = 1;
const ENTRY_WORDS = 3;
const Entry = { String: 0, Count: 1, Serial: 2 } as const;
const FIRST_NAMES = 10;
/** Cached name of a code without a name; its string pointer is 0. */
const UNNAMED = "";

export class NameEnumeration {
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #lists: Arena;
  readonly #blocks: BlockAllocator;
  readonly #strings: StringPool;
  readonly #kind: CodeRange;
  readonly #isPinned: (code: number) => boolean;
  /** Cache of this thread: codes by name, names and serials by position in the table. */
  readonly #codes = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #serials: number[] = [];
  /** `Header.NameSerial` when the table was last read. */
  #seenSerial = -1;
  /** `Header.NameReuses` at that time. */
  #seenReuses = 0;
  /** Shared by change feeds; null: the cache has changed since. */
  #byCode: ReadonlyMap<number, string> | null = null;

  /** @param isPinned whether a code keeps its name although no vertex, arc or value uses it */
  constructor(
    writer: Writer,
    strings: StringPool,
    kind: CodeRange,
    isPinned: (code: number) => boolean = () => false,
  ) {
    this.#writer = writer;
    this.#header = writer.memory.header;
    this.#lists = writer.memory.lists;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
    this.#strings = strings;
    this.#kind = kind;
    this.#isPinned = isPinned;
  }

  /** Initializes a table of the system names. Requires a mutation. */
  format(): void {
    this.#noteLoss();
    this.#writer.put(this.#header, this.#kind.headerWord, 0);
    this.#makeTable(FIRST_NAMES);
    for (const [name] of this.#kind.system) this.#append(name);
  }

  /** Returns the code of a name, or 0. */
  codeOf(name: string): number {
    const code = this.#codes.get(name);
    if (code !== undefined && this.#isCurrent(this.#findEntry(code))) return code;
    if (code === undefined && this.#seenSerial === this.#header.words[Header.NameSerial]) return 0;
    this.#refresh();
    return this.#codes.get(name) ?? 0;
  }

  /** Returns the name of a code, or an empty string. */
  nameOf(code: number): string {
    const position = this.#findEntry(code);
    if (position < 0) return "";
    if (this.#isCurrent(position)) return this.#names[position]!;
    this.#refresh();
    return this.#names[position] ?? "";
  }

  /** Returns all names by code, used or not. */
  byCode(): ReadonlyMap<number, string> {
    this.#refresh();
    this.#byCode ??= new Map([...this.#codes].map(([name, code]) => [code, name]));
    return this.#byCode;
  }

  /** Code for the next new name, 0 if none is left. Requires the mutex. */
  get nextCode(): number {
    const code = this.#codeAt(this.#count());
    return code > this.#kind.lastCode ? this.#unusedCode() : code;
  }

  /** Returns true if a new name could get the code `code`. Requires the mutex. */
  isFree(code: number): boolean {
    const { firstCode, lastCode } = this.#kind;
    if (!Number.isInteger(code) || code < firstCode || code > lastCode) return false;
    return code === this.nextCode || this.nameOf(code) === "";
  }

  /** Returns how many arcs, vertices or values use the code. */
  count(code: number): number {
    return this.#entryWord(this.#findEntry(code), Entry.Count);
  }

  /** Returns code and count of the names in use. Takes no lock: status services never wait. */
  list(): Record<string, [code: number, count: number]> {
    const found: Record<string, [number, number]> = {};
    const end = this.#length();
    for (let position = 0; position < end; position++) {
      const serial = this.#entryWord(position, Entry.Serial);
      const count = this.#entryWord(position, Entry.Count);
      if (count === 0) continue;
      const text = this.#textAt(position);
      if (this.#entryWord(position, Entry.Serial) !== serial) position--;
      else found[text] = [this.#codeAt(position), count];
    }
    return found;
  }

  /** Number of names, used or not. Takes no lock. */
  get defined(): number {
    let defined = 0;
    for (let position = this.#length() - 1; position >= 0; position--) {
      if (this.#entryWord(position, Entry.String) !== 0) defined++;
    }
    return defined;
  }

  /** Number of names in use. Takes no lock. */
  get used(): number {
    let used = 0;
    for (let position = this.#length() - 1; position >= 0; position--) {
      if (this.#entryWord(position, Entry.Count) > 0) used++;
    }
    return used;
  }

  /**
   * Returns the code of a name, assigning one if needed. The name must be validated. Requires a
   * mutation.
   * @param requestedCode a free code, 0 for the next one
   * @throws SvcError SVC2404 if no code is left
   */
  define(name: string, requestedCode = 0): number {
    const code = this.codeOf(name);
    if (code !== 0) return code;
    const next = requestedCode || this.nextCode;
    if (next === 0) throw new EnumerationError(this.#kind.exhausted);
    const position = this.#findEntry(next);
    // Skipped codes get no name; they are assigned last.
    for (let end = this.#count(); end < position; end++) this.#add(UNNAMED);
    if (position < this.#count()) this.#reuse(position, name);
    else this.#add(name);
    return next;
  }

  /** Changes the number of uses of a code. Requires a mutation. */
  addCount(code: number, delta: number): void {
    const position = this.#findEntry(code);
    assert(position >= 0 && position < this.#count(), "a counted code is defined");
    const at = this.#table() + HEAD_WORDS + position * ENTRY_WORDS;
    assert(this.#lists.words[at + Entry.Count]! + delta >= 0, "a use count is never negative");
    this.#writer.add(this.#lists, at + Entry.Count, delta);
  }

  #add(name: string): void {
    const count = this.#count();
    const sizeClass = this.#lists.words[this.#table() + SIZE_CLASS]!;
    const capacity = this.#blocks.blockWords(sizeClass) - HEAD_WORDS;
    if ((count + 1) * ENTRY_WORDS > capacity) this.#makeTable(count * 2);
    this.#append(name);
  }

  /** Returns the entries of the table, including unnamed codes. Requires the mutex. */
  #count(): number {
    return this.#lists.words[this.#table() + NAME_COUNT]!;
  }

  #table(): number {
    return this.#header.words[this.#kind.headerWord]!;
  }

  /** Returns the code of the oldest name that is unused, or 0. */
  #unusedCode(): number {
    const { words } = this.#lists;
    const start = this.#table() + HEAD_WORDS;
    const end = start + words[this.#table() + NAME_COUNT]! * ENTRY_WORDS;
    let oldest = Number.POSITIVE_INFINITY;
    let found = 0;
    for (let at = start + this.#kind.system.length * ENTRY_WORDS; at < end; at += ENTRY_WORDS) {
      if (words[at + Entry.Count] !== 0 || words[at + Entry.Serial]! >= oldest) continue;
      const code = this.#codeAt((at - start) / ENTRY_WORDS);
      if (this.#isPinned(code)) continue;
      oldest = words[at + Entry.Serial]!;
      found = code;
    }
    return found;
  }

  /** Returns the position of a code in the table, even if not yet assigned; -1 if invalid. */
  #findEntry(code: number): number {
    const { system, firstCode, lastCode } = this.#kind;
    if (code >= firstCode && code <= lastCode) return code - firstCode + system.length;
    let position = system.length - 1;
    while (position >= 0 && system[position]![1] !== code) position--;
    return position;
  }

  #codeAt(position: number): number {
    const { system, firstCode } = this.#kind;
    return system[position]?.[1] ?? position - system.length + firstCode;
  }

  /** Returns the entries of the table, which may be moved concurrently. */
  #length(): number {
    for (;;) {
      const table = this.#table();
      if (table + HEAD_WORDS > this.#lists.words.length) this.#writer.memory.refresh();
      const length = this.#lists.words[table + NAME_COUNT] ?? 0;
      if (table === this.#table()) return length;
    }
  }

  #textAt(position: number): string {
    const known = this.#names[position];
    if (known !== undefined && this.#isCurrent(position)) return known;
    return this.#strings.text(this.#entryWord(position, Entry.String));
  }

  /** Returns true if the cache entry at a position is valid. */
  #isCurrent(position: number): boolean {
    const serial = this.#serials[position];
    return serial !== undefined && this.#entryWord(position, Entry.Serial) === serial;
  }

  /** Returns a word of an entry, 0 if absent. The table may be moved concurrently. */
  #entryWord(position: number, word: number): number {
    for (;;) {
      const table = this.#table();
      const at = table + HEAD_WORDS + position * ENTRY_WORDS;
      if (at + ENTRY_WORDS > this.#lists.words.length) this.#writer.memory.refresh();
      const isThere = position >= 0 && position < (this.#lists.words[table + NAME_COUNT] ?? 0);
      const value = isThere ? (this.#lists.words[at + word] ?? 0) : 0;
      if (table === this.#table()) return value;
    }
  }

  /** Separate from its callers, because a closure would allocate on each of their calls. */
  #refresh(): void {
    this.#writer.beginReading();
    try {
      this.#readTable();
    } finally {
      this.#writer.end();
    }
  }

  /** Updates the cache with definitions made since the last call. Requires the mutex. */
  #readTable(): void {
    const table = this.#table();
    const { words } = this.#lists;
    const count = words[table + NAME_COUNT]!;
    const reuses = this.#header.words[Header.NameReuses]!;
    const isAppended = this.#seenReuses === reuses;
    this.#seenReuses = reuses;
    this.#seenSerial = this.#header.words[Header.NameSerial]!;
    for (const name of this.#names.splice(count)) {
      this.#codes.delete(name);
      this.#byCode = null;
    }
    this.#serials.length = Math.min(this.#serials.length, count);
    // Without reuse, positions are filled in order: below a current entry, all are current.
    for (let position = count - 1; position >= 0; position--) {
      const at = table + HEAD_WORDS + position * ENTRY_WORDS;
      const serial = words[at + Entry.Serial]!;
      if (this.#serials[position] === serial) {
        if (isAppended) break;
        continue;
      }
      this.#byCode = null;
      const before = this.#names[position];
      const pointer = words[at + Entry.String]!;
      const name = pointer === 0 ? UNNAMED : this.#strings.text(pointer);
      if (before !== undefined && this.#codes.get(before) === this.#codeAt(position)) {
        this.#codes.delete(before);
      }
      this.#names[position] = name;
      this.#serials[position] = serial;
      if (name !== UNNAMED) this.#codes.set(name, this.#codeAt(position));
    }
  }

  #append(name: string): void {
    const table = this.#table();
    const position = this.#lists.words[table + NAME_COUNT]!;
    this.#fill(table + HEAD_WORDS + position * ENTRY_WORDS, name);
    this.#writer.put(this.#lists, table + NAME_COUNT, position + 1);
  }

  /** Assigns the code of an unused name to another name. */
  #reuse(position: number, name: string): void {
    const at = this.#table() + HEAD_WORDS + position * ENTRY_WORDS;
    const old = this.#lists.words[at + Entry.String]!;
    // Incremented before the new name is used: readers that saw the code earlier must retry.
    Atomics.add(this.#header.ints, Header.NameReuses, 1);
    this.#noteLoss();
    this.#fill(at, name);
    if (old !== 0) this.#strings.release(old);
  }

  /** Records that codes of earlier operations may have other names from now on. */
  #noteLoss(): void {
    const { words } = this.#header;
    this.#writer.put(this.#header, Header.NamesLost, words[Header.OperationCount]!);
    this.#writer.put(this.#header, Header.NamesLostHigh, words[Header.OperationCountHigh]!);
  }

  #fill(at: number, name: string): void {
    const writer = this.#writer;
    // Never decreased, not even by a rollback.
    const serial = Atomics.add(this.#header.ints, Header.NameSerial, 1) + 1;
    const text = name === UNNAMED ? 0 : this.#strings.intern(name);
    writer.put(this.#lists, at + Entry.String, text);
    writer.put(this.#lists, at + Entry.Count, 0);
    writer.put(this.#lists, at + Entry.Serial, serial >>> 0);
  }

  /** Allocates a table of the given capacity, copies the old one and frees it. */
  #makeTable(capacity: number): void {
    const writer = this.#writer;
    const sizeClass = this.#blocks.classFor(HEAD_WORDS + capacity * ENTRY_WORDS);
    const table = this.#blocks.allocate(writer, sizeClass);
    const { words } = this.#lists;
    const old = this.#table();
    if (old === 0) {
      writer.put(this.#lists, table + NAME_COUNT, 0);
    } else {
      const used = HEAD_WORDS + words[old + NAME_COUNT]! * ENTRY_WORDS;
      words.copyWithin(table, old, old + used);
      this.#blocks.free(writer, old, words[old + SIZE_CLASS]!);
      writer.markDirty(this.#lists, table, used);
    }
    writer.put(this.#lists, table + SIZE_CLASS, sizeClass);
    writer.put(this.#header, this.#kind.headerWord, table);
  }
}

/** `Operation.name` of an enumeration. */
export const NameKindCode = { Relationship: 0, Type: 1, Key: 2 } as const;
export type NameKindCodeNumber = (typeof NameKindCode)[keyof typeof NameKindCode];

interface NameTables {
  readonly relationships: NameEnumeration;
  readonly types: NameEnumeration;
  readonly keys: NameEnumeration;
}

/** By `NameKindCode`. */
export const NAME_KINDS: readonly ((store: NameTables) => NameEnumeration)[] = [
  (store) => store.relationships,
  (store) => store.types,
  (store) => store.keys,
];
