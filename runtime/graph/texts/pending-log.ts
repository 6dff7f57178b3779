// Texts that are in no segment yet, as a thread has read them, in the order of their changes. There
// is a list of texts for each term, and a list of terms for each first letter, so that a search
// visits only texts that can match.

import { NO_TERM, type WordForms } from "./analysis/word-forms.js";

export interface PendingDocument {
  readonly vertex: number;
  readonly version: number;
  /** Terms by key, in word order; null if there is no text. */
  readonly terms: readonly (Int32Array | null)[];
  /** Number of terms by key, without stop words. */
  readonly lengths: readonly number[];
}

/** Source of the changes of vertices. */
interface Changes {
  /** Version of the text that was changed last. */
  readonly serial: number;
  versionOf(vertex: number): number;
  vertexOfVersion(version: number): number;
}

/** Pending changes. */
interface Range {
  /** The index has all texts up to this version. */
  readonly builtTo: number;
  /** The last version to read. */
  readonly serial: number;
  /** Maximum number of latest changes that the ring lists. */
  readonly most: number;
}

/** Number of documents that are charged at a time. */
const SPENT_AT_ONCE = 256;
const FIRST_TERMS = 4096;
const NO_TERMS: readonly number[] = [];

export class PendingLog {
  /** Number of keys of the index. */
  readonly keys: number;
  /** By slot; null for a document that has been superseded by a newer change. */
  readonly documents: (PendingDocument | null)[] = [];
  /** Number of documents that have not been superseded. */
  count = 0;
  /** Number of their terms, by key. */
  readonly lengths: number[];
  readonly #forms: Pick<WordForms, "textOf">;
  readonly #slots = new Map<number, number>();
  /** By first letter. */
  readonly #terms = new Map<string, number[]>();
  /** By term: its last entry; 0 for none. */
  #last = new Int32Array(FIRST_TERMS);
  /** By entry, from 1: the text, and the previous entry of its term. */
  #texts = new Int32Array(FIRST_TERMS);
  #previous = new Int32Array(FIRST_TERMS);
  #entries = 0;
  #from = 0;
  #to = 0;

  /** @param forms have the letters of terms */
  constructor(keys: number, forms: Pick<WordForms, "textOf">) {
    this.keys = keys;
    this.#forms = forms;
    this.lengths = Array.from({ length: keys }, () => 0);
  }

  /** Discards all documents. */
  clear(): void {
    this.documents.length = 0;
    this.count = 0;
    this.lengths.fill(0);
    for (const terms of this.#terms.values()) for (const term of terms) this.#last[term] = 0;
    this.#terms.clear();
    this.#entries = 0;
    this.#slots.clear();
    this.#to = this.#from;
  }

  /**
   * Reads the changes of a range.
   * @param read returns the texts of a vertex; null if the index does not include it
   */
  update(
    changes: Changes,
    { builtTo, serial, most }: Range,
    read: (vertex: number) => PendingDocument | null,
    spend: (count: number) => void,
  ): void {
    this.#start(builtTo, serial);
    const first = this.#to + 1;
    for (let version = first; version <= serial; version++) {
      if ((version - first) % SPENT_AT_ONCE === 0) spend(SPENT_AT_ONCE);
      const vertex = changes.vertexOfVersion(version);
      this.#remove(vertex);
      // If the vertex has changed again, the newer version counts.
      const document = changes.versionOf(vertex) === version ? read(vertex) : null;
      if (document !== null) this.#add(document);
      this.#to = version;
    }
    // The entries of these versions may have been overwritten meanwhile: read all again later.
    if (changes.serial - first >= most) this.clear();
  }

  /**
   * Calls a function for each text with a term. A text is its slot times the keys plus its key;
   * those of a slot follow each other.
   */
  visit(term: number, take: (text: number) => void): void {
    const { keys, documents } = this;
    let entry = this.#last[term] ?? 0;
    for (; entry !== 0; entry = this.#previous[entry]!) {
      const text = this.#texts[entry]!;
      if (documents[Math.floor(text / keys)] !== null) take(text);
    }
  }

  /** Returns all terms with a first letter; some may no longer have texts. */
  termsWith(letter: string): readonly number[] {
    return this.#terms.get(letter) ?? NO_TERMS;
  }

  /** Continues with the texts that are still pending. */
  #start(builtTo: number, serial: number): void {
    if (builtTo === this.#from && serial >= this.#to) return;
    const left = builtTo > this.#from && serial >= this.#to ? [...this.documents] : [];
    const to = left.length === 0 ? builtTo : Math.max(builtTo, this.#to);
    this.#from = builtTo;
    this.clear();
    this.#to = to;
    for (const document of left) {
      if (document !== null && document.version > builtTo) this.#add(document);
    }
  }

  #add(document: PendingDocument): void {
    const slot = this.documents.length;
    this.#slots.set(document.vertex, slot);
    this.documents.push(document);
    this.count++;
    for (let key = 0; key < this.keys; key++) {
      const terms = document.terms[key] ?? null;
      if (terms === null) continue;
      for (let at = 0; at < terms.length; at++) this.#addTerm(terms[at]!, slot * this.keys + key);
      this.lengths[key]! += document.lengths[key]!;
    }
  }

  #addTerm(term: number, text: number): void {
    if (term === NO_TERM) return;
    if (term >= this.#last.length) this.#last = grown(this.#last, term + 1);
    const previous = this.#last[term]!;
    if (previous === 0) this.#addLetter(term);
    else if (this.#texts[previous] === text) return;
    const entry = ++this.#entries;
    if (entry === this.#texts.length) {
      this.#texts = grown(this.#texts, entry + 1);
      this.#previous = grown(this.#previous, entry + 1);
    }
    this.#texts[entry] = text;
    this.#previous[entry] = previous;
    this.#last[term] = entry;
  }

  #addLetter(term: number): void {
    const letter = this.#forms.textOf(term)[0]!;
    const terms = this.#terms.get(letter);
    if (terms === undefined) this.#terms.set(letter, [term]);
    else terms.push(term);
  }

  #remove(vertex: number): void {
    const slot = this.#slots.get(vertex);
    if (slot === undefined) return;
    const { lengths } = this.documents[slot]!;
    for (const [key, length] of lengths.entries()) this.lengths[key]! -= length;
    this.documents[slot] = null;
    this.#slots.delete(vertex);
    this.count--;
  }
}

function grown(array: Int32Array, minLength: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * minLength);
  larger.set(array);
  return larger;
}
