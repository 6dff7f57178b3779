// Texts that are in no segment yet, as read by one thread. Each version of a text is analyzed once
// per thread.

import type { Analysis } from "./analysis/analysis.js";
import { NO_TERM } from "./analysis/word-forms.js";
import type { ColumnValue } from "./column-values.js";
import { type PendingDocument, PendingLog } from "./pending-log.js";
import { ALL_SCANNED, RING_WORDS } from "./text-layout.js";
import type { TextIndexState, TextTable } from "./text-table.js";

interface KnownDocument {
  readonly version: number;
  /** Null if the index does not include the vertex. */
  readonly document: PendingDocument | null;
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
  readTexts(vertex: number): DocumentTexts | null;
}

/** All documents that are pending at a version. */
export interface PendingDocuments {
  /** Documents that the ring lists; null if it does not list all. */
  readonly log: PendingLog | null;
  readonly others: readonly PendingDocument[];
}

export class PendingTexts {
  readonly #source: TextSource;
  readonly #table: TextTable;
  /** By vertex. */
  readonly #known = new Map<number, KnownDocument>();
  readonly #log: PendingLog;
  /** True if the log contains texts that may have been rolled back; their versions remain. */
  #isTentative = false;

  /** @param keys number of keys of the index */
  constructor(source: TextSource, table: TextTable, keys: number) {
    this.#source = source;
    this.#table = table;
    this.#log = new PendingLog(keys, source.analysis.tokenizer.forms);
  }

  /** Returns the documents of all vertices that are pending at a version. */
  documents(
    { progress }: TextIndexState,
    serial: number,
    end: number,
    spend: (count: number) => void,
  ): PendingDocuments {
    const { builtTo, scannedTo, scanFrom } = progress;
    const { forms } = this.#source.analysis.tokenizer;
    if (this.#known.size > MAX_KNOWN || forms.isFull) this.#forget();
    if (forms.isFull) forms.forget();
    if (this.#isTentative) this.#log.clear();
    this.#isTentative = this.#table.writer.isWriting;
    const others: PendingDocument[] = [];
    const isListed = serial - builtTo < RING_WORDS;
    if (isListed) {
      const range = { builtTo, serial, most: RING_WORDS };
      this.#log.update(this.#table, range, (vertex) => this.read(vertex), spend);
    } else this.#addEach(1, end, others, spend, (version) => version > builtTo);
    if (scannedTo !== ALL_SCANNED) {
      const isUnscanned = (version: number) => version >= scanFrom && version <= builtTo;
      this.#addEach(Math.max(1, scannedTo), end, others, spend, isUnscanned);
    }
    return { log: isListed ? this.#log : null, others };
  }

  /** Adds the documents of all vertices with certain versions. */
  #addEach(
    from: number,
    end: number,
    found: PendingDocument[],
    spend: (count: number) => void,
    isPending: (version: number) => boolean,
  ): void {
    for (let vertex = from; vertex < end; vertex++) {
      if (!isPending(this.#table.versionOf(vertex))) continue;
      spend(1);
      const document = this.read(vertex);
      if (document !== null) found.push(document);
    }
  }

  #forget(): void {
    this.#known.clear();
    this.#log.clear();
  }

  /** Returns the texts of a vertex with their version; null if the index does not include it. */
  read(vertex: number): PendingDocument | null {
    const table = this.#table;
    for (let attempt = 1; ; attempt++) {
      const version = table.versionOf(vertex);
      const known = this.#known.get(vertex);
      if (known?.version === version) return known.document;
      const document = this.#analyze(vertex, version);
      // The vertex changed meanwhile. After the last attempt, a later search reads it again.
      if (table.versionOf(vertex) !== version && attempt < MAX_ATTEMPTS) continue;
      // Changes of this thread may be rolled back.
      if (this.#known.size < MAX_KNOWN && !table.writer.isWriting) {
        this.#known.set(vertex, { version, document });
      }
      return document;
    }
  }

  #analyze(vertex: number, version: number): PendingDocument | null {
    const { analysis } = this.#source;
    const { tokenizer } = analysis;
    const found = this.#source.readTexts(vertex);
    if (found === null) return null;
    const language = analysis.numberOf(found.language);
    const terms = found.texts.map((text) => {
      if (typeof text !== "string") return null;
      const count = tokenizer.read(text, language);
      return tokenizer.terms.slice(0, count);
    });
    const lengths = terms.map((list) => list?.filter((term) => term !== NO_TERM).length ?? 0);
    return { vertex, version, terms, lengths };
  }
}
