// A word or phrase of a search, found in texts that are in no segment yet.

import { NO_TERM, type WordForms } from "./analysis/word-forms.js";
import { distance, prefixDistance } from "./edit-distance.js";
import { editsFor, MAX_EDITS } from "./fuzzy-terms.js";
import type { SearchPart, SearchWord, TextSearch } from "./parsed-search.js";
import type { PendingDocument, PendingLog } from "./pending-log.js";
import { TYPO_WEIGHT } from "./resolve-parts.js";

/** A word or phrase to find in documents. */
export class PendingPart {
  /** For a word: documents by term and key. */
  readonly counts = new Map<number, number>();
  /** For a phrase: documents by word and key. */
  readonly wordCounts: number[] = [];
  readonly #part: SearchPart;
  readonly #search: TextSearch;
  readonly #forms: WordForms;
  readonly #terms: readonly number[];
  /** Cached factors of terms; null if the word stands for one term. */
  readonly #factors: Map<number, number> | null;

  constructor(part: SearchPart, search: TextSearch, forms: WordForms) {
    this.#part = part;
    this.#search = search;
    this.#forms = forms;
    const texts = part.kind === "word" ? [part.term] : part.terms;
    this.#terms = texts.map((text) => forms.numberOf(text));
    const isExact = part.kind === "phrase" || !matchesSeveralTerms(part, search);
    this.#factors = isExact ? null : new Map();
  }

  /**
   * Counts the documents of a log with each of its terms.
   * @param matches increased for each document that may have the part, by its slot
   */
  scan(log: PendingLog, matches: Uint8Array): void {
    if (this.#part.kind === "phrase") this.#scanPhrase(log, matches);
    else if (this.#factors === null) this.#scanTerm(log, matches);
    else this.#scanTerms(log, this.#factors, matches);
  }

  #scanTerm(log: PendingLog, matches: Uint8Array): void {
    const [term] = this.#terms as [number];
    const keys = this.#search.boosts.length;
    const found = new Float64Array(keys);
    for (const slot of this.#slotsOf(log, term, found)) matches[slot]!++;
    for (const [key, count] of found.entries()) {
      if (count > 0) increase(this.counts, term * keys + key, count);
    }
  }

  #scanTerms(log: PendingLog, factors: Map<number, number>, matches: Uint8Array): void {
    const { boosts } = this.#search;
    const keys = boosts.length;
    const isMarked = new Uint8Array(matches.length);
    for (const term of this.#candidates(log)) {
      if (this.#factorOf(term, factors) === 0) continue;
      log.visit(term, (text) => {
        const key = text % keys;
        if (boosts[key] === 0) return;
        increase(this.counts, term * keys + key, 1);
        const slot = Math.floor(text / keys);
        if (isMarked[slot] === 0) matches[slot]!++;
        isMarked[slot] = 1;
      });
    }
  }

  /** Returns all terms of a log that a word may stand for. */
  #candidates(log: PendingLog): Set<number> {
    const { term, form, isPrefix } = this.#part as SearchWord;
    const { fuzzy, synonyms } = this.#search;
    const meant = [term, ...(synonyms.get(term) ?? [])].map((text) => this.#forms.numberOf(text));
    const found = new Set(meant.filter((number) => number >= 0));
    const letters = new Set(isPrefix ? [form[0]!] : []);
    if (fuzzy !== 0) letters.add(term[0]!);
    for (const letter of letters) for (const number of log.termsWith(letter)) found.add(number);
    return found;
  }

  /** Marks the documents with the rarest word. */
  #scanPhrase(log: PendingLog, matches: Uint8Array): void {
    const keys = this.#search.boosts.length;
    const found = new Float64Array(keys);
    let rarest: readonly number[] | null = null;
    for (const [word, term] of this.#terms.entries()) {
      const slots = this.#slotsOf(log, term, found.fill(0));
      for (const [key, count] of found.entries()) {
        const at = word * keys + key;
        if (count > 0) this.wordCounts[at] = (this.wordCounts[at] ?? 0) + count;
      }
      if (rarest === null || slots.length < rarest.length) rarest = slots;
    }
    for (const slot of rarest!) matches[slot]!++;
  }

  /** Returns the documents with a term, and counts its texts by key. */
  #slotsOf(log: PendingLog, term: number, found: Float64Array): readonly number[] {
    const { boosts } = this.#search;
    const slots: number[] = [];
    if (term < 0) return slots;
    log.visit(term, (text) => {
      const key = text % boosts.length;
      if (boosts[key] === 0) return;
      found[key]!++;
      const slot = Math.floor(text / boosts.length);
      if (slot !== slots.at(-1)) slots.push(slot);
    });
    return slots;
  }

  /**
   * Writes frequencies by key from an offset on; false if the document does not match.
   * @param isCounted whether its terms are to be counted
   */
  count(
    { terms: texts }: PendingDocument,
    frequencies: Float64Array,
    offset: number,
    isCounted: boolean,
  ): boolean {
    const { boosts } = this.#search;
    let isFound = false;
    for (let key = 0; key < texts.length; key++) {
      const terms = texts[key]!;
      const isSearched = terms !== null && boosts[key] !== 0;
      const frequency = isSearched ? this.#countIn(terms, key, isCounted) : 0;
      frequencies[offset + key] = frequency;
      if (frequency > 0) isFound = true;
    }
    return isFound;
  }

  #countIn(terms: Int32Array, key: number, isCounted: boolean): number {
    if (this.#part.kind === "phrase") {
      if (isCounted) this.#countPhraseWords(terms, key);
      return this.#countPhrase(terms, this.#part.offsets);
    }
    return this.#factors === null
      ? this.#countTerm(terms, key, isCounted)
      : this.#countTerms(terms, this.#factors, key, isCounted);
  }

  #countTerm(terms: Int32Array, key: number, isCounted: boolean): number {
    const [searchedTerm] = this.#terms as [number];
    if (searchedTerm < 0) return 0;
    let frequency = 0;
    for (let at = 0; at < terms.length; at++) if (terms[at] === searchedTerm) frequency++;
    if (isCounted && frequency > 0) {
      increase(this.counts, searchedTerm * this.#search.boosts.length + key, 1);
    }
    return frequency;
  }

  #countTerms(
    terms: Int32Array,
    factors: Map<number, number>,
    key: number,
    isCounted: boolean,
  ): number {
    const seen = isCounted ? new Set<number>() : null;
    let frequency = 0;
    for (const term of terms) {
      if (term === NO_TERM) continue;
      const factor = this.#factorOf(term, factors);
      if (factor === 0) continue;
      frequency += factor;
      seen?.add(term);
    }
    const keys = this.#search.boosts.length;
    for (const term of seen ?? []) increase(this.counts, term * keys + key, 1);
    return frequency;
  }

  #countPhraseWords(terms: Int32Array, key: number): void {
    for (const [word, term] of this.#terms.entries()) {
      if (term < 0 || !terms.includes(term)) continue;
      const at = word * this.#search.boosts.length + key;
      this.wordCounts[at] = (this.wordCounts[at] ?? 0) + 1;
    }
  }

  #countPhrase(terms: Int32Array, offsets: readonly number[]): number {
    if (this.#terms.includes(-1)) return 0;
    let frequency = 0;
    for (let at = 0; at < terms.length; at++) {
      if (this.#terms.every((term, word) => terms[at + offsets[word]!] === term)) frequency++;
    }
    return frequency;
  }

  #factorOf(term: number, factors: Map<number, number>): number {
    let factor = factors.get(term);
    if (factor === undefined) {
      factor = termFactor(this.#part as SearchWord, this.#forms.textOf(term), this.#search);
      factors.set(term, factor);
    }
    return factor;
  }
}

function increase(counts: Map<number, number>, key: number, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function matchesSeveralTerms(word: SearchWord, { fuzzy, synonyms }: TextSearch): boolean {
  const edits = fuzzy === "auto" ? editsFor(word.form) : fuzzy;
  return word.isPrefix || edits > 0 || synonyms.has(word.term);
}

/** Returns the factor of a term for a word; 0 if the word does not stand for it. */
export function termFactor(
  word: SearchWord,
  term: string,
  { fuzzy, synonyms }: TextSearch,
): number {
  if (term === word.term || (word.isPrefix && term.startsWith(word.form))) return 1;
  if (synonyms.get(word.term)?.includes(term)) return 1;
  const maxEdits = fuzzy === "auto" ? editsFor(word.form) : fuzzy;
  if (maxEdits === 0) return 0;
  const edits = term[0] === word.term[0] ? distance(word.term, term, maxEdits) : MAX_EDITS + 1;
  const whole = edits <= maxEdits ? TYPO_WEIGHT ** edits : 0;
  if (!word.isPrefix || term[0] !== word.form[0]) return whole;
  const mostBegun = Math.min(maxEdits, editsFor(word.form));
  const begun = prefixDistance(word.form, term, mostBegun);
  return begun <= mostBegun ? Math.max(whole, TYPO_WEIGHT ** begun) : whole;
}
