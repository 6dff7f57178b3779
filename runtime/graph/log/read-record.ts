// Decodes log records to operations for `apply`. Records refer to vertices by id and to names by
// code: a store that replays all records of another assigns the same codes. Records are untrusted;
// they are validated against the store, so that every decoded operation can be applied.

import { isUtf8 } from "node:buffer";
import { Float } from "../../base/float.js";
import { PRECISIONS } from "../../base/precisions.js";
import { DataError } from "../model/errors.js";
import { ArcFlag, MODIFIERS, valueFromBits } from "../model/modifiers.js";
import { isForwardOnlyMix, loadArcEnds } from "../operations/arcs.js";
import { ABOVE_INT8, CHOSEN, EUCLIDEAN, FEATURES, NAMED } from "../operations/log-operation.js";
import { areRules } from "../store/constraint-rules.js";
import { MAX_DISK_BYTES } from "../store/external-values.js";
import type { GraphStore } from "../store/graph-store.js";
import type { NameEnumeration } from "../store/names.js";
import { NAME_KINDS } from "../store/names.js";
import { type Operation, OperationCode, type OperationCodeNumber } from "../store/operation.js";
import {
  decodeExternalValue,
  decodeStoredValue,
  validatePackedValue,
} from "../store/property-codec.js";
import {
  type PackedKind,
  PackedValue,
  PropertyKind,
  type StoredValue,
  validatePropertyKey,
  validatePropertyValue,
} from "../store/property-values.js";
import { isAscii, isPlainAscii, TextView } from "../store/text-view.js";
import { validateVertexId } from "../store/validate-vertex-id.js";
import { MAX_DEFINITION_BYTES, parseDefinition } from "../texts/index-definition.js";
import { unpackBits } from "../vectors/binary-vector.js";
import { isFeatureList } from "../vectors/features.js";
import { MAX_EF, MIN_EF } from "../vectors/index-layout.js";
import { computeHalfUnit, decodeHalf, MIN_SCALE, Precision } from "../vectors/precision.js";
import { isSetting } from "../vectors/similarity-settings.js";
import {
  countComponents,
  hasFeatures,
  isSignIndex,
  readPrecision,
} from "../vectors/vector-layout.js";
import {
  binaryParts,
  featureParts,
  isVectorLength,
  parseBytes,
  preciseParts,
  type VectorParts,
} from "../vectors/vector-parts.js";
import { corruptRecord, type RecordReader } from "./record-reader.js";

const IS_CODE = new Uint8Array(0x100);
for (const code of Object.values(OperationCode)) IS_CODE[code] = 1;
/** A number and its bits. */
const numbers = new Float64Array(1);
const numberWords = new Uint32Array(numbers.buffer);
/** Views of the texts of the current record. */
const terminalId = new TextView();
const valueText = new TextView();
const floats = new Float32Array(2);
const scale = new Float32Array(1);
const scaleWord = new Uint32Array(scale.buffer);
const floatWords = new Uint32Array(floats.buffer);

/**
 * Decodes the next record of a transaction, within the mutation that applies it.
 * @throws DataError if it is corrupt, or does not fit the state of the store
 */
export function readRecord(store: GraphStore, reader: RecordReader, into: Operation): void {
  const head = reader.word();
  const code = head & 0xff;
  const kind = (head >>> 8) & 0xff;
  const name = head >>> 16;
  if (IS_CODE[code] === 0) throw corruptRecord("no such operation");
  into.code = code as OperationCodeNumber;
  into.at = reader.word();
  into.vertex = 0;
  into.terminal = 0;
  switch (into.code) {
    case OperationCode.Connect:
    case OperationCode.Disconnect:
      into.modifier = kind;
      readArc(store, reader, into, name);
      break;
    case OperationCode.Truncate:
      into.name = readName(store.types, kind === 0 ? name : -1, true);
      break;
    case OperationCode.Enumerate:
      readEnumeration(store, reader, into, kind, name);
      break;
    case OperationCode.SetReadonly:
    case OperationCode.SetAutoTimes:
      into.value = kind;
      if (kind > 1 || name !== 0) throw corruptRecord("a switch is 0 or 1");
      break;
    case OperationCode.IndexProperty:
      into.value = kind;
      into.name = readName(store.keys, name, true);
      if (kind > 1) throw corruptRecord("an index is made or dropped");
      break;
    case OperationCode.Constrain:
      into.flags = kind;
      into.name = readName(store.keys, name, false);
      into.value = readName(store.types, reader.word(), false);
      if (!areRules(kind)) throw corruptRecord("rules of a constraint");
      break;
    case OperationCode.IndexTexts:
      readTextIndex(store, reader, into, kind);
      if (name !== 0) throw corruptRecord("a text index has no code");
      break;
    case OperationCode.SetSimilarity:
      into.name = name;
      into.value = reader.word();
      into.flags = readVectorName(store, kind, kind === NAMED ? reader.word() : 0);
      if (!isSetting(name, into.value)) throw corruptRecord("setting of similarity");
      break;
    case OperationCode.IndexVectors:
      readIndex(reader, into, name);
      into.name = readVectorName(store, kind, kind === NAMED ? reader.word() : 0);
      if (isSignIndex(into.value)) requireRoomForSigns(store, into);
      break;
    default:
      readVertexChange(store, reader, into, kind, name);
  }
}

function readArc(store: GraphStore, reader: RecordReader, into: Operation, name: number): void {
  const isConnect = into.code === OperationCode.Connect;
  into.name = readName(store.relationships, name, !isConnect);
  if (isConnect) {
    into.value = reader.word();
    into.flags = reader.word();
  }
  into.vertex = readFirstVertex(store, reader);
  if (into.vertex === 0) into.id = readId(reader, reader.first);
  reader.skipText();
  into.terminal = findVertex(store, reader);
  if (into.terminal === 0) into.terminalId = readId(reader, terminalId);
  if (into.vertex !== 0 && into.terminal !== 0) loadArcEnds(store, into.vertex, into.terminal);
  const row = MODIFIERS[into.modifier];
  const isAny = !isConnect && into.modifier === 0;
  if (!isAny && (row === undefined || row.isResult)) throw corruptRecord("no such modifier");
  if (!isConnect || row === undefined) return;
  const value = valueFromBits(row.kind, into.value);
  const isUnit = row.kind === "unit";
  if (isUnit ? into.value !== 1 : !(value >= row.min && value <= row.max)) {
    throw corruptRecord("value out of range");
  }
  if ((into.flags & ~ArcFlag.ForwardOnly) !== 0) throw corruptRecord("no such flags");
  if (into.terminal !== 0 && isForwardOnlyMix(store, into.terminal, into.flags)) {
    throw corruptRecord("forward-only and regular arcs to one vertex");
  }
}

function readEnumeration(
  store: GraphStore,
  reader: RecordReader,
  into: Operation,
  kind: number,
  code: number,
): void {
  into.name = kind & ~CHOSEN;
  const names = NAME_KINDS[into.name]?.(store);
  if (names === undefined) throw corruptRecord("no such kind of names");
  reader.skipText();
  into.text = reader.text();
  const known = names.codeOf(into.text);
  into.value = kind === into.name ? 0 : code;
  const isGiven = into.value === 0 ? code === names.nextCode : names.isFree(code);
  if (code === 0 || (known === 0 ? !isGiven : code !== known)) {
    throw new DataError(`operation record gives '${into.text}' another code`);
  }
  if (known === 0) validateWith(validatePropertyKey, into.text);
}

function readVertexChange(
  store: GraphStore,
  reader: RecordReader,
  into: Operation,
  kind: number,
  name: number,
): void {
  const { code } = into;
  if (code === OperationCode.SetVector) {
    if (kind < EUCLIDEAN || kind >= PRECISIONS.length + ABOVE_INT8) {
      throw corruptRecord("no such kind of vectors");
    }
  } else if (code !== OperationCode.SetProperty && kind !== 0)
    throw corruptRecord("it has no kind");
  if (code === OperationCode.SetExpiry) into.expiresAt = reader.word();
  else if (code === OperationCode.SetRank) {
    floatWords[0] = reader.word();
    floatWords[1] = reader.word();
    into.c1 = floats[0]!;
    into.c0 = floats[1]!;
  } else if (code === OperationCode.SetVector) scaleWord[0] = reader.word();
  into.vertex = readFirstVertex(store, reader);
  if (into.vertex === 0) into.id = readId(reader, reader.first);
  if (code === OperationCode.CreateVertex) {
    into.name = readName(store.types, name, true);
    return;
  }
  if (code === OperationCode.DeleteVertex) return;
  if (into.vertex === 0) throw corruptRecord(`about no vertex: '${reader.text()}'`);
  if (code === OperationCode.SetType) into.name = readName(store.types, name, false);
  else if (code === OperationCode.RemoveProperty) into.name = readName(store.keys, name, false);
  else if (code === OperationCode.SetProperty) {
    into.name = readName(store.keys, name, false);
    into.property = readValue(store, reader, kind);
  } else if (code === OperationCode.SetVector || code === OperationCode.RemoveVector) {
    into.name = readVectorName(store, name === 0 ? 0 : NAMED, name);
    if (code === OperationCode.SetVector) into.vector = readVector(reader, kind);
  }
}

/** Validates the key code of a name of vectors, which the operation may create. */
function readVectorName(store: GraphStore, kind: number, key: number): number {
  if (kind > NAMED) throw corruptRecord("it has no kind");
  if (kind === 0) return 0;
  const { vectorFields } = store;
  if (vectorFields.find(key) === null && vectorFields.isFull)
    throw corruptRecord("a name too many");
  return readName(store.keys, key, false);
}

/** Returns the handle of the vertex with the first id of a record, or 0. */
function readFirstVertex(store: GraphStore, reader: RecordReader): number {
  return reader.skipFirst() || findVertex(store, reader);
}

/** Returns the handle of the vertex whose id was read last, or 0. */
function findVertex(store: GraphStore, reader: RecordReader): number {
  return store.ids.findWords(reader.words, reader.textAt, reader.textBytes);
}

function readId(reader: RecordReader, into: TextView): string | TextView {
  const { words, textAt, textBytes } = reader;
  if (textBytes > 0 && isPlainAscii(words, textAt, textBytes)) {
    return into.place(words, textAt, textBytes);
  }
  return validateWith(validateVertexId, reader.text());
}

/** Returns the text read last, validated as UTF-8. */
function readText(reader: RecordReader): TextView {
  const { words, textAt, textBytes } = reader;
  if (!isAscii(words, textAt, textBytes) && !isUtf8(reader.bytes())) {
    throw corruptRecord("text is not UTF-8");
  }
  return valueText.place(words, textAt, textBytes);
}

function readValue(store: GraphStore, reader: RecordReader, kind: number): StoredValue | TextView {
  if (kind === PropertyKind.External) return readExternalValue(store, reader);
  reader.skipText();
  const { textBytes: length } = reader;
  try {
    switch (kind) {
      case PropertyKind.Null:
        if (length > 0) break;
        return null;
      case PropertyKind.Number:
      case PropertyKind.Float:
        if (length !== 8) break;
        return readNumber(reader, kind);
      case PropertyKind.String:
        return readText(reader);
      case PropertyKind.Bytes:
      case PropertyKind.Integers:
      case PropertyKind.Floats:
      case PropertyKind.Map:
      case PropertyKind.Opaque:
        return validatePackedValue(new PackedValue(kind as PackedKind, reader.bytes().slice()));
    }
  } catch (error) {
    throw new DataError("corrupt property value", { cause: error });
  }
  throw new DataError("corrupt property value");
}

/** Writes an external value to disk before a property refers to it. */
function readExternalValue(store: GraphStore, reader: RecordReader): StoredValue {
  reader.skipText(MAX_DISK_BYTES);
  const content = reader.bytes();
  try {
    decodeStoredValue(decodeExternalValue(content));
  } catch (error) {
    throw new DataError("corrupt property value", { cause: error });
  }
  return store.values.put(content);
}

function readNumber(reader: RecordReader, kind: number): StoredValue {
  numberWords[0] = reader.words[reader.textAt]!;
  numberWords[1] = reader.words[reader.textAt + 1]!;
  const value = numbers[0]!;
  if (kind === PropertyKind.Number) return validatePropertyValue(value);
  if (!Number.isInteger(value)) throw corruptRecord("a float that is not integral");
  return new Float(value);
}

function readIndex(reader: RecordReader, into: Operation, candidates: number): void {
  into.value = reader.word();
  into.flags = candidates;
  if (hasFeatures(into.value) || !isVectorLength(countComponents(into.value))) {
    throw corruptRecord("length of vectors");
  }
  if (candidates === 0) return;
  if (candidates < MIN_EF || candidates > MAX_EF) throw corruptRecord("candidates of an index");
}

/** @throws DataError if the vectors cannot have another sign index */
function requireRoomForSigns({ vectorFields }: GraphStore, { name, value }: Operation): void {
  if (readPrecision(value) !== 0) throw corruptRecord("precision of signs");
  const isKnown = vectorFields.findSigns(name, countComponents(value)) !== null;
  if (!isKnown && vectorFields.hasAllSigns) throw corruptRecord("a sign index too many");
}

function readTextIndex(
  { keys }: GraphStore,
  reader: RecordReader,
  into: Operation,
  kind: number,
): void {
  into.value = kind;
  reader.skipText(MAX_DEFINITION_BYTES);
  into.text = reader.text();
  if (kind > 1) throw corruptRecord("an index is declared or dropped");
  if (kind === 0) return;
  const definition = parseDefinition(into.text);
  if (definition === null) throw corruptRecord("definition of a text index");
  if (!definition.keys.every(({ name }) => keys.codeOf(name) !== 0)) {
    throw corruptRecord("unknown name");
  }
}

/** Decodes a vector, whose scale has been read. */
function readVector(reader: RecordReader, kind: number): VectorParts {
  reader.skipText();
  const bytes = Int8Array.from(reader.bytes(), (byte) => (byte << 24) >> 24);
  if (bytes.length === 0) throw corruptRecord("length of a vector");
  if (kind === FEATURES) {
    if (scale[0] !== 1 || !isFeatureList(bytes)) throw corruptRecord("features of a vector");
    return featureParts(bytes);
  }
  if (!(scale[0]! >= 0 && scale[0]! < Number.POSITIVE_INFINITY))
    throw corruptRecord("scale of a vector");
  if (kind === Precision.Binary + ABOVE_INT8) return readBinary(bytes);
  if (kind !== EUCLIDEAN) return readExact(bytes, kind - ABOVE_INT8);
  return validateWith(() => parseBytes(bytes, scale[0]!, "vector"), "");
}

/** Decodes a binary vector, whose scale has been read. */
function readBinary(bytes: Int8Array): VectorParts {
  const length = bytes.length * 8;
  if (scale[0] !== 1 || !isVectorLength(length)) throw corruptRecord("length of a vector");
  return binaryParts(unpackBits(new Uint32Array(bytes.buffer), 0, length));
}

/** Decodes a vector of larger precision, whose scale has been read. */
function readExact(bytes: Int8Array, precision: number): VectorParts {
  const length = bytes.length / (precision === Precision.Float32 ? 4 : 2);
  if (!isVectorLength(length)) throw corruptRecord("length of a vector");
  const unit = computeHalfUnit(scale[0]!);
  const exact =
    precision === Precision.Float32
      ? new Float32Array(bytes.buffer)
      : Float32Array.from(new Uint16Array(bytes.buffer), (half) => readHalf(half, unit));
  const isZero = exact.every((component) => component === 0);
  const isScaled = isZero ? scale[0] === 0 : scale[0]! >= MIN_SCALE;
  if (!isScaled || !exact.every(Number.isFinite)) throw corruptRecord("components of a vector");
  return preciseParts(exact, scale[0]!, precision);
}

/** Infinities and NaN have the largest exponent. */
function readHalf(half: number, unit: number): number {
  return (half & 0x7c00) === 0x7c00 ? Number.NaN : decodeHalf(half, unit);
}

/** Validates a code that the store must have assigned. */
function readName(names: NameEnumeration, code: number, isOptional: boolean): number {
  if (isOptional && code === 0) return 0;
  if (code < 0 || names.nameOf(code) === "") throw corruptRecord("unknown name");
  return code;
}

function validateWith<T>(check: (text: string) => T, text: string): T {
  try {
    return check(text);
  } catch (error) {
    throw new DataError("corrupt operation record", { cause: error });
  }
}
