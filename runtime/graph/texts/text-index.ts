// A text index as used by one thread: its definition, its analysis, and the pending texts that the
// thread has read.

import { Float } from "../../base/float.js";
import type { GraphStore } from "../store/graph-store.js";
import type { StoredValue } from "../store/property-values.js";
import { Analysis } from "./analysis/analysis.js";
import type { ColumnValue } from "./column-values.js";
import { parseDefinition, readKeys, type TextIndexDefinition } from "./index-definition.js";
import { type DocumentTexts, PendingTexts } from "./pending-texts.js";
import type { SegmentShape } from "./segment-builder.js";
import type { TextIndexState } from "./text-table.js";

export class TextIndex {
  readonly definition: TextIndexDefinition;
  /** Codes of the keys, in the order of the definition. */
  readonly keys: readonly number[];
  readonly analysis: Analysis;
  readonly pending: PendingTexts;
  /** Properties that have a column. */
  readonly columns: readonly string[];
  /** Synonyms by term. */
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
  readonly #store: GraphStore;
  /** Codes of all properties that the index reads: keys, language and columns. */
  readonly #propertyCodes: readonly number[];
  /** Offset of the language among these properties; -1: all texts have the same language. */
  readonly #languageAt: number;
  /** Offsets of the columns among these properties. */
  readonly #columnsAt: readonly number[];
  readonly #values: (StoredValue | undefined)[] = [];
  readonly #texts: {
    texts: readonly unknown[];
    language: string | null;
    columns: ColumnValue[];
  } = { texts: this.#values, language: null, columns: [] };

  /** @param propertyCodes codes of the properties that the index reads */
  constructor(
    store: GraphStore,
    definition: TextIndexDefinition,
    propertyCodes: readonly number[],
  ) {
    this.#store = store;
    this.definition = definition;
    this.keys = propertyCodes.slice(0, definition.keys.length);
    this.#propertyCodes = propertyCodes;
    const { languageKey, columns = [] } = definition;
    const names = readKeys(definition);
    this.#languageAt = languageKey === undefined ? -1 : names.indexOf(languageKey);
    this.columns = columns;
    this.#columnsAt = columns.map((column) => names.indexOf(column));
    this.analysis = new Analysis(definition);
    const { analysis } = this;
    const readTexts = (vertex: number) => this.readTexts(vertex);
    this.pending = new PendingTexts({ analysis, readTexts }, store.texts, this.keys.length);
    this.synonyms = groupSynonyms(definition.synonyms, this.analysis);
  }

  /**
   * Reads the texts of a vertex, by key; returns null if the index does not include the vertex. The
   * object is reused.
   */
  readTexts(vertex: number): DocumentTexts | null {
    const { vertices, properties, types, reader } = this.#store;
    const { type } = this.definition;
    for (let attempt = 0; ; attempt++) {
      const sequence = reader.enter(0, vertex, attempt);
      const code = vertices.typeOf(vertex);
      const isReal = vertices.isReal(vertex);
      if (!reader.leave(0, vertex, sequence)) continue;
      if (!isReal || (type !== null && code !== types.codeOf(type))) return null;
      break;
    }
    const values = this.#values;
    properties.storedAll(vertex, this.#propertyCodes, values);
    const language = values[this.#languageAt];
    this.#texts.columns = this.#columnsAt.map((at) => columnValue(values[at]));
    values.length = this.keys.length;
    if (!values.some((value) => typeof value === "string")) return null;
    this.#texts.language = typeof language === "string" ? language : null;
    return this.#texts;
  }

  /** Structure of its segments. */
  get shape(): SegmentShape {
    const { keys, columns, definition } = this;
    return { keys: keys.length, columns: columns.length, hasPositions: definition.positions };
  }

  /** Returns the language code of a vertex's texts; null: the language of the index. */
  readLanguage(vertex: number): string | null {
    if (this.#languageAt < 0) return null;
    const language = this.#store.properties.get(vertex, this.#propertyCodes[this.#languageAt]!);
    return typeof language === "string" ? language : null;
  }
}

/** Returns the value that facets count: a number or string; null for other types. */
function columnValue(stored: StoredValue | undefined): ColumnValue {
  if (typeof stored === "string") return stored;
  const number = stored instanceof Float ? stored.value : stored;
  // Adding 0 turns -0 into 0.
  return typeof number === "number" && !Number.isNaN(number) ? number + 0 : null;
}

function groupSynonyms(
  groups: readonly (readonly string[])[],
  analysis: Analysis,
): Map<string, string[]> {
  const synonyms = new Map<string, string[]>();
  for (const group of groups) {
    const terms = group.flatMap((word) =>
      analysis.read(word).terms.filter((term) => term !== null),
    );
    for (const term of terms) {
      const others = terms.filter((other) => other !== term);
      synonyms.set(term, [...(synonyms.get(term) ?? []), ...others]);
    }
  }
  return synonyms;
}

const openIndexes = new WeakMap<
  GraphStore,
  Map<number, { generation: number; index: TextIndex }>
>();

/**
 * Returns this thread's view of an index; null if the index has been replaced.
 * @throws ValueError the package of its language is missing
 */
export function openTextIndex(store: GraphStore, state: TextIndexState): TextIndex | null {
  const indexes = openIndexes.get(store) ?? new Map();
  openIndexes.set(store, indexes);
  const cached = indexes.get(state.index);
  if (cached?.generation === state.generation) return cached.index;
  const stored = store.texts.definition(state.index);
  const definition = stored === null ? null : parseDefinition(stored.text);
  if (stored === null || definition === null || !store.texts.isSame(state)) return null;
  const index = new TextIndex(store, definition, stored.keys);
  indexes.set(state.index, { generation: state.generation, index });
  return index;
}

/**
 * Opens an index; retries if it is replaced meanwhile.
 * @param findPosition returns its position in the directory; throws if the index does not exist
 */
export function openCurrentIndex(
  store: GraphStore,
  findPosition: () => number,
): { readonly state: TextIndexState; readonly index: TextIndex } {
  for (;;) {
    const state = store.texts.read(findPosition());
    const index = state === null ? null : openTextIndex(store, state);
    if (state !== null && index !== null) return { state, index };
  }
}
