// Iterates over the documents of one postings list, block by block. Frequencies and positions of a
// block are decoded only when one of its documents is scored or checked for a phrase.

import { packedWords, unpackAscending, unpackBlock, unpackNumber } from "./packed-block.js";
import type { Segment } from "./segment.js";
import {
  BLOCK,
  BLOCK_HEADER_WORDS,
  BlockHeader,
  DOCUMENTS_MASK,
  KEY_SHIFT,
  List,
} from "./segment-layout.js";
import { MAX_WEIGHT_ERROR, normFactor } from "./weights.js";

/** The end of a list. */
export const NO_DOCUMENT = 0xffff_ffff;
/** Marks numbers of a list that have not been decoded. */
const NONE = new Uint32Array(0);
const FREQUENCY_BITS = 0xff00;
/** Number of documents that a search within a block skips at a time. */
const STRIDE = 8;

function frequencyBits(shape: number): number {
  return (shape >>> 8) & 0xff;
}

export class ListCursor {
  readonly segment: Segment;
  readonly key: number;
  /** Number of documents in the list. */
  readonly count: number;
  /** Maximum weight of all documents, for the average length of the segment. */
  readonly limit: number;
  /** The current document; `NO_DOCUMENT` at the end, 0 before the first `next` or `seek`. */
  document = 0;
  /** Documents of the current block, from `position` to `size`. */
  readonly documents: Uint32Array;
  #frequencies: Uint32Array;
  position = -1;
  size = 0;
  /** Blocks decoded so far. */
  decoded = 0;
  readonly #list: number;
  readonly #blocks: number;
  /** First word of the block headers; 0: the list has none. */
  readonly #headers: number;
  #block = -1;
  /** Shape and first word of the current block. */
  #shape = 0;
  #data = 0;
  #hasFrequencies = false;
  /** First bytes of the positions in the documents of the current block. */
  #offsets = NONE;
  #hasOffsets = false;

  /** @param list first word of a list of the segment */
  constructor(segment: Segment, list: number) {
    const { words, floats } = segment.views;
    const head = words[list + List.Documents]!;
    this.segment = segment;
    this.#list = list;
    this.key = head >>> KEY_SHIFT;
    this.count = head & DOCUMENTS_MASK;
    this.#headers = this.count < BLOCK ? 0 : segment.start + words[list + List.Data]!;
    this.#blocks = Math.ceil(this.count / BLOCK);
    const size = Math.min(this.count, BLOCK);
    this.documents = new Uint32Array(size);
    this.#frequencies = size < BLOCK ? new Uint32Array(size) : NONE;
    this.limit = this.count === 1 ? this.#onlyLimit() : floats[list + List.Limit]!;
  }

  /** Computes the limit of a list of one document, which stores the frequency instead. */
  #onlyLimit(): number {
    const { segment, key } = this;
    const { words, bytes } = segment.views;
    const norm = bytes[segment.normsOf(key) + words[this.#list + List.Data]!]!;
    const frequency = words[this.#list + List.Limit]!;
    return (frequency / normFactor(norm, segment.averageOf(key))) * MAX_WEIGHT_ERROR;
  }

  /** Number of blocks. */
  get blocks(): number {
    return this.#blocks;
  }

  /** Advances to the next document. */
  next(): number {
    if (++this.position < this.size) {
      this.document = this.documents[this.position]!;
      return this.document;
    }
    return this.#enterBlock(this.#block + 1);
  }

  /** Advances to the first document from the given one on; never goes back. */
  seek(target: number): number {
    if (this.position >= 0 && this.document >= target) return this.document;
    if (this.size === 0 || this.documents[this.size - 1]! < target) {
      if (this.#enterBlock(this.#blockOf(target)) >= target) return this.document;
      // A short list has no block headers, so its only block was entered without a check.
      if (this.documents[this.size - 1]! < target) return this.#enterBlock(this.#blocks);
    }
    const { documents, size } = this;
    let { position } = this;
    // Gallop, because the document is usually near.
    for (let step = 1; position + step < size && documents[position + step]! < target; step *= 2) {
      position += step;
    }
    while (documents[position]! < target) position++;
    this.position = position;
    this.document = documents[position]!;
    return this.document;
  }

  /** Frequency of the word in the current document. */
  get frequency(): number {
    if (!this.#hasFrequencies) this.#decodeFrequencies();
    return this.#frequencies[this.position]!;
  }

  /** True if the block header shows that each text of the block contains the word once. */
  get isSingle(): boolean {
    return this.#headers !== 0 && (this.#shape & FREQUENCY_BITS) === 0;
  }

  /** True after the last document. */
  get isAtEnd(): boolean {
    return this.document === NO_DOCUMENT;
  }

  /** Upper bound of the frequency of the word in the texts of the current block. */
  get greatestFrequency(): number {
    if (this.#headers !== 0) return 2 ** frequencyBits(this.#shape);
    let greatest = 1;
    for (let position = 0; position < this.size; position++) {
      if (this.#frequencies[position]! > greatest) greatest = this.#frequencies[position]!;
    }
    return greatest;
  }

  /** Frequency of the word in a document of the current block; the others are not decoded. */
  frequencyAt(position: number): number {
    if (this.#hasFrequencies) return this.#frequencies[position]!;
    const shape = this.#shape;
    const { words } = this.segment.views;
    const start = this.#data + 1 + packedWords(shape & 0xff);
    return 1 + unpackNumber(words, start, frequencyBits(shape), position);
  }

  /**
   * Keeps the documents that the list contains; returns their number. The cursor advances to the
   * last one, so the documents of successive calls must ascend.
   * @param candidates positions of the documents, ascending; receives the kept ones
   * @param frequencies receives the word's frequencies, at the same positions as the documents
   */
  keepCommon(
    documents: Uint32Array,
    candidates: Uint8Array,
    count: number,
    frequencies: Uint32Array,
  ): number {
    let kept = 0;
    let { position, size } = this;
    let last = size === 0 ? -1 : this.documents[size - 1]!;
    const listed = this.documents;
    for (let at = 0; at < count; at++) {
      const candidate = candidates[at]!;
      const document = documents[candidate]!;
      if (document > last) {
        if (this.seek(document) === NO_DOCUMENT) return kept;
        position = this.position;
        size = this.size;
        last = listed[size - 1]!;
      } else {
        while (position + STRIDE < size && listed[position + STRIDE]! < document)
          position += STRIDE;
        while (listed[position]! < document) position++;
      }
      if (listed[position] !== document) continue;
      frequencies[candidate] = this.frequencyAt(position);
      candidates[kept++] = candidate;
    }
    this.position = position;
    this.document = listed[position]!;
    return kept;
  }

  /** Frequencies in the current block, at the positions of its documents. */
  get frequencies(): Uint32Array {
    if (!this.#hasFrequencies) this.#decodeFrequencies();
    return this.#frequencies;
  }

  /** Maximum weight of the documents in a range. */
  limitBetween(from: number, end: number): number {
    if (this.#headers === 0) return this.limit;
    let limit = 0;
    for (let block = this.#blockOf(from); block < this.#blocks; block++) {
      limit = Math.max(limit, this.#limitOfBlock(block) * MAX_WEIGHT_ERROR);
      if (this.#lastOfBlock(block) >= end) break;
    }
    return limit;
  }

  /**
   * Enters the next block that may contain a greater weight; false at the end of the list. Blocks
   * in between are not decoded.
   * @param single the same limit for blocks in which each text contains the word once
   */
  nextBlockOver(weight: number, single: number): boolean {
    let block = this.#block + 1;
    if (this.#headers !== 0) {
      while (block < this.#blocks && !this.#isBlockOver(block, weight, single)) block++;
    } else if (block < this.#blocks && this.limit <= weight && this.count > 1) block = this.#blocks;
    return this.#enterBlock(block) !== NO_DOCUMENT;
  }

  /** Enters the next block; false at the end of the list. */
  nextBlock(): boolean {
    return this.#enterBlock(this.#block + 1) !== NO_DOCUMENT;
  }

  /** True if the current block may contain a greater weight; see `nextBlockOver`. */
  isOver(weight: number, single: number): boolean {
    if (this.#headers !== 0) return this.#isBlockOver(this.#block, weight, single);
    return this.limit > weight || this.count === 1;
  }

  /** Writes the positions of the word in the current document; returns their number. */
  positions(into: PositionList): number {
    if (!this.#hasOffsets) this.#readOffsets();
    const { bytes } = this.segment.views;
    const count = this.frequencies[this.position]!;
    let at = this.#offsets[this.position]!;
    into.reserve(count);
    let position = -1;
    for (let index = 0; index < count; index++) {
      let gap = bytes[at++]!;
      if (gap >= 0x80) {
        gap &= 0x7f;
        for (let shift = 7; ; shift += 7) {
          const byte = bytes[at++]!;
          gap |= (byte & 0x7f) << shift;
          if (byte < 0x80) break;
        }
      }
      position += gap + 1;
      into.values[index] = position;
    }
    return count;
  }

  /** Finds the first byte of the positions in each document of the current block. */
  #readOffsets(): void {
    const { bytes } = this.segment.views;
    const { frequencies, size } = this;
    if (this.#offsets.length === 0) this.#offsets = new Uint32Array(this.documents.length);
    const offsets = this.#offsets;
    const start = this.segment.firstByte + this.#positionsOf(this.#block);
    let at = start;
    for (let position = 0; position < size; position++) {
      offsets[position] = at;
      at += frequencies[position]!;
    }
    this.#hasOffsets = true;
    // One byte per position, as in short texts, is right if the next block starts at the end.
    const isLast = this.#block + 1 === this.#blocks;
    if (!isLast && at === this.segment.firstByte + this.#positionsOf(this.#block + 1)) return;
    at = start;
    for (let position = 0; position < size; position++) {
      offsets[position] = at;
      for (let left = frequencies[position]!; left > 0; at++) if (bytes[at]! < 0x80) left--;
    }
  }

  /**
   * Returns the first block, from the current one on, whose last document is not below the given
   * one.
   */
  #blockOf(document: number): number {
    if (this.#headers === 0) {
      const isBefore =
        this.#block >= 0 && this.size > 0 && this.documents[this.size - 1]! < document;
      return isBefore ? this.#blocks : 0;
    }
    let low = Math.max(this.#block, 0);
    // Galloping search: usually it is one of the next blocks.
    let step = 1;
    while (low + step < this.#blocks && this.#lastOfBlock(low + step) < document) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, this.#blocks);
    if (this.#lastOfBlock(low) >= document) return low;
    low++;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#lastOfBlock(middle) < document) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #header(block: number, word: number): number {
    return this.segment.views.words[this.#headers + block * BLOCK_HEADER_WORDS + word]!;
  }

  #lastOfBlock(block: number): number {
    return this.#header(block, BlockHeader.Last);
  }

  #isBlockOver(block: number, weight: number, single: number): boolean {
    const isSingle = (this.#header(block, BlockHeader.Shape) & FREQUENCY_BITS) === 0;
    return this.#limitOfBlock(block) > (isSingle ? single : weight);
  }

  #limitOfBlock(block: number): number {
    const at = this.#headers + block * BLOCK_HEADER_WORDS + BlockHeader.Limit;
    return this.segment.views.floats[at]!;
  }

  #enterBlock(block: number): number {
    this.#block = block;
    this.position = 0;
    this.#hasFrequencies = false;
    this.#hasOffsets = false;
    if (block >= this.#blocks) {
      this.size = 0;
      this.document = NO_DOCUMENT;
      return NO_DOCUMENT;
    }
    this.decoded++;
    if (this.#headers !== 0) this.#decodeDocuments(block);
    else if (this.count === 1) this.#readOnly();
    else this.#readShort();
    this.document = this.documents[0]!;
    return this.document;
  }

  #decodeDocuments(block: number): void {
    const { words } = this.segment.views;
    const shape = this.#header(block, BlockHeader.Shape);
    const data = this.segment.start + this.#header(block, BlockHeader.Data);
    const { documents } = this;
    this.#shape = shape;
    this.#data = data;
    const last = block === 0 ? -1 : this.#lastOfBlock(block - 1);
    unpackAscending(words, data + 1, shape & 0xff, documents, last);
    this.size = shape >>> 16;
  }

  #decodeFrequencies(): void {
    const { words } = this.segment.views;
    const shape = this.#shape;
    if (this.#frequencies === NONE) this.#frequencies = new Uint32Array(BLOCK);
    const frequencies = this.#frequencies;
    const at = this.#data + 1 + packedWords(shape & 0xff);
    const bits = frequencyBits(shape);
    if (bits === 0) frequencies.fill(1);
    else {
      unpackBlock(words, at, bits, frequencies);
      for (let position = 0; position < this.size; position++) frequencies[position]!++;
    }
    this.#hasFrequencies = true;
  }

  #readOnly(): void {
    const { words } = this.segment.views;
    this.documents[0] = words[this.#list + List.Data]!;
    this.#frequencies[0] = words[this.#list + List.Limit]!;
    this.size = 1;
    this.#hasFrequencies = true;
  }

  #readShort(): void {
    const { words, bytes } = this.segment.views;
    let at = this.segment.firstByte + words[this.#list + List.Data]!;
    let last = -1;
    const number = (): number => {
      let value = bytes[at++]!;
      if (value < 0x80) return value;
      value &= 0x7f;
      for (let factor = 0x80; ; factor *= 0x80) {
        const byte = bytes[at++]!;
        value += (byte & 0x7f) * factor;
        if (byte < 0x80) return value;
      }
    };
    for (let position = 0; position < this.count; position++) {
      const head = number();
      last += (head >>> 1) + 1;
      this.documents[position] = last;
      this.#frequencies[position] = (head & 1) === 1 ? 1 : number();
    }
    this.size = this.count;
    this.#hasFrequencies = true;
  }

  /** Offset of the positions of a block in the bytes of the segment. */
  #positionsOf(block: number): number {
    const { words } = this.segment.views;
    return this.#headers === 0
      ? words[this.#list + List.Positions]!
      : words[this.segment.start + this.#header(block, BlockHeader.Data)]!;
  }
}

/** Positions of a word in one document. */
export class PositionList {
  values = new Uint32Array(64);

  reserve(count: number): void {
    if (count > this.values.length) this.values = new Uint32Array(count * 2);
  }
}
