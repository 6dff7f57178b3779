// A parsed search: words and phrases, where to look for them, and how many a document must have.

/** A word: a term of the index, or the beginning of terms. */
export interface SoughtWord {
  readonly kind: "word";
  /** Its term in the index. */
  readonly term: string;
  /** As it was given, folded: what a prefix begins with and typos are compared with. */
  readonly form: string;
  readonly isPrefix: boolean;
}

/** Words one behind the other. */
export interface SoughtPhrase {
  readonly kind: "phrase";
  readonly terms: readonly string[];
  /** Places behind the first word: stop words leave gaps. */
  readonly offsets: readonly number[];
}

export type SoughtPart = SoughtWord | SoughtPhrase;

/** Edits that words may have. */
export type Fuzziness = 0 | 1 | 2 | "auto";

export interface SearchedKeys {
  /** Boost of each key; 0: the key is not searched. */
  readonly boosts: readonly number[];
  readonly fuzzy: Fuzziness;
  /** Terms that a term stands for as well. */
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
}

/** A search of an index. */
export interface TextSearch extends SearchedKeys {
  readonly parts: readonly SoughtPart[];
  readonly excluded: readonly SoughtPart[];
  /** How many parts a document has to have, at least 1. */
  readonly least: number;
}
