// Values of one property by document, for a segment under construction. Equal values share a
// number; the encoded column numbers distinct values in their order.

import { GrowingWords } from "./growing-array.js";
import { COLUMN_WORDS, Column } from "./segment-layout.js";

/** A value that facets count; null for any other value. */
export type ColumnValue = string | number | null;

const float = new Float64Array(1);
const floatWords = new Uint32Array(float.buffer);

export class ColumnValues {
  readonly #numbers = new Map<string | number, number>();
  /** Number of each document's value; 0: no value. */
  readonly #ofDocuments = new GrowingWords();

  /** Adds the value of the next document. */
  add(value: ColumnValue): void {
    this.#ofDocuments.push(value === null ? 0 : this.numberFor(value));
  }

  /** Adds the next document by the number of its value; 0: it has none. */
  addNumber(number: number): void {
    this.#ofDocuments.push(number);
  }

  /** Returns the number of a value, from 1 on. */
  numberFor(value: string | number): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(value, number);
    }
    return number;
  }

  /** Appends the column to the words of a section, of which `at` is its entry. */
  encode(section: GrowingWords, at: number): void {
    const values = [...this.#numbers.keys()];
    const numbers = values.filter((value) => typeof value === "number").sort((a, b) => a - b);
    const strings = values.filter((value) => typeof value === "string").sort(compareUnits);
    const ordinals = new Uint32Array(values.length + 1);
    for (const [position, value] of [...numbers, ...strings].entries()) {
      ordinals[this.#numbers.get(value)!] = position + 1;
    }
    const put = (word: number, value: number): void => {
      section.words[at + word] = value;
    };
    put(Column.Numbers, numbers.length);
    put(Column.NumbersAt, section.length);
    for (const number of numbers) {
      float[0] = number;
      section.push(floatWords[0]!);
      section.push(floatWords[1]!);
    }
    put(Column.Strings, strings.length);
    put(Column.StringsAt, section.length);
    pushStrings(section, strings);
    const width = widthFor(values.length);
    put(Column.Width, width);
    put(Column.OrdinalsAt, section.length);
    this.#pushOrdinals(section, ordinals, width);
  }

  #pushOrdinals(section: GrowingWords, ordinals: Uint32Array, width: number): void {
    const { words, length } = this.#ofDocuments;
    const size = Math.ceil((length * width) / 4);
    const bytes = new Uint8Array(size * 4);
    const encoded = widthArray(bytes, width);
    for (let document = 0; document < length && width > 0; document++) {
      encoded[document] = ordinals[words[document]!]!;
    }
    for (const word of new Uint32Array(bytes.buffer)) section.push(word);
  }
}

/** Returns the bytes of an ordinal if the greatest one is `maximum`. */
function widthFor(maximum: number): 0 | 1 | 2 | 4 {
  if (maximum === 0) return 0;
  return maximum < 0x100 ? 1 : maximum < 0x1_0000 ? 2 : 4;
}

function widthArray({ buffer }: Uint8Array, width: number): Uint8Array | Uint16Array | Uint32Array {
  if (width === 2) return new Uint16Array(buffer);
  return width === 4 ? new Uint32Array(buffer) : new Uint8Array(buffer);
}

/** Appends the offsets of strings, with that of the end, and their UTF-16. */
function pushStrings(section: GrowingWords, strings: readonly string[]): void {
  let units = 0;
  section.push(0);
  for (const text of strings) {
    units += text.length;
    section.push(units);
  }
  const bytes = Buffer.from(strings.join(""), "utf16le");
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  section.reserve(words.length);
  for (const word of words) section.push(word);
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Encodes the columns of a segment as one section; see segment-layout.ts. */
export function encodeColumns(columns: readonly ColumnValues[]): Uint32Array {
  const section = new GrowingWords();
  for (let word = 0; word < columns.length * COLUMN_WORDS; word++) section.push(0);
  for (const [number, column] of columns.entries()) column.encode(section, number * COLUMN_WORDS);
  return section.words.subarray(0, section.length);
}
