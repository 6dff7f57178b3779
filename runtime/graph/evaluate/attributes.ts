// Attributes of vertices, arcs and their context, one row each: `next.deg`, `.arc.value`,
// `graph.order`. Parser, documentation and completion read the same table.

import { decodeSecond } from "../memory/time.js";
import { isFloatArc } from "../model/arc-number.js";
import { D_BOTH, D_IN, D_OUT } from "../model/constants.js";
import { ArcFlag } from "../model/modifiers.js";
import type { ArcView, Context } from "./context.js";
import type { StaticType } from "./functions/row.js";
import { Bits, boxedReal, NO_VECTOR, type Value, VectorValue, VertexRef } from "./values.js";
import type { VertexFrame } from "./vertex-frame.js";

interface Row {
  readonly name: string;
  readonly type: StaticType;
  readonly doc: string;
}
export interface VertexAttribute extends Row {
  readonly read: (x: Context, vertex: VertexFrame) => Value;
}
export interface ArcAttribute extends Row {
  readonly read: (x: Context, arc: ArcView) => Value;
}
export interface OtherAttribute extends Row {
  readonly read: (x: Context) => Value;
}

const DIRECTIONS = [D_OUT, D_IN, D_BOTH];

function ofVertex(
  name: string,
  type: StaticType,
  doc: string,
  read: VertexAttribute["read"],
): VertexAttribute {
  return { name, type, doc, read };
}

const VERTEX_ROWS: readonly VertexAttribute[] = [
  ofVertex("id", "text", "identifier", ({ store }, { handle }) => store.ids.idOf(handle)),
  ofVertex("internalid", "text", "digest of the id", ({ store }, { handle }) => {
    return store.ids.internalIdOf(handle);
  }),
  ofVertex("type", "int", "code of the type", ({ store }, { handle }) => {
    return store.vertices.typeOf(handle);
  }),
  ofVertex("deg", "int", "arcs in and out", ({ store: { vertices } }, { handle }) => {
    return vertices.outDegree(handle) + vertices.inDegree(handle);
  }),
  ofVertex("ideg", "int", "arcs in", ({ store }, { handle }) => store.vertices.inDegree(handle)),
  ofVertex("odeg", "int", "arcs out", ({ store }, { handle }) => store.vertices.outDegree(handle)),
  ofVertex("vector", "vector", "vector, empty without one", ({ store }, { handle }) => {
    return store.vectors.has(handle) ? new VectorValue(store.vectors.get(handle)) : NO_VECTOR;
  }),
  ofVertex("tmc", "int", "second of its creation", ({ store }, { handle }) => {
    return store.vertices.createdAt(handle);
  }),
  ofVertex("tmm", "int", "second of its last change", ({ store }, { handle }) => {
    return store.vertices.modifiedAt(handle);
  }),
  ofVertex("tmx", "int", "second at which it expires, or T_NEVER", ({ store }, { handle }) => {
    return decodeSecond(store.vertices.expiresAt(handle));
  }),
  ofVertex("c1", "real", "first rank coefficient", ({ store }, { handle }) => {
    return boxedReal(store.vertices.c1(handle));
  }),
  ofVertex("c0", "real", "second rank coefficient", ({ store }, { handle }) => {
    return boxedReal(store.vertices.c0(handle));
  }),
  ofVertex("virtual", "int", "1 if only arcs name it", ({ store }, { handle }) => {
    return Number(store.vertices.isVirtual(handle));
  }),
  ofVertex("locked", "int", "1 while somebody holds it for writing", ({ store }, { handle }) => {
    return Number(store.locks.ownerOf(handle) !== 0);
  }),
  ofVertex("propcount", "int", "number of properties", ({ store }, { handle }) => {
    return store.properties.countOf(handle);
  }),
  ofVertex("op", "int", "operation that changed it last", ({ store }, { handle }) => {
    return store.vertices.operationOf(handle);
  }),
  ofVertex("handle", "int", "number of the vertex in this graph", (_x, { handle }) => {
    return handle;
  }),
  ofVertex("enum", "int", "dense number of the vertex", (_x, { handle }) => handle),
  ofVertex("index", "int", "dense number of the vertex", (_x, { handle }) => handle),
  ofVertex("address", "int", "dense number of the vertex", (_x, { handle }) => handle),
  ofVertex("bitindex", "int", "index / 64", (_x, { handle }) => Math.floor(handle / 64)),
  ofVertex("bitvector", "bits", "one bit: index % 64", (_x, { handle }) => {
    return new Bits(1n << BigInt(handle & 63));
  }),
];

const ARC_ROWS: readonly ArcAttribute[] = [
  { name: "type", type: "int", doc: "code of the relationship", read: (_x, a) => a.word1 >>> 16 },
  { name: "dir", type: "int", doc: "direction, D_*", read: (_x, a) => directionOf(a) },
  { name: "mod", type: "int", doc: "modifier, M_*", read: (_x, a) => (a.word1 >>> 8) & 0x1f },
  {
    name: "value",
    type: "num",
    doc: "value, 0 for M_STAT",
    read: (_x, arc) => {
      return isFloatArc(arc.word1) ? boxedReal(arc.number) : arc.number;
    },
  },
  { name: "dist", type: "int", doc: "levels from the start", read: (_x, a) => a.level },
  {
    name: "issyn",
    type: "int",
    doc: "1 once for all arcs to a head",
    read: (_x, a) => isSyntheticArc(a),
  },
  {
    name: "isfwd",
    type: "int",
    doc: "1 for arcs that their ends do not list",
    read: (_x, a) => a.word1 & ArcFlag.ForwardOnly,
  },
];

function directionOf(arc: ArcView): number {
  return arc.level === 0 ? 0 : DIRECTIONS[arc.side]!;
}

function isSyntheticArc(arc: ArcView): number {
  return Number(arc.isSynthetic);
}

const MS = 1000;

const OTHER_ROWS: readonly OtherAttribute[] = [
  { name: "vector", type: "vector", doc: "probe vector of the query", read: (x) => x.run.vector },
  { name: "graph.ts", type: "real", doc: "now", read: (x) => boxedReal(x.run.graph.ts) },
  { name: "graph.t0", type: "real", doc: "first second", read: (x) => boxedReal(x.run.graph.t0) },
  {
    name: "graph.age",
    type: "real",
    doc: "seconds since then",
    read: ({ run: { graph } }) => boxedReal(graph.ts - graph.t0),
  },
  { name: "graph.order", type: "int", doc: "vertices", read: (x) => x.run.graph.order },
  { name: "graph.size", type: "int", doc: "arcs", read: (x) => x.run.graph.size },
  { name: "graph.op", type: "int", doc: "operations", read: (x) => x.run.graph.op },
  {
    name: "sys.tick",
    type: "int",
    doc: "nanoseconds of a clock",
    read: () => Math.floor(performance.now() * MS) * MS,
  },
  {
    name: "sys.uptime",
    type: "real",
    doc: "seconds since the server started",
    read: () => boxedReal(performance.now() / MS),
  },
  {
    name: "context.rank",
    type: "real",
    doc: "what the hit is sorted by",
    read: (x) => boxedReal(x.score),
  },
  { name: ".rank", type: "real", doc: "the same", read: (x) => boxedReal(x.score) },
  {
    name: "collectable.real",
    type: "real",
    doc: "what a hit must exceed",
    read: (x) => boxedReal(x.cutoff),
  },
  {
    name: "collectable.int",
    type: "int",
    doc: "the same as an int",
    read: (x) => (Number.isSafeInteger(Math.trunc(x.cutoff)) ? Math.trunc(x.cutoff) : 0),
  },
  ...[1, 2, 3, 4].map((number) => ({
    name: `r${number}`,
    type: "any" as const,
    doc: `contents of register R${number}`,
    read: (x: Context) => x.run.memory.load(-number),
  })),
];

export const VERTEX_ATTRIBUTES = indexByName(VERTEX_ROWS);
export const ARC_ATTRIBUTES = indexByName(ARC_ROWS);
export const OTHER_ATTRIBUTES = indexByName(OTHER_ROWS);

function indexByName<R extends Row>(rows: readonly R[]): ReadonlyMap<string, R> {
  return new Map(rows.map((row) => [row.name, row]));
}

/** Wraps a vertex as a value. */
export function vertexValue({ handle }: VertexFrame): Value {
  return handle === 0 ? null : new VertexRef(handle);
}
