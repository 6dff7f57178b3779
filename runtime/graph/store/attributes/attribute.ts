// One row per attribute of a hit: of its vertex, or of the arc that led to it. Fields, `select`,
// time conditions, sort orders, result types, `Vertex` and expressions all read these rows.

import type { Probe } from "../../vectors/probe.js";
import type { VectorParts } from "../../vectors/vector-parts.js";
import type { GraphStore } from "../graph-store.js";

/** Value type of a field; `items` is the list of keys and values of the properties. */
export type FieldKind = "text" | "integer" | "float" | "arc value" | "vector" | "items";
/** Type in expressions. */
export type AttributeType = "text" | "int" | "real" | "num" | "bits" | "vector";

/** The current hit. The object is reused: copy values that must outlive it. */
export interface HitView {
  readonly store: GraphStore;
  /** Handles of the arc's ends; a vertex found without an arc is the head. */
  readonly tail: number;
  readonly head: number;
  /** Distance from the anchor, in arcs. */
  readonly level: number;
  /** Words 1 and 2 of the arc, and its `HitSide`. */
  readonly word1: number;
  readonly bits: number;
  readonly side: number;
  readonly direction: string;
  readonly relationship: string;
  readonly modifier: string;
  /** 1 for M_STAT. */
  readonly value: number;
  /** False for M_STAT, whose value is displayed but not stored. */
  readonly hasValue: boolean;
  /** Vector that hits are compared with; null if the query has none. */
  readonly probe: Probe | null;
  /** Sort key of the hit. */
  readonly score: number;
  /** Score of its text in a search; 0 elsewhere. */
  readonly textScore: number;
}

/** An arc in an expression. */
export interface ArcOperand {
  readonly word1: number;
  readonly side: number;
  readonly level: number;
  readonly number: number;
  readonly isSynthetic: boolean;
}

/** Names of an attribute. */
interface Names<F extends string | null, N extends string | null> {
  /** Name as a field of an entry, with its `F_` constant and kind; null if it is not a field. */
  readonly field: F;
  readonly bit: number;
  readonly kind: FieldKind;
  /** Name in `select` and in expressions; null if it has none. */
  readonly name: N;
  /** False if only expressions know the name. */
  readonly isSelectable: boolean;
  /** Type and description in expressions; null and empty if `select` alone knows it. */
  readonly type: AttributeType | null;
  readonly doc: string;
  /** `S_` constant that sorts by it; 0 if there is none. */
  readonly sortby: number;
}

export interface Attribute<
  F extends string | null = string | null,
  V = unknown,
  N extends string | null = string | null,
> extends Names<F, N> {
  readonly read: (hit: HitView) => V;
}

/** Value in expressions, before it is boxed by its type. */
type RawValue = string | number | bigint | VectorParts | null;

export interface VertexAttribute<
  F extends string | null = string | null,
  V = unknown,
  N extends string | null = string | null,
> extends Attribute<F, V, N> {
  readonly of: (store: GraphStore, vertex: number) => V;
  /** Value in expressions, for those with a type. */
  readonly evaluate: (store: GraphStore, vertex: number) => RawValue;
}

export interface ArcAttribute<
  F extends string | null = string | null,
  V = unknown,
  N extends string | null = string | null,
> extends Attribute<F, V, N> {
  /** Value in expressions, for those with a type. */
  readonly evaluate: (arc: ArcOperand) => number;
}

type Row<F extends string | null, N extends string | null> = {
  readonly field: F;
  readonly name?: N;
} & {
  readonly [K in Exclude<keyof Names<F, N>, "field" | "name">]?: Names<F, N>[K];
};

const DEFAULTS = {
  ...{ bit: 0, kind: "text", name: null, isSelectable: true, type: null, doc: "", sortby: 0 },
} as const;

/** Declares an attribute of a hit's arc, or of the hit itself. */
export function arc<F extends string | null, V, const N extends string | null = null>(
  row: Row<F, N>,
  read: (hit: HitView) => V,
  evaluate: (arc: ArcOperand) => number = () => 0,
): ArcAttribute<F, V, N> {
  return { ...DEFAULTS, ...row, read, evaluate } as ArcAttribute<F, V, N>;
}

/** Declares an attribute of a hit's vertex. */
export function vertex<F extends string | null, V, const N extends string | null = null>(
  row: Row<F, N>,
  of: (store: GraphStore, vertex: number) => V,
  evaluate = of as (store: GraphStore, vertex: number) => RawValue,
): VertexAttribute<F, V, N> {
  const read = ({ store, head }: HitView): V => of(store, head);
  return { ...DEFAULTS, ...row, of, evaluate, read } as VertexAttribute<F, V, N>;
}
