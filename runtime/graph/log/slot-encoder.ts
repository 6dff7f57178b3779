// Content of slots as log records: vertices with all their attributes, and arcs. Each arc belongs
// to the slot of its tail, or of its head if the tail is an anchor. The digest of a slot does not
// depend on codes of names or on the order of records, so that two groups can compare digests.

import { crc32 } from "node:zlib";
import { NEVER } from "../memory/layout.js";
import { ArcFlag } from "../model/modifiers.js";
import { logOperation, putArc, type RecordTarget } from "../operations/log-operation.js";
import { MAX_PREFETCHED, prefetchCopies } from "../operations/prefetch-vertices.js";
import { hasAnchors, isAnchor } from "../operations/require-owner.js";
import { LOCK_TYPE } from "../store/code-ranges.js";
import type { GraphStore } from "../store/graph-store.js";
import { NAME_KINDS, NameKindCode, type NameKindCodeNumber } from "../store/names.js";
import { makeOperation, OperationCode, type OperationCodeNumber } from "../store/operation.js";
import { TextView } from "../store/text-view.js";

/** A name that records refer to by code. */
export type RecordName = readonly [kind: NameKindCodeNumber, code: number, text: string];

export interface SlotContent {
  readonly slot: number;
  readonly words: Uint32Array;
  readonly digest: string;
  readonly vertices: number;
  readonly arcs: number;
}

const NAME_SHIFT = 16;
const FIRST_WORDS = 4096;
const USUAL_C1 = 1;
const USUAL_C0 = 0;

/** Kind of the names in the records of an operation; undefined: it has none. */
export function findNameKind(code: number): NameKindCodeNumber | undefined {
  switch (code) {
    case OperationCode.CreateVertex:
      return NameKindCode.Type;
    case OperationCode.Connect:
      return NameKindCode.Relationship;
    case OperationCode.SetProperty:
    case OperationCode.SetVector:
      return NameKindCode.Key;
    default:
      return undefined;
  }
}

class Records implements RecordTarget {
  words = new Uint32Array(FIRST_WORDS);
  length = 0;

  reserve(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length > this.words.length) {
      const words = new Uint32Array(this.length * 2);
      words.set(this.words);
      this.words = words;
    }
    return at;
  }
}

export class SlotEncoder {
  readonly #store: GraphStore;
  readonly #operation = makeOperation();
  readonly #text = new TextView();
  readonly #names: RecordName[] = [];
  /** Hash of the text of a name, by kind and code. */
  readonly #hashes = new Map<number, number>();
  /** By type. */
  readonly #anchors: boolean[] = [];
  #records = new Records();
  #sum = 0;
  #otherSum = 0;

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /** Names that the content encoded so far refers to. */
  get names(): readonly RecordName[] {
    return this.#names;
  }

  /**
   * Encodes a slot. Requires the mutex.
   * @param vertices of the slot, without anchors
   */
  encode(slot: number, vertices: readonly number[]): SlotContent {
    this.#records = new Records();
    this.#sum = 0;
    this.#otherSum = 0;
    let real = 0;
    let arcs = 0;
    for (const vertex of vertices) {
      if (!this.#store.vertices.isReal(vertex)) continue;
      real++;
      this.#vertex(vertex);
    }
    for (const [place, vertex] of vertices.entries()) {
      if (place % MAX_PREFETCHED === 0) prefetchCopies(this.#store, vertices, place);
      arcs += this.#outArcs(vertex);
    }
    if (hasAnchors(this.#store)) {
      for (const vertex of vertices) arcs += this.#arcsOfAnchors(vertex);
      arcs += this.#unlistedArcs(new Set(vertices));
    }
    const words = this.#records.words.slice(0, this.#records.length);
    const digest = [this.#sum, this.#otherSum, real, arcs].map((sum) => (sum >>> 0).toString(16));
    return { slot, words, digest: digest.join("-"), vertices: real, arcs };
  }

  /** Encodes the anchors and the arcs between them, which every group has. Requires the mutex. */
  encodeAnchors(): Uint32Array {
    const { vertices, outArcs } = this.#store;
    this.#records = new Records();
    const anchors: number[] = [];
    for (let vertex = 1; vertex < vertices.end; vertex++) {
      const isReal = vertices.isUsed(vertex) && vertices.isReal(vertex);
      const isOwn = isReal && vertices.typeOf(vertex) !== LOCK_TYPE;
      if (isOwn && this.#isAnchor(vertex)) anchors.push(vertex);
    }
    for (const vertex of anchors) this.#vertex(vertex);
    for (const vertex of anchors) {
      for (let place = outArcs.degree(vertex) - 1; place >= 0; place--) {
        if (this.#isAnchor(outArcs.otherAt(vertex, place))) this.#arc(vertex, place);
      }
    }
    return this.#records.words.slice(0, this.#records.length);
  }

  #vertex(vertex: number): void {
    const { vertices, properties, vectorFields } = this.#store;
    const operation = this.#operation;
    operation.vertex = vertex;
    operation.at = vertices.createdAt(vertex);
    operation.name = vertices.typeOf(vertex);
    this.#put(OperationCode.CreateVertex);
    operation.at = vertices.modifiedAt(vertex);
    operation.expiresAt = vertices.expiresAt(vertex);
    if (operation.expiresAt !== NEVER) this.#put(OperationCode.SetExpiry);
    operation.c1 = vertices.c1(vertex);
    operation.c0 = vertices.c0(vertex);
    if (operation.c1 !== USUAL_C1 || operation.c0 !== USUAL_C0) this.#put(OperationCode.SetRank);
    const { groups } = properties;
    for (let key = groups.keyFrom(vertex, 0); key >= 0; key = groups.keyFrom(vertex, key + 1)) {
      operation.name = key;
      operation.property = properties.storedInPlace(vertex, key, this.#text);
      this.#put(OperationCode.SetProperty);
    }
    for (const table of vectorFields.all()) {
      if (!table.has(vertex)) continue;
      operation.name = table.key;
      operation.vector = table.get(vertex);
      this.#put(OperationCode.SetVector);
    }
  }

  #outArcs(vertex: number): number {
    const degree = this.#store.outArcs.degree(vertex);
    for (let place = 0; place < degree; place++) this.#arc(vertex, place);
    return degree;
  }

  /** Arcs from anchors, which their heads list. */
  #arcsOfAnchors(vertex: number): number {
    const { inArcs, outArcs } = this.#store;
    const length = inArcs.length(vertex);
    let count = 0;
    for (let place = 0; place < length; place++) {
      const tail = inArcs.otherAt(vertex, place);
      if (!this.#isAnchor(tail)) continue;
      const key = inArcs.word1At(vertex, place);
      this.#arc(tail, outArcs.find(tail, vertex, key));
      count++;
    }
    return count;
  }

  /** Forward-only arcs from anchors, which only the anchors list. */
  #unlistedArcs(heads: ReadonlySet<number>): number {
    const { vertices, outArcs, inArcs } = this.#store;
    const isUnlisted = (head: number): boolean => inArcs.degree(head) > inArcs.length(head);
    if (![...heads].some(isUnlisted)) return 0;
    let count = 0;
    for (let tail = 1; tail < vertices.end; tail++) {
      if (!vertices.isUsed(tail) || !this.#isAnchor(tail)) continue;
      for (let place = 0; place < outArcs.degree(tail); place++) {
        if ((outArcs.word1At(tail, place) & ArcFlag.ForwardOnly) === 0) continue;
        if (!heads.has(outArcs.otherAt(tail, place))) continue;
        this.#arc(tail, place);
        count++;
      }
    }
    return count;
  }

  /** Caches the answer per type: names of types do not change during an encoding. */
  #isAnchor(vertex: number): boolean {
    const type = this.#store.vertices.typeOf(vertex);
    this.#anchors[type] ??= isAnchor(this.#store, vertex);
    return this.#anchors[type];
  }

  #arc(tail: number, place: number): void {
    const store = this.#store;
    const { outArcs, vertices } = store;
    const word1 = outArcs.word1At(tail, place);
    const from = this.#records.length;
    const head = outArcs.otherAt(tail, place);
    const value = outArcs.valueAt(tail, place);
    putArc(store, this.#records, tail, head, word1, value, vertices.modifiedAt(tail));
    this.#addToDigest(from, OperationCode.Connect);
  }

  #put(code: OperationCodeNumber): void {
    const operation = this.#operation;
    operation.code = code;
    const from = this.#records.length;
    logOperation(this.#store, this.#records, operation);
    this.#addToDigest(from, code);
  }

  #addToDigest(from: number, code: OperationCodeNumber): void {
    const { words, length } = this.#records;
    const kind = findNameKind(code);
    const name = kind === undefined ? 0 : words[from]! >>> NAME_SHIFT;
    const hash = name === 0 ? 0 : this.#hashOf(kind!, name);
    let term = Math.imul((words[from]! & 0xffff) ^ hash, 0x85eb_ca6b);
    let other = Math.imul(term ^ (length - from), 0xc2b2_ae35);
    // The second word is a time.
    for (let at = from + 2; at < length; at++) {
      term = Math.imul(term ^ (term >>> 15) ^ words[at]!, 0x2c1b_3c6d);
      other = Math.imul(other ^ (other >>> 13) ^ words[at]!, 0x297a_2d39);
    }
    this.#sum = (this.#sum + (term ^ (term >>> 16))) | 0;
    this.#otherSum = (this.#otherSum + (other ^ (other >>> 15))) | 0;
  }

  /** Returns the hash of a name, and notes the name. */
  #hashOf(kind: NameKindCodeNumber, code: number): number {
    const place = (kind << NAME_SHIFT) | code;
    const known = this.#hashes.get(place);
    if (known !== undefined) return known;
    const text = NAME_KINDS[kind]!(this.#store).nameOf(code);
    const hash = crc32(text);
    this.#hashes.set(place, hash);
    this.#names.push([kind, code, text]);
    return hash;
  }
}
