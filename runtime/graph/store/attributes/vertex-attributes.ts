// Attributes of a vertex.

import * as S from "../../../base/sort-constants.js";
import { RECORD_WORDS } from "../../memory/layout.js";
import { decodeSecond } from "../../memory/time.js";
import * as F from "../../model/constants.js";
import { toComponents, type VectorComponents } from "../../vectors/vector-parts.js";
import type { GraphStore } from "../graph-store.js";
import { type AttributeType, vertex } from "./attribute.js";

export const ID = vertex(
  { field: "id", bit: F.F_ID, name: ".id", type: "text", doc: "identifier" },
  ({ ids }, handle) => ids.idOf(handle),
);
export const INTERNALID = vertex(
  {
    ...{ field: "internalid", bit: F.F_OBID, name: ".internalid" },
    ...{ type: "text", doc: "digest of the id" },
  },
  ({ ids }, handle) => ids.internalIdOf(handle),
);
export const TYPE = vertex(
  { field: "type", bit: F.F_TYPE, name: ".type", type: "int", doc: "code of the type" },
  (store, handle) => store.typeNameOf(handle),
  ({ vertices }, handle) => vertices.typeOf(handle),
);
export const DEG = vertex(
  {
    ...{ field: "degree", bit: F.F_DEG, kind: "integer", name: ".deg", sortby: S.S_DEG },
    ...{ type: "int", doc: "number of inbound and outbound arcs" },
  },
  ({ vertices }, handle) => vertices.outDegree(handle) + vertices.inDegree(handle),
);
export const IDEG = vertex(
  {
    ...{ field: "indegree", bit: F.F_IDEG, kind: "integer", name: ".ideg", sortby: S.S_IDEG },
    ...{ type: "int", doc: "number of inbound arcs" },
  },
  ({ vertices }, handle) => vertices.inDegree(handle),
);
export const ODEG = vertex(
  {
    ...{ field: "outdegree", bit: F.F_ODEG, kind: "integer", name: ".odeg", sortby: S.S_ODEG },
    ...{ type: "int", doc: "number of outbound arcs" },
  },
  ({ vertices }, handle) => vertices.outDegree(handle),
);
export const VECTOR = vertex(
  {
    ...{ field: "vector", bit: F.F_VEC, kind: "vector", name: ".vector" },
    ...{ type: "vector", doc: "vector; empty if none is set" },
  },
  ({ vectors }, handle): VectorComponents => toComponents(vectors.get(handle)),
  ({ vectors }, handle) => (vectors.has(handle) ? vectors.get(handle) : null),
);
export const PROPERTIES = vertex(
  { field: "properties", bit: F.F_PROP, kind: "items" },
  ({ properties }, handle) => Object.entries(properties.all(handle)),
);
export const TMC = vertex(
  {
    ...{ field: "created", bit: F.F_TMC, kind: "integer", name: ".tmc", sortby: S.S_TMC },
    ...{ type: "int", doc: "creation time in seconds" },
  },
  ({ vertices }, handle) => vertices.createdAt(handle),
);
export const TMM = vertex(
  {
    ...{ field: "modified", bit: F.F_TMM, kind: "integer", name: ".tmm", sortby: S.S_TMM },
    ...{ type: "int", doc: "last modification time in seconds" },
  },
  ({ vertices }, handle) => vertices.modifiedAt(handle),
);
export const TMX = vertex(
  {
    ...{ field: "expires", bit: F.F_TMX, kind: "integer", name: ".tmx", sortby: S.S_TMX },
    ...{ type: "int", doc: "expiry time in seconds, or T_NEVER" },
  },
  ({ vertices }, handle) => decodeSecond(vertices.expiresAt(handle)),
);
const C1 = vertex(
  { field: null, name: ".c1", type: "real", doc: "first rank coefficient" },
  ({ vertices }, handle) => vertices.c1(handle),
);
const C0 = vertex(
  { field: null, name: ".c0", type: "real", doc: "second rank coefficient" },
  ({ vertices }, handle) => vertices.c0(handle),
);
export const VIRTUAL = vertex(
  { field: null, name: ".virtual", type: "int", doc: "1 for a virtual vertex" },
  ({ vertices }, handle) => Number(vertices.isVirtual(handle)),
);
const LOCKED = expressionOnly(
  { name: ".locked", type: "int", doc: "1 while the vertex is locked for writing" },
  ({ locks }, handle) => Number(locks.ownerOf(handle) !== 0),
);
const PROPCOUNT = vertex(
  { field: null, name: ".propcount", type: "int", doc: "number of properties" },
  ({ properties }, handle) => properties.countOf(handle),
);
export const OP = vertex(
  { field: null, name: ".op", type: "int", doc: "number of the last operation that modified it" },
  ({ vertices }, handle) => vertices.operationOf(handle),
);
export const HANDLE = vertex(
  {
    ...{ field: "address", bit: F.F_ADDR, kind: "integer", name: ".handle", sortby: S.S_ADDR },
    ...{ type: "int", doc: "number of the vertex in this graph" },
  },
  (_, handle) => handle,
);
const DENSE_NUMBER = { type: "int", doc: "dense number of the vertex" } as const;
const ENUM = vertex({ field: null, name: ".enum", ...DENSE_NUMBER }, (_, handle) => handle);
const INDEX = expressionOnly({ name: ".index", ...DENSE_NUMBER }, (_, handle) => handle);
const ADDRESS = expressionOnly({ name: ".address", ...DENSE_NUMBER }, (_, handle) => handle);
const BITINDEX = expressionOnly(
  { name: ".bitindex", type: "int", doc: "index / 64" },
  (_, handle) => Math.floor(handle / 64),
);
const BITVECTOR = expressionOnly(
  { name: ".bitvector", type: "bits", doc: "one bit: index % 64" },
  (_, handle) => 1n << BigInt(handle & 63),
);

// Debugging aids of this implementation: type code and flags, the handle with its generation, and
// the raw record.
export const DESCRIPTOR = vertex(
  { field: "descriptor", bit: F.F_DESCR, kind: "integer" },
  ({ vertices }, handle) => vertices.typeOf(handle) + vertices.flagsOf(handle) * 256,
);
export const GENERATION = vertex(
  { field: "handle", bit: F.F_HANDLE },
  ({ vertices }, handle) => `${handle}:${vertices.generationOf(handle)}`,
);
export const RAW = vertex({ field: "raw-vertex", bit: F.F_RAW }, rawVertex);

/** Returns the words of the vertex's record in hexadecimal. */
function rawVertex({ vertices }: GraphStore, handle: number): string {
  let text = "";
  for (let word = 0; word < RECORD_WORDS; word++) {
    text += vertices.fieldOf(handle, word).toString(16).padStart(8, "0");
  }
  return text;
}

/** Declares an attribute that `select` does not know. */
function expressionOnly<const N extends string, V extends number | bigint>(
  row: { readonly name: N; readonly type: AttributeType; readonly doc: string },
  of: (store: GraphStore, handle: number) => V,
) {
  return vertex({ field: null, isSelectable: false, ...row }, of);
}

export const VERTEX_ATTRIBUTES = [
  ...[ID, INTERNALID, TYPE, DEG, IDEG, ODEG, VECTOR, TMC, TMM, TMX, C1, C0, VIRTUAL, LOCKED],
  ...[PROPCOUNT, OP, HANDLE, ENUM, INDEX, ADDRESS, BITINDEX, BITVECTOR],
  ...[PROPERTIES, DESCRIPTOR, GENERATION, RAW],
] as const;
