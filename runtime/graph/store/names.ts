// One kind of enumerated names: relationships, vertex types or property keys. A name keeps its code
// until no code is left: then the one that was defined first, of those that nothing carries, makes
// room. Which one that is follows from the operations alone, so that replicas choose the same.
//
//   LISTS  {size class, names}, then for each name {pointer to its string, count, serial}: first
//          the system's names, then the users' with rising codes; no string: a code without name
//
// Every thread keeps names and codes of its own. What it keeps of a code counts only while the
// serial in memory is the one it has seen: serials are never given twice, so that neither an undone
// definition nor a truncated graph can be mistaken for what was there.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS } from "../memory/layout.js";
import type { Writer } from "../memory/writer.js";
import { EnumerationError } from "../model/errors.js";
import type { StringPool } from "./string-pool.js";

/** What distinguishes the kinds. */
export interface CodeRange {
  /** Header word that points to the table. */
  readonly headerWord: number;
  readonly firstCode: number;
  readonly lastCode: number;
  /** Names that every graph has, with codes of their own. */
  readonly system: readonly (readonly [name: string, code: number])[];
  /** Text of the error when there are no codes left. */
  readonly exhausted: string;
}

/** Size class and number of names. */
const HEAD_WORDS = 2;
const SIZE_CLASS = 0;
const NAME_COUNT = 1;
const ENTRY_WORDS = 3;
const Entry = { String: 0, Count: 1, Serial: 2 } as const;
const FIRST_NAMES = 10;
/** What a code is called that was passed over: no name is empty. Its text is none, pointer 0. */
const NOBODY = "";

export class NameEnumeration {
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #lists: Arena;
  readonly #blocks: BlockAllocator;
  readonly #strings: StringPool;
  readonly #kind: CodeRange;
  /** What this thread has seen: codes by name, names and serials by place in the table. */
  readonly #codes = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #serials: number[] = [];
  /** `Header.NameSerial` when the table was last read. */
  #seenSerial = -1;
  /** `Header.NameReuses` at that time. */
  #seenReuses = 0;

  constructor(writer: Writer, strings: StringPool, kind: CodeRange) {
    this.#writer = writer;
    this.#header = writer.memory.header;
    this.#lists = writer.memory.lists;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
    this.#strings = strings;
    this.#kind = kind;
  }

  /** In a mutation: lays out a table of the system's names. */
  format(): void {
    this.#writer.put(this.#header, this.#kind.headerWord, 0);
    this.#makeTable(FIRST_NAMES);
    for (const [name] of this.#kind.system) this.#append(name);
  }

  /** Code of a name, 0 if it has none. */
  codeOf(name: string): number {
    const code = this.#codes.get(name);
    if (code !== undefined && this.#isCurrent(this.#placeOf(code))) return code;
    if (code === undefined && this.#seenSerial === this.#header.words[Header.NameSerial]) return 0;
    this.#refresh();
    return this.#codes.get(name) ?? 0;
  }

  /** Name of a code, empty if there is none. */
  nameOf(code: number): string {
    const place = this.#placeOf(code);
    if (place < 0) return "";
    if (this.#isCurrent(place)) return this.#names[place]!;
    this.#refresh();
    return this.#names[place] ?? "";
  }

  /** Under the mutex: the code that the next new name gets, 0 if there is none left. */
  get nextCode(): number {
    const code = this.#codeAt(this.#count());
    return code > this.#kind.lastCode ? this.#unusedCode() : code;
  }

  /** Under the mutex: whether a new name could get a code that was chosen for it. */
  isFree(code: number): boolean {
    const { firstCode, lastCode } = this.#kind;
    if (!Number.isInteger(code) || code < firstCode || code > lastCode) return false;
    return code === this.nextCode || this.nameOf(code) === "";
  }

  /** How many arcs, vertices or values carry the code. */
  count(code: number): number {
    return this.#entryWord(this.#placeOf(code), Entry.Count);
  }

  /** Names that are in use: code and count. Takes no lock, so that status services never wait. */
  list(): Record<string, [code: number, count: number]> {
    const found: Record<string, [number, number]> = {};
    const end = this.#length();
    for (let place = 0; place < end; place++) {
      const serial = this.#entryWord(place, Entry.Serial);
      const count = this.#entryWord(place, Entry.Count);
      if (count === 0) continue;
      const text = this.#textAt(place);
      if (this.#entryWord(place, Entry.Serial) !== serial) place--;
      else found[text] = [this.#codeAt(place), count];
    }
    return found;
  }

  /** How many names there are, in use or not. Takes no lock. */
  get defined(): number {
    let defined = 0;
    for (let place = this.#length() - 1; place >= 0; place--) {
      if (this.#entryWord(place, Entry.String) !== 0) defined++;
    }
    return defined;
  }

  /** How many names are in use. Takes no lock. */
  get used(): number {
    let used = 0;
    for (let place = this.#length() - 1; place >= 0; place--) {
      if (this.#entryWord(place, Entry.Count) > 0) used++;
    }
    return used;
  }

  /**
   * In a mutation: code of a name, a new one if it has none. The name must be a checked one.
   * @param wanted a code that is free, 0 for the next one
   * @throws SvcError SVC2404 when there are no codes left
   */
  define(name: string, wanted = 0): number {
    const code = this.codeOf(name);
    if (code !== 0) return code;
    const next = wanted || this.nextCode;
    if (next === 0) throw new EnumerationError(this.#kind.exhausted);
    const place = this.#placeOf(next);
    // Codes that are passed over have no name, and are used at last.
    for (let end = this.#count(); end < place; end++) this.#add(NOBODY);
    if (place < this.#count()) this.#reuse(place, name);
    else this.#add(name);
    return next;
  }

  /** In a mutation. */
  addCount(code: number, delta: number): void {
    const at = this.#table() + HEAD_WORDS + this.#placeOf(code) * ENTRY_WORDS;
    this.#writer.add(this.#lists, at + Entry.Count, delta);
  }

  #add(name: string): void {
    const count = this.#count();
    const sizeClass = this.#lists.words[this.#table() + SIZE_CLASS]!;
    const capacity = this.#blocks.wordsOf(sizeClass) - HEAD_WORDS;
    if ((count + 1) * ENTRY_WORDS > capacity) this.#makeTable(count * 2);
    this.#append(name);
  }

  /** Under the mutex: names and codes that were passed over. */
  #count(): number {
    return this.#lists.words[this.#table() + NAME_COUNT]!;
  }

  #table(): number {
    return this.#header.words[this.#kind.headerWord]!;
  }

  /** Code of the name that was defined first of those that nothing carries, 0 if all are in use. */
  #unusedCode(): number {
    const { words } = this.#lists;
    const start = this.#table() + HEAD_WORDS;
    const end = start + words[this.#table() + NAME_COUNT]! * ENTRY_WORDS;
    let oldest = Number.POSITIVE_INFINITY;
    let found = 0;
    for (let at = start + this.#kind.system.length * ENTRY_WORDS; at < end; at += ENTRY_WORDS) {
      if (words[at + Entry.Count] !== 0 || words[at + Entry.Serial]! >= oldest) continue;
      oldest = words[at + Entry.Serial]!;
      found = this.#codeAt((at - start) / ENTRY_WORDS);
    }
    return found;
  }

  /** Place of a code in the table, also of one that is not there yet; -1 if it can never be. */
  #placeOf(code: number): number {
    const { system, firstCode, lastCode } = this.#kind;
    if (code >= firstCode && code <= lastCode) return code - firstCode + system.length;
    let place = system.length - 1;
    while (place >= 0 && system[place]![1] !== code) place--;
    return place;
  }

  #codeAt(place: number): number {
    const { system, firstCode } = this.#kind;
    return system[place]?.[1] ?? place - system.length + firstCode;
  }

  /** Number of places in the table, which may be moved while we look. */
  #length(): number {
    for (;;) {
      const table = this.#table();
      if (table + HEAD_WORDS > this.#lists.words.length) this.#writer.memory.refresh();
      const length = this.#lists.words[table + NAME_COUNT] ?? 0;
      if (table === this.#table()) return length;
    }
  }

  #textAt(place: number): string {
    const known = this.#names[place];
    if (known !== undefined && this.#isCurrent(place)) return known;
    return this.#strings.text(this.#entryWord(place, Entry.String));
  }

  /** True if what this thread has seen of a place is still there. */
  #isCurrent(place: number): boolean {
    const serial = this.#serials[place];
    return serial !== undefined && this.#entryWord(place, Entry.Serial) === serial;
  }

  /** A word of the table, 0 if it has none there. The table may be moved while we look. */
  #entryWord(place: number, word: number): number {
    for (;;) {
      const table = this.#table();
      const at = table + HEAD_WORDS + place * ENTRY_WORDS;
      if (at + ENTRY_WORDS > this.#lists.words.length) this.#writer.memory.refresh();
      const isThere = place >= 0 && place < (this.#lists.words[table + NAME_COUNT] ?? 0);
      const value = isThere ? (this.#lists.words[at + word] ?? 0) : 0;
      if (table === this.#table()) return value;
    }
  }

  /** By itself: a function within another one takes memory each time that one is called. */
  #refresh(): void {
    this.#writer.beginReading();
    try {
      this.#readTable();
    } finally {
      this.#writer.end();
    }
  }

  /** Under the mutex: looks at what was defined since this thread last did. */
  #readTable(): void {
    const table = this.#table();
    const { words } = this.#lists;
    const count = words[table + NAME_COUNT]!;
    const reuses = this.#header.words[Header.NameReuses]!;
    const isAppended = this.#seenReuses === reuses;
    this.#seenReuses = reuses;
    this.#seenSerial = this.#header.words[Header.NameSerial]!;
    for (const name of this.#names.splice(count)) this.#codes.delete(name);
    this.#serials.length = Math.min(this.#serials.length, count);
    // While none is used again, places are filled in order: below one that we know, we know all.
    for (let place = count - 1; place >= 0; place--) {
      const at = table + HEAD_WORDS + place * ENTRY_WORDS;
      const serial = words[at + Entry.Serial]!;
      if (this.#serials[place] === serial) {
        if (isAppended) break;
        continue;
      }
      const before = this.#names[place];
      const pointer = words[at + Entry.String]!;
      const name = pointer === 0 ? NOBODY : this.#strings.text(pointer);
      if (before !== undefined && this.#codes.get(before) === this.#codeAt(place)) {
        this.#codes.delete(before);
      }
      this.#names[place] = name;
      this.#serials[place] = serial;
      if (name !== NOBODY) this.#codes.set(name, this.#codeAt(place));
    }
  }

  #append(name: string): void {
    const table = this.#table();
    const place = this.#lists.words[table + NAME_COUNT]!;
    this.#fill(table + HEAD_WORDS + place * ENTRY_WORDS, name);
    this.#writer.put(this.#lists, table + NAME_COUNT, place + 1);
  }

  /** Gives the code of a name that nothing carries to another one. */
  #reuse(place: number, name: string): void {
    const at = this.#table() + HEAD_WORDS + place * ENTRY_WORDS;
    const old = this.#lists.words[at + Entry.String]!;
    // Before anything can carry it: who has read the code since then looks again.
    Atomics.add(this.#header.ints, Header.NameReuses, 1);
    this.#fill(at, name);
    if (old !== 0) this.#strings.release(old);
  }

  #fill(at: number, name: string): void {
    const writer = this.#writer;
    // Only ever raised, also when the mutation is undone.
    const serial = Atomics.add(this.#header.ints, Header.NameSerial, 1) + 1;
    const text = name === NOBODY ? 0 : this.#strings.intern(name);
    writer.put(this.#lists, at + Entry.String, text);
    writer.put(this.#lists, at + Entry.Count, 0);
    writer.put(this.#lists, at + Entry.Serial, serial >>> 0);
  }

  /** A table that holds so many names, with those of the old one, which is given back. */
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
      writer.wrote(this.#lists, table, used);
    }
    writer.put(this.#lists, table + SIZE_CLASS, sizeClass);
    writer.put(this.#header, this.#kind.headerWord, table);
  }
}
