// Highlights of entries in dictionary form: excerpts of texts with the words of a search marked.

import { R_DICT } from "../../model/constants.js";
import { invalidArgument } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { highlightText } from "../../texts/highlight.js";
import { openCurrentIndex } from "../../texts/text-index.js";
import type { ResultOptions, SummaryOptions } from "../parse/query-options.js";
import { parseHighlight } from "../parse/search-options.js";
import type { TextQuery } from "../parse/text-query.js";

export class Highlights {
  readonly #store: GraphStore;
  readonly #query: TextQuery;
  /** By key. */
  readonly #characters: ReadonlyMap<string, number>;

  constructor(store: GraphStore, query: TextQuery, characters: ReadonlyMap<string, number>) {
    this.#store = store;
    this.#query = query;
    this.#characters = characters;
  }

  /**
   * Marks the words of the search in the texts of an entry.
   * @param hasTypos whether the words could have typos
   */
  add(entry: object, vertex: number, hasTypos: boolean): void {
    const { properties, keys } = this.#store;
    const { index } = openCurrentIndex(this.#store, () => this.#query.place);
    const search = this.#query.read(index, hasTypos);
    const language = index.readLanguage(vertex);
    const highlights: Record<string, string> = {};
    for (const [key, characters] of this.#characters) {
      const text = properties.get(vertex, keys.codeOf(key));
      if (typeof text !== "string") continue;
      highlights[key] = highlightText(text, characters, search, index.analysis, language);
    }
    Object.assign(entry, { highlights });
  }
}

/**
 * Returns the highlights that a query requests, null for none.
 * @param query search whose words are marked; null if the query has none
 * @throws QueryError
 */
export function createHighlights(
  store: GraphStore,
  query: TextQuery | null,
  { highlight, result }: SummaryOptions & ResultOptions,
): Highlights | null {
  if (highlight === undefined || highlight === null) return null;
  if (query === null) {
    const text = "highlight requires the condition `text`";
    throw invalidArgument(text, highlight, "none without words to mark", ".highlight");
  }
  const characters = parseHighlight(highlight, query.keys)!;
  const isDictionary =
    result === "dict" || (typeof result === "number" && (result & R_DICT) === R_DICT);
  if (isDictionary) return new Highlights(store, query, characters);
  throw invalidArgument("highlight is part of dictionaries", result, '"dict", R_DICT', ".result");
}
