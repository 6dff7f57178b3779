// Parses the text of a search. Every text is valid: "…" is a phrase, -word excludes, word* is a
// prefix, everything else is a word.

import type { Analysis } from "./analysis/analysis.js";
import type { SearchPart, SearchWord } from "./parsed-search.js";

/** Maximum number of characters and words. The rest is ignored. */
export const MAX_TEXT = 1000;
export const MAX_WORDS = 32;

export interface ParsedText {
  readonly parts: readonly SearchPart[];
  readonly excluded: readonly SearchPart[];
  /** True if a part of the text was ignored. */
  readonly isCut: boolean;
}

const TOKEN = /(-?)"([^"]*)"?|(\S+)/gu;

/**
 * Parses the text of a search.
 * @param isLastPrefix whether the last word may be incomplete
 * @param language language code of the text; null: the language of the index
 */
export function parseSearchText(
  text: string,
  analysis: Analysis,
  isLastPrefix: boolean,
  language: string | null = null,
): ParsedText {
  const parser = new TextParser(analysis, language);
  for (const [, sign, phrase, token] of text.slice(0, MAX_TEXT).matchAll(TOKEN)) {
    if (token === undefined) parser.addPhrase(phrase ?? "", sign === "-");
    else parser.addToken(token);
  }
  const { parts } = parser;
  const last = parts.at(-1);
  const isLastIncomplete = isLastPrefix && parser.endsWithWord && last?.kind === "word";
  if (isLastIncomplete) parts[parts.length - 1] = { ...last, isPrefix: true };
  return {
    parts: parts.slice(0, MAX_WORDS),
    excluded: parser.excluded.slice(0, MAX_WORDS),
    isCut: text.length > MAX_TEXT || Math.max(parts.length, parser.excluded.length) > MAX_WORDS,
  };
}

class TextParser {
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
    const part = this.#parsePhrase(text);
    if (part !== null) (isExcluded ? this.excluded : this.parts).push(part);
  }

  /** Adds a token between spaces, which can contain several words. */
  addToken(token: string): void {
    const isExcluded = token.length > 1 && token.startsWith("-");
    const isPrefix = token.endsWith("*");
    this.endsWithWord = false;
    if (isExcluded) {
      const words = this.#parseWords(token.slice(1), isPrefix);
      const part = words.length > 1 ? this.#parsePhrase(token.slice(1)) : words[0];
      if (part !== undefined && part !== null) this.excluded.push(part);
      return;
    }
    const words = this.#parseWords(token, isPrefix);
    this.parts.push(...words);
    this.endsWithWord = words.length > 0;
  }

  #parseWords(token: string, isPrefix: boolean): SearchWord[] {
    const { forms, terms } = this.#analysis.read(token, this.#language);
    const words: SearchWord[] = [];
    for (const [at, form] of forms.entries()) {
      const isIncomplete = isPrefix && at === forms.length - 1;
      const term = terms[at]!;
      // An incomplete stop word may become another word.
      if (term === null && !isIncomplete) continue;
      words.push({ kind: "word", term: term ?? form, form, isPrefix: isIncomplete });
    }
    return words;
  }

  #parsePhrase(text: string): SearchPart | null {
    const { forms, terms } = this.#analysis.read(text, this.#language);
    const words = terms.flatMap((term, position) =>
      term === null ? [] : [{ term, place: position }],
    );
    if (words.length === 0) return null;
    const first = words[0]!;
    if (words.length === 1) {
      return { kind: "word", term: first.term, form: forms[first.place]!, isPrefix: false };
    }
    return {
      kind: "phrase",
      terms: words.slice(0, MAX_WORDS).map(({ term }) => term),
      offsets: words.slice(0, MAX_WORDS).map(({ place: position }) => position - first.place),
    };
  }
}
