// Constraints of a graph: rules for one property of the vertices of one type. A mutation notes the
// vertices whose rules it may have broken, and its commit checks them, so that the order of changes
// within a batch does not matter.
//
//   LISTS  one descriptor per constraint: {next descriptor, type, key, rules}
//
// Every non-null value of a unique property is indexed, even while a batch contains duplicates; see
// unique-values.ts.
// Equal texts and other large values share a pointer, so they are compared by pointer.

import type { Arena } from "../memory/arena.js";
import { BlockAllocator } from "../memory/block-allocator.js";
import { Header, LIST_UNIT_WORDS } from "../memory/layout.js";
import type { SeqlockReader } from "../memory/seqlock-reader.js";
import type { CommitCheck, Writer } from "../memory/writer.js";
import { CapacityError } from "../model/errors.js";
import {
  type BrokenRule,
  MAX_LISTED,
  makeConstraintError,
  type NamedVertices,
} from "./constraint-error.js";
import { describeCell, isOfKind, isRequired, isUnique, kindOfRules } from "./constraint-rules.js";
import type { EntryMatcher } from "./hash-index.js";
import { isFloatCell, isPointerCell, kindOfCell, numberOfCell } from "./property-cells.js";
import { PropertyGroups } from "./property-groups.js";
import { PropertyKind } from "./property-values.js";
import type { StringPool } from "./string-pool.js";
import type { TypeLists } from "./type-lists.js";
import { UniqueValues } from "./unique-values.js";
import type { VertexTable } from "./vertex-table.js";

const MAX_CONSTRAINTS = 64;
const Descriptor = { Next: 0, Type: 1, Key: 2, Rules: 3 } as const;
const SIZE_CLASS = 0;
const TYPE_SHIFT = 16;

/** A constraint by codes. */
export interface StoredConstraint {
  readonly type: number;
  readonly key: number;
  readonly rules: number;
}

/** Components that constraints use. */
export interface ConstraintParts extends NamedVertices {
  readonly writer: Writer;
  readonly reader: SeqlockReader;
  readonly vertices: VertexTable;
  readonly strings: StringPool;
  readonly typeLists: TypeLists;
}

const float = new Float64Array(1);
const floatWords = new Uint32Array(float.buffer);

export class Constraints implements EntryMatcher, CommitCheck {
  /** False while changes are replayed: changes that another instance accepted are never refused. */
  isEnforced = true;
  readonly #parts: ConstraintParts;
  readonly #writer: Writer;
  readonly #header: Arena;
  readonly #lists: Arena;
  readonly #blocks: BlockAllocator;
  readonly #groups: PropertyGroups;
  readonly #values: UniqueValues;
  /** Vertices that the commit checks. The array is never shortened, which would cost more. */
  readonly #noted: number[] = [];
  #notedCount = 0;
  /** Value that `matches` compares with: of a type and key, held by another vertex. */
  readonly #candidate = { vertex: 0, type: 0, key: 0, high: 0, low: 0 };

  constructor(parts: ConstraintParts) {
    const { writer, reader } = parts;
    this.#parts = parts;
    this.#writer = writer;
    this.#header = writer.memory.header;
    this.#lists = writer.memory.lists;
    this.#blocks = new BlockAllocator(this.#lists, LIST_UNIT_WORDS);
    this.#groups = new PropertyGroups(writer, reader);
    this.#values = new UniqueValues(writer, reader);
  }

  /** Removes all constraints when their memory is cleared as a whole. Requires a mutation. */
  format(): void {
    this.#writer.put(this.#header, Header.Constraints, 0);
    this.#values.format();
  }

  /** True if there are no constraints to keep. */
  get isEmpty(): boolean {
    return this.#header.words[Header.Constraints] === 0;
  }

  /** Returns all constraints. Requires the mutex. */
  all(): StoredConstraint[] {
    const { words } = this.#lists;
    const found: StoredConstraint[] = [];
    for (let at = this.#first; at !== 0; at = words[at + Descriptor.Next]!) {
      found.push({
        type: words[at + Descriptor.Type]!,
        key: words[at + Descriptor.Key]!,
        rules: words[at + Descriptor.Rules]!,
      });
    }
    return found;
  }

  /** Returns the number of constraints. Takes no lock: while they change, it may be inexact. */
  get count(): number {
    const { words } = this.#lists;
    let count = 0;
    for (let at = this.#first; at !== 0 && count < MAX_CONSTRAINTS; count++) {
      at = words[at + Descriptor.Next]!;
    }
    return count;
  }

  /** Returns true if a constraint refers to a type: its code must not be reused. */
  usesType(type: number): boolean {
    return this.#uses(Descriptor.Type, type);
  }

  /** Variant of `usesType` for property keys. */
  usesKey(key: number): boolean {
    return this.#uses(Descriptor.Key, key);
  }

  /** Returns the rules of a property of a type, 0 for none. */
  rulesFor(type: number, key: number): number {
    const at = this.#find(type, key);
    return at === 0 ? 0 : this.#lists.words[at + Descriptor.Rules]!;
  }

  /**
   * Declares, changes or drops (0) the rules of a property of a type. Requires a mutation.
   * @returns false if nothing changed
   * @throws ConstraintError listing the vertices that break the rules; CapacityError at 64
   *   constraints
   */
  declare(type: number, key: number, rules: number): boolean {
    const old = this.rulesFor(type, key);
    if (old === rules) return false;
    if (isUnique(old) && !isUnique(rules)) this.#dropValues(type, key);
    if (rules === 0) this.#removeDescriptor(type, key);
    else this.#putDescriptor(type, key, rules);
    if (rules === 0) return true;
    const broken = this.#scan(type, key, rules, isUnique(rules) && !isUnique(old));
    if (broken.length > 0 && this.isEnforced) throw makeConstraintError(this.#parts, broken);
    return true;
  }

  /** Notes a vertex that became real or got a type, if it needs properties. */
  noteVertex(vertex: number): void {
    const type = this.#parts.vertices.typeOf(vertex);
    const { words } = this.#lists;
    for (let at = this.#first; at !== 0; at = words[at + Descriptor.Next]!) {
      if (words[at + Descriptor.Type] !== type) continue;
      if (isRequired(words[at + Descriptor.Rules]!)) this.#note(vertex);
    }
  }

  /** Adds the values of a vertex to those of another type. Requires a mutation. */
  changeType(vertex: number, old: number, type: number): void {
    const { words } = this.#lists;
    for (let at = this.#first; at !== 0; at = words[at + Descriptor.Next]!) {
      const of = words[at + Descriptor.Type]!;
      if ((of !== old && of !== type) || !isUnique(words[at + Descriptor.Rules]!)) continue;
      const key = words[at + Descriptor.Key]!;
      const cell = this.#groups.find(vertex, key);
      if (cell === 0) continue;
      const { words: cells } = this.#groups.cells;
      if (of === old) this.#removeUnique(vertex, of, key, cells[cell + 1]!, cells[cell]!);
      else this.#addUnique(vertex, of, key, cells[cell + 1]!, cells[cell]!);
    }
    if (this.usesType(type)) this.#note(vertex);
  }

  /** Notes the value in a cell of a vertex; a unique value is indexed. Requires a mutation. */
  addValue(vertex: number, key: number, high: number, low: number): void {
    const type = this.#parts.vertices.typeOf(vertex);
    const rules = this.rulesFor(type, key);
    if (rules === 0) return;
    const kind = kindOfRules(rules);
    const isFitting = kind === undefined || isOfKind(kind, high, low);
    if (!isFitting || kindOfCell(high) === PropertyKind.Null) this.#note(vertex);
    if (isUnique(rules)) this.#addUnique(vertex, type, key, high, low);
  }

  /** Forgets a value that is about to be removed from a cell. Requires a mutation. */
  removeValue(vertex: number, key: number, high: number, low: number): void {
    const type = this.#parts.vertices.typeOf(vertex);
    const rules = this.rulesFor(type, key);
    if (isRequired(rules)) this.#note(vertex);
    if (isUnique(rules)) this.#removeUnique(vertex, type, key, high, low);
  }

  /**
   * Returns the vertex of a type whose unique property has a value, 0 if none has; null without
   * such a constraint. Takes the mutex.
   * @param cell null for a text that no property has
   */
  findByValue(
    type: number,
    key: number,
    cell: { readonly high: number; readonly low: number } | null,
  ): number | null {
    if (this.isEmpty) return null;
    this.#writer.beginReading();
    try {
      if (!isUnique(this.rulesFor(type, key))) return null;
      return cell === null ? 0 : this.#findOther(0, type, key, cell.high, cell.low);
    } finally {
      this.#writer.end();
    }
  }

  /** @throws ConstraintError for the first vertex whose rules the mutation has broken */
  check(): void {
    for (let at = 0; at < this.#notedCount; at++) {
      const broken = this.#findBroken(this.#noted[at]!);
      if (broken !== null) throw makeConstraintError(this.#parts, [broken]);
    }
    this.forget();
  }

  /** Forgets the noted vertices, because the mutation was rolled back or need not be checked. */
  forget(): void {
    this.#notedCount = 0;
    this.#writer.commitCheck = null;
  }

  /** For `HashIndex`: whether another vertex has the value of the candidate. */
  matches(entry: number): boolean {
    const { vertex, type, key, high, low } = this.#candidate;
    if (entry === vertex || this.#parts.vertices.typeOf(entry) !== type) return false;
    const cell = this.#groups.find(entry, key);
    const { words } = this.#groups.cells;
    return cell !== 0 && isSameValue(high, low, words[cell + 1]!, words[cell]!);
  }

  get #first(): number {
    return this.#header.words[Header.Constraints]!;
  }

  #uses(word: number, code: number): boolean {
    const { words } = this.#lists;
    let at = this.#first;
    while (at !== 0 && words[at + word] !== code) at = words[at + Descriptor.Next]!;
    return at !== 0;
  }

  /** Returns the descriptor of a constraint, or 0. */
  #find(type: number, key: number): number {
    const { words } = this.#lists;
    let at = this.#first;
    while (
      at !== 0 &&
      (words[at + Descriptor.Type] !== type || words[at + Descriptor.Key] !== key)
    ) {
      at = words[at + Descriptor.Next]!;
    }
    return at;
  }

  #putDescriptor(type: number, key: number, rules: number): void {
    const known = this.#find(type, key);
    if (known !== 0) {
      this.#writer.put(this.#lists, known + Descriptor.Rules, rules);
      return;
    }
    if (this.all().length >= MAX_CONSTRAINTS) {
      throw new CapacityError(`too many constraints of a graph: ${MAX_CONSTRAINTS}`);
    }
    const made = this.#blocks.allocate(this.#writer, SIZE_CLASS);
    const { words } = this.#lists;
    words[made + Descriptor.Next] = this.#first;
    words[made + Descriptor.Type] = type;
    words[made + Descriptor.Key] = key;
    words[made + Descriptor.Rules] = rules;
    this.#writer.put(this.#header, Header.Constraints, made);
  }

  #removeDescriptor(type: number, key: number): void {
    const { words } = this.#lists;
    const removed = this.#find(type, key);
    const next = words[removed + Descriptor.Next]!;
    let before = this.#first;
    if (before === removed) this.#writer.put(this.#header, Header.Constraints, next);
    else {
      while (words[before + Descriptor.Next] !== removed) before = words[before + Descriptor.Next]!;
      this.#writer.put(this.#lists, before + Descriptor.Next, next);
    }
    this.#blocks.free(this.#writer, removed, SIZE_CLASS);
  }

  /** Returns the rules that vertices of a type break; `isNew`: also indexes their unique values. */
  #scan(type: number, key: number, rules: number, isNew: boolean): BrokenRule[] {
    const broken: BrokenRule[] = [];
    for (const vertex of this.#verticesOf(type)) {
      if (broken.length === MAX_LISTED) break;
      const cell = this.#groups.find(vertex, key);
      const { words } = this.#groups.cells;
      const [low, high] = cell === 0 ? [0, 0] : [words[cell]!, words[cell + 1]!];
      // Checked before the vertex itself is indexed, so each pair of duplicates is listed once.
      const found = this.#findBrokenRule(vertex, type, key, rules);
      if (found !== null) broken.push(found);
      const isAdded = isNew && cell !== 0 && (found === null || !this.isEnforced);
      if (isAdded) this.#addUnique(vertex, type, key, high, low);
    }
    return broken;
  }

  #dropValues(type: number, key: number): void {
    if (this.all().filter(({ rules }) => isUnique(rules)).length === 1) {
      this.#values.drop();
      return;
    }
    for (const vertex of this.#verticesOf(type)) {
      const cell = this.#groups.find(vertex, key);
      const { words } = this.#groups.cells;
      if (cell !== 0) this.#removeUnique(vertex, type, key, words[cell + 1]!, words[cell]!);
    }
  }

  #verticesOf(type: number): Uint32Array {
    const { typeLists } = this.#parts;
    const handles = new Uint32Array(typeLists.count(type));
    typeLists.copyBefore(type, handles.length, handles);
    return handles;
  }

  #note(vertex: number): void {
    const last = this.#notedCount - 1;
    if (!this.isEnforced || (last >= 0 && this.#noted[last] === vertex)) return;
    this.#noted[this.#notedCount++] = vertex;
    this.#writer.commitCheck = this;
  }

  #addUnique(vertex: number, type: number, key: number, high: number, low: number): void {
    if (kindOfCell(high) === PropertyKind.Null) return;
    const text = isPointerCell(high) ? low : 0;
    // Equal texts share one string: with a single reference, no other vertex has the value.
    if (text !== 0 && !this.#parts.strings.isShared(text)) {
      this.#values.own(text, vertex);
      return;
    }
    try {
      if (this.#values.add(hashValue(type, key, high, low), vertex, text)) this.#note(vertex);
    } catch (error) {
      // Too many equal values in a batch: report them as duplicates rather than a full index.
      if (error instanceof CapacityError) this.check();
      throw error;
    }
  }

  #removeUnique(vertex: number, type: number, key: number, high: number, low: number): void {
    if (kindOfCell(high) === PropertyKind.Null) return;
    const text = isPointerCell(high) ? low : 0;
    this.#values.remove(hashValue(type, key, high, low), vertex, text);
  }

  /** Returns another vertex of the type with the value, or 0. */
  #findOther(vertex: number, type: number, key: number, high: number, low: number): number {
    const candidate = this.#candidate;
    candidate.vertex = vertex;
    candidate.type = type;
    candidate.key = key;
    candidate.high = high;
    candidate.low = low;
    const text = isPointerCell(high) ? low : 0;
    return this.#values.find(hashValue(type, key, high, low), text, this);
  }

  #findBroken(vertex: number): BrokenRule | null {
    const type = this.#parts.vertices.typeOf(vertex);
    const { words } = this.#lists;
    for (let at = this.#first; at !== 0; at = words[at + Descriptor.Next]!) {
      if (words[at + Descriptor.Type] !== type) continue;
      const [key, rules] = [words[at + Descriptor.Key]!, words[at + Descriptor.Rules]!];
      const found = this.#findBrokenRule(vertex, type, key, rules);
      if (found !== null) return found;
    }
    return null;
  }

  #findBrokenRule(vertex: number, type: number, key: number, rules: number): BrokenRule | null {
    if (!this.#parts.vertices.isReal(vertex)) return null;
    const cell = this.#groups.find(vertex, key);
    const { words } = this.#groups.cells;
    const [low, high] = cell === 0 ? [0, 0] : [words[cell]!, words[cell + 1]!];
    const subject = { vertex, type, key };
    if (cell === 0 || kindOfCell(high) === PropertyKind.Null) {
      return isRequired(rules) ? { ...subject, rule: "required", other: 0, found: "" } : null;
    }
    const kind = kindOfRules(rules);
    if (kind !== undefined && !isOfKind(kind, high, low)) {
      return { ...subject, rule: kind, other: 0, found: describeCell(high, low) };
    }
    if (!isUnique(rules)) return null;
    const other = this.#findOther(vertex, type, key, high, low);
    return other === 0 ? null : { ...subject, rule: "unique", other, found: "" };
  }
}

function isNumber(kind: number): boolean {
  return kind === PropertyKind.Number || kind === PropertyKind.Float;
}

/** Equal numbers are the same value, whether integers or floats; NaN equals nothing. */
function isSameValue(high: number, low: number, otherHigh: number, otherLow: number): boolean {
  const kind = kindOfCell(high);
  if (isNumber(kind) && isNumber(kindOfCell(otherHigh))) {
    return numberOfCell(high, low) === numberOfCell(otherHigh, otherLow);
  }
  return high === otherHigh && low === otherLow;
}

/**
 * Distinct values of one property rarely collide: the mixer is a bijection of `low`. Stored tables
 * depend on it.
 */
function hashValue(type: number, key: number, high: number, low: number): number {
  let first = high;
  let second = low;
  if (isFloatCell(high)) {
    float[0] = numberOfCell(high, low);
    second = floatWords[0]!;
    first = floatWords[1]!;
  } else if (low === 0 && high << 1 === 0) {
    // 0 and -0 are equal.
    first = 0;
  }
  const seed = Math.imul(first ^ ((type << TYPE_SHIFT) | key), 0x9e37_79b1);
  let hash = second ^ seed ^ (seed >>> 15);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}
