// Builds one text index: scans the vertices that existed when it was declared, builds segments of
// pending texts, and merges segments, eight of a size into one. Each result becomes visible by one
// mutation. Between two steps the index can be dropped or replaced.

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

/** Maximum words of a segment before merging. */
const MAX_WORDS = 2 ** 21;
/** Maximum documents of a segment before merging. */
const MAX_NEW_DOCUMENTS = 2 ** 18;
/** Number of segments of one size that are merged. */
const MERGED = 8;
/** Documents of the smallest size. */
const FIRST_TIER = 1024;
/** Larger segments are not merged. */
const MAX_MERGED_WORDS = 2 ** 28;
/** This many pending texts are built at once; fewer after a delay. */
const MANY_PENDING = 1024;
const PENDING_MS = 1000;
/** Vertices examined between two yields. */
const STEP = 64;
const COPY_WORDS = 2 ** 18;
/** Dead documents are counted again after 1 in 8 texts has changed. */
const COUNT_SHARE = 8;
/** A segment is rewritten when more than 1 in 4 of its documents are dead. */
const MIN_DEAD_SHARE = 4;

export class TextBuilder {
  readonly generation: number;
  readonly #store: GraphStore;
  readonly #place: number;
  #analysis: Analysis | null = null;
  readonly #numbers = new DenseNumbers();
  /** Time when pending texts were first seen; 0: there are none. */
  #pendingSince = 0;
  /** Version at which dead documents were last counted. */
  #countedAt = -1;

  constructor(store: GraphStore, place: number, generation: number) {
    this.#store = store;
    this.#place = place;
    this.generation = generation;
  }

  /** Does all work that is due; yields after each step. */
  *run(isComplete: boolean): Generator<undefined, void, void> {
    for (let state = this.#read(); state !== null; state = this.#read()) {
      const { scannedTo, builtTo } = state.progress;
      if (scannedTo !== ALL_SCANNED) yield* this.#scan(state);
      else if (this.#store.texts.serial - builtTo >= RING_WORDS) this.#scanLost(state);
      else if (this.#isPendingDue(builtTo, isComplete)) yield* this.#buildPending(state);
      else {
        const merged = yield* this.#mergeable(state);
        if (merged.length === 0) return;
        yield* this.#merge(state, merged);
      }
      yield;
    }
  }

  /** Null when the index has been dropped. */
  #read(): TextIndexState | null {
    const state = this.#store.texts.read(this.#place);
    return state?.generation === this.generation ? state : null;
  }

  #isPendingDue(builtTo: number, isComplete: boolean): boolean {
    const count = this.#store.texts.serial - builtTo;
    if (count === 0) {
      this.#pendingSince = 0;
      return false;
    }
    if (isComplete || count >= MANY_PENDING) return true;
    if (this.#pendingSince === 0) this.#pendingSince = performance.now();
    return performance.now() - this.#pendingSince >= PENDING_MS;
  }

  /** Starts a scan for versions that the ring no longer lists. */
  #scanLost(state: TextIndexState): void {
    const { writer, texts } = this.#store;
    const scanFrom = state.progress.builtTo + 1;
    writer.mutate(() => {
      if (!texts.isSame(state)) return;
      const progress = { builtTo: texts.serial, scannedTo: 0, scanFrom };
      texts.publish({ state, replaced: [], isAdded: false, progress });
    });
  }

  /** Builds a segment of the next vertices of the scan. */
  *#scan(state: TextIndexState): Generator<undefined, void, void> {
    const { vertices, texts } = this.#store;
    const { builtTo, scanFrom, scannedTo } = state.progress;
    const builder = this.#newBuilder(state);
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

  /** Builds a segment of the vertices that are pending. */
  *#buildPending(state: TextIndexState): Generator<undefined, void, void> {
    const { texts } = this.#store;
    const builder = this.#newBuilder(state);
    if (builder === null) return;
    const { progress } = state;
    const { serial } = texts;
    let version = progress.builtTo;
    while (version < serial && !builder.isFull) {
      version++;
      const vertex = texts.vertexOfVersion(version);
      // If a vertex has changed again, the newer version counts.
      if (texts.versionOf(vertex) === version) builder.add(vertex, version);
      if (version % STEP === 0) yield;
    }
    // The ring may have dropped versions before they were examined.
    if (texts.serial - progress.builtTo >= RING_WORDS) return;
    this.#pendingSince = 0;
    yield* this.#publish(state, yield* builder.build(), [], { ...progress, builtTo: version });
  }

  /** Returns the segments to merge: eight of a size, or one with many dead documents. */
  *#mergeable(state: TextIndexState): Generator<undefined, Segment[], void> {
    const { texts } = this.#store;
    const all = state.segments.map((start) => new Segment(texts.views, start));
    const segments = all
      .filter(({ words }) => words < MAX_MERGED_WORDS)
      .sort((a, b) => a.documents - b.documents);
    const isCrowded = all.length >= MAX_SEGMENTS - 1;
    for (let from = 0; from + MERGED <= segments.length; from++) {
      const some = segments.slice(from, from + MERGED);
      const isOneTier = tierOf(some[0]!) === tierOf(some[MERGED - 1]!);
      const documents = some.reduce((sum, segment) => sum + segment.documents, 0);
      if ((isOneTier || isCrowded) && documents < MAX_DOCUMENTS) return some;
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

  /** Copies a segment into the arena and publishes it in place of others. */
  *#publish(
    state: TextIndexState,
    words: Uint32Array,
    replaced: readonly number[],
    progress: BuildProgress,
  ): Generator<undefined, void, void> {
    const { writer, texts } = this.#store;
    const isAdded = words[SegmentHead.Documents] !== 0;
    const isThere = (): boolean => texts.isSame(state);
    if (isAdded) {
      if (!writer.mutate(() => isThere() && texts.allocate(state, words.length) > 0)) return;
      for (let from = 0; from < words.length; from += COPY_WORDS) {
        texts.fill(state, words, from, Math.min(from + COPY_WORDS, words.length));
        yield;
      }
    }
    writer.mutate(() => {
      if (isThere()) texts.publish({ state, replaced, isAdded, progress });
      else texts.freeAbandoned();
    });
  }

  #newBuilder(state: TextIndexState): DocumentReader | null {
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

function tierOf({ documents }: Segment): number {
  return documents < FIRST_TIER ? 0 : Math.floor(Math.log2(documents / FIRST_TIER) / 3) + 1;
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

  /** Adds the texts of a vertex if they have the given version. */
  add(vertex: number, version: number): void {
    const found = this.#index.textsOf(vertex);
    // A vertex with a newer version is pending under that version.
    if (found === null || this.#store.texts.versionOf(vertex) !== version) return;
    const { tokenizer } = this.#analysis;
    const language = this.#analysis.numberOf(found.language);
    this.#builder.addDocument(vertex, version, found.columns);
    for (const [key, text] of found.texts.entries()) {
      if (typeof text !== "string") continue;
      const count = tokenizer.read(text, language);
      this.#builder.addText(key, tokenizer.terms, count);
    }
  }

  build(): Generator<undefined, Uint32Array<ArrayBuffer>, void> {
    return this.#builder.build();
  }
}
