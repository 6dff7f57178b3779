// Texts that are in no segment yet, as read by one thread. Each version of a text is analyzed once
// per thread.

import type { Analysis } from "./analysis/analysis.js";
import type { ColumnValue } from "./column-values.js";
import { ALL_SCANNED, RING_WORDS } from "./text-layout.js";
import type { TextIndexState, TextTable } from "./text-table.js";

export interface PendingDocument {
  readonly vertex: number;
  readonly version: number;
  /** Terms by key, in word order; null if there is no text. */
  readonly terms: readonly (Int32Array | null)[];
}

/** Maximum number of texts that a thread caches; each search analyzes further ones again. */
const MAX_KNOWN = 65_536;
/** Maximum number of attempts to read a vertex that changes meanwhile. */
const MAX_ATTEMPTS = 16;

/** Texts of a vertex. */
export interface DocumentTexts {
  /** Values by key; other values than strings are no texts. */
  readonly texts: readonly unknown[];
  /** Code of their language; null: the language of the index. */
  readonly language: string | null;
  /** Column values, in the order of the index. */
  readonly columns: readonly ColumnValue[];
}

/** Source of the texts of an index. */
export interface TextSource {
  readonly analysis: Analysis;
  /** Texts of a vertex; null if the index does not include the vertex. */
  textsOf(vertex: number): DocumentTexts | null;
}

export class PendingTexts {
  readonly #source: TextSource;
  readonly #table: TextTable;
  /** Texts by vertex; null if the index does not include the vertex. */
  readonly #known = new Map<number, { version: number; document: PendingDocument | null }>();

  constructor(source: TextSource, table: TextTable) {
    this.#source = source;
    this.#table = table;
  }

  /** Returns the documents of all vertices that are pending at a version. */
  *documents(
    state: TextIndexState,
    serial: number,
    end: number,
    spend: (count: number) => void,
  ): Generator<PendingDocument, void, void> {
    const { forms } = this.#source.analysis.tokenizer;
    if (this.#known.size > MAX_KNOWN || forms.isFull) this.#known.clear();
    if (forms.isFull) forms.forget();
    for (const vertex of this.#vertices(state, serial, end)) {
      spend(1);
      const document = this.read(vertex);
      if (document !== null) yield document;
    }
  }

  *#vertices(
    { progress: { builtTo, scannedTo, scanFrom } }: TextIndexState,
    serial: number,
    end: number,
  ): Generator<number, void, void> {
    const table = this.#table;
    if (serial - builtTo < RING_WORDS) {
      for (let version = builtTo + 1; version <= serial; version++) {
        const vertex = table.vertexOfVersion(version);
        // If a vertex has changed again, the newer version counts.
        if (table.versionOf(vertex) === version) yield vertex;
      }
    } else {
      for (let vertex = 1; vertex < end; vertex++) {
        if (table.versionOf(vertex) > builtTo) yield vertex;
      }
    }
    if (scannedTo === ALL_SCANNED) return;
    for (let vertex = Math.max(1, scannedTo); vertex < end; vertex++) {
      const version = table.versionOf(vertex);
      if (version >= scanFrom && version <= builtTo) yield vertex;
    }
  }

  /** Returns the texts of a vertex with their version; null if the index does not include it. */
  read(vertex: number): PendingDocument | null {
    const table = this.#table;
    for (let attempt = 1; ; attempt++) {
      const version = table.versionOf(vertex);
      const known = this.#known.get(vertex);
      if (known?.version === version) return known.document;
      const document = this.#analyze(vertex, version);
      // The current change is incomplete: a later search reads the vertex again.
      if (table.versionOf(vertex) !== version && attempt < MAX_ATTEMPTS) continue;
      if (this.#known.size < MAX_KNOWN) this.#known.set(vertex, { version, document });
      return document;
    }
  }

  #analyze(vertex: number, version: number): PendingDocument | null {
    const { analysis } = this.#source;
    const { tokenizer } = analysis;
    const found = this.#source.textsOf(vertex);
    if (found === null) return null;
    const language = analysis.numberOf(found.language);
    const terms = found.texts.map((text) => {
      if (typeof text !== "string") return null;
      const count = tokenizer.read(text, language);
      return tokenizer.terms.slice(0, count);
    });
    return { vertex, version, terms };
  }
}
