// Attributes of a vertex.

import * as S from "../../../base/sort-constants.js";
import { RECORD_WORDS } from "../../memory/layout.js";
import { decodeSecond } from "../../memory/time.js";
import * as F from "../../model/constants.js";
import type { GraphStore } from "../../store/graph-store.js";
import { externalOf, type VectorComponents } from "../../vectors/vector-parts.js";
import { vertex } from "./attribute.js";

export const ID = vertex({ field: "id", bit: F.F_ID, name: ".id" }, ({ ids }, handle) =>
  ids.idOf(handle),
);
export const INTERNALID = vertex(
  { field: "internalid", bit: F.F_OBID, name: ".internalid" },
  ({ ids }, handle) => ids.internalIdOf(handle),
);
export const TYPE = vertex({ field: "type", bit: F.F_TYPE, name: ".type" }, (store, handle) =>
  store.typeNameOf(handle),
);
export const DEG = vertex(
  { field: "degree", bit: F.F_DEG, kind: "integer", name: ".deg", sortby: S.S_DEG },
  ({ vertices }, handle) => vertices.outDegree(handle) + vertices.inDegree(handle),
);
export const IDEG = vertex(
  { field: "indegree", bit: F.F_IDEG, kind: "integer", name: ".ideg", sortby: S.S_IDEG },
  ({ vertices }, handle) => vertices.inDegree(handle),
);
export const ODEG = vertex(
  { field: "outdegree", bit: F.F_ODEG, kind: "integer", name: ".odeg", sortby: S.S_ODEG },
  ({ vertices }, handle) => vertices.outDegree(handle),
);
export const VECTOR = vertex(
  { field: "vector", bit: F.F_VEC, kind: "vector", name: ".vector" },
  ({ vectors }, handle): VectorComponents => externalOf(vectors.get(handle)),
);
export const PROPERTIES = vertex(
  { field: "properties", bit: F.F_PROP, kind: "items" },
  ({ properties }, handle) => Object.entries(properties.all(handle)),
);
export const TMC = vertex(
  { field: "created", bit: F.F_TMC, kind: "integer", name: ".tmc", sortby: S.S_TMC },
  ({ vertices }, handle) => vertices.createdAt(handle),
);
export const TMM = vertex(
  { field: "modified", bit: F.F_TMM, kind: "integer", name: ".tmm", sortby: S.S_TMM },
  ({ vertices }, handle) => vertices.modifiedAt(handle),
);
export const TMX = vertex(
  { field: "expires", bit: F.F_TMX, kind: "integer", name: ".tmx", sortby: S.S_TMX },
  ({ vertices }, handle) => decodeSecond(vertices.expiresAt(handle)),
);
export const HANDLE = vertex(
  { field: "address", bit: F.F_ADDR, kind: "integer", name: ".handle", sortby: S.S_ADDR },
  (_, handle) => handle,
);
const ENUM = vertex({ field: null, name: ".enum" }, (_, handle) => handle);
const C1 = vertex({ field: null, name: ".c1" }, ({ vertices }, handle) => vertices.c1(handle));
const C0 = vertex({ field: null, name: ".c0" }, ({ vertices }, handle) => vertices.c0(handle));
export const VIRTUAL = vertex({ field: null, name: ".virtual" }, ({ vertices }, handle) =>
  vertices.isVirtual(handle) ? 1 : 0,
);
const PROPCOUNT = vertex(
  { field: null, name: ".propcount" },
  ({ properties }, handle) => properties.keysOf(handle).length,
);
export const OP = vertex({ field: null, name: ".op" }, ({ vertices }, handle) =>
  vertices.operationOf(handle),
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

export const VERTEX_ATTRIBUTES = [
  ...[ID, INTERNALID, TYPE, DEG, IDEG, ODEG, VECTOR, PROPERTIES, TMC, TMM, TMX, HANDLE],
  ...[ENUM, C1, C0, VIRTUAL, PROPCOUNT, OP, DESCRIPTOR, GENERATION, RAW],
];
