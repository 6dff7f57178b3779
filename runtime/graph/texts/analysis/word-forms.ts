// Cache of the word forms that a thread has seen, with the term by which each is indexed. Forms are
// looked up by the hash of their folded units, so that only new ones are converted to strings.

/** Number of a form that is not indexed: a stop word. */
export const NO_TERM = -1;

/** Longer words are truncated. */
export const MAX_WORD_UNITS = 64;

const FIRST_SLOTS = 4096;
const MAX_FORMS = 1 << 20;

/** Returns the term of a form in a language: its stem, or null for a stop word. */
export type Stem = (form: string, language: number) => string | null;

/** Separates the hashes of one form in several languages. */
const LANGUAGE_FACTOR = 0x9e37_79b1;

export class WordForms {
  readonly #stem: Stem;
  #slots = new Int32Array(FIRST_SLOTS).fill(-1);
  #hashes = new Int32Array(FIRST_SLOTS);
  /** By form: start of its units, and the term. */
  #starts = new Uint32Array(FIRST_SLOTS);
  #termOfForm = new Int32Array(FIRST_SLOTS);
  #languages = new Int32Array(FIRST_SLOTS);
  #units = new Uint16Array(FIRST_SLOTS * 8);
  #forms = 0;
  #unitsEnd = 0;
  readonly #terms: string[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(stem: Stem) {
    this.#stem = stem;
  }

  /** Number of terms, which are numbered from 0. */
  get termCount(): number {
    return this.#terms.length;
  }

  textOf(term: number): string {
    return this.#terms[term]!;
  }

  /** Returns the number of a term; -1 if no form has produced it. */
  numberOf(text: string): number {
    return this.#numbers.get(text) ?? -1;
  }

  /** True when `forget` is due. */
  get isFull(): boolean {
    return this.#forms >= MAX_FORMS;
  }

  /** Forgets all forms and terms; their numbers are assigned again. */
  forget(): void {
    this.#slots.fill(-1);
    this.#forms = 0;
    this.#unitsEnd = 0;
    this.#terms.length = 0;
    this.#numbers.clear();
  }

  /** Term of a form of folded units; `NO_TERM` for a stop word. */
  termOf(units: Uint16Array, length: number, formHash: number, language: number): number {
    const hash = formHash ^ Math.imul(language, LANGUAGE_FACTOR);
    const mask = this.#slots.length - 1;
    let slot = spread(hash) & mask;
    for (;;) {
      const form = this.#slots[slot]!;
      if (form < 0) return this.#add(units, length, hash, language);
      const isSame = this.#hashes[form] === hash && this.#languages[form] === language;
      if (isSame && this.#isForm(form, units, length)) {
        return this.#termOfForm[form]!;
      }
      slot = (slot + 1) & mask;
    }
  }

  #isForm(form: number, units: Uint16Array, length: number): boolean {
    const start = this.#starts[form]!;
    const end = form + 1 < this.#forms ? this.#starts[form + 1]! : this.#unitsEnd;
    if (end - start !== length) return false;
    for (let at = 0; at < length; at++) {
      if (this.#units[start + at] !== units[at]) return false;
    }
    return true;
  }

  #add(units: Uint16Array, length: number, hash: number, language: number): number {
    if ((this.#forms + 1) * 2 > this.#slots.length) this.#grow();
    if (this.#unitsEnd + length > this.#units.length) {
      const larger = new Uint16Array(this.#units.length * 2);
      larger.set(this.#units);
      this.#units = larger;
    }
    const form = this.#forms++;
    this.#starts[form] = this.#unitsEnd;
    this.#units.set(units.subarray(0, length), this.#unitsEnd);
    this.#unitsEnd += length;
    this.#hashes[form] = hash;
    this.#languages[form] = language;
    this.#place(form);
    const term = this.#stem(String.fromCharCode(...units.subarray(0, length)), language);
    const number = term === null || term === "" ? NO_TERM : this.#numberFor(term);
    this.#termOfForm[form] = number;
    return number;
  }

  #numberFor(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#terms.length;
      this.#terms.push(text);
      this.#numbers.set(text, number);
    }
    return number;
  }

  #place(form: number): void {
    const mask = this.#slots.length - 1;
    let slot = spread(this.#hashes[form]!) & mask;
    while (this.#slots[slot]! >= 0) slot = (slot + 1) & mask;
    this.#slots[slot] = form;
  }

  #grow(): void {
    const size = this.#slots.length * 2;
    this.#slots = new Int32Array(size).fill(-1);
    this.#hashes = larger(this.#hashes, size);
    this.#languages = larger(this.#languages, size);
    this.#termOfForm = larger(this.#termOfForm, size);
    const starts = new Uint32Array(size);
    starts.set(this.#starts);
    this.#starts = starts;
    for (let form = 0; form < this.#forms; form++) this.#place(form);
  }
}

function larger(array: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(size);
  copy.set(array);
  return copy;
}

/** Mixes a hash, so that those of similar words differ in their low bits, too. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 13);
}
