// A text index as used by one thread: its definition and analysis, and the texts that are in no
// segment yet, as far as the thread has read them.

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
  /** By term: further terms that it stands for. */
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
  readonly #store: GraphStore;
  /** Codes of all properties that are read: keys, then the language. */
  readonly #read: readonly number[];
  /** Offset of the language in them; -1: all texts have the same. */
  readonly #languageAt: number;
  /** Offsets of the columns in them. */
  readonly #columnsAt: readonly number[];
  readonly #values: (StoredValue | undefined)[] = [];
  readonly #texts: {
    texts: readonly unknown[];
    language: string | null;
    columns: ColumnValue[];
  } = { texts: this.#values, language: null, columns: [] };

  /** @param read codes of the properties that the index reads */
  constructor(store: GraphStore, definition: TextIndexDefinition, read: readonly number[]) {
    this.#store = store;
    this.definition = definition;
    this.keys = read.slice(0, definition.keys.length);
    this.#read = read;
    const { languageKey, columns = [] } = definition;
    const names = readKeys(definition);
    this.#languageAt = languageKey === undefined ? -1 : names.indexOf(languageKey);
    this.columns = columns;
    this.#columnsAt = columns.map((column) => names.indexOf(column));
    this.analysis = new Analysis(definition);
    const { analysis } = this;
    const textsOf = (vertex: number) => this.textsOf(vertex);
    this.pending = new PendingTexts({ analysis, textsOf }, store.texts, this.keys.length);
    this.synonyms = synonymsOf(definition.synonyms, this.analysis);
  }

  /**
   * Returns the texts of a vertex at one moment, by key; null if the index does not include it. The
   * object is reused.
   */
  textsOf(vertex: number): DocumentTexts | null {
    const { vertices, properties, types, reader } = this.#store;
    const { type } = this.definition;
    for (let attempt = 0; ; attempt++) {
      const seen = reader.enter(0, vertex, attempt);
      const code = vertices.typeOf(vertex);
      const isReal = vertices.isReal(vertex);
      if (!reader.leave(0, vertex, seen)) continue;
      if (!isReal || (type !== null && code !== types.codeOf(type))) return null;
      break;
    }
    const values = this.#values;
    properties.storedAll(vertex, this.#read, values);
    const language = values[this.#languageAt];
    this.#texts.columns = this.#columnsAt.map((at) => columnValue(values[at]));
    values.length = this.keys.length;
    if (!values.some((value) => typeof value === "string")) return null;
    this.#texts.language = typeof language === "string" ? language : null;
    return this.#texts;
  }

  /** Shape of its segments. */
  get shape(): SegmentShape {
    const { keys, columns, definition } = this;
    return { keys: keys.length, columns: columns.length, hasPositions: definition.positions };
  }

  /** Returns the code of the language of a vertex's texts; null: the language of the index. */
  languageOf(vertex: number): string | null {
    if (this.#languageAt < 0) return null;
    const language = this.#store.properties.get(vertex, this.#read[this.#languageAt]!);
    return typeof language === "string" ? language : null;
  }
}

/** Returns what facets count of a stored value: a number or string, null for anything else. */
function columnValue(stored: StoredValue | undefined): ColumnValue {
  if (typeof stored === "string") return stored;
  const number = stored instanceof Float ? stored.value : stored;
  // Adding 0 turns -0 into 0.
  return typeof number === "number" && !Number.isNaN(number) ? number + 0 : null;
}

function synonymsOf(
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

const known = new WeakMap<GraphStore, Map<number, { generation: number; index: TextIndex }>>();

/**
 * Returns an index of a graph for the calling thread; null if it has been replaced.
 * @throws ValueError a language whose package is missing
 */
export function openTextIndex(store: GraphStore, state: TextIndexState): TextIndex | null {
  const ofStore = known.get(store) ?? new Map();
  known.set(store, ofStore);
  const found = ofStore.get(state.index);
  if (found?.generation === state.generation) return found.index;
  const stored = store.texts.definition(state.index);
  const definition = stored === null ? null : parseDefinition(stored.text);
  if (stored === null || definition === null || !store.texts.isSame(state)) return null;
  const index = new TextIndex(store, definition, stored.keys);
  ofStore.set(state.index, { generation: state.generation, index });
  return index;
}

/**
 * Opens an index; finds it again if another one has taken its place meanwhile.
 * @param placeOf returns its place; throws if there is no such index
 */
export function openCurrentIndex(
  store: GraphStore,
  placeOf: () => number,
): { readonly state: TextIndexState; readonly index: TextIndex } {
  for (;;) {
    const state = store.texts.read(placeOf());
    const index = state === null ? null : openTextIndex(store, state);
    if (state !== null && index !== null) return { state, index };
  }
}
