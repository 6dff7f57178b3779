// Conditions on the properties of a vertex: all named keys must be present and pass. Cells are
// tested in place: strings compare by their pointers into the pool, and prefix matches are cached,
// so no string is read twice.

import { bitCount } from "../../memory/bit-count.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { isPlainRecord } from "../../model/check-argument.js";
import { V_ANY, V_EQ, V_GT, V_GTE, V_LT, V_LTE, V_NEQ, V_RANGE } from "../../model/constants.js";
import {
  atArgumentPath,
  inMember,
  invalidArgument,
  NAMES,
  withArgumentDetails,
} from "../../model/invalid-argument.js";
import type { Constraints } from "../../store/constraints.js";
import type { GraphStore } from "../../store/graph-store.js";
import {
  kindOfCell,
  lastCell,
  makeNumberCell,
  makePointerCell,
  numberOfCell,
} from "../../store/property-cells.js";
import { CELL_WORDS, getGroup, getGroupBit } from "../../store/property-groups.js";
import type { PropertyIndexes, ValueRange } from "../../store/property-indexes.js";
import type { PropertyTable } from "../../store/property-table.js";
import { PropertyKind, validatePropertyKey } from "../../store/property-values.js";
import type { StringPool } from "../../store/string-pool.js";
import { moveArc } from "./arc-stack.js";
import { GroupBits } from "./group-bits.js";
import {
  closedRange,
  equalsText,
  parseValueCondition,
  testNumber,
  type ValueTest,
} from "./value-condition.js";

/** Maximum number of cached strings, by pointer. */
const MAX_REMEMBERED = 65_536;
const GROUP_VERTICES = 32;
/** Minimum vertices tested before results are cached as bits. */
const MIN_TESTED = 256;
/** Maximum groups: in a larger graph, few vertices of a query share a group. */
const MAX_GROUPS = 2 ** 13;

export class PropertyCondition {
  readonly #store: GraphStore;
  readonly #properties: PropertyTable;
  readonly #tests: readonly KeyTest[];
  readonly #bits = new GroupBits();
  /** Number of vertices tested in the state of the bits. */
  #tested = 0;

  /**
   * @param condition `{ key: value condition, ... }`; negation is the caller's
   * @throws SvcError SVC2406 not a condition; SVC2411 not a key
   */
  constructor(store: GraphStore, condition: unknown) {
    if (!isPlainRecord(condition)) {
      const text = "invalid property condition, must be { key: <value condition>, ... }";
      throw invalidArgument(text, condition, '{ age: { gt: 5 }, name: "a*" }');
    }
    this.#store = store;
    this.#properties = store.properties;
    this.#tests = Object.entries(condition)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => new KeyTest(checkedKey(key), valueTest(key, value), store.strings));
    this.bind();
  }

  /**
   * Looks up keys and strings. Required before each execution, because they may have been created
   * since the last one.
   */
  bind(): void {
    for (const test of this.#tests) test.bind(this.#store);
  }

  /** Index that yielded the last candidates. */
  label = "";

  /**
   * Returns a superset of the matching vertices of a type (0: any); null without an index, or for
   * more than `limit`.
   */
  candidates(limit: number, type: number): readonly number[] | null {
    const { constraints, indexes } = this.#store;
    if (!constraints.isEmpty && type !== 0) {
      const found = this.#candidatesOfUnique(constraints, type);
      if (found !== null) return found;
    }
    if (indexes.isEmpty) return null;
    let best: readonly number[] | null = null;
    for (const test of this.#tests) {
      // A key without a code belongs to no vertex.
      if (test.code === 0) {
        this.label = `property ${test.key}, which no vertex has`;
        return [];
      }
      const found = test.candidates(indexes, best?.length ?? limit);
      if (found === null) continue;
      best = found;
      this.label = `property ${test.key}`;
    }
    return best;
  }

  /** Returns the only vertex that may match, if a constraint makes one of the values unique. */
  #candidatesOfUnique(constraints: Constraints, type: number): readonly number[] | null {
    for (const test of this.#tests) {
      const found = test.findUnique(constraints, type);
      if (found === null) continue;
      this.label = `unique ${test.key}`;
      return found === 0 ? [] : [found];
    }
    return null;
  }

  /** Returns the approximate number of vertices that an index counts; null without an index. */
  estimate(): number | null {
    const { indexes } = this.#store;
    if (indexes.isEmpty) return null;
    const counts = this.#tests.map((test) => (test.code === 0 ? 0 : test.estimate(indexes)));
    const known = counts.filter((count) => count !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  /** Returns the keys without an index. */
  unindexed(): readonly string[] {
    const { indexes } = this.#store;
    const missing = this.#tests.filter(({ code }) => code !== 0 && !indexes.has(code));
    return missing.map(({ key }) => `property ${key}`);
  }

  /** Returns the keys that are tested, in words. */
  describe(): string {
    const keys = this.#tests.map(({ key }) => key).join(", ");
    return this.#tests.length === 1 ? `property ${keys}` : `properties ${keys}`;
  }

  /** Returns whether a vertex meets the whole condition. Takes no lock. */
  matches(vertex: number): boolean {
    return this.#matching(vertex, 1 << getGroupBit(vertex)) !== 0;
  }

  /**
   * Moves the arcs whose heads match, or do not match if negated, to the front; returns their end.
   * Consecutive heads of one property group are tested together.
   */
  filter(arcs: Uint32Array, from: number, end: number, isNegated: boolean): number {
    if (this.#remembers((end - from) / ARC_WORDS)) {
      return this.#bits.filter(arcs, from, end, isNegated, this.#testGroup);
    }
    let top = from;
    for (let begin = from; begin < end; ) {
      const first = arcs[begin]!;
      const group = getGroup(first);
      let members = 0;
      let next = begin;
      for (; next < end && getGroup(arcs[next]!) === group; next += ARC_WORDS) {
        members |= 1 << getGroupBit(arcs[next]!);
      }
      const matching = this.#matching(first, members);
      const passing = isNegated ? ~matching : matching;
      for (let arc = begin; arc < next; arc += ARC_WORDS) {
        if ((passing & (1 << getGroupBit(arcs[arc]!))) !== 0) top = moveArc(arcs, arc, top);
      }
      begin = next;
    }
    return top;
  }

  /** Writes the bits of the vertices that match, of groups from the group of a vertex on. */
  findMatching(vertex: number, groups: number, into: Uint32Array): void {
    const first = getGroup(vertex);
    const isRemembered = this.#remembers(groups * GROUP_VERTICES);
    // All groups, even if another thread has truncated the graph since the caller read its end.
    for (let at = 0; at < groups; at++) {
      const member = (first + at) * GROUP_VERTICES;
      if (!isRemembered) into[at] = this.#matching(member, -1);
      else {
        if (this.#bits.known(first + at) === 0) this.#testGroup(member);
        into[at] = this.#bits.passing(first + at);
      }
    }
  }

  /** Caches which vertices of a vertex's group match. */
  readonly #testGroup = (vertex: number): void => {
    this.#bits.set(getGroup(vertex), -1, this.#matching(vertex, -1));
  };

  /**
   * Returns whether bits are faster for further vertices: once as many were tested as there are
   * groups, in one state of the graph.
   */
  #remembers(count: number): boolean {
    const { vertices, settledCount } = this.#store;
    if (!this.#bits.renew(settledCount)) this.#tested = 0;
    this.#tested += count;
    if (settledCount === -1 || this.#tested < MIN_TESTED) return false;
    const groups = getGroup(vertices.end) + 1;
    return this.#tested >= groups && groups <= MAX_GROUPS && this.#bits.reserve(groups);
  }

  /** Returns the bit set of matching vertices, among the `members` of a group. */
  #matching(vertex: number, members: number): number {
    const { groups } = this.#properties;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      const matching = this.#matchingNow(vertex, members);
      if (groups.leave(vertex, seen)) return matching;
    }
  }

  /** As `#matching` for one seqlock attempt; `leave` validates it. */
  #matchingNow(vertex: number, members: number): number {
    const { groups } = this.#properties;
    const tests = this.#tests;
    let left = members;
    for (let index = 0; index < tests.length && left !== 0; index++) {
      const test = tests[index]!;
      const entry = groups.entryOf(vertex, test.code);
      if (entry === 0) return 0;
      left = this.#passing(test, entry, left);
    }
    return left;
  }

  /** Returns the bit set of the `members` of a group whose cells of one key pass. */
  #passing(test: KeyTest, entry: number, members: number): number {
    const { groups } = this.#properties;
    const bitmap = groups.bitmapOf(entry);
    const first = groups.cellsOf(entry);
    if (first === 0) return 0;
    const { floats } = groups;
    const { words } = groups.cells;
    // A scan wants all vertices of a group, whose cells are contiguous.
    const areAll = (bitmap & ~members) === 0;
    const { isRange, low, high } = test;
    let passing = 0;
    let cell = first;
    for (let bits = bitmap & members; bits !== 0; bits &= bits - 1) {
      const bit = bits & -bits;
      if (!areAll) cell = first + CELL_WORDS * bitCount(bitmap & (bit - 1));
      const number = floats[cell >>> 1]!;
      if (number >= low && number <= high) passing |= bit;
      else if (!isRange || Number.isNaN(number)) {
        if (test.passes(words[cell + 1]!, words[cell]!)) passing |= bit;
      }
      cell += CELL_WORDS;
    }
    return passing;
  }
}

/** @throws QueryError not a value condition */
function valueTest(key: string, condition: unknown): ValueTest {
  try {
    return parseValueCondition(condition);
  } catch (error) {
    throw atArgumentPath(error, inMember(key));
  }
}

/** Value condition on one key. */
class KeyTest {
  /** Code of the key; 0 if no vertex has it. */
  code = 0;
  readonly key: string;
  /** True if exactly the numbers from `low` to `high` pass. */
  readonly isRange: boolean;
  readonly low: number;
  readonly high: number;
  readonly #test: ValueTest;
  readonly #strings: StringPool;
  /** Alternatives; empty if the condition is not a list. */
  readonly #among: readonly KeyTest[];
  /** Pointer to the string to equal, 0 if it is not stored, and its serial number. */
  #pointer = 0;
  #serial = 0;
  /** By pointer: serial of the string * 2, plus 1 if it has the prefix. */
  readonly #remembered = new Map<number, number>();

  constructor(key: string, test: ValueTest, strings: StringPool) {
    this.key = key;
    this.#test = test;
    const range = closedRange(test);
    this.isRange = range !== null;
    this.low = range?.low ?? Number.NaN;
    this.high = range?.high ?? Number.NaN;
    this.#strings = strings;
    this.#among = (test.among ?? []).map((alternative) => new KeyTest(key, alternative, strings));
  }

  bind(store: GraphStore): void {
    for (const test of this.#among) test.bind(store);
    const { text, isPrefix } = this.#test;
    this.code = store.keys.codeOf(this.key);
    if (text === null || isPrefix) return;
    const pointer = this.#strings.find(text);
    const serial = this.#strings.serialOf(pointer);
    const isThere = pointer !== 0 && this.#strings.text(pointer) === text;
    this.#pointer = isThere && this.#strings.serialOf(pointer) === serial ? pointer : 0;
    this.#serial = serial;
  }

  /** Returns the vertex of a type with the value to equal, 0 if none; null if it is not unique. */
  findUnique(constraints: Constraints, type: number): number | null {
    const { code, low, high, text, isPrefix, among } = this.#test;
    if (code !== V_EQ || among !== null || this.code === 0) return null;
    if (text === null) {
      if (low !== high) return null;
      makeNumberCell(low);
      return constraints.findByValue(type, this.code, lastCell);
    }
    if (isPrefix) return null;
    makePointerCell(PropertyKind.String, this.#pointer);
    return constraints.findByValue(type, this.code, this.#pointer === 0 ? null : lastCell);
  }

  /** Returns the entries of an index that may pass; null as `PropertyCondition.candidates`. */
  candidates(indexes: PropertyIndexes, limit: number): readonly number[] | null {
    if (this.#test.among !== null) return this.#candidatesOfAll(indexes, limit);
    const range = this.#range();
    return range === null ? null : indexes.candidates(this.code, range, limit);
  }

  /** Returns the approximate number of entries of an index that may pass; null without one. */
  estimate(indexes: PropertyIndexes): number | null {
    if (this.#test.among === null) {
      const range = this.#range();
      return range === null ? null : indexes.estimate(this.code, range);
    }
    let sum = 0;
    for (const alternative of this.#among) {
      const count = alternative.estimate(indexes);
      if (count === null) return null;
      sum += count;
    }
    return sum;
  }

  /** Alternatives may be equal, so a vertex may occur twice. */
  #candidatesOfAll(indexes: PropertyIndexes, limit: number): readonly number[] | null {
    const handles = new Set<number>();
    for (const alternative of this.#among) {
      const found = alternative.candidates(indexes, limit - handles.size);
      if (found === null) return null;
      for (const handle of found) handles.add(handle);
    }
    return [...handles];
  }

  /** Returns the range to look up in an index; null if an index cannot help. */
  #range(): ValueRange | null {
    const { code, low, high, text, isPrefix } = this.#test;
    if (code === V_ANY) return { kind: "any" };
    if (text !== null) {
      if (code !== V_EQ) return null;
      return isPrefix ? { kind: "prefix", prefix: text } : { kind: "text", text };
    }
    const isBelow = code === V_LT || code === V_LTE;
    const isAbove = code === V_GT || code === V_GTE;
    if (!isBelow && !isAbove && code !== V_EQ && code !== V_RANGE) return null;
    if (Number.isNaN(low) || Number.isNaN(high)) return null;
    return {
      kind: "number",
      low: isBelow ? Number.NEGATIVE_INFINITY : low,
      high: isAbove ? Number.POSITIVE_INFINITY : high,
    };
  }

  /** Returns whether a cell passes; strings and other unordered values can only pass equality. */
  passes(high: number, low: number): boolean {
    const test = this.#test;
    if (test.code === V_ANY) return true;
    if (test.among !== null)
      return this.#among.some((alternative) => alternative.passes(high, low));
    const kind = kindOfCell(high);
    if (kind === PropertyKind.Number || kind === PropertyKind.Float) {
      return testNumber(test, numberOfCell(high, low));
    }
    if (kind !== PropertyKind.String) return false;
    if (test.code !== V_EQ && test.code !== V_NEQ) return false;
    return this.#isText(low) === (test.code === V_EQ);
  }

  #isText(pointer: number): boolean {
    const { text, isPrefix } = this.#test;
    if (text === null) return false;
    if (isPrefix) return this.#hasPrefix(pointer);
    // The pool may have reused the string's location since it was looked up.
    return pointer === this.#pointer && this.#strings.serialOf(pointer) === this.#serial;
  }

  #hasPrefix(pointer: number): boolean {
    const serial = this.#strings.serialOf(pointer);
    const known = this.#remembered.get(pointer);
    if (known !== undefined && Math.floor(known / 2) === serial) return known % 2 === 1;
    const isMatch = equalsText(this.#test, this.#strings.text(pointer));
    if (this.#strings.serialOf(pointer) !== serial) return isMatch;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(pointer, serial * 2 + (isMatch ? 1 : 0));
    return isMatch;
  }
}

/** @throws ValueError a key that no property can have */
function checkedKey(key: string): string {
  try {
    return validatePropertyKey(key);
  } catch (error) {
    throw withArgumentDetails(error as Error, key, NAMES, inMember(key));
  }
}
