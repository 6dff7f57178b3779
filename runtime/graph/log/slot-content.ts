// Content of slots in a graph: read by the group that gives them away, and written by the one that
// gets them. Both write to their logs, so that replicas follow.

import { assert } from "../../base/assert.js";
import type { InstanceSlots } from "../../base/instance-slots.js";
import { Header } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
import { DataError } from "../model/errors.js";
import { apply, applyLogged } from "../operations/apply.js";
import { ensureKeyCode, ensureRelationshipCode, ensureTypeCode } from "../operations/name-codes.js";
import { isAnchor } from "../operations/require-owner.js";
import type { GraphStore } from "../store/graph-store.js";
import { NameKindCode } from "../store/names.js";
import { OperationCode } from "../store/operation.js";
import { readonlyError } from "../store/readonly-error.js";
import { readRecord } from "./read-record.js";
import { corruptRecord, RecordReader } from "./record-reader.js";
import { findNameKind, type RecordName, type SlotContent, SlotEncoder } from "./slot-encoder.js";
import { SlotIndex } from "./slot-index.js";

export type { RecordName, SlotContent } from "./slot-encoder.js";

/** Records of one commit. */
const MAX_RECORDS = 256;
/** Words of the records of one commit, and entries of its undo log. */
const MAX_WORDS = 2 ** 16;
/** Vertices of one commit that removes some. */
const MAX_REMOVED = 64;
const NAME_SHIFT = 16;

export class GraphSlots {
  readonly store: GraphStore;
  readonly #index: SlotIndex;

  constructor(store: GraphStore, slots: InstanceSlots) {
    this.store = store;
    this.#index = new SlotIndex(store, slots);
  }

  /** Returns the number of vertices of each slot, without anchors and virtual ones. */
  count(): Uint32Array {
    return this.#reading(() => this.#index.count());
  }

  /**
   * Encodes slots, at least one, until they have `maxWords` together.
   * @throws AccessError if another thread holds the mutex for too long
   */
  encode(
    slots: readonly number[],
    maxWords: number,
  ): { readonly contents: SlotContent[]; readonly names: readonly RecordName[] } {
    const encoder = new SlotEncoder(this.store);
    const contents: SlotContent[] = [];
    return this.#reading(() => {
      const found = this.#index.find(new Set(slots));
      let words = 0;
      for (const slot of slots) {
        const content = encoder.encode(slot, found.get(slot)!);
        contents.push(content);
        words += content.words.length;
        if (words >= maxWords) break;
      }
      return { contents, names: encoder.names };
    });
  }

  /** Encodes the anchors and the arcs between them, for a group that has none yet. */
  encodeAnchors(): { readonly words: Uint32Array; readonly names: readonly RecordName[] } {
    const encoder = new SlotEncoder(this.store);
    return this.#reading(() => ({ words: encoder.encodeAnchors(), names: encoder.names }));
  }

  /**
   * Writes the content of slots, of which the graph has nothing.
   * @throws DataError if it is corrupt, or does not fit the graph
   */
  write(words: Uint32Array, names: readonly RecordName[]): void {
    this.#unchecked(() => writeRecords(this.store, translate(this.store, words, names)));
  }

  /** Removes the content of slots. */
  remove(slots: readonly number[]): void {
    const { vertices } = this.store;
    const listed = new Map<number, number>();
    this.#reading(() => {
      for (const found of this.#index.find(new Set(slots)).values()) {
        for (const vertex of found) listed.set(vertex, vertices.generationOf(vertex));
      }
    });
    this.#unchecked(() => removeVertices(this.store, listed));
  }

  /** Waits for changes that began before: later ones know the slots as they are now. */
  settle(): void {
    this.#reading(() => undefined);
  }

  #reading<T>(read: () => T): T {
    const { writer } = this.store;
    writer.beginReading();
    try {
      return read();
    } finally {
      writer.end();
    }
  }

  #unchecked(change: () => void): void {
    const { store } = this;
    const { constraints } = store;
    constraints.isEnforced = false;
    store.checksOwner = false;
    try {
      change();
    } finally {
      constraints.isEnforced = true;
      store.checksOwner = true;
    }
  }
}

/** Replaces the codes of names by those of this graph. */
function translate(
  store: GraphStore,
  given: Uint32Array,
  names: readonly RecordName[],
): Uint32Array {
  const codes = new Map<number, number>();
  change(store, () => {
    for (const [kind, code, text] of names)
      codes.set(placeOf(kind, code), ensure(store, kind, text));
  });
  const words = given.slice();
  forEachRecord(words, (at) => {
    const head = words[at]!;
    const kind = findNameKind(head & 0xff);
    const name = head >>> NAME_SHIFT;
    if (kind === undefined || name === 0) return;
    const code = codes.get(placeOf(kind, name));
    if (code === undefined) throw new DataError("content of a slot: unknown name");
    words[at] = ((head & 0xffff) | (code << NAME_SHIFT)) >>> 0;
  });
  return words;
}

function placeOf(kind: number, code: number): number {
  return (kind << NAME_SHIFT) | code;
}

function ensure(store: GraphStore, kind: number, text: string): number {
  if (kind === NameKindCode.Relationship) {
    return store.relationships.codeOf(text) || ensureRelationshipCode(store, text);
  }
  if (kind === NameKindCode.Type) return store.types.codeOf(text) || ensureTypeCode(store, text);
  return ensureKeyCode(store, text);
}

/** Words of a record between its head and its texts, and number of texts. */
const LAYOUTS = new Map<number, readonly [words: number, texts: number]>([
  [OperationCode.CreateVertex, [0, 1]],
  [OperationCode.SetExpiry, [1, 1]],
  [OperationCode.SetRank, [2, 1]],
  [OperationCode.SetProperty, [0, 2]],
  [OperationCode.SetVector, [1, 2]],
  [OperationCode.Connect, [2, 2]],
]);
const HEAD_WORDS = 2;

/** Calls `visit` with the offset of each record. @throws DataError if one is corrupt */
function forEachRecord(words: Uint32Array, visit: (at: number, end: number) => void): void {
  for (let at = 0; at < words.length; ) {
    const layout = LAYOUTS.get(words[at]! & 0xff);
    if (layout === undefined) throw corruptRecord("no such content of a slot");
    let end = at + HEAD_WORDS + layout[0];
    for (let text = 0; text < layout[1]; text++) {
      if (end >= words.length) throw corruptRecord("too short");
      end += 1 + Math.ceil(words[end]! / 4);
    }
    if (end > words.length) throw corruptRecord("too short");
    visit(at, end);
    at = end;
  }
}

function writeRecords(store: GraphStore, words: Uint32Array): void {
  let start = 0;
  let records = 0;
  const commit = (end: number): void => {
    if (records > 0) writeBatch(store, words, start, end, records);
    start = end;
    records = 0;
  };
  forEachRecord(words, (at, end) => {
    if (records === MAX_RECORDS || end - start > MAX_WORDS) commit(at);
    records++;
  });
  commit(words.length);
}

const reader = new RecordReader();

/** Writes records in one commit. The log gets them as they are: they are validated before. */
function writeBatch(
  store: GraphStore,
  words: Uint32Array,
  start: number,
  end: number,
  records: number,
): void {
  const { operation, memory } = store;
  change(store, () => {
    if (memory.log?.isOn === true) {
      const at = memory.log.reserve(end - start, records);
      memory.log.words.set(words.subarray(start, end), at);
    }
    reader.begin(words, start, end);
    for (let left = records; left > 0; left--) {
      readRecord(store, reader, operation);
      applyLogged(store, operation);
      reader.recordApplied(operation.vertex, false);
    }
    assert(reader.isAtEnd, "both readers of records know their lengths");
  });
}

/**
 * Removes vertices and the arcs of their slots. They were listed before: where a vertex is gone,
 * its handle may have got another one, which is recognized under the mutex.
 * @param listed generations by handle
 */
function removeVertices(store: GraphStore, listed: ReadonlyMap<number, number>): void {
  const { vertices } = store;
  const handles = [...listed.keys()];
  const isThere = (vertex: number): boolean =>
    vertices.isUsed(vertex) && vertices.generationOf(vertex) === listed.get(vertex);
  const removeEach = (remove: (store: GraphStore, vertex: number) => void): void => {
    for (let next = 0; next < handles.length; ) {
      change(store, () => {
        const end = Math.min(handles.length, next + MAX_REMOVED);
        while (next < end && !isFull(store)) {
          if (isThere(handles[next]!)) remove(store, handles[next]!);
          // The next commit goes on with one that has more arcs.
          if (!isFull(store)) next++;
        }
      });
    }
  };
  // Arcs between them end first, so that no vertex stays behind as a virtual one.
  removeEach(removeArcsOfAnchors);
  removeUnlisted(store, handles, isThere);
  removeEach(removeVertex);
}

/** Returns whether a commit is so large that another one has to follow. */
function isFull({ writer, memory }: GraphStore): boolean {
  return writer.loggedWords >= MAX_WORDS || memory.header.words[Header.UndoCount]! >= MAX_WORDS;
}

function removeVertex(store: GraphStore, vertex: number): void {
  const { vertices, outArcs } = store;
  if (vertices.isReal(vertex)) return perform(store, OperationCode.DeleteVertex, vertex, 0, 0, 0);
  while (vertices.isUsed(vertex) && outArcs.degree(vertex) > 0 && !isFull(store)) {
    removeArc(store, vertex, 0);
  }
}

function removeArcsOfAnchors(store: GraphStore, vertex: number): void {
  const { inArcs } = store;
  // From the end: one that replaces a removed one was visited before.
  for (let place = inArcs.length(vertex) - 1; place >= 0 && !isFull(store); place--) {
    // All arcs of an anchor end at once.
    if (place >= inArcs.length(vertex)) continue;
    const tail = inArcs.otherAt(vertex, place);
    if (isAnchor(store, tail)) perform(store, OperationCode.Disconnect, tail, vertex, 0, 0);
  }
}

/** Removes forward-only arcs from anchors, in commits of limited size. */
function removeUnlisted(
  store: GraphStore,
  heads: readonly number[],
  isThere: (vertex: number) => boolean,
): void {
  const { vertices, outArcs, inArcs } = store;
  if (!heads.some((head) => inArcs.degree(head) > inArcs.length(head))) return;
  for (let tail = 1; tail < vertices.end; tail++) {
    const isTail = (): boolean => vertices.isUsed(tail) && isAnchor(store, tail);
    if (!isTail()) continue;
    for (let place = outArcs.degree(tail) - 1; place >= 0; ) {
      change(store, () => {
        place = isTail() ? Math.min(place, outArcs.degree(tail) - 1) : -1;
        for (; place >= 0 && !isFull(store); place--) {
          if (isThere(outArcs.otherAt(tail, place))) removeArc(store, tail, place);
        }
      });
    }
  }
}

function removeArc(store: GraphStore, tail: number, place: number): void {
  const { outArcs } = store;
  const word1 = outArcs.word1At(tail, place);
  const head = outArcs.otherAt(tail, place);
  const [name, modifier] = [word1 >>> NAME_SHIFT, (word1 >>> 8) & 0xff];
  perform(store, OperationCode.Disconnect, tail, head, name, modifier);
}

/** @throws AccessError if the graph is read-only, such as that of a leader that was replaced */
function change(store: GraphStore, act: () => void): void {
  store.writer.mutate(() => {
    if (store.isReadonly) throw readonlyError(store);
    act();
  });
}

function perform(
  store: GraphStore,
  code: typeof OperationCode.DeleteVertex | typeof OperationCode.Disconnect,
  vertex: number,
  terminal: number,
  name: number,
  modifier: number,
): void {
  const { operation } = store;
  operation.code = code;
  operation.vertex = vertex;
  operation.terminal = terminal;
  operation.name = name;
  operation.modifier = modifier;
  operation.at = nowSeconds();
  apply(store, operation);
}
