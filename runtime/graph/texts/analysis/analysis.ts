// Analysis of the texts of one index in one thread: texts to terms. Indexed texts and searches use
// the same analysis.

import { findLanguage, LANGUAGE_CODES, type Language } from "./languages.js";
import { Tokenizer } from "./tokenizer.js";
import { NO_TERM, WordForms } from "./word-forms.js";

export interface AnalysisOptions {
  readonly language: string;
  /** True to drop stop words, which occur in almost every text. */
  readonly stopWords: boolean;
  /** Property with the language of each text; null: all texts have the same language. */
  readonly languageKey?: string | null;
}

/** Number of the language of texts that name none. */
const DEFAULT_LANGUAGE = 0;

/** Version of the analysis; incremented whenever a text can result in other terms. */
export const ANALYSIS_VERSION = 2;

/** An arbitrary language, to check that the package for all languages is installed. */
const SOME_LANGUAGE = "en";

export class Analysis {
  /** Word forms of indexed texts. */
  readonly tokenizer: Tokenizer;
  readonly #plain = new Tokenizer(new WordForms((form) => form));
  readonly #stopWords: boolean;
  /** Languages by number; only languages that texts have used. */
  readonly #languages: Language[];

  /** @throws ValueError a language whose package is missing */
  constructor({ language, stopWords, languageKey = null }: AnalysisOptions) {
    this.#stopWords = stopWords;
    this.#languages = [findLanguage(language, stopWords)];
    // Texts can name any language later.
    if (languageKey !== null) findLanguage(SOME_LANGUAGE, stopWords);
    this.tokenizer = new Tokenizer(
      new WordForms((form, number) => this.#termOf(form, this.#languages[number]!)),
    );
  }

  /** Returns the number of a language, for `tokenizer`; that of the index for unknown codes. */
  numberOf(code: unknown): number {
    const at = typeof code === "string" ? LANGUAGE_CODES.indexOf(code) : -1;
    if (at < 0) return DEFAULT_LANGUAGE;
    const number = at + 1;
    this.#languages[number] ??= findLanguage(LANGUAGE_CODES[at]!, this.#stopWords);
    return number;
  }

  /**
   * Returns the words of a text: folded, and as indexed; null for a stop word.
   * @param language code of its language; null: the language of the index
   */
  read(
    text: string,
    language: string | null = null,
  ): { readonly forms: string[]; readonly terms: (string | null)[] } {
    const stemmer = this.#languages[this.numberOf(language)]!;
    const plain = this.#plain;
    if (plain.forms.isFull) plain.forms.forget();
    const count = plain.read(text);
    const forms: string[] = [];
    const terms: (string | null)[] = [];
    for (let at = 0; at < count; at++) {
      const number = plain.terms[at]!;
      if (number === NO_TERM) continue;
      const form = plain.forms.textOf(number);
      forms.push(form);
      terms.push(this.#termOf(form, stemmer));
    }
    return { forms, terms };
  }

  #termOf(form: string, { stopWords, stem }: Language): string | null {
    if (stopWords.has(form)) return null;
    return stem(form) || form;
  }
}
