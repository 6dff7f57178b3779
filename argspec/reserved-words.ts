// Words that generated names must not be, by language.

/** Names that would break a client of one language. */
export interface ReservedWords {
  /** Keywords, which no name may be, variables included. */
  readonly keywords: readonly string[];
  /** Members of clients and of all objects, and names whose meaning a method would change. */
  readonly methods: readonly string[];
  /** Types of the runtime and of the language. */
  readonly types: readonly string[];
}

/** Splits words at spaces. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
