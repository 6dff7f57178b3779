// Reads the text that is searched for. Any text is a search: "…" is a phrase, -word excludes, word*
// is a prefix, all else are words.

import type { Analysis } from "./analysis/analysis.js";
import type { SoughtPart, SoughtWord } from "./sought-text.js";

/** Characters and words of a text that count; the rest is ignored. */
export const MAX_TEXT = 1000;
export const MAX_WORDS = 32;

export interface SoughtText {
  readonly parts: readonly SoughtPart[];
  readonly excluded: readonly SoughtPart[];
  /** True if a part of the text was ignored. */
  readonly isCut: boolean;
}

const PIECE = /(-?)"([^"]*)"?|(\S+)/gu;

/**
 * @param isLastPrefix true: the last word may be a beginning
 * @param language code of its language; null: that of the index
 */
export function readSearchText(
  text: string,
  analysis: Analysis,
  isLastPrefix: boolean,
  language: string | null = null,
): SoughtText {
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
  readonly parts: SoughtPart[] = [];
  readonly excluded: SoughtPart[] = [];
  /** True if what was read last is a word that may be a beginning. */
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

  /** Adds what stands between spaces, which may be several words. */
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

  #wordsOf(piece: string, isPrefix: boolean): SoughtWord[] {
    const { forms, terms } = this.#analysis.read(piece, this.#language);
    const words: SoughtWord[] = [];
    for (const [at, form] of forms.entries()) {
      const isBeginning = isPrefix && at === forms.length - 1;
      const term = terms[at]!;
      // A stop word that is a beginning may go on as another word.
      if (term === null && !isBeginning) continue;
      words.push({ kind: "word", term: term ?? form, form, isPrefix: isBeginning });
    }
    return words;
  }

  #phraseOf(text: string): SoughtPart | null {
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
