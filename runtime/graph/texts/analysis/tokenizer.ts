// Splits texts into words: folded runs of letters, digits and marks, or all pairs of neighboring
// characters in scripts without spaces. One tokenizer serves one thread and one set of word forms.

import {
  composeText,
  computePage,
  findExpansion,
  foldedPoint,
  foldedUnits,
  foldText,
  isPairCharacter,
  isWordCharacter,
  UnitClass,
  unitClasses,
} from "./fold-table.js";
import { MAX_WORD_UNITS, type WordForms } from "./word-forms.js";

const HASH_FACTOR = 0x01000193;
const HASH_START = 0x811c9dc5 | 0;
/** A pair consists of two folded code points of up to two units; a piece never has more. */
const BUFFER_UNITS = MAX_WORD_UNITS + 4;

export class Tokenizer {
  readonly forms: WordForms;
  /** Terms of the last text, one per word; `NO_TERM` for stop words. */
  terms = new Int32Array(1024);
  /** Start and end of each word in the last text, if `keepsRanges`. */
  ranges = new Uint32Array(2048);
  count = 0;
  /** True to fill in `ranges`. */
  keepsRanges = false;
  /** The text that `ranges` refers to: the original or its composed form. */
  text = "";
  readonly #units = new Uint16Array(BUFFER_UNITS);
  #length = 0;
  #hash = HASH_START;
  #language = 0;
  #start = 0;
  /** Previous character in a run of pairs: its units, and whether it was part of a pair. */
  #previous = "";
  #previousStart = 0;
  #isPaired = false;

  constructor(forms: WordForms) {
    this.forms = forms;
  }

  /**
   * Reads a text; returns the number of words.
   * @param language number that `forms` knows it by
   */
  read(text: string, language = 0): number {
    return this.#read(text, language, false);
  }

  #read(text: string, language: number, isComposed: boolean): number {
    this.text = text;
    this.#language = language;
    this.count = 0;
    this.#previous = "";
    this.#isPaired = false;
    this.#begin();
    const { length } = text;
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at);
      let unitClass = unitClasses[unit]!;
      if (unitClass === UnitClass.Unknown) {
        computePage(unit);
        unitClass = unitClasses[unit]!;
      }
      switch (unitClass) {
        case UnitClass.Letter:
          if (this.#previous !== "") this.#endRun(at);
          if (this.#length === 0) this.#start = at;
          this.#add(foldedUnits[unit]!);
          break;
        case UnitClass.Separator:
          this.#endAll(at);
          break;
        case UnitClass.Dropped:
          break;
        case UnitClass.Pair:
          this.#addPair(String.fromCharCode(foldedUnits[unit]!), at, at + 1);
          break;
        case UnitClass.Composed: {
          // Composing takes as long as reading, so it happens once.
          if (!isComposed) return this.#read(composeText(text), language, true);
          this.#addSeveral(foldText(text[at]!), at, at + 1);
          break;
        }
        case UnitClass.Surrogate: {
          const point = text.codePointAt(at)!;
          if (point < 0x1_0000) this.#endAll(at);
          else {
            this.#addSeveral(foldedPoint(point), at, at + 2);
            at++;
          }
          break;
        }
        default:
          this.#addSeveral(findExpansion(unit), at, at + 1);
      }
    }
    this.#endAll(length);
    return this.count;
  }

  #addSeveral(characters: string, start: number, end: number): void {
    for (const character of characters) this.#addCharacter(character, start, end);
  }

  #addCharacter(character: string, start: number, end: number): void {
    if (!isWordCharacter(character)) {
      this.#endAll(start);
    } else if (isPairCharacter(character)) this.#addPair(character, start, end);
    else {
      if (this.#previous !== "") this.#endRun(start);
      if (this.#length === 0) this.#start = start;
      for (let at = 0; at < character.length; at++) this.#add(character.charCodeAt(at));
    }
  }

  #begin(): void {
    this.#length = 0;
    this.#hash = HASH_START;
  }

  #add(unit: number): void {
    if (this.#length >= MAX_WORD_UNITS) return;
    this.#units[this.#length++] = unit;
    this.#hash = Math.imul(this.#hash ^ unit, HASH_FACTOR);
  }

  #addPair(character: string, start: number, end: number): void {
    if (this.#length > 0) this.#endWord(start);
    if (this.#previous !== "") {
      this.#putPair(this.#previous + character, this.#previousStart, end);
      this.#isPaired = true;
    }
    this.#previous = character;
    this.#previousStart = start;
  }

  #putPair(pair: string, start: number, end: number): void {
    this.#start = start;
    for (let at = 0; at < pair.length; at++) this.#add(pair.charCodeAt(at));
    this.#endWord(end);
  }

  /** Ends a run of pairs. A run of a single character is a word. */
  #endRun(end: number): void {
    if (!this.#isPaired) this.#putPair(this.#previous, this.#previousStart, end);
    this.#previous = "";
    this.#isPaired = false;
  }

  #endAll(end: number): void {
    if (this.#previous !== "") this.#endRun(end);
    if (this.#length > 0) this.#endWord(end);
  }

  #endWord(end: number): void {
    const term = this.forms.termOf(this.#units, this.#length, this.#hash, this.#language);
    if (this.count === this.terms.length) this.#growTerms();
    this.terms[this.count] = term;
    if (this.keepsRanges) this.#putPlace(this.#start, end);
    this.count++;
    this.#begin();
  }

  #putPlace(start: number, end: number): void {
    if (this.count * 2 >= this.ranges.length) {
      const larger = new Uint32Array(this.ranges.length * 2);
      larger.set(this.ranges);
      this.ranges = larger;
    }
    this.ranges[this.count * 2] = start;
    this.ranges[this.count * 2 + 1] = end;
  }

  #growTerms(): void {
    const larger = new Int32Array(this.terms.length * 2);
    larger.set(this.terms);
    this.terms = larger;
  }
}
