// Parses the text and the options of `search`. The index is looked up again for each execution,
// because it may have been replaced.

import { KeyError } from "../../model/errors.js";
import { invalidArgument, withArgumentDetails } from "../../model/invalid-argument.js";
import type { GraphStore } from "../../store/graph-store.js";
import { LANGUAGE_CODES } from "../../texts/analysis/languages.js";
import { MAX_EDITS } from "../../texts/fuzzy-terms.js";
import type { Fuzziness, TextSearch } from "../../texts/parsed-search.js";
import { parseSearchText } from "../../texts/search-text.js";
import type { TextIndex } from "../../texts/text-index.js";
import { declaredTextIndexes } from "../../texts/text-indexes.js";
import type { TextQueryOptions } from "./query-options.js";

const DEFAULT_INDEX = "text";
const MAX_BOOST = 1000;

export class TextQuery {
  /** True if typos are allowed only if there are too few exact hits. */
  readonly isFuzzyOnDemand: boolean;
  readonly #store: GraphStore;
  readonly #text: string;
  readonly #name: string | null;
  readonly #boosts: ReadonlyMap<string, number> | null;
  readonly #match: "all" | "any" | number;
  readonly #fuzzy: Fuzziness;
  readonly #isPrefix: boolean;
  readonly #language: string | null;
  #isCut = false;

  /**
   * @throws QueryError if the text or an option is invalid
   * @throws KeyError if there is no such index
   */
  constructor(store: GraphStore, text: unknown, options: TextQueryOptions) {
    if (typeof text !== "string") throw invalidArgument("invalid text", text, "a text", ".text");
    this.#store = store;
    this.#text = text;
    this.#name = parseName(options.in);
    this.#boosts = parseBoosts(options.keys);
    this.#match = parseMatch(options.match);
    this.#fuzzy = parseFuzzy(options.fuzzy);
    this.#isPrefix = parsePrefix(options.prefix);
    this.#language = parseLanguage(options.language);
    this.isFuzzyOnDemand = this.#fuzzy === "auto";
    this.#requireKeys(this.#find().keys);
  }

  /**
   * Position of the index in the directory.
   * @throws KeyError
   */
  get place(): number {
    return this.#find().place;
  }

  /** True if the last search ignored part of the text. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Returns the terms that are searched for in an index. */
  read({ analysis, definition, synonyms }: TextIndex, allowsTypos: boolean): TextSearch {
    const { parts, excluded, isCut } = parseSearchText(
      ...([this.#text, analysis, this.#isPrefix, this.#language] as const),
    );
    this.#isCut = isCut;
    const match = this.#match;
    const minMatches = match === "all" ? parts.length : match === "any" ? 1 : match;
    return {
      parts,
      excluded,
      minMatches: Math.max(1, Math.min(minMatches, parts.length)),
      boosts: definition.keys.map(({ name, boost }) =>
        this.#boosts === null ? boost : (this.#boosts.get(name) ?? 0),
      ),
      fuzzy: allowsTypos ? this.#fuzzy : 0,
      synonyms,
    };
  }

  #find(): { readonly place: number; readonly keys: readonly string[] } {
    const all = declaredTextIndexes(this.#store.texts);
    const name = this.#name ?? DEFAULT_INDEX;
    const isOnly = this.#name === null && all.length === 1;
    const found = isOnly ? all[0] : all.find(({ definition }) => definition.name === name);
    if (found === undefined) {
      const names = all.map(({ definition }) => definition.name).join(", ");
      const fits = names === "" ? 'none: declare one with graph.index("text", …)' : names;
      const error = new KeyError(`unknown text index: '${name}'`);
      throw withArgumentDetails(error, name, fits, ".in");
    }
    return { place: found.position, keys: found.definition.keys.map(({ name: key }) => key) };
  }

  /** Names of the keys of the index. */
  get keys(): readonly string[] {
    return this.#find().keys;
  }

  #requireKeys(known: readonly string[]): void {
    for (const key of this.#boosts?.keys() ?? []) {
      if (known.includes(key)) continue;
      throw invalidArgument(`unknown key: '${key}'`, key, known.join(", "), ".keys");
    }
  }
}

function parseName(name: unknown): string | null {
  if (name === undefined || name === null) return null;
  if (typeof name === "string") return name;
  throw invalidArgument("invalid in parameter", name, "the name of a text index", ".in");
}

function parseBoosts(keys: unknown): Map<string, number> | null {
  if (keys === undefined || keys === null) return null;
  const fits = `names of keys, or { name: a number above 0, up to ${MAX_BOOST} }`;
  const entries: [string, unknown][] = Array.isArray(keys)
    ? keys.map((name: unknown) => [String(name), 1])
    : Object.entries(typeof keys === "object" ? keys : {});
  if (entries.length === 0) throw invalidArgument("invalid keys parameter", keys, fits, ".keys");
  for (const [name, boost] of entries) {
    if (typeof boost === "number" && boost > 0 && boost <= MAX_BOOST) continue;
    throw invalidArgument("invalid keys parameter", boost, fits, `.keys.${name}`);
  }
  return new Map(entries as [string, number][]);
}

function parseLanguage(language: unknown): string | null {
  if (language === undefined || language === null) return null;
  if (typeof language === "string" && LANGUAGE_CODES.includes(language)) return language;
  throw invalidArgument("invalid language", language, LANGUAGE_CODES.join(", "), ".language");
}

function parseMatch(match: unknown): "all" | "any" | number {
  if (match === undefined || match === null) return "all";
  if (match === "all" || match === "any") return match;
  if (Number.isInteger(match) && Number(match) >= 1) return Number(match);
  const fits = '"all", "any", or a number of words';
  throw invalidArgument("invalid match parameter", match, fits, ".match");
}

function parseFuzzy(fuzzy: unknown): Fuzziness {
  if (fuzzy === undefined || fuzzy === null) return 0;
  if (fuzzy === "auto" || fuzzy === 0 || fuzzy === 1 || fuzzy === MAX_EDITS) return fuzzy;
  throw invalidArgument("invalid fuzzy parameter", fuzzy, '0, 1, 2, "auto"', ".fuzzy");
}

function parsePrefix(prefix: unknown): boolean {
  if (prefix === undefined || prefix === null) return false;
  if (typeof prefix === "boolean") return prefix;
  throw invalidArgument("invalid prefix parameter", prefix, "true, false", ".prefix");
}
