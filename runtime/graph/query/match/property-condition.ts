// Conditions on the properties of a vertex: all keys named must be there and pass. Cells are tested
// as they lie in memory: texts are compared by their pointers into the pool, and whether one begins
// with a prefix is remembered, so that no text is read twice.

import { bitCount } from "../../memory/bit-count.js";
import { ARC_WORDS } from "../../memory/layout.js";
import { isPlainRecord } from "../../model/check-argument.js";
import { V_ANY, V_EQ, V_GT, V_GTE, V_LT, V_LTE, V_NEQ, V_RANGE } from "../../model/constants.js";
import { atArgumentPath, inMember, invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { kindOfCell, numberOfCell } from "../../store/property-cells.js";
import { bitOf, CELL_WORDS, groupOf } from "../../store/property-groups.js";
import type { ValueRange } from "../../store/property-indexes.js";
import type { PropertyTable } from "../../store/property-table.js";
import { PropertyKind, validatePropertyKey } from "../../store/property-values.js";
import type { StringPool } from "../../store/string-pool.js";
import { moveArc } from "./arc-stack.js";
import {
  closedRange,
  equalsText,
  parseValueCondition,
  testNumber,
  type ValueTest,
} from "./value-condition.js";

/** Texts that are remembered at most. */
const MAX_REMEMBERED = 65_536;

export class PropertyCondition {
  readonly #store: GraphStore;
  readonly #properties: PropertyTable;
  readonly #tests: readonly KeyTest[];

  /**
   * @param condition `{ key: value condition, ... }`; negation is the caller's
   * @throws SvcError SVC2406 what is no condition; SVC2411 what is no key
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
      .map(([key, value]) => new KeyTest(checkedName(key), valueTest(key, value), store.strings));
    this.bind();
  }

  /**
   * Looks keys and texts up, to be done before each execution: what comes to be later is not found.
   */
  bind(): void {
    for (const test of this.#tests) test.bind(this.#store);
  }

  /** Which index led to the last candidates. */
  label = "";

  /** Vertices among which all are that pass; null without an index, or for more than `limit`. */
  candidates(limit: number): readonly number[] | null {
    const { indexes } = this.#store;
    if (indexes.isEmpty) return null;
    let best: readonly number[] | null = null;
    for (const test of this.#tests) {
      // Nobody has what no property is called.
      if (test.code === 0) return [];
      const range = test.range();
      if (range === null) continue;
      const found = indexes.candidates(test.code, range, best?.length ?? limit);
      if (found === null) continue;
      best = found;
      this.label = `property ${test.key}`;
    }
    return best;
  }

  /** Whether a vertex has all of it. Takes no lock. */
  matches(vertex: number): boolean {
    return this.#matching(vertex, 1 << bitOf(vertex)) !== 0;
  }

  /**
   * Moves the arcs whose heads match, or those whose heads do not, to the front; returns where they
   * end. Heads that follow each other and are of one group are looked at together.
   */
  filter(arcs: Uint32Array, from: number, end: number, isNegated: boolean): number {
    let top = from;
    for (let begin = from; begin < end; ) {
      const first = arcs[begin]!;
      const group = groupOf(first);
      let wanted = 0;
      let next = begin;
      for (; next < end && groupOf(arcs[next]!) === group; next += ARC_WORDS) {
        wanted |= 1 << bitOf(arcs[next]!);
      }
      const matching = this.#matching(first, wanted);
      const passing = isNegated ? ~matching : matching;
      for (let arc = begin; arc < next; arc += ARC_WORDS) {
        if ((passing & (1 << bitOf(arcs[arc]!))) !== 0) top = moveArc(arcs, arc, top);
      }
      begin = next;
    }
    return top;
  }

  /** Those of the wanted vertices of a group that have all of it, a bit each. */
  #matching(vertex: number, wanted: number): number {
    const { groups } = this.#properties;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(vertex, attempt);
      const matching = this.#matchingNow(vertex, wanted);
      if (groups.leave(vertex, seen)) return matching;
    }
  }

  /** Those that do by what is read now; `leave` tells whether that counts. */
  #matchingNow(vertex: number, wanted: number): number {
    const { groups } = this.#properties;
    const tests = this.#tests;
    let left = wanted;
    for (let index = 0; index < tests.length && left !== 0; index++) {
      const test = tests[index]!;
      const entry = groups.entryOf(vertex, test.code);
      if (entry === 0) return 0;
      left = this.#passing(test, entry, left);
    }
    return left;
  }

  /** Those of some vertices of a group whose cells of one key pass. */
  #passing(test: KeyTest, entry: number, wanted: number): number {
    const { groups } = this.#properties;
    const bitmap = groups.bitmapOf(entry);
    const first = groups.cellsOf(entry);
    if (first === 0) return 0;
    const { floats } = groups;
    const { words } = groups.cells;
    // In a scan all are wanted that there are: their cells follow each other.
    const areAll = (bitmap & ~wanted) === 0;
    const { isRange, low, high } = test;
    let passing = 0;
    let cell = first;
    for (let bits = bitmap & wanted; bits !== 0; bits &= bits - 1) {
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

/** @throws QueryError what is no value condition */
function valueTest(key: string, condition: unknown): ValueTest {
  try {
    return parseValueCondition(condition);
  } catch (error) {
    throw atArgumentPath(error, inMember(key));
  }
}

/** A value condition on one key. */
class KeyTest {
  /** Of the key; 0 when no vertex has it. */
  code = 0;
  readonly key: string;
  /** True if the numbers that pass are those from `low` to `high`, which are no numbers else. */
  readonly isRange: boolean;
  readonly low: number;
  readonly high: number;
  readonly #test: ValueTest;
  readonly #strings: StringPool;
  /** Any of these will do; none where there is no list. */
  readonly #among: readonly KeyTest[];
  /** The text to equal: where it lies, 0 for nowhere, and its serial. */
  #pointer = 0;
  #serial = 0;
  /** By pointer: serial of the text * 2, plus 1 if it begins with the prefix. */
  readonly #remembered = new Map<number, number>();

  constructor(key: string, test: ValueTest, strings: StringPool) {
    this.key = key;
    this.#test = test;
    const range = closedRange(test);
    this.isRange = range !== null;
    this.low = range?.low ?? Number.NaN;
    this.high = range?.high ?? Number.NaN;
    this.#strings = strings;
    this.#among = (test.among ?? []).map((one) => new KeyTest(key, one, strings));
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

  /** What an index is to be asked for; null where it cannot help. */
  range(): ValueRange | null {
    const { code, low, high, text, isPrefix, among } = this.#test;
    if (among !== null) return null;
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

  /** Whether a cell passes; texts and what else has no order pass no comparison but equality. */
  passes(high: number, low: number): boolean {
    const test = this.#test;
    if (test.code === V_ANY) return true;
    if (test.among !== null) return this.#among.some((one) => one.passes(high, low));
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
    // Where the text lay when it was looked up, another may have come to lie since.
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

/** Unlike the key of a property, one in a condition may begin with an underscore or a digit. */
function checkedName(key: string): string {
  validatePropertyKey(key.replace(/^(_|[0-9]+)(?=[A-Za-z])/, ""));
  return key;
}
