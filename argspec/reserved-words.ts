// Reserved words of each client language.

/** Names that would break a client of one language. */
export interface ReservedWords {
  /** Keywords, which cannot even be names of variables. */
  readonly keywords: readonly string[];
  /** Members of clients and of all objects, and names that change the meaning of an object. */
  readonly methods: readonly string[];
  /** Types of the runtime and of the language. */
  readonly types: readonly string[];
}

/** Splits words at spaces. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
