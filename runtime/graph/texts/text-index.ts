// An index of texts as one thread uses it: what it was declared with, how its texts are analyzed,
// and the texts that are not in segments yet, as far as the thread has read them.

import type { GraphStore } from "../store/graph-store.js";
import { Analysis } from "./analysis/analysis.js";
import { parseDefinition, type TextIndexDefinition } from "./index-definition.js";
import { PendingTexts } from "./pending-texts.js";
import type { TextIndexState } from "./text-table.js";

export class TextIndex {
  readonly definition: TextIndexDefinition;
  /** Codes of the keys, in the order of the definition. */
  readonly keys: readonly number[];
  readonly analysis: Analysis;
  readonly pending: PendingTexts;
  /** By term: the terms that it stands for as well. */
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
  readonly #store: GraphStore;
  readonly #values: unknown[] = [];

  constructor(store: GraphStore, definition: TextIndexDefinition, keys: readonly number[]) {
    this.#store = store;
    this.definition = definition;
    this.keys = keys;
    this.analysis = new Analysis(definition);
    const { tokenizer } = this.analysis;
    const textsOf = (vertex: number) => this.textsOf(vertex);
    this.pending = new PendingTexts({ tokenizer, textsOf }, store.texts);
    this.synonyms = synonymsOf(definition.synonyms, this.analysis);
  }

  /**
   * The texts of a vertex at one moment, by key; null if the index is not about it. The list is
   * used again.
   */
  textsOf(vertex: number): readonly unknown[] | null {
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
    properties.storedAll(vertex, this.keys, values as never[]);
    return values.some((value) => typeof value === "string") ? values : null;
  }
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
 * An index of a graph, for the calling thread; null once it is another one.
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
