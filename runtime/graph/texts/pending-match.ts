// Searches texts that are in no segment yet: reads the terms of all documents to count document
// frequencies, and those of matching documents again to score them.

import type { WordForms } from "./analysis/word-forms.js";
import { byteOfLength } from "./lengths.js";
import type { TextSearch } from "./parsed-search.js";
import type { PendingDocument, PendingLog } from "./pending-log.js";
import { PendingPart } from "./pending-part.js";
import { averageLength, partIdfs, type TextStatistics } from "./text-statistics.js";
import { normFactor, saturate } from "./weights.js";

const FIRST_FREQUENCIES = 64;

export class PendingMatch {
  readonly #search: TextSearch;
  readonly #forms: WordForms;
  readonly #parts: readonly PendingPart[];
  readonly #excluded: readonly PendingPart[];
  readonly #matching: PendingDocument[] = [];
  /** Frequencies times the factors of terms, by matching document, part and key. */
  #frequencies = new Float64Array(FIRST_FREQUENCIES);
  readonly #unused: Float64Array;
  readonly lengths: number[];
  documents = 0;

  constructor(search: TextSearch, forms: WordForms) {
    this.#search = search;
    this.#forms = forms;
    this.#parts = search.parts.map((part) => new PendingPart(part, search, forms));
    this.#excluded = search.excluded.map((part) => new PendingPart(part, search, forms));
    this.lengths = search.boosts.map(() => 0);
    this.#unused = new Float64Array(this.lengths.length);
  }

  /** Examines the documents of a log. */
  addLog(log: PendingLog): void {
    const { documents } = log;
    const { minMatches } = this.#search;
    this.documents += log.count;
    for (const [key, length] of log.lengths.entries()) this.lengths[key]! += length;
    /** Number of the parts that a document may have. */
    const matches = new Uint8Array(documents.length);
    for (const part of this.#parts) part.scan(log, matches);
    for (let slot = 0; slot < matches.length; slot++) {
      if (matches[slot]! < minMatches) continue;
      const document = documents[slot]!;
      if (document !== null) this.#examine(document, false);
    }
  }

  /** Examines a document. */
  add(document: PendingDocument): void {
    this.documents++;
    for (const [key, length] of document.lengths.entries()) this.lengths[key]! += length;
    this.#examine(document, true);
  }

  /** @param isCounted whether its terms are to be counted */
  #examine(document: PendingDocument, isCounted: boolean): void {
    const keys = this.lengths.length;
    const parts = this.#parts;
    const from = this.#matching.length * parts.length * keys;
    const frequencies = this.#roomFor(from + parts.length * keys);
    let matches = 0;
    for (let at = 0; at < parts.length; at++) {
      if (parts[at]!.count(document, frequencies, from + at * keys, isCounted)) matches++;
    }
    if (matches < this.#search.minMatches) return;
    if (this.#excluded.some((part) => part.count(document, this.#unused, 0, false))) return;
    this.#matching.push(document);
  }

  #roomFor(length: number): Float64Array {
    if (length > this.#frequencies.length) {
      const larger = new Float64Array(2 * length);
      larger.set(this.#frequencies);
      this.#frequencies = larger;
    }
    return this.#frequencies;
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
      if (part.count(document, frequencies, 0, false)) words++;
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
    const factors = new Float64Array(boosts.length);
    const frequencies = this.#frequencies;
    let from = 0;
    for (const document of this.#matching) {
      for (let key = 0; key < factors.length; key++) {
        const norm = normFactor(byteOfLength(document.lengths[key]!), averages[key]!);
        factors[key] = boosts[key]! / norm;
      }
      let score = 0;
      for (let at = 0; at < idfs.length; at++) {
        let weight = 0;
        for (let key = 0; key < factors.length; key++) {
          weight += frequencies[from++]! * factors[key]!;
        }
        if (weight > 0) score += idfs[at]! * saturate(weight);
      }
      take(document, score);
    }
  }
}
