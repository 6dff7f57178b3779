// Encodes a segment: first its documents, then its terms sorted by text, each with one postings
// list per key in document order. The result is in memory of this thread.

import { assert } from "../../base/assert.js";
import { type ColumnValues, encodeColumns } from "./column-values.js";
import { GrowingBytes, GrowingWords } from "./growing-array.js";
import { bitsFor, packBlock, packedWords } from "./packed-block.js";
import { packNumbers } from "./packed-numbers.js";
import {
  BLOCK,
  BLOCK_HEADER_WORDS,
  BlockHeader,
  headWords,
  KEY_SHIFT,
  keyAt,
  LIST_WORDS,
  List,
  normBytes,
  SegmentHead,
  SegmentKey,
} from "./segment-layout.js";
import { MAX_WEIGHT_ERROR, weightFactors } from "./weights.js";

const float = new Float32Array(1);
const floatWord = new Uint32Array(float.buffer);

/** Documents of a segment. */
export interface SegmentDocuments {
  readonly count: number;
  readonly vertices: Uint32Array;
  /** Versions; null if all are 0. */
  readonly versions: Uint32Array | null;
  /** Encoded lengths, by key. */
  readonly norms: readonly Uint8Array[];
  /** Sums of the lengths, by key. */
  readonly lengths: readonly number[];
  readonly columns: readonly ColumnValues[];
}

export class SegmentEncoder {
  readonly #documents: SegmentDocuments;
  readonly #hasPositions: boolean;
  readonly #averages: readonly number[];
  /** Weight of one occurrence, by key and encoded length. */
  readonly #factors: readonly Float64Array[];
  readonly #terms = new GrowingWords();
  readonly #texts: string[] = [];
  #units = 0;
  readonly #lists = new GrowingWords();
  readonly #bytes = new GrowingBytes();
  readonly #blocks = new GrowingWords();
  /** Key and postings of the current list. */
  #key = -1;
  readonly #postings = new GrowingWords();
  readonly #positions = new GrowingWords();

  constructor(documents: SegmentDocuments, hasPositions: boolean) {
    this.#documents = documents;
    this.#hasPositions = hasPositions;
    const { count, lengths } = documents;
    this.#averages = lengths.map((length) => Math.fround(count === 0 ? 1 : length / count) || 1);
    this.#factors = this.#averages.map((average) => weightFactors(average, 1));
  }

  /** Starts the next term; texts must ascend. */
  beginTerm(text: string): void {
    const last = this.#texts.at(-1);
    assert(last === undefined || last < text, "terms of a segment ascend");
    this.#terms.push(this.#units);
    this.#terms.push(this.#lists.length / LIST_WORDS);
    this.#texts.push(text);
    this.#key = -1;
    this.#units += text.length;
  }

  /** Starts the list of a key of the term; keys must ascend. */
  beginList(key: number): void {
    assert(key > this.#key, "keys of a term ascend");
    this.#key = key;
    this.#postings.length = 0;
    this.#positions.length = 0;
  }

  /** Adds a document to the list; documents must ascend. */
  add(document: number, positions: Uint32Array, from: number, end: number): void {
    this.#postings.push(document);
    this.#postings.push(end - from);
    if (!this.#hasPositions) return;
    this.#positions.reserve(end - from);
    for (let at = from; at < end; at++) this.#positions.push(positions[at]!);
  }

  /** Ends the list; omits it if it is empty. */
  endList(): void {
    const count = this.#postings.length / 2;
    if (count === 0) return;
    const lists = this.#lists;
    lists.push(((this.#key << KEY_SHIFT) | count) >>> 0);
    const positions = this.#bytes.length;
    if (count === 1) {
      const [document, frequency] = this.#postings.words as unknown as [number, number];
      lists.push(document);
      lists.push(positions);
      lists.push(frequency);
      this.#putPositions(0, 1, 0);
    } else if (count < BLOCK) this.#putShort(count);
    else this.#putBlocks(count);
  }

  /** Ends the term; omits it if it has no lists. */
  endTerm(): void {
    const { words, length } = this.#terms;
    if (words[length - 1]! < this.#lists.length / LIST_WORDS) return;
    this.#units -= this.#texts.pop()!.length;
    this.#terms.length -= 2;
  }

  /** Returns the segment. A sentinel term marks the end of the lists and text of the last one. */
  finish(): Uint32Array<ArrayBuffer> {
    const { count, norms } = this.#documents;
    const keys = norms.length;
    const termCount = this.#texts.length;
    this.#terms.push(this.#units);
    this.#terms.push(this.#lists.length / LIST_WORDS);
    const vertices = headWords(keys);
    const packed = packNumbers(this.#documents.vertices, count);
    const versionNumbers = this.#documents.versions;
    const packedVersions = versionNumbers === null ? EMPTY : packNumbers(versionNumbers, count);
    const versions = vertices + packed.length;
    const norm = versions + packedVersions.length;
    const terms = norm + (keys * normBytes(count)) / 4;
    const texts = terms + this.#terms.length;
    const lists = texts + Math.ceil(this.#units / 2);
    const bytes = lists + this.#lists.length;
    const blocks = bytes + Math.ceil(this.#bytes.length / 4);
    const columns = blocks + this.#blocks.length;
    const section = encodeColumns(this.#documents.columns);
    const words = new Uint32Array(columns + section.length);
    words[SegmentHead.Words] = words.length;
    words[SegmentHead.Documents] = count;
    words[SegmentHead.Terms] = termCount;
    words[SegmentHead.Lists] = this.#lists.length / LIST_WORDS;
    words[SegmentHead.VerticesAt] = vertices;
    words[SegmentHead.VersionsAt] = versionNumbers === null ? 0 : versions;
    words[SegmentHead.NormsAt] = norm;
    words[SegmentHead.TermsAt] = terms;
    words[SegmentHead.TextsAt] = texts;
    words[SegmentHead.ListsAt] = lists;
    words[SegmentHead.BytesAt] = bytes;
    words[SegmentHead.Keys] = keys;
    words[SegmentHead.ColumnsAt] = section.length === 0 ? 0 : columns;
    words.set(section, columns);
    words.set(packed, vertices);
    words.set(packedVersions, versions);
    this.#putLengths(words, norm);
    words.set(this.#terms.words.subarray(0, this.#terms.length), terms);
    this.#putTexts(new Uint16Array(words.buffer, texts * 4));
    words.set(this.#lists.words.subarray(0, this.#lists.length), lists);
    new Uint8Array(words.buffer).set(this.#bytes.bytes.subarray(0, this.#bytes.length), bytes * 4);
    words.set(this.#blocks.words.subarray(0, this.#blocks.length), blocks);
    this.#relocateBlocks(words, lists, blocks);
    return words;
  }

  #putLengths(words: Uint32Array, norm: number): void {
    const { count, norms, lengths } = this.#documents;
    const bytes = new Uint8Array(words.buffer);
    for (const [key, lengthsOfKey] of norms.entries()) {
      bytes.set(lengthsOfKey.subarray(0, count), norm * 4 + key * normBytes(count));
      const at = keyAt(key);
      words[at + SegmentKey.Length] = lengths[key]! >>> 0;
      words[at + SegmentKey.LengthHigh] = Math.floor(lengths[key]! / 2 ** 32);
      words[at + SegmentKey.Average] = bitsOf(this.#averages[key]!);
    }
  }

  #putTexts(units: Uint16Array): void {
    let at = 0;
    for (const text of this.#texts) {
      for (let unit = 0; unit < text.length; unit++) units[at++] = text.charCodeAt(unit);
    }
  }

  /** Converts block offsets, so far relative to the first block, to offsets in the segment. */
  #relocateBlocks(words: Uint32Array, lists: number, blocks: number): void {
    for (let list = lists; list < lists + this.#lists.length; list += LIST_WORDS) {
      const count = words[list]! & 0xff_ffff;
      if (count < BLOCK) continue;
      words[list + List.Data]! += blocks;
      const first = words[list + List.Data]!;
      const end = first + Math.ceil(count / BLOCK) * BLOCK_HEADER_WORDS;
      for (let header = first; header < end; header += BLOCK_HEADER_WORDS) {
        words[header + BlockHeader.Data]! += blocks;
      }
    }
  }

  #putShort(count: number): void {
    const { words } = this.#postings;
    const bytes = this.#bytes;
    const start = bytes.length;
    let last = -1;
    let limit = 0;
    for (let at = 0; at < count; at++) {
      const document = words[2 * at]!;
      const frequency = words[2 * at + 1]!;
      const gap = document - last - 1;
      assert(gap >= 0, "documents of a list ascend");
      // The low bit indicates frequency 1, the most common one.
      bytes.pushNumber(gap * 2 + (frequency === 1 ? 1 : 0));
      if (frequency !== 1) bytes.pushNumber(frequency);
      last = document;
      limit = Math.max(limit, this.#weight(document, frequency));
    }
    this.#lists.push(start);
    this.#lists.push(bytes.length);
    this.#lists.push(bitsOf(limit * MAX_WEIGHT_ERROR));
    this.#putPositions(0, count, 0);
  }

  #putBlocks(count: number): void {
    const blocks = this.#blocks;
    const headers = blocks.length;
    const headerWords = Math.ceil(count / BLOCK) * BLOCK_HEADER_WORDS;
    blocks.reserve(headerWords);
    blocks.words.fill(0, headers, headers + headerWords);
    blocks.length += headerWords;
    this.#lists.push(headers);
    this.#lists.push(this.#bytes.length);
    let last = -1;
    let limit = 0;
    let nextPosition = 0;
    for (let from = 0, at = headers; from < count; from += BLOCK, at += BLOCK_HEADER_WORDS) {
      const end = Math.min(from + BLOCK, count);
      const blockLimit = this.#putBlock(at, from, end, last);
      last = this.#postings.words[2 * (end - 1)]!;
      limit = Math.max(limit, blockLimit);
      nextPosition = this.#putPositions(from, end, nextPosition);
    }
    this.#lists.push(bitsOf(limit * MAX_WEIGHT_ERROR));
  }

  #putBlock(header: number, from: number, end: number, before: number): number {
    const { words } = this.#postings;
    const blocks = this.#blocks;
    GAPS.fill(0);
    FREQUENCIES.fill(0);
    let last = before;
    let limit = 0;
    for (let at = from; at < end; at++) {
      const document = words[2 * at]!;
      const frequency = words[2 * at + 1]!;
      assert(document > last, "documents of a list ascend");
      GAPS[at - from] = document - last - 1;
      FREQUENCIES[at - from] = frequency - 1;
      last = document;
      limit = Math.max(limit, this.#weight(document, frequency));
    }
    const gapBits = bitsFor(GAPS);
    const frequencyBits = bitsFor(FREQUENCIES);
    const data = blocks.length;
    const size = 1 + packedWords(gapBits) + packedWords(frequencyBits);
    blocks.reserve(size);
    blocks.words.fill(0, data, data + size);
    blocks.length += size;
    blocks.words[data] = this.#bytes.length;
    packBlock(GAPS, gapBits, blocks.words, data + 1);
    packBlock(FREQUENCIES, frequencyBits, blocks.words, data + 1 + packedWords(gapBits));
    blocks.words[header + BlockHeader.Last] = last;
    blocks.words[header + BlockHeader.Data] = data;
    // If each text contains the word once, searches compare the rounded weights directly.
    const error = frequencyBits === 0 ? 1 : MAX_WEIGHT_ERROR;
    blocks.words[header + BlockHeader.Limit] = bitsOf(limit * error);
    blocks.words[header + BlockHeader.Shape] =
      gapBits | (frequencyBits << 8) | ((end - from) << 16);
    return limit;
  }

  /** Writes the positions of some postings as gaps; returns the offset of the next position. */
  #putPositions(from: number, end: number, firstPosition: number): number {
    if (!this.#hasPositions) return 0;
    let at = firstPosition;
    for (let posting = from; posting < end; posting++) {
      const frequency = this.#postings.words[2 * posting + 1]!;
      let last = -1;
      for (let count = 0; count < frequency; count++) {
        const position = this.#positions.words[at++]!;
        this.#bytes.pushNumber(position - last - 1);
        last = position;
      }
    }
    return at;
  }

  #weight(document: number, frequency: number): number {
    const norm = this.#documents.norms[this.#key]![document]!;
    return frequency * this.#factors[this.#key]![norm]!;
  }
}

const EMPTY = new Uint32Array(0);
const GAPS = new Uint32Array(BLOCK);
const FREQUENCIES = new Uint32Array(BLOCK);

function bitsOf(value: number): number {
  float[0] = value;
  return floatWord[0]!;
}
