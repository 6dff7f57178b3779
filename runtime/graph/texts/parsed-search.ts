// A parsed search: words and phrases, searched keys, and how many parts a document must contain.

/** A word: a term of the index, or a prefix of terms. */
export interface SearchWord {
  readonly kind: "word";
  /** Its term in the index. */
  readonly term: string;
  /** Folded word before stemming: used for prefixes and typos. */
  readonly form: string;
  readonly isPrefix: boolean;
}

/** A phrase: consecutive words. */
export interface SearchPhrase {
  readonly kind: "phrase";
  readonly terms: readonly string[];
  /** Offset of each word from the first one: stop words leave gaps. */
  readonly offsets: readonly number[];
}

export type SearchPart = SearchWord | SearchPhrase;

/** Maximum edit distance between a word and the terms it stands for. */
export type Fuzziness = 0 | 1 | 2 | "auto";

export interface SearchedKeys {
  /** Boost of each key; 0: the key is not searched. */
  readonly boosts: readonly number[];
  readonly fuzzy: Fuzziness;
  /** Synonyms by term. */
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
}

/** A search of an index. */
export interface TextSearch extends SearchedKeys {
  readonly parts: readonly SearchPart[];
  readonly excluded: readonly SearchPart[];
  /** Number of parts that a document must contain, at least 1. */
  readonly minMatches: number;
}
