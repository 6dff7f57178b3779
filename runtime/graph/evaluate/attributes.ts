// Attributes in expressions: `next.deg`, `.arc.value` by the rows of store/attributes, and those of
// the query's context, such as `graph.order`. Parser, documentation and completion read these maps.

import { isFloatArc } from "../model/arc-number.js";
import { ARC_ATTRIBUTES as ARC_ROWS } from "../store/attributes/arc-attributes.js";
import type { AttributeType } from "../store/attributes/attribute.js";
import { VERTEX_ATTRIBUTES as VERTEX_ROWS } from "../store/attributes/vertex-attributes.js";
import type { GraphStore } from "../store/graph-store.js";
import type { VectorParts } from "../vectors/vector-parts.js";
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
  readonly of: (store: GraphStore, vertex: number) => Value;
}
export interface ArcAttribute extends Row {
  readonly of: (arc: ArcView) => Value;
}
export interface OtherAttribute extends Row {
  readonly read: (x: Context) => Value;
}

/** Boxes a raw value by its type; null for types whose raw values are values. */
const BOX: Record<AttributeType, ((raw: never) => Value) | null> = {
  text: null,
  int: null,
  num: null,
  real: boxedReal,
  bits: (raw: bigint) => new Bits(raw),
  vector: (raw: VectorParts | null) => (raw === null ? NO_VECTOR : new VectorValue(raw)),
};

function vertexRows(): VertexAttribute[] {
  return VERTEX_ROWS.flatMap(({ name, type, doc, evaluate }) => {
    if (type === null || name === null) return [];
    const box = BOX[type] as ((raw: unknown) => Value) | null;
    const of: VertexAttribute["of"] =
      box === null
        ? (evaluate as VertexAttribute["of"])
        : (store, vertex) => box(evaluate(store, vertex));
    return [{ name: name.slice(".".length), type, doc, of }];
  });
}

function arcRows(): ArcAttribute[] {
  return ARC_ROWS.flatMap(({ name, type, doc, evaluate }) => {
    if (type === null || name === null) return [];
    // Only `value` can be a float; the modifier of the arc decides.
    const of: ArcAttribute["of"] =
      type === "num"
        ? (arc) => (isFloatArc(arc.word1) ? boxedReal(evaluate(arc)) : evaluate(arc))
        : evaluate;
    return [{ name: name.slice(".arc.".length), type, doc, of }];
  });
}

const MS = 1000;

const OTHER_ROWS: readonly OtherAttribute[] = [
  { name: "vector", type: "vector", doc: "probe vector of the query", read: (x) => x.run.vector },
  {
    name: "text.score",
    type: "real",
    doc: "score of the text of the vertex in a search; 0 elsewhere",
    read: ({ run, next, vertex }) =>
      boxedReal(run.texts?.of(next.handle === 0 ? vertex.handle : next.handle) ?? 0),
  },
  {
    name: "text.words",
    type: "int",
    doc: "words of a search that the text of the vertex has; 0 elsewhere",
    read: ({ run, next, vertex }) =>
      run.texts?.wordsOf(next.handle === 0 ? vertex.handle : next.handle) ?? 0,
  },
  {
    name: "graph.ts",
    type: "real",
    doc: "current time in seconds since 1970",
    read: (x) => boxedReal(x.run.graph.ts),
  },
  {
    name: "graph.t0",
    type: "real",
    doc: "creation time of the graph in seconds since 1970",
    read: (x) => boxedReal(x.run.graph.t0),
  },
  {
    name: "graph.age",
    type: "real",
    doc: "age of the graph in seconds",
    read: ({ run: { graph } }) => boxedReal(graph.ts - graph.t0),
  },
  { name: "graph.order", type: "int", doc: "number of vertices", read: (x) => x.run.graph.order },
  { name: "graph.size", type: "int", doc: "number of arcs", read: (x) => x.run.graph.size },
  { name: "graph.op", type: "int", doc: "number of operations", read: (x) => x.run.graph.op },
  {
    name: "sys.tick",
    type: "int",
    doc: "monotonic clock in nanoseconds",
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
    doc: "sort score of the hit",
    read: (x) => boxedReal(x.score),
  },
  { name: ".rank", type: "real", doc: "the same", read: (x) => boxedReal(x.score) },
  {
    name: "collectable.real",
    type: "real",
    doc: "score that a hit must exceed to enter the result",
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

export const VERTEX_ATTRIBUTES = indexByName(vertexRows());
export const ARC_ATTRIBUTES = indexByName(arcRows());
export const OTHER_ATTRIBUTES = indexByName(OTHER_ROWS);

function indexByName<R extends Row>(rows: readonly R[]): ReadonlyMap<string, R> {
  return new Map(rows.map((row) => [row.name, row]));
}

/** Wraps a vertex as a value. */
export function vertexValue({ handle }: VertexFrame): Value {
  return handle === 0 ? null : new VertexRef(handle);
}
