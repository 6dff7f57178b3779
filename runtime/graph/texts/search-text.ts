// Parses the text of a search. Every text is valid: "…" is a phrase, -word excludes, word* is a
// prefix, everything else is a word.

import type { Analysis } from "./analysis/analysis.js";
import type { SearchPart, SearchWord } from "./parsed-search.js";

/** Maximum number of characters and words; the rest is ignored. */
export const MAX_TEXT = 1000;
export const MAX_WORDS = 32;

export interface ParsedText {
  readonly parts: readonly SearchPart[];
  readonly excluded: readonly SearchPart[];
  /** True if a part of the text was ignored. */
  readonly isCut: boolean;
}

const PIECE = /(-?)"([^"]*)"?|(\S+)/gu;

/**
 * @param isLastPrefix whether the last word may be incomplete
 * @param language code of its language; null: the language of the index
 */
export function readSearchText(
  text: string,
  analysis: Analysis,
  isLastPrefix: boolean,
  language: string | null = null,
): ParsedText {
  const reading = new Reading(analysis, language);
  for (const [, sign, phrase, piece] of text.slice(0, MAX_TEXT).matchAll(PIECE)) {
    if (piece === undefined) reading.addPhrase(phrase ?? "", sign === "-");
    else reading.addPiece(piece);
  }
  const { parts } = reading;
  const last = parts.at(-1);
  const isBeginning = isLastPrefix && reading.endsWithWord && last?.kind === "word";
  if (isBeginning) parts[parts.length - 1] = { ...last, isPrefix: true };
  return {
    parts: parts.slice(0, MAX_WORDS),
    excluded: reading.excluded.slice(0, MAX_WORDS),
    isCut: text.length > MAX_TEXT || Math.max(parts.length, reading.excluded.length) > MAX_WORDS,
  };
}

class Reading {
  readonly parts: SearchPart[] = [];
  readonly excluded: SearchPart[] = [];
  /** True if the last part is a word that may be incomplete. */
  endsWithWord = false;
  readonly #analysis: Analysis;
  readonly #language: string | null;

  constructor(analysis: Analysis, language: string | null) {
    this.#analysis = analysis;
    this.#language = language;
  }

  addPhrase(text: string, isExcluded: boolean): void {
    this.endsWithWord = false;
    const part = this.#phraseOf(text);
    if (part !== null) (isExcluded ? this.excluded : this.parts).push(part);
  }

  /** Adds the text between two spaces, which can be several words. */
  addPiece(piece: string): void {
    const isExcluded = piece.length > 1 && piece.startsWith("-");
    const isPrefix = piece.endsWith("*");
    this.endsWithWord = false;
    if (isExcluded) {
      const words = this.#wordsOf(piece.slice(1), isPrefix);
      const part = words.length > 1 ? this.#phraseOf(piece.slice(1)) : words[0];
      if (part !== undefined && part !== null) this.excluded.push(part);
      return;
    }
    const words = this.#wordsOf(piece, isPrefix);
    this.parts.push(...words);
    this.endsWithWord = words.length > 0;
  }

  #wordsOf(piece: string, isPrefix: boolean): SearchWord[] {
    const { forms, terms } = this.#analysis.read(piece, this.#language);
    const words: SearchWord[] = [];
    for (const [at, form] of forms.entries()) {
      const isBeginning = isPrefix && at === forms.length - 1;
      const term = terms[at]!;
      // An incomplete stop word may become another word.
      if (term === null && !isBeginning) continue;
      words.push({ kind: "word", term: term ?? form, form, isPrefix: isBeginning });
    }
    return words;
  }

  #phraseOf(text: string): SearchPart | null {
    const { forms, terms } = this.#analysis.read(text, this.#language);
    const found = terms.flatMap((term, place) => (term === null ? [] : [{ term, place }]));
    if (found.length === 0) return null;
    const first = found[0]!;
    if (found.length === 1) {
      return { kind: "word", term: first.term, form: forms[first.place]!, isPrefix: false };
    }
    return {
      kind: "phrase",
      terms: found.slice(0, MAX_WORDS).map(({ term }) => term),
      offsets: found.slice(0, MAX_WORDS).map(({ place }) => place - first.place),
    };
  }
}
