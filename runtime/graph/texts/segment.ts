// Reads a segment. A thread holds a pin while it reads segments in shared memory, which prevents
// their memory from being reused (pins.ts).

import { assert } from "../../base/assert.js";
import { numberAt } from "./packed-numbers.js";
import {
  DOCUMENTS_MASK,
  KEY_SHIFT,
  keyAt,
  LIST_WORDS,
  List,
  normBytes,
  SegmentHead,
  SegmentKey,
  TERM_WORDS,
} from "./segment-layout.js";

/** Views of the same memory with different element types. */
export class SegmentViews {
  readonly words: Uint32Array;
  readonly floats: Float32Array;
  readonly units: Uint16Array;
  readonly bytes: Uint8Array;

  constructor(words: Uint32Array) {
    const { buffer, byteOffset, length } = words;
    this.words = words;
    this.floats = new Float32Array(buffer, byteOffset, length);
    this.units = new Uint16Array(buffer, byteOffset, length * 2);
    this.bytes = new Uint8Array(buffer, byteOffset, length * 4);
  }
}

export class Segment {
  readonly views: SegmentViews;
  /** First word of the segment. */
  readonly start: number;
  readonly documents: number;
  readonly terms: number;
  readonly #vertices: number;
  readonly #versions: number;
  readonly #norms: number;
  readonly #termTable: number;
  readonly #texts: number;
  readonly #lists: number;
  /** First byte of short lists and positions. */
  readonly firstByte: number;

  constructor(views: SegmentViews, start: number) {
    const head = (word: number): number => views.words[start + word]!;
    this.views = views;
    this.start = start;
    this.documents = head(SegmentHead.Documents);
    this.terms = head(SegmentHead.Terms);
    this.#vertices = start + head(SegmentHead.VerticesAt);
    const versions = head(SegmentHead.VersionsAt);
    this.#versions = versions === 0 ? 0 : start + versions;
    this.#norms = (start + head(SegmentHead.NormsAt)) * 4;
    this.#termTable = start + head(SegmentHead.TermsAt);
    this.#texts = (start + head(SegmentHead.TextsAt)) * 2;
    this.#lists = start + head(SegmentHead.ListsAt);
    this.firstByte = (start + head(SegmentHead.BytesAt)) * 4;
    const end = start + head(SegmentHead.Words);
    assert(end <= views.words.length, "a segment is within its memory");
    assert(this.#vertices <= this.#termTable, "vertices of a segment precede its terms");
    assert(this.#termTable < this.#lists && this.#lists <= end, "its lists follow its terms");
  }

  get keys(): number {
    return this.#head(SegmentHead.Keys);
  }

  get words(): number {
    return this.#head(SegmentHead.Words);
  }

  vertexOf(document: number): number {
    return numberAt(this.views, this.#vertices, document);
  }

  versionOf(document: number): number {
    return this.#versions === 0 ? 0 : numberAt(this.views, this.#versions, document);
  }

  /** Sum of the lengths of the texts of a key. */
  lengthOf(key: number): number {
    const at = this.start + keyAt(key);
    const { words } = this.views;
    return words[at + SegmentKey.Length]! + words[at + SegmentKey.LengthHigh]! * 2 ** 32;
  }

  /** Average length for which maximum weights were computed. */
  averageOf(key: number): number {
    return this.views.floats[this.start + keyAt(key) + SegmentKey.Average]!;
  }

  /** First byte of the encoded lengths of a key. */
  normsOf(key: number): number {
    return this.#norms + key * normBytes(this.documents);
  }

  textOf(term: number): string {
    const from = this.#textAt(term);
    const end = this.#textAt(term + 1);
    return String.fromCharCode(...this.views.units.subarray(from, end));
  }

  /** First unit of a term's text; also accepts the end of the terms. */
  #textAt(term: number): number {
    return this.#texts + this.views.words[this.#termTable + term * TERM_WORDS]!;
  }

  /** Returns the number of a term; -1 if the segment does not contain it. */
  find(text: string): number {
    const term = this.lowerBound(text);
    if (term === this.terms) return -1;
    const from = this.#textAt(term);
    const isWhole = this.#textAt(term + 1) - from === text.length;
    return isWhole && this.compare(term, text) === 0 ? term : -1;
  }

  /** Returns the first term that is not less than a text. */
  lowerBound(text: string): number {
    let low = 0;
    let high = this.terms;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, text) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the first term after all terms with a prefix. */
  endOfPrefix(text: string, from: number): number {
    let low = from;
    let high = this.terms;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#begins(middle, text)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Compares the text of a term with another text, like a comparison function for `sort`. */
  compare(term: number, text: string): number {
    const { units } = this.views;
    const from = this.#textAt(term);
    const length = this.#textAt(term + 1) - from;
    const common = Math.min(length, text.length);
    for (let at = 0; at < common; at++) {
      const difference = units[from + at]! - text.charCodeAt(at);
      if (difference !== 0) return difference;
    }
    return length - text.length;
  }

  #begins(term: number, text: string): boolean {
    const { units } = this.views;
    const from = this.#textAt(term);
    if (this.#textAt(term + 1) - from < text.length) return false;
    for (let at = 0; at < text.length; at++) {
      if (units[from + at] !== text.charCodeAt(at)) return false;
    }
    return true;
  }

  /** Copies the units of a term's text; returns their number. */
  copyText(term: number, into: Uint16Array): number {
    const from = this.#textAt(term);
    const length = this.#textAt(term + 1) - from;
    for (let at = 0; at < length; at++) into[at] = this.views.units[from + at]!;
    return length;
  }

  /** First word of the first list of a term; also accepts the end of the terms. */
  listsOf(term: number): number {
    return this.#lists + this.views.words[this.#termTable + term * TERM_WORDS + 1]! * LIST_WORDS;
  }

  /** First word of the list of a term and key; 0 if there is none. */
  findList(term: number, key: number): number {
    const end = this.listsOf(term + 1);
    for (let list = this.listsOf(term); list < end; list += LIST_WORDS) {
      if (this.keyOfList(list) === key) return list;
    }
    return 0;
  }

  keyOfList(list: number): number {
    return this.views.words[list + List.Documents]! >>> KEY_SHIFT;
  }

  documentsOfList(list: number): number {
    return this.views.words[list + List.Documents]! & DOCUMENTS_MASK;
  }

  #head(word: number): number {
    return this.views.words[this.start + word]!;
  }
}
