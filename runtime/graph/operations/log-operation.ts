// Writes the record of an operation to the log ring (format: docs/internals/log-format.md). The
// record is written before the operation is executed, because that may remove its vertex.
// Ids are copied by word, and numbers and texts allocate no objects.

import { Float } from "../../base/float.js";
import { ExternalValue } from "../store/external-values.js";
import type { GraphStore } from "../store/graph-store.js";
import { NAME_KINDS } from "../store/names.js";
import { type Operation, OperationCode } from "../store/operation.js";
import { PackedText, wordsFor } from "../store/packed-text.js";
import { PropertyKind, validatePropertyValue } from "../store/property-values.js";
import { TextView } from "../store/text-view.js";
import { packBits } from "../vectors/binary-vector.js";
import { computeHalfUnit, encodeHalf, Precision } from "../vectors/precision.js";
import { exactComponents, type VectorParts } from "../vectors/vector-parts.js";

/** Words of every record: code, modifier or kind, name; time in seconds. */
const HEAD_WORDS = 2;
/** Length in bytes, in front of each text and value. */
const LENGTH_WORDS = 1;
const NUMBER_BYTES = 8;
/** Flag of an enumeration: the code was chosen by the caller and need not be the next one. */
export const CHOSEN = 0x80;
/** Kinds of vectors; other precisions are their index in `PRECISIONS` plus `ABOVE_INT8`. */
export const EUCLIDEAN = 1;
export const FEATURES = 2;
export const ABOVE_INT8 = 2;
/** Kind of records about all vectors of a name, whose key code is a word at the end. */
export const NAMED = 1;

/** Where records go: the commit ring, or the content of a slot. */
export interface RecordTarget {
  readonly words: Uint32Array;
  /** Reserves space for a record and returns its offset in `words`, which may be replaced. */
  reserve(words: number): number;
}

/** Scratch objects: ids of vertices that do not exist yet, and other texts. */
const initialId = new PackedText();
const terminalId = new PackedText();
const text = new PackedText();
const numbers = new Float64Array(1);
const numberWords = new Uint32Array(numbers.buffer);
const floats = new Float32Array(2);
const floatWords = new Uint32Array(floats.buffer);

/**
 * Writes the record of an operation that is about to be applied. Requires a mutation.
 * @throws CapacityError
 */
export function logOperation(store: GraphStore, log: RecordTarget, operation: Operation): void {
  switch (operation.code) {
    case OperationCode.Connect:
    case OperationCode.Disconnect:
      logArc(store, log, operation);
      return;
    case OperationCode.SetProperty:
      logProperty(store, log, operation);
      return;
    case OperationCode.SetVector:
      logVector(store, log, operation);
      return;
    case OperationCode.Enumerate:
      logEnumeration(store, log, operation);
      return;
    case OperationCode.Truncate:
      putHead(log, log.reserve(HEAD_WORDS), operation, 0, operation.name);
      return;
    case OperationCode.IndexVectors:
      logOfVectors(log, operation, operation.flags, operation.name);
      return;
    case OperationCode.SetSimilarity:
      logOfVectors(log, operation, operation.name, operation.flags);
      return;
    case OperationCode.Constrain: {
      const at = log.reserve(HEAD_WORDS + 1);
      log.words[putHead(log, at, operation, operation.flags, operation.name)] = operation.value;
      return;
    }
    case OperationCode.IndexProperty:
      putHead(log, log.reserve(HEAD_WORDS), operation, operation.value, operation.name);
      return;
    case OperationCode.IndexTexts: {
      text.setText(operation.text);
      const at = log.reserve(HEAD_WORDS + LENGTH_WORDS + text.wordCount);
      putText(log.words, putHead(log, at, operation, operation.value, 0), text);
      return;
    }
    case OperationCode.SetReadonly:
    case OperationCode.SetAutoTimes:
      putHead(log, log.reserve(HEAD_WORDS), operation, operation.value, 0);
      return;
    default:
      logVertexChange(store, log, operation);
  }
}

/** Writes the head of a record; returns the offset of the next word. */
function putHead(
  log: RecordTarget,
  at: number,
  { code, at: second }: Operation,
  kind: number,
  name: number,
): number {
  log.words[at] = code | (kind << 8) | (name << 16);
  log.words[at + 1] = second;
  return at + HEAD_WORDS;
}

/** Logs a change of all vectors of a name. Records of unnamed vectors have no word for the name. */
function logOfVectors(log: RecordTarget, operation: Operation, name: number, key: number): void {
  const kind = key === 0 ? 0 : NAMED;
  const at = putHead(log, log.reserve(HEAD_WORDS + 1 + kind), operation, kind, name);
  log.words[at] = operation.value;
  if (key !== 0) log.words[at + 1] = key;
}

function logArc(store: GraphStore, log: RecordTarget, operation: Operation): void {
  const { vertex, terminal, modifier, name } = operation;
  const isConnect = operation.code === OperationCode.Connect;
  const ids =
    idWords(store, initialId, vertex, operation.id) +
    idWords(store, terminalId, terminal, operation.terminalId);
  let at = log.reserve(HEAD_WORDS + (isConnect ? 2 : 0) + ids);
  at = putHead(log, at, operation, modifier, name);
  const { words } = log;
  if (isConnect) {
    words[at++] = operation.value;
    words[at++] = operation.flags;
  }
  at = putId(store, words, at, initialId, vertex);
  putId(store, words, at, terminalId, terminal);
}

const NAME_AND_MODIFIER = 0xffff_ff00;
const FLAGS = 0xff;

/** Writes the record of an arc between existing vertices as it is stored, at a time. */
export function putArc(
  store: GraphStore,
  target: RecordTarget,
  tail: number,
  head: number,
  word1: number,
  value: number,
  seconds: number,
): void {
  const { ids } = store;
  const tailBytes = ids.lengthOf(tail);
  const headBytes = ids.lengthOf(head);
  const idWords = 2 * LENGTH_WORDS + wordsFor(tailBytes) + wordsFor(headBytes);
  let at = target.reserve(HEAD_WORDS + 2 + idWords);
  const { words } = target;
  words[at] = OperationCode.Connect | (word1 & NAME_AND_MODIFIER);
  words[at + 1] = seconds;
  words[at + 2] = value;
  words[at + 3] = word1 & FLAGS;
  words[at + 4] = tailBytes;
  ids.copyTo(tail, words, at + 5);
  at += 5 + wordsFor(tailBytes);
  words[at] = headBytes;
  ids.copyTo(head, words, at + 1);
}

function logEnumeration(store: GraphStore, log: RecordTarget, operation: Operation): void {
  const names = NAME_KINDS[operation.name]!(store);
  const code = names.codeOf(operation.text) || operation.value || names.nextCode;
  text.setText(operation.text);
  const at = log.reserve(HEAD_WORDS + LENGTH_WORDS + text.wordCount);
  const kind = operation.name | (operation.value === 0 ? 0 : CHOSEN);
  putText(log.words, putHead(log, at, operation, kind, code), text);
}

function logProperty(store: GraphStore, log: RecordTarget, operation: Operation): void {
  const id = idWords(store, initialId, operation.vertex, operation.id);
  const { property } = operation;
  const value = property instanceof TextView ? property : validatePropertyValue(property);
  let kind: number = PropertyKind.Null;
  let bytes = 0;
  if (typeof value === "number" || value instanceof Float) {
    kind = typeof value === "number" ? PropertyKind.Number : PropertyKind.Float;
    bytes = NUMBER_BYTES;
    numbers[0] = typeof value === "number" ? value : value.value;
  } else if (value !== null) {
    const isText = typeof value === "string" || value instanceof TextView;
    if (isText) text.take(value);
    else text.setBytes(value instanceof ExternalValue ? value.content() : value.bytes);
    kind = isText ? PropertyKind.String : value.kind;
    // External values are logged by content: the file exists on this disk only.
    if (value instanceof ExternalValue) kind = PropertyKind.External;
    bytes = text.bytes;
  }
  let at = log.reserve(HEAD_WORDS + id + LENGTH_WORDS + wordsFor(bytes));
  at = putHead(log, at, operation, kind, operation.name);
  at = putId(store, log.words, at, initialId, operation.vertex);
  if (kind === PropertyKind.Number || kind === PropertyKind.Float) {
    log.words[at] = NUMBER_BYTES;
    log.words[at + 1] = numberWords[0]!;
    log.words[at + 2] = numberWords[1]!;
  } else if (bytes === 0) log.words[at] = 0;
  else putText(log.words, at, text);
}

function logVector(store: GraphStore, log: RecordTarget, operation: Operation): void {
  const { scale, isFeatures, precision } = operation.vector;
  const id = idWords(store, initialId, operation.vertex, operation.id);
  text.setBytes(vectorBytes(operation.vector));
  let at = log.reserve(HEAD_WORDS + 1 + id + LENGTH_WORDS + text.wordCount);
  const kind = isFeatures ? FEATURES : precision === Precision.Int8 ? EUCLIDEAN : 0;
  at = putHead(log, at, operation, kind || precision + ABOVE_INT8, operation.name);
  floats[0] = scale;
  log.words[at++] = floatWords[0]!;
  at = putId(store, log.words, at, initialId, operation.vertex);
  putText(log.words, at, text);
}

/** Returns what a record of a vector contains: int8, bits, or the exact components. */
function vectorBytes(parts: VectorParts): Uint8Array {
  const { bytes, scale, precision } = parts;
  if (precision === Precision.Int8)
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  if (precision === Precision.Binary)
    return new Uint8Array(packBits(bytes).buffer, 0, bytes.length / 8);
  const exact = exactComponents(parts);
  if (precision === Precision.Float32)
    return new Uint8Array(exact.buffer, exact.byteOffset, exact.byteLength);
  const unit = computeHalfUnit(scale);
  const halves = Uint16Array.from(exact, (component) => encodeHalf(component, unit));
  return new Uint8Array(halves.buffer);
}

/** Logs the remaining operations on a vertex's own attributes. */
function logVertexChange(store: GraphStore, log: RecordTarget, operation: Operation): void {
  const { code, vertex } = operation;
  const isExpiry = code === OperationCode.SetExpiry;
  const isRank = code === OperationCode.SetRank;
  const id = idWords(store, initialId, vertex, operation.id);
  let at = log.reserve(HEAD_WORDS + (isExpiry ? 1 : isRank ? 2 : 0) + id);
  at = putHead(log, at, operation, 0, vertexChangeName(store, operation));
  if (isExpiry) log.words[at++] = operation.expiresAt;
  if (isRank) {
    floats[0] = operation.c1;
    floats[1] = operation.c0;
    log.words[at++] = floatWords[0]!;
    log.words[at++] = floatWords[1]!;
  }
  putId(store, log.words, at, initialId, vertex);
}

function vertexChangeName(store: GraphStore, { code, name, vertex }: Operation): number {
  switch (code) {
    case OperationCode.CreateVertex:
    case OperationCode.SetType:
    case OperationCode.RemoveProperty:
    case OperationCode.RemoveVector:
      return name;
    case OperationCode.DeleteVertex:
      // Change feeds need the type after the vertex was removed.
      return vertex === 0 ? 0 : store.vertices.typeOf(vertex);
    default:
      return 0;
  }
}

/** Returns the words of an id with its length; packs the id of a new vertex into the scratch. */
function idWords(
  store: GraphStore,
  scratch: PackedText,
  vertex: number,
  id: string | TextView,
): number {
  if (vertex !== 0) return LENGTH_WORDS + wordsFor(store.ids.lengthOf(vertex));
  scratch.take(id);
  return LENGTH_WORDS + scratch.wordCount;
}

function putId(
  store: GraphStore,
  words: Uint32Array,
  at: number,
  scratch: PackedText,
  vertex: number,
): number {
  if (vertex === 0) return putText(words, at, scratch);
  const bytes = store.ids.lengthOf(vertex);
  words[at] = bytes;
  store.ids.copyTo(vertex, words, at + LENGTH_WORDS);
  return at + LENGTH_WORDS + wordsFor(bytes);
}

function putText(words: Uint32Array, at: number, scratch: PackedText): number {
  words[at] = scratch.bytes;
  scratch.copyTo(words, at + LENGTH_WORDS);
  return at + LENGTH_WORDS + scratch.wordCount;
}
