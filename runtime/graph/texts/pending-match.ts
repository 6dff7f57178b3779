// Searches texts that are in no segment yet. Each document is read word by word, twice: first to
// count document frequencies, then to score matches.

import { NO_TERM, type WordForms } from "./analysis/word-forms.js";
import { distance, prefixDistance } from "./edit-distance.js";
import { editsFor, MAX_EDITS } from "./fuzzy-terms.js";
import { byteOfLength } from "./lengths.js";
import type { SearchPart, SearchWord, TextSearch } from "./parsed-search.js";
import type { PendingDocument } from "./pending-texts.js";
import { TYPO_WEIGHT } from "./resolve-parts.js";
import { averageLength, partIdfs, type TextStatistics } from "./text-statistics.js";
import { normFactor, saturate } from "./weights.js";

interface Matching {
  readonly document: PendingDocument;
  /** Frequencies times the factors of terms, by part and key. */
  readonly frequencies: Float64Array;
}

export class PendingMatch {
  readonly #search: TextSearch;
  readonly #forms: WordForms;
  readonly #parts: readonly PendingPart[];
  readonly #excluded: readonly PendingPart[];
  readonly #matching: Matching[] = [];
  /** Of the document being examined; copied if it matches. */
  readonly #frequencies: Float64Array;
  readonly #unused: Float64Array;
  readonly lengths: number[];
  documents = 0;

  constructor(search: TextSearch, forms: WordForms) {
    this.#search = search;
    this.#forms = forms;
    this.#parts = search.parts.map((part) => new PendingPart(part, search, forms));
    this.#excluded = search.excluded.map((part) => new PendingPart(part, search, forms));
    this.lengths = search.boosts.map(() => 0);
    this.#frequencies = new Float64Array(this.#parts.length * this.lengths.length);
    this.#unused = new Float64Array(this.lengths.length);
  }

  /** Examines a document. */
  add(document: PendingDocument): void {
    const { lengths } = this;
    const keys = lengths.length;
    const parts = this.#parts;
    const frequencies = this.#frequencies;
    this.documents++;
    for (let key = 0; key < keys; key++) lengths[key]! += document.lengths[key]!;
    let matches = 0;
    for (let at = 0; at < parts.length; at++) {
      if (parts[at]!.count(document, frequencies, at * keys)) matches++;
    }
    if (matches < this.#search.least) return;
    if (this.#excluded.some((part) => part.count(document, this.#unused, 0))) return;
    this.#matching.push({ document, frequencies: frequencies.slice() });
  }

  /** Counts the parts that a document has, and computes the score of each key alone. */
  describe(
    document: PendingDocument,
    statistics: TextStatistics,
  ): { readonly words: number; readonly scores: readonly number[] } {
    const { parts, boosts } = this.#search;
    const idfs = partIdfs(parts, statistics);
    const scores = boosts.map(() => 0);
    let words = 0;
    for (const [at, part] of this.#parts.entries()) {
      const frequencies = new Float64Array(boosts.length);
      if (part.count(document, frequencies, 0)) words++;
      for (const [key, frequency] of frequencies.entries()) {
        const terms = document.terms[key] ?? null;
        if (terms === null || frequency === 0) continue;
        const norm = normFactor(
          byteOfLength(document.lengths[key]!),
          averageLength(statistics, key),
        );
        scores[key]! += idfs[at]! * saturate((frequency * boosts[key]!) / norm);
      }
    }
    return { words, scores };
  }

  /** Number of documents that contain a term of part `at`, by key and text of the term. */
  addWordCounts(at: number, counts: Map<string, number>): void {
    for (const [code, count] of this.#parts[at]!.counts) {
      const keys = this.lengths.length;
      const name = `${code % keys} ${this.#forms.textOf(Math.floor(code / keys))}`;
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
  }

  /** Number of documents that contain a word of a phrase in a key. */
  phraseCount(at: number, word: number, key: number): number {
    return this.#parts[at]!.wordCounts[word * this.lengths.length + key] ?? 0;
  }

  /** Reports all matching documents. */
  run(statistics: TextStatistics, take: (document: PendingDocument, score: number) => void): void {
    const { parts, boosts } = this.#search;
    const idfs = partIdfs(parts, statistics);
    const averages = boosts.map((_, key) => averageLength(statistics, key));
    for (const { document, frequencies } of this.#matching) {
      const factors = boosts.map((boost, key) => {
        const terms = document.terms[key] ?? null;
        if (terms === null) return 0;
        return boost / normFactor(byteOfLength(document.lengths[key]!), averages[key]!);
      });
      let score = 0;
      for (const [at, idf] of idfs.entries()) {
        let weight = 0;
        for (const [key, factor] of factors.entries()) {
          weight += frequencies[at * boosts.length + key]! * factor;
        }
        if (weight > 0) score += idf * saturate(weight);
      }
      take(document, score);
    }
  }
}

/** A word or phrase to find in documents. */
class PendingPart {
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
    const isExact = part.kind === "phrase" || !standsForSeveral(part, search);
    this.#factors = isExact ? null : new Map();
  }

  /** Writes frequencies by key from an offset on; false if the document does not match. */
  count({ terms: texts }: PendingDocument, frequencies: Float64Array, offset: number): boolean {
    const { boosts } = this.#search;
    let isFound = false;
    for (let key = 0; key < texts.length; key++) {
      const terms = texts[key]!;
      const isSearched = terms !== null && boosts[key] !== 0;
      const frequency = isSearched ? this.#countIn(terms, key) : 0;
      frequencies[offset + key] = frequency;
      if (frequency > 0) isFound = true;
    }
    return isFound;
  }

  #countIn(terms: Int32Array, key: number): number {
    return this.#part.kind === "phrase"
      ? this.#countPhrase(terms, this.#part.offsets, key)
      : this.#countWord(terms, key);
  }

  #countWord(terms: Int32Array, key: number): number {
    const keys = this.#search.boosts.length;
    let frequency = 0;
    if (this.#factors === null) {
      const wanted = this.#terms[0]!;
      if (wanted < 0) return 0;
      for (let at = 0; at < terms.length; at++) if (terms[at] === wanted) frequency++;
      if (frequency > 0) increase(this.counts, wanted * keys + key);
      return frequency;
    }
    const seen = new Set<number>();
    for (const term of terms) {
      if (term === NO_TERM) continue;
      const factor = this.#factorOf(term, this.#factors);
      if (factor === 0) continue;
      frequency += factor;
      seen.add(term);
    }
    for (const term of seen) increase(this.counts, term * keys + key);
    return frequency;
  }

  #countPhrase(terms: Int32Array, offsets: readonly number[], key: number): number {
    const keys = this.#search.boosts.length;
    let frequency = 0;
    for (const [word, term] of this.#terms.entries()) {
      if (term < 0 || !terms.includes(term)) continue;
      const at = word * keys + key;
      this.wordCounts[at] = (this.wordCounts[at] ?? 0) + 1;
    }
    if (this.#terms.includes(-1)) return 0;
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

function increase(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function standsForSeveral(word: SearchWord, { fuzzy, synonyms }: TextSearch): boolean {
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
  const most = fuzzy === "auto" ? editsFor(word.form) : fuzzy;
  if (most === 0) return 0;
  const edits = term[0] === word.term[0] ? distance(word.term, term) : MAX_EDITS + 1;
  const whole = edits <= most ? TYPO_WEIGHT ** edits : 0;
  if (!word.isPrefix || term[0] !== word.form[0]) return whole;
  const begun = prefixDistance(word.form, term);
  const isNear = begun <= Math.min(most, editsFor(word.form));
  return isNear ? Math.max(whole, TYPO_WEIGHT ** begun) : whole;
}
