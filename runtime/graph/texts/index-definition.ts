// Definition of a text index, as it is logged and stored: as JSON.

import { ANALYSIS_VERSION } from "./analysis/analysis.js";
import { MAX_KEYS } from "./segment-layout.js";

export interface TextIndexDefinition {
  readonly name: string;
  /** Properties, and what each counts in a search. */
  readonly keys: readonly { readonly name: string; readonly boost: number }[];
  /** Only vertices of a type; null: of any. */
  readonly type: string | null;
  readonly language: string;
  /** True: words that every text has are not indexed. */
  readonly stopWords: boolean;
  /** False: there are no phrases. */
  readonly positions: boolean;
  /** Groups of words that mean the same. */
  readonly synonyms: readonly (readonly string[])[];
  readonly version: number;
}

/** Bytes of a definition. */
export const MAX_DEFINITION_BYTES = 256 * 1024;

/** Parses a logged or stored definition; null if it is invalid. */
export function parseDefinition(text: string): TextIndexDefinition | null {
  try {
    const given = JSON.parse(text) as TextIndexDefinition;
    const { name, keys, type, language, synonyms, version } = given;
    const isDefinition =
      typeof name === "string" &&
      keys.length >= 1 &&
      keys.length <= MAX_KEYS &&
      keys.every((key) => typeof key.name === "string" && typeof key.boost === "number") &&
      (type === null || typeof type === "string") &&
      typeof language === "string" &&
      Array.isArray(synonyms) &&
      version <= ANALYSIS_VERSION;
    return isDefinition ? given : null;
  } catch {
    return null;
  }
}
