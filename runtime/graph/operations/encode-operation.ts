// The record of one change, as it is logged and replicated; ARCHITECTURE.md, "Graphs", lists its
// bytes. Vertices stand in it by id and names by code: a store that gets all records of another
// from its first one on gives the same codes. What is read is checked down to what the store
// already has, so that `apply` can do whatever comes out of here.

import { ArcFlag } from "../memory/layout.js";
import { DataError } from "../model/errors.js";
import { MODIFIERS, valueFromBits } from "../model/modifiers.js";
import type { GraphStore } from "../store/graph-store.js";
import { checkedId } from "../store/id-text.js";
import { NAME_KINDS } from "../store/name-kind-codes.js";
import type { Names } from "../store/names.js";
import { type Operation, OperationCode, type OperationCodeNumber } from "../store/operation.js";
import { decodeProperty, encodeProperty } from "../store/property-codec.js";
import { checkedKey } from "../store/property-values.js";
import { MAX_EF, MIN_EF } from "../vectors/index-layout.js";
import { isVectorLength, partsOfBytes, type VectorParts } from "../vectors/vector-parts.js";
import { mixesListing } from "./arcs.js";
import { RecordReader, RecordWriter } from "./record-bytes.js";

const VERSION = 1;
/** The only kind of vectors there is. */
const EUCLIDEAN = 1;
const CODES = new Set<number>(Object.values(OperationCode));
const writer = new RecordWriter();

/** The record of an operation that is about to be applied, within the mutation. */
export function encodeOperation(store: GraphStore, operation: Operation): Uint8Array {
  const { code, at, name, value } = operation;
  writer.begin().u8(VERSION).u8(code).u32(at);
  switch (code) {
    case OperationCode.Truncate:
      writer.u8(name);
      break;
    case OperationCode.Enumerate:
      writer.u8(name).u16(codeToGive(NAME_KINDS[name]!(store), operation.text));
      writer.text(operation.text);
      break;
    case OperationCode.SetReadonly:
      writer.u8(value);
      break;
    case OperationCode.IndexVectors:
      writer.u32(value).u16(operation.flags);
      break;
    case OperationCode.Connect:
    case OperationCode.Disconnect:
      encodeArc(store, operation);
      break;
    default:
      writer.text(idOf(store, operation.vertex, operation.id));
      encodeOwn(operation);
  }
  return writer.take();
}

function encodeArc(store: GraphStore, operation: Operation): void {
  const { vertex, id, terminal, terminalId, name, modifier } = operation;
  writer.text(idOf(store, vertex, id)).text(idOf(store, terminal, terminalId));
  writer.u16(name).u8(modifier);
  if (operation.code === OperationCode.Connect) writer.u8(operation.flags).u32(operation.value);
}

/** What becomes of a vertex itself. */
function encodeOwn(operation: Operation): void {
  const { code, name } = operation;
  switch (code) {
    case OperationCode.CreateVertex:
    case OperationCode.SetType:
      writer.u8(name);
      return;
    case OperationCode.SetExpiry:
      writer.u32(operation.expiresAt);
      return;
    case OperationCode.SetRank:
      writer.f32(operation.c1).f32(operation.c0);
      return;
    case OperationCode.SetProperty:
      writer.u16(name).rest(encodeProperty(operation.property));
      return;
    case OperationCode.SetVector:
      encodeVector(operation.vector);
      return;
    case OperationCode.RemoveProperty:
      writer.u16(name);
  }
}

function encodeVector({ bytes, scale }: VectorParts): void {
  writer.u8(EUCLIDEAN).u32(bytes.length).f32(scale);
  writer.rest(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
}

function idOf(store: GraphStore, vertex: number, id: string): string {
  return vertex === 0 ? id : store.ids.idOf(vertex);
}

function codeToGive(names: Names, name: string): number {
  return names.codeOf(name) || names.nextCode;
}

/**
 * Reads a record into an operation for `apply`, within the mutation that applies it.
 * @throws DataError if it is none, or none that this store can have got
 */
export function decodeOperation(store: GraphStore, record: Uint8Array, into: Operation): void {
  const reader = new RecordReader(record);
  if (reader.u8() !== VERSION) throw new DataError("unknown version of operation record");
  const code = reader.u8();
  if (!CODES.has(code)) throw damaged("no such operation");
  into.code = code as OperationCodeNumber;
  into.at = reader.u32();
  into.vertex = 0;
  into.terminal = 0;
  switch (into.code) {
    case OperationCode.Truncate:
      into.name = decodeName(store.types, reader.u8(), true);
      break;
    case OperationCode.Enumerate:
      decodeEnumeration(store, reader, into);
      break;
    case OperationCode.SetReadonly:
      into.value = reader.u8();
      if (into.value > 1) throw damaged("readonly is 0 or 1");
      break;
    case OperationCode.IndexVectors:
      into.value = reader.u32();
      into.flags = reader.u16();
      checkIndex(into);
      break;
    case OperationCode.Connect:
    case OperationCode.Disconnect:
      decodeArc(store, reader, into);
      break;
    default:
      into.id = decodeId(reader);
      into.vertex = store.ids.find(into.id);
      decodeOwn(store, reader, into);
  }
  reader.end();
}

function decodeArc(store: GraphStore, reader: RecordReader, into: Operation): void {
  const isConnect = into.code === OperationCode.Connect;
  into.id = decodeId(reader);
  into.terminalId = decodeId(reader);
  into.vertex = store.ids.find(into.id);
  into.terminal = store.ids.find(into.terminalId);
  into.name = decodeName(store.relationships, reader.u16(), !isConnect);
  into.modifier = reader.u8();
  const row = MODIFIERS[into.modifier];
  const isAny = !isConnect && into.modifier === 0;
  if (!isAny && (row === undefined || row.isResult)) throw damaged("no such modifier");
  if (!isConnect || row === undefined) return;
  into.flags = reader.u8();
  into.value = reader.u32();
  const value = valueFromBits(row.kind, into.value);
  const isUnit = row.kind === "unit";
  if (isUnit ? into.value !== 1 : !(value >= row.min && value <= row.max)) {
    throw damaged("value out of range");
  }
  if ((into.flags & ~ArcFlag.ForwardOnly) !== 0) throw damaged("no such flags");
  if (into.terminal !== 0 && mixesListing(store, into.terminal, into.flags)) {
    throw damaged("forward-only and regular arcs to one vertex");
  }
}

function decodeOwn(store: GraphStore, reader: RecordReader, into: Operation): void {
  const { code, vertex, id } = into;
  const isThere = vertex !== 0;
  if (code === OperationCode.CreateVertex) {
    into.name = decodeName(store.types, reader.u8(), true);
    return;
  }
  if (code === OperationCode.DeleteVertex) return;
  if (!isThere) throw new DataError(`operation record is about no vertex: '${id}'`);
  if (code === OperationCode.SetType) into.name = decodeName(store.types, reader.u8(), false);
  else if (code === OperationCode.SetExpiry) into.expiresAt = reader.u32();
  else if (code === OperationCode.SetRank) {
    into.c1 = reader.f32();
    into.c0 = reader.f32();
  } else if (code === OperationCode.SetVector) into.vector = decodeVector(reader);
  else if (code === OperationCode.SetProperty || code === OperationCode.RemoveProperty) {
    into.name = decodeName(store.keys, reader.u16(), false);
    if (code === OperationCode.SetProperty) into.property = decodeProperty(reader.rest());
  }
}

function checkIndex({ value, flags }: Operation): void {
  if (!isVectorLength(value)) throw damaged("length of vectors");
  if (flags < MIN_EF || flags > MAX_EF) throw damaged("candidates of an index");
}

function decodeVector(reader: RecordReader): VectorParts {
  if (reader.u8() !== EUCLIDEAN) throw damaged("no such kind of vectors");
  const length = reader.u32();
  const scale = reader.f32();
  const bytes = Int8Array.from(reader.rest(), (byte) => (byte << 24) >> 24);
  if (length === 0 || bytes.length !== length) throw damaged("length of a vector");
  if (!(scale >= 0 && scale < Number.POSITIVE_INFINITY)) throw damaged("scale of a vector");
  return checked(() => partsOfBytes(bytes, scale, "vector"), "");
}

function decodeEnumeration(store: GraphStore, reader: RecordReader, into: Operation): void {
  into.name = reader.u8();
  const names = NAME_KINDS[into.name]?.(store);
  if (names === undefined) throw damaged("no such kind of names");
  const code = reader.u16();
  into.text = reader.text();
  const known = names.codeOf(into.text);
  if (code === 0 || code !== (known || names.nextCode)) {
    throw new DataError(`operation record gives '${into.text}' another code`);
  }
  if (known === 0) checked(checkedKey, into.text);
}

/** A code that the store has given. */
function decodeName(names: Names, code: number, isOptional: boolean): number {
  if (isOptional && code === 0) return 0;
  if (names.nameOf(code) === "") throw damaged("unknown name");
  return code;
}

function decodeId(reader: RecordReader): string {
  return checked(checkedId, reader.text());
}

function checked<T>(check: (text: string) => T, text: string): T {
  try {
    return check(text);
  } catch (error) {
    throw new DataError("damaged operation record", { cause: error });
  }
}

function damaged(what: string): DataError {
  return new DataError(`damaged operation record: ${what}`);
}
