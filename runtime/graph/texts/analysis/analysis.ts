// Analysis of the texts of one index in one thread: texts to terms. Indexed texts and searches use
// the same analysis.

import { findLanguage, type Language } from "./languages.js";
import { Tokenizer } from "./tokenizer.js";
import { NO_TERM, WordForms } from "./word-forms.js";

export interface AnalysisOptions {
  readonly language: string;
  /** True: words that every text has are not indexed. */
  readonly stopWords: boolean;
}

/** Version of the analysis: incremented when a text may become other terms. */
export const ANALYSIS_VERSION = 1;

export class Analysis {
  /** Of what is indexed. */
  readonly tokenizer: Tokenizer;
  readonly #plain = new Tokenizer(new WordForms((form) => form));
  readonly #language: Language;

  constructor({ language, stopWords }: AnalysisOptions) {
    this.#language = findLanguage(language, stopWords);
    this.tokenizer = new Tokenizer(new WordForms((form) => this.#termOf(form)));
  }

  /** Words of a text: folded, and as the index has them; null for a stop word. */
  read(text: string): { readonly forms: string[]; readonly terms: (string | null)[] } {
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
      terms.push(this.#termOf(form));
    }
    return { forms, terms };
  }

  #termOf(form: string): string | null {
    if (this.#language.stopWords.has(form)) return null;
    return this.#language.stem(form) || form;
  }
}
