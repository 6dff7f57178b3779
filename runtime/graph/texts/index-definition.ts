// Definition of a text index; logged and stored as JSON.

import { ANALYSIS_VERSION } from "./analysis/analysis.js";
import { LANGUAGE_CODES } from "./analysis/languages.js";
import { MAX_COLUMNS, MAX_KEYS } from "./segment-layout.js";

export interface TextIndexDefinition {
  readonly name: string;
  /** Indexed properties with their boosts. */
  readonly keys: readonly { readonly name: string; readonly boost: number }[];
  /** Type of indexed vertices; null: any type. */
  readonly type: string | null;
  readonly language: string;
  /** Property with the language of a vertex's texts; undefined: all have `language`. */
  readonly languageKey?: string;
  /** Properties that facets count in memory beside the texts; undefined: none. */
  readonly columns?: readonly string[];
  /** True to drop stop words, which are in almost every text. */
  readonly stopWords: boolean;
  /** False if positions are not stored; phrases cannot be searched then. */
  readonly positions: boolean;
  /** Groups of words with the same meaning. */
  readonly synonyms: readonly (readonly string[])[];
  readonly version: number;
}

/** Maximum bytes of a definition. */
export const MAX_DEFINITION_BYTES = 256 * 1024;
export const MAX_BOOST = 1000;
/** Matches a lone surrogate, which records and files cannot contain. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Parses a logged or stored definition; null if it is invalid. */
export function parseDefinition(text: string): TextIndexDefinition | null {
  try {
    const definition = JSON.parse(text) as TextIndexDefinition;
    const { name, keys, type, language, synonyms, version } = definition;
    const isDefinition =
      isIndexName(name) &&
      areKeys(keys) &&
      (type === null || typeof type === "string") &&
      LANGUAGE_CODES.includes(language) &&
      ["string", "undefined"].includes(typeof definition.languageKey) &&
      typeof definition.stopWords === "boolean" &&
      typeof definition.positions === "boolean" &&
      areColumns(definition.columns) &&
      areSynonyms(synonyms) &&
      Number.isInteger(version) &&
      version <= ANALYSIS_VERSION;
    return isDefinition ? definition : null;
  } catch {
    return null;
  }
}

/**
 * Returns the names of the properties that the index reads: its keys, and then the language and the
 * columns, each once.
 */
export function readKeys({ keys, languageKey, columns = [] }: TextIndexDefinition): string[] {
  const names = keys.map(({ name }) => name);
  const others = languageKey === undefined ? columns : [languageKey, ...columns];
  return [...new Set([...names, ...others])];
}

/** Returns whether a text can name an index, on replicas as well. */
export function isIndexName(name: unknown): boolean {
  return typeof name === "string" && name !== "" && !LONE_SURROGATE.test(name);
}

export function areColumns(columns: unknown): boolean {
  if (columns === undefined) return true;
  const isList = Array.isArray(columns) && columns.length >= 1 && columns.length <= MAX_COLUMNS;
  const isName = (name: unknown): boolean => typeof name === "string" && name !== "";
  return isList && columns.every(isName) && new Set(columns).size === columns.length;
}

export function isBoost(boost: unknown): boolean {
  return typeof boost === "number" && boost > 0 && boost <= MAX_BOOST;
}

export function areSynonyms(groups: unknown): boolean {
  const isText = (word: unknown): boolean => typeof word === "string";
  return (
    Array.isArray(groups) && groups.every((group) => Array.isArray(group) && group.every(isText))
  );
}

function areKeys(keys: TextIndexDefinition["keys"]): boolean {
  const isDistinct = new Set(keys.map(({ name }) => name)).size === keys.length;
  const isEach = keys.every(({ name, boost }) => typeof name === "string" && isBoost(boost));
  return keys.length >= 1 && keys.length <= MAX_KEYS && isDistinct && isEach;
}
