// A column of a segment: the value of one property by document, as an ordinal into the sorted
// distinct values.

import type { Segment } from "./segment.js";
import { COLUMN_WORDS, Column, SegmentHead } from "./segment-layout.js";

const float = new Float64Array(1);
const floatWords = new Uint32Array(float.buffer);
/** Maximum number of arguments of one call. */
const MAX_CODES = 4096;

export class SegmentColumn {
  /** Number of distinct values, whose ordinals start at 1. Ordinal 0 means no value. */
  readonly distinct: number;
  readonly #segment: Segment;
  readonly #section: number;
  readonly #entry: number;
  readonly #numbers: number;

  /** @param number offset of the column in the index definition */
  constructor(segment: Segment, number: number) {
    const { words } = segment.views;
    this.#segment = segment;
    this.#section = segment.start + words[segment.start + SegmentHead.ColumnsAt]!;
    this.#entry = this.#section + number * COLUMN_WORDS;
    this.#numbers = this.#word(Column.Numbers);
    this.distinct = this.#numbers + this.#word(Column.Strings);
  }

  /** Counts documents by ordinal; `counts` has one element more than there are values. */
  count(documents: Uint32Array, from: number, end: number, counts: Uint32Array): void {
    const { bytes, units, words } = this.#segment.views;
    const width = this.#word(Column.Width);
    const first = this.#section + this.#word(Column.OrdinalsAt);
    if (width === 0) counts[0]! += end - from;
    else if (width === 1) {
      for (let at = from; at < end; at++) counts[bytes[first * 4 + documents[at]!]!]!++;
    } else if (width === 2) {
      for (let at = from; at < end; at++) counts[units[first * 2 + documents[at]!]!]!++;
    } else for (let at = from; at < end; at++) counts[words[first + documents[at]!]!]!++;
  }

  ordinalOf(document: number): number {
    const { bytes, units, words } = this.#segment.views;
    const width = this.#word(Column.Width);
    const first = this.#section + this.#word(Column.OrdinalsAt);
    if (width === 0) return 0;
    if (width === 1) return bytes[first * 4 + document]!;
    return width === 2 ? units[first * 2 + document]! : words[first + document]!;
  }

  /** Returns the value of an ordinal other than 0. */
  valueOf(ordinal: number): string | number {
    const position = ordinal - 1;
    return position < this.#numbers
      ? this.#numberAt(position)
      : this.#textAt(position - this.#numbers);
  }

  #numberAt(position: number): number {
    const { words } = this.#segment.views;
    const at = this.#section + this.#word(Column.NumbersAt) + 2 * position;
    floatWords[0] = words[at]!;
    floatWords[1] = words[at + 1]!;
    return float[0]!;
  }

  #textAt(position: number): string {
    const { units, words } = this.#segment.views;
    const offsets = this.#section + this.#word(Column.StringsAt);
    const first = (offsets + this.#word(Column.Strings) + 1) * 2;
    const end = first + words[offsets + position + 1]!;
    let text = "";
    for (let from = first + words[offsets + position]!; from < end; from += MAX_CODES) {
      text += String.fromCharCode(...units.subarray(from, Math.min(from + MAX_CODES, end)));
    }
    return text;
  }

  #word(word: number): number {
    return this.#segment.views.words[this.#entry + word]!;
  }
}
