// One row per attribute of a hit: of its vertex, or of the arc that led to it. Fields, `select`,
// time conditions, sort orders, result types and `Vertex` all read these rows.

import type { GraphStore } from "../../store/graph-store.js";
import type { Probe } from "../../vectors/probe.js";

/** Value type of a field; `items` is the list of keys and values of the properties. */
export type FieldKind = "text" | "integer" | "float" | "arc value" | "vector" | "items";

/** The current hit. The object is reused: copy what has to last. */
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

/** Names of an attribute. */
interface Names<F extends string | null> {
  /** Name as a field of an entry, with its `F_` constant and kind; null if it is not a field. */
  readonly field: F;
  readonly bit: number;
  readonly kind: FieldKind;
  /** Name in `select` and in expressions; null if it has none. */
  readonly name: string | null;
  /** `S_` constant that sorts by it; 0 if there is none. */
  readonly sortby: number;
}

export interface Attribute<F extends string | null = string | null, V = unknown> extends Names<F> {
  readonly read: (hit: HitView) => V;
}

export interface VertexAttribute<F extends string | null = string | null, V = unknown>
  extends Attribute<F, V> {
  readonly of: (store: GraphStore, vertex: number) => V;
}

type Row<F extends string | null> = { readonly field: F } & Partial<Omit<Names<F>, "field">>;

const UNNAMED = { bit: 0, kind: "text", name: null, sortby: 0 } as const;

/** Declares an attribute of a hit's arc, or of the hit itself. */
export function arc<F extends string | null, V>(
  row: Row<F>,
  read: (hit: HitView) => V,
): Attribute<F, V> {
  return { ...UNNAMED, ...row, read };
}

/** Declares an attribute of a hit's vertex. */
export function vertex<F extends string | null, V>(
  row: Row<F>,
  of: (store: GraphStore, vertex: number) => V,
): VertexAttribute<F, V> {
  return { ...UNNAMED, ...row, of, read: ({ store, head }) => of(store, head) };
}
