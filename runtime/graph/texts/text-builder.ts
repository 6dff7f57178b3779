// Builds one text index: scans the vertices that existed when it was declared, builds segments of
// pending texts, and merges segments of similar size. One mutation publishes each result. Between
// two steps the index can be dropped or replaced.

import type { GraphStore } from "../store/graph-store.js";
import { Analysis } from "./analysis/analysis.js";
import { DenseNumbers } from "./dense-numbers.js";
import { Segment } from "./segment.js";
import { SegmentBuilder } from "./segment-builder.js";
import { MAX_DOCUMENTS, SegmentHead } from "./segment-layout.js";
import { mergeSegments } from "./segment-merge.js";
import { openTextIndex, type TextIndex } from "./text-index.js";
import { ALL_SCANNED, MAX_SEGMENTS, RING_WORDS } from "./text-layout.js";
import type { BuildProgress, TextIndexState } from "./text-table.js";

/** Maximum number of words in a new segment. */
const MAX_WORDS = 2 ** 21;
/** Maximum number of documents in a new segment. */
const MAX_NEW_DOCUMENTS = 2 ** 18;
/** Number of segments that are merged into one. */
const MERGE_FACTOR = 8;
/** Segments with fewer documents belong to the first tier. */
const FIRST_TIER_DOCUMENTS = 1024;
/** Larger segments are not merged. */
const MAX_MERGED_WORDS = 2 ** 28;
/** Number of pending texts that are built immediately. Fewer texts wait until the delay ends. */
const PENDING_BATCH = 1024;
const PENDING_DELAY_MS = 1000;
/** Number of vertices examined between two yields. */
const STEP = 64;
const COPY_WORDS = 2 ** 18;
/** Dead documents are counted again once 1 in 8 texts has changed. */
const COUNT_SHARE = 8;
/** A segment is rewritten when more than 1 in 4 of its documents are dead. */
const MIN_DEAD_SHARE = 4;

export class TextBuilder {
  readonly generation: number;
  readonly #store: GraphStore;
  readonly #index: number;
  #analysis: Analysis | null = null;
  readonly #numbers = new DenseNumbers();
  /** Time when pending texts were first seen; 0: no pending texts. */
  #pendingSince = 0;
  /** Version at which dead documents were last counted. */
  #countedAt = -1;

  constructor(store: GraphStore, index: number, generation: number) {
    this.#store = store;
    this.#index = index;
    this.generation = generation;
  }

  /**
   * Does all work that is due; yields after each step.
   * @param isComplete whether to build pending texts without delay
   */
  *run(isComplete: boolean): Generator<undefined, void, void> {
    for (let state = this.#read(); state !== null; state = this.#read()) {
      const { scannedTo, builtTo } = state.progress;
      if (scannedTo !== ALL_SCANNED) yield* this.#scan(state);
      else if (this.#store.texts.serial - builtTo >= RING_WORDS) this.#scanLost(state);
      else if (this.#isPendingDue(builtTo, isComplete)) yield* this.#buildPending(state);
      else {
        const merged = yield* this.#chooseSegments(state);
        if (merged.length === 0) return;
        yield* this.#merge(state, merged);
      }
      yield;
    }
  }

  /** Reads the index; null if it has been dropped or replaced. */
  #read(): TextIndexState | null {
    const state = this.#store.texts.read(this.#index);
    return state?.generation === this.generation ? state : null;
  }

  #isPendingDue(builtTo: number, isComplete: boolean): boolean {
    const count = this.#store.texts.serial - builtTo;
    if (count === 0) {
      this.#pendingSince = 0;
      return false;
    }
    if (isComplete || count >= PENDING_BATCH) return true;
    if (this.#pendingSince === 0) this.#pendingSince = performance.now();
    return performance.now() - this.#pendingSince >= PENDING_DELAY_MS;
  }

  /** Starts a scan for changed vertices that the ring no longer lists. */
  #scanLost(state: TextIndexState): void {
    const { writer, texts } = this.#store;
    const scanFrom = state.progress.builtTo + 1;
    writer.mutate(() => {
      if (!texts.isSame(state)) return;
      const progress = { builtTo: texts.serial, scannedTo: 0, scanFrom };
      texts.publish({ state, replaced: [], isAdded: false, progress });
    });
  }

  /** Scans the next vertices and builds a segment. */
  *#scan(state: TextIndexState): Generator<undefined, void, void> {
    const { vertices, texts } = this.#store;
    const { builtTo, scanFrom, scannedTo } = state.progress;
    const builder = this.#createReader(state);
    if (builder === null) return;
    let vertex = Math.max(1, scannedTo);
    for (; vertex < vertices.end && !builder.isFull; vertex++) {
      const version = texts.versionOf(vertex);
      if (version >= scanFrom && version <= builtTo) builder.add(vertex, version);
      if (vertex % STEP === 0) yield;
    }
    const progress = {
      builtTo,
      scanFrom,
      scannedTo: vertex >= vertices.end ? ALL_SCANNED : vertex,
    };
    yield* this.#publish(state, yield* builder.build(), [], progress);
  }

  /** Builds a segment of pending texts. */
  *#buildPending(state: TextIndexState): Generator<undefined, void, void> {
    const { texts } = this.#store;
    const builder = this.#createReader(state);
    if (builder === null) return;
    const { progress } = state;
    const { serial } = texts;
    let version = progress.builtTo;
    while (version < serial && !builder.isFull) {
      version++;
      const vertex = texts.vertexOfVersion(version);
      // A vertex that has changed again is pending under its newer version.
      if (texts.versionOf(vertex) === version) builder.add(vertex, version);
      if (version % STEP === 0) yield;
    }
    // The ring may have overwritten versions before they were examined.
    if (texts.serial - progress.builtTo >= RING_WORDS) return;
    this.#pendingSince = 0;
    yield* this.#publish(state, yield* builder.build(), [], { ...progress, builtTo: version });
  }

  /** Returns the segments to merge: several of a tier, or one with many dead documents. */
  *#chooseSegments(state: TextIndexState): Generator<undefined, Segment[], void> {
    const { texts } = this.#store;
    const all = state.segments.map((start) => new Segment(texts.views, start));
    const segments = all
      .filter(({ words }) => words < MAX_MERGED_WORDS)
      .sort((a, b) => a.documents - b.documents);
    const isCrowded = all.length >= MAX_SEGMENTS - 1;
    for (let from = 0; from + MERGE_FACTOR <= segments.length; from++) {
      const candidates = segments.slice(from, from + MERGE_FACTOR);
      const isOneTier = sizeTier(candidates[0]!) === sizeTier(candidates[MERGE_FACTOR - 1]!);
      const documents = candidates.reduce((sum, segment) => sum + segment.documents, 0);
      if ((isOneTier || isCrowded) && documents < MAX_DOCUMENTS) return candidates;
    }
    const changes = texts.serial - this.#countedAt;
    const documents = all.reduce((sum, segment) => sum + segment.documents, 0);
    if (this.#countedAt >= 0 && changes * COUNT_SHARE < documents) return [];
    this.#countedAt = texts.serial;
    for (const segment of segments) {
      if ((yield* this.#countDead(segment)) * MIN_DEAD_SHARE > segment.documents) return [segment];
    }
    return [];
  }

  *#countDead(segment: Segment): Generator<undefined, number, void> {
    let dead = 0;
    for (let document = 0; document < segment.documents; document++) {
      if (!this.#isAlive(segment, document)) dead++;
      if (document % (64 * STEP) === 0) yield;
    }
    return dead;
  }

  *#merge(state: TextIndexState, merged: readonly Segment[]): Generator<undefined, void, void> {
    const index = openTextIndex(this.#store, state);
    if (index === null) return;
    const isAlive = (segment: Segment, document: number): boolean =>
      this.#isAlive(segment, document);
    const words = yield* mergeSegments(merged, isAlive, index.shape);
    const replaced = merged.map(({ start }) => start);
    yield* this.#publish(state, words, replaced, state.progress);
  }

  #isAlive(segment: Segment, document: number): boolean {
    const vertex = segment.vertexOf(document);
    return this.#store.texts.versionOf(vertex) === segment.versionOf(document);
  }

  /** Copies a segment into the arena, and publishes it as a replacement of others. */
  *#publish(
    state: TextIndexState,
    words: Uint32Array,
    replaced: readonly number[],
    progress: BuildProgress,
  ): Generator<undefined, void, void> {
    const { writer, texts } = this.#store;
    const isAdded = words[SegmentHead.Documents] !== 0;
    const isDeclared = (): boolean => texts.isSame(state);
    if (isAdded) {
      if (!writer.mutate(() => isDeclared() && texts.allocate(state, words.length) > 0)) return;
      for (let from = 0; from < words.length; from += COPY_WORDS) {
        texts.fill(state, words, from, Math.min(from + COPY_WORDS, words.length));
        yield;
      }
    }
    writer.mutate(() => {
      if (isDeclared()) texts.publish({ state, replaced, isAdded, progress });
      else texts.freeAbandoned();
    });
  }

  #createReader(state: TextIndexState): DocumentReader | null {
    const index = openTextIndex(this.#store, state);
    if (index === null) return null;
    this.#analysis ??= new Analysis(index.definition);
    const { forms } = this.#analysis.tokenizer;
    if (forms.isFull) {
      forms.forget();
      this.#numbers.forget();
    }
    return new DocumentReader(this.#store, index, this.#analysis, this.#numbers);
  }
}

function sizeTier({ documents }: Segment): number {
  return documents < FIRST_TIER_DOCUMENTS
    ? 0
    : Math.floor(Math.log2(documents / FIRST_TIER_DOCUMENTS) / 3) + 1;
}

/** Reads the texts of vertices into a segment. */
class DocumentReader {
  readonly #store: GraphStore;
  readonly #index: TextIndex;
  readonly #analysis: Analysis;
  readonly #builder: SegmentBuilder;

  constructor(store: GraphStore, index: TextIndex, analysis: Analysis, numbers: DenseNumbers) {
    this.#store = store;
    this.#index = index;
    this.#analysis = analysis;
    const { forms } = analysis.tokenizer;
    this.#builder = new SegmentBuilder(forms, numbers, index.shape);
  }

  get isFull(): boolean {
    return this.#builder.words >= MAX_WORDS || this.#builder.documents >= MAX_NEW_DOCUMENTS;
  }

  /** Adds the texts of a vertex if their version is the expected one. */
  add(vertex: number, version: number): void {
    const document = this.#index.readTexts(vertex);
    // A vertex with a newer version is pending under that version.
    if (document === null || this.#store.texts.versionOf(vertex) !== version) return;
    const { tokenizer } = this.#analysis;
    const language = this.#analysis.numberOf(document.language);
    this.#builder.addDocument(vertex, version, document.columns);
    for (const [key, text] of document.texts.entries()) {
      if (typeof text !== "string") continue;
      const count = tokenizer.read(text, language);
      this.#builder.addText(key, tokenizer.terms, count);
    }
  }

  build(): Generator<undefined, Uint32Array<ArrayBuffer>, void> {
    return this.#builder.build();
  }
}
