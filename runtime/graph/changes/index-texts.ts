// Declares, drops and lists text indexes.

import { isPlainRecord } from "../model/check-argument.js";
import { ValueError } from "../model/errors.js";
import { NAMES, withArgumentDetails } from "../model/invalid-argument.js";
import { apply } from "../operations/apply.js";
import { ensureKeyCode } from "../operations/name-codes.js";
import { kindOfRules } from "../store/constraint-rules.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { ANALYSIS_VERSION, Analysis } from "../texts/analysis/analysis.js";
import { LANGUAGE_CODES, NO_LANGUAGE } from "../texts/analysis/languages.js";
import {
  areColumns,
  areSynonyms,
  isBoost,
  isIndexName,
  MAX_BOOST,
  MAX_DEFINITION_BYTES,
  readKeys,
  type TextIndexDefinition,
} from "../texts/index-definition.js";
import { readPinned } from "../texts/pins.js";
import { Segment } from "../texts/segment.js";
import { MAX_COLUMNS, MAX_KEYS } from "../texts/segment-layout.js";
import { declaredTextIndexes, findTextIndex } from "../texts/text-indexes.js";
import { ALL_SCANNED } from "../texts/text-layout.js";
import { begin } from "./change-vertex.js";
import { requireWritable } from "./vertex-key.js";

/** Definition of a text index. */
export interface TextIndexOptions {
  /** Default: "text". */
  readonly name?: string;
  /** Properties whose texts are indexed (max 16), with the boost of each (default: 1). */
  readonly keys: readonly string[] | { readonly [key: string]: { readonly boost?: number } };
  /** Only vertices of this type. */
  readonly type?: string | null;
  /** Language of the texts, such as `en` (default: "none", which finds only exact words). */
  readonly language?: string;
  /** Property with the language of a vertex's texts, such as `de` (default: `language` for all). */
  readonly languageKey?: string;
  /** Properties whose facets are counted from the index (max 16); their changes are indexed. */
  readonly columns?: readonly string[];
  /** Groups of synonyms. */
  readonly synonyms?: readonly (readonly string[])[];
  /** True: common words of the language, such as articles, are not indexed. */
  readonly stopWords?: boolean;
  /** False: saves memory, but phrases cannot be searched. */
  readonly positions?: boolean;
}

/** State of a text index. */
export interface TextIndexInfo {
  readonly name: string;
  readonly keys: readonly string[];
  readonly columns: readonly string[];
  readonly type: string | null;
  readonly language: string;
  /** Documents in the index, including replaced and removed ones until the next merge. */
  readonly documents: number;
  /** Changes not indexed yet; a search checks them one by one. */
  readonly pending: number;
  /** Different words, counted in each segment. */
  readonly words: number;
  readonly segments: number;
  readonly bytes: number;
  /** True once all texts that existed when the index was declared are indexed. */
  readonly complete: boolean;
}

/** Names of the options of a text index. */
export const TEXT_INDEX_OPTIONS = new Set([
  ...[
    "name",
    "keys",
    "type",
    "language",
    "languageKey",
    "columns",
    "synonyms",
    "stopWords",
    "positions",
  ],
]);
const DEFAULT_NAME = "text";

/**
 * Declares an index, or redefines the index of this name.
 * @throws ValueError, AccessError, CapacityError
 */
export function indexTexts(store: GraphStore, options: TextIndexOptions): void {
  const definition = definitionOf(options);
  const text = JSON.stringify(definition);
  if (Buffer.byteLength(text) > MAX_DEFINITION_BYTES) {
    throw new ValueError(`the definition of an index is limited to ${MAX_DEFINITION_BYTES} bytes`);
  }
  // Fails where the packages of the language are missing.
  new Analysis(definition);
  store.writer.mutate(() => {
    requireWritable(store);
    for (const name of readKeys(definition)) ensureKeyCode(store, name);
    requireTexts(store, definition);
    const operation = begin(store, OperationCode.IndexTexts, 0);
    operation.text = text;
    operation.value = 1;
    apply(store, operation);
  });
}

/** @throws ValueError if a constraint requires other values than texts */
function requireTexts(store: GraphStore, { type, keys }: TextIndexDefinition): void {
  if (type === null) return;
  for (const { name } of keys) {
    const rules = store.constraints.rulesFor(store.types.codeOf(type), store.keys.codeOf(name));
    const kind = kindOfRules(rules);
    if (kind === undefined || kind === "string") continue;
    const error = new ValueError(
      `'${name}' of type '${type}' has values of kind ${kind}, which are no texts`,
    );
    throw withArgumentDetails(error, name, "a property with texts", ".keys");
  }
}

/**
 * Returns whether a graph has an index with this definition.
 * @throws ValueError
 */
export function hasTextIndex(store: GraphStore, options: TextIndexOptions): boolean {
  const definition = definitionOf(options);
  return findTextIndex(store.texts, definition.name)?.text === JSON.stringify(definition);
}

/**
 * Drops an index; false if there is none.
 * @throws AccessError
 */
export function dropTextIndex(store: GraphStore, name = DEFAULT_NAME): boolean {
  return store.writer.mutate(() => {
    requireWritable(store);
    // The name may be too long for a record.
    if (findTextIndex(store.texts, name) === null) return false;
    const operation = begin(store, OperationCode.IndexTexts, 0);
    operation.text = name;
    operation.value = 0;
    return apply(store, operation) > 0;
  });
}

/** Takes no lock: the values of an index being built may be inconsistent. */
export function textIndexes(store: GraphStore): TextIndexInfo[] {
  const { texts, writer, memory } = store;
  return readPinned(memory, writer.thread, () =>
    declaredTextIndexes(texts).flatMap(({ position, definition }) => {
      const state = texts.read(position);
      if (state === null) return [];
      const segments = state.segments.map((start) => new Segment(texts.views, start));
      const sum = (of: (segment: Segment) => number): number =>
        segments.reduce((all, segment) => all + of(segment), 0);
      return [
        {
          name: definition.name,
          keys: definition.keys.map(({ name }) => name),
          columns: definition.columns ?? [],
          type: definition.type,
          language: definition.language,
          documents: sum(({ documents }) => documents),
          pending: texts.serial - state.progress.builtTo,
          words: sum(({ terms }) => terms),
          segments: segments.length,
          bytes: sum(({ words }) => words * 4),
          complete: state.progress.scannedTo === ALL_SCANNED,
        },
      ];
    }),
  );
}

/** @throws ValueError, TypeError */
function definitionOf(options: TextIndexOptions): TextIndexDefinition {
  const { name = DEFAULT_NAME, type = null, language = NO_LANGUAGE } = options;
  const { languageKey, columns, synonyms = [], stopWords = false, positions = true } = options;
  requireThat(isIndexName(name), name, "a name", ".name");
  requireThat(type === null || isText(type), type, NAMES, ".type");
  requireThat(LANGUAGE_CODES.includes(language), language, LANGUAGE_CODES.join(", "), ".language");
  const isKey = languageKey === undefined || (isText(languageKey) && languageKey !== "");
  requireThat(isKey, languageKey, NAMES, ".languageKey");
  const listed = `names of 1 to ${MAX_COLUMNS} different properties`;
  requireThat(areColumns(columns), columns, listed, ".columns");
  requireThat(areSynonyms(synonyms), synonyms, "lists of words", ".synonyms");
  requireThat(typeof stopWords === "boolean", stopWords, "true or false", ".stopWords");
  requireThat(typeof positions === "boolean", positions, "true or false", ".positions");
  const definition = {
    ...{ name, keys: keysOf(options?.keys), type, language, stopWords, positions, synonyms },
    ...(languageKey !== undefined && { languageKey }),
    ...(columns !== undefined && { columns: [...columns] }),
    version: ANALYSIS_VERSION,
  };
  const fits = `at most ${MAX_KEYS} properties with the language`;
  const indexed = readKeys({ ...definition, columns: [] });
  requireThat(indexed.length <= MAX_KEYS, options.keys, fits, ".keys");
  return definition;
}

function keysOf(keys: TextIndexOptions["keys"]): TextIndexDefinition["keys"] {
  const fits = `names of 1 to ${MAX_KEYS} properties, or { name: { boost } }`;
  requireThat(typeof keys === "object" && keys !== null, keys, fits, ".keys");
  const found = Array.isArray(keys)
    ? keys.map((name: unknown) => ({ name: name as string, boost: 1 }))
    : Object.entries(keys).map(([name, value]) => ({ name, boost: boostOf(name, value) }));
  const isList = found.length >= 1 && found.length <= MAX_KEYS;
  const isDistinct = new Set(found.map(({ name }) => name)).size === found.length;
  requireThat(isList && isDistinct, keys, fits, ".keys");
  for (const { name, boost } of found) {
    requireThat(isText(name) && name !== "", name, NAMES, ".keys");
    requireThat(
      isBoost(boost),
      boost,
      `a number above 0, up to ${MAX_BOOST}`,
      `.keys.${name}.boost`,
    );
  }
  return found;
}

function boostOf(name: string, value: { readonly boost?: number } | undefined): number {
  const isOption = isPlainRecord(value) && Object.keys(value).every((word) => word === "boost");
  requireThat(value === undefined || isOption, value, "{ boost }", `.keys.${name}`);
  return value?.boost ?? 1;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function requireThat(isRight: boolean, value: unknown, fits: string, at: string): void {
  if (isRight) return;
  const error = new ValueError(`invalid ${at.slice(1)} of a text index`);
  throw withArgumentDetails(error, value, fits, at);
}
