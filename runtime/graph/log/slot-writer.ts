// Writes encoded content of slots to a graph. The records are copied to the log, except that codes
// of names are replaced by those of this graph.

import { assert } from "../../base/assert.js";
import { DataError } from "../model/errors.js";
import { applyLogged } from "../operations/apply.js";
import { ensureKeyCode, ensureRelationshipCode, ensureTypeCode } from "../operations/name-codes.js";
import type { GraphStore } from "../store/graph-store.js";
import { NameKindCode } from "../store/names.js";
import { OperationCode } from "../store/operation.js";
import { wordsFor } from "../store/packed-text.js";
import { changeSlots } from "./change-slots.js";
import { readRecord } from "./read-record.js";
import { corruptRecord, RecordReader } from "./record-reader.js";
import { findNameKind, type RecordName } from "./slot-encoder.js";

/** Maximum records of one commit. */
const MAX_RECORDS = 256;
/** Maximum words of the records of one commit. */
const MAX_WORDS = 2 ** 16;
const NAME_SHIFT = 16;
const HEAD_WORDS = 2;
const NO_LAYOUT = -1;

/** By operation code: words of a record between its head and its texts, and number of texts. */
const WORDS = new Int8Array(0x100).fill(NO_LAYOUT);
const TEXTS = new Int8Array(0x100);
for (const [code, words, texts] of [
  [OperationCode.CreateVertex, 0, 1],
  [OperationCode.SetExpiry, 1, 1],
  [OperationCode.SetRank, 2, 1],
  [OperationCode.SetProperty, 0, 2],
  [OperationCode.SetVector, 1, 2],
  [OperationCode.Connect, 2, 2],
] as const) {
  WORDS[code] = words;
  TEXTS[code] = texts;
}

const reader = new RecordReader();
/** Offsets of the heads of the arcs of one commit. */
const heads = new Int32Array(MAX_RECORDS);

export class SlotWriter {
  readonly #store: GraphStore;
  /** Codes in this graph by kind and code in the source graph. */
  readonly #codes = new Map<number, number>();
  #start = 0;
  #recordCount = 0;
  #headCount = 0;

  /** @param names names that the records refer to */
  constructor(store: GraphStore, names: readonly RecordName[]) {
    this.#store = store;
    changeSlots(store, () => {
      for (const [kind, code, text] of names) {
        this.#codes.set(codeKey(kind, code), ensureCode(store, kind, text));
      }
    });
  }

  /** @throws DataError if the records are corrupt, or contradict the graph */
  write(records: Uint32Array): void {
    const words = records.slice();
    this.#start = 0;
    this.#recordCount = 0;
    this.#headCount = 0;
    for (let offset = 0; offset < words.length; ) {
      const end = this.#findEnd(words, offset);
      if (this.#recordCount === MAX_RECORDS || end - this.#start > MAX_WORDS)
        this.#commit(words, offset);
      this.#translate(words, offset);
      this.#recordCount++;
      offset = end;
    }
    if (this.#recordCount > 0) this.#commit(words, words.length);
  }

  /** Returns the end of the record at an offset. @throws DataError if it is corrupt */
  #findEnd(words: Uint32Array, offset: number): number {
    const code = words[offset]! & 0xff;
    if (WORDS[code] === NO_LAYOUT) throw corruptRecord("no such content of a slot");
    let end = offset + HEAD_WORDS + WORDS[code]!;
    let last = 0;
    for (let text = TEXTS[code]!; text > 0; text--) {
      if (end >= words.length) throw corruptRecord("too short");
      last = end + 1;
      end = last + wordsFor(words[end]!);
    }
    if (end > words.length) throw corruptRecord("too short");
    if (code === OperationCode.Connect && this.#headCount < MAX_RECORDS)
      heads[this.#headCount++] = last;
    return end;
  }

  /** Replaces the code of a record's name by the code of this graph. */
  #translate(words: Uint32Array, offset: number): void {
    const head = words[offset]!;
    const kind = findNameKind(head & 0xff);
    const name = head >>> NAME_SHIFT;
    if (kind === undefined || name === 0) return;
    const code = this.#codes.get(codeKey(kind, name));
    if (code === undefined) throw new DataError("content of a slot: unknown name");
    words[offset] = ((head & 0xffff) | (code << NAME_SHIFT)) >>> 0;
  }

  /** Writes the records up to an offset in one commit. */
  #commit(words: Uint32Array, end: number): void {
    const { operation, memory, ids } = this.#store;
    changeSlots(this.#store, () => {
      if (memory.log?.isOn === true) {
        const target = memory.log.reserve(end - this.#start, this.#recordCount);
        memory.log.words.set(words.subarray(this.#start, end), target);
      }
      if (this.#headCount > 0) ids.prefetch(words, heads, this.#headCount);
      reader.begin(words, this.#start, end);
      for (let remaining = this.#recordCount; remaining > 0; remaining--) {
        readRecord(this.#store, reader, operation);
        applyLogged(this.#store, operation);
        reader.recordApplied(operation.vertex, false);
      }
      assert(reader.isAtEnd, "both readers of records know their lengths");
    });
    this.#start = end;
    this.#recordCount = 0;
    this.#headCount = 0;
  }
}

function codeKey(kind: number, code: number): number {
  return (kind << NAME_SHIFT) | code;
}

function ensureCode(store: GraphStore, kind: number, text: string): number {
  if (kind === NameKindCode.Relationship) {
    return store.relationships.codeOf(text) || ensureRelationshipCode(store, text);
  }
  if (kind === NameKindCode.Type) return store.types.codeOf(text) || ensureTypeCode(store, text);
  return ensureKeyCode(store, text);
}
