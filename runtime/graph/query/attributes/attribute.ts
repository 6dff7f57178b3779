// What can be asked of a hit by name: one row each for its vertex and for the arc that led to it.
// Fields, `select`, conditions on times, orders, the types of results and `Vertex` read these rows.

import type { GraphStore } from "../../store/graph-store.js";
import type { Probe } from "../../vectors/probe.js";

/** What a field holds; `items` is a list of keys and values, for the properties. */
export type FieldKind = "text" | "integer" | "float" | "arc value" | "vector" | "items";

/** A hit that is being looked at; it must not be kept. */
export interface HitView {
  readonly store: GraphStore;
  /** Handles of both ends of the arc; a vertex that was found by itself is a head. */
  readonly tail: number;
  readonly head: number;
  /** Arcs from where the walk began. */
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
  /** False for M_STAT, whose value is only shown. */
  readonly hasValue: boolean;
  /** The vector that hits are compared with, null if there is none. */
  readonly probe: Probe | null;
  /** What the hit was sorted by. */
  readonly score: number;
}

/** How an attribute is called. */
interface Names<F extends string | null> {
  /** Among the fields of an entry, with its `F_` constant and kind; null if it is none of them. */
  readonly field: F;
  readonly bit: number;
  readonly kind: FieldKind;
  /** In `select` and in expressions; null if it is not known there. */
  readonly name: string | null;
  /** `S_` constant of the order by it, 0 if there is none. */
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

/** A row for the arc of a hit, or for the hit itself. */
export function arc<F extends string | null, V>(
  row: Row<F>,
  read: (hit: HitView) => V,
): Attribute<F, V> {
  return { ...UNNAMED, ...row, read };
}

/** A row for the vertex that a hit is about. */
export function vertex<F extends string | null, V>(
  row: Row<F>,
  of: (store: GraphStore, vertex: number) => V,
): VertexAttribute<F, V> {
  return { ...UNNAMED, ...row, of, read: ({ store, head }) => of(store, head) };
}
