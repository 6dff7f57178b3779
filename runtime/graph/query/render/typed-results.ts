// Result types inferred from literal options: names of fields and formats give exact types,
// computed masks give `unknown` if the format is not known. Types only.

import type { FieldOrder, FieldValues } from "../../store/attributes/field-list.js";
import type { FacetRange, FacetValue } from "../hits/facets.js";
import type { FieldName, Properties } from "../parse/query-options.js";
import type { Selected } from "./selected.js";

type InOrder<F, Order extends readonly unknown[] = FieldOrder> = Order extends [
  infer Head,
  ...infer Rest,
]
  ? Head extends F
    ? [Head, ...InOrder<F, Rest>]
    : InOrder<F, Rest>
  : [];

type Flat<T> = { [K in keyof T]: T[K] };
type ArcField = "direction" | "relationship" | "modifier" | "value";
/** Arc fields that add the distance. */
type DistantField = Exclude<ArcField, "relationship">;

/** An entry in dictionary form. */
export type DictEntry<F extends FieldName, Select = undefined> = Flat<
  {
    [K in Exclude<F, ArcField>]: K extends "properties" ? Selected<Select> : FieldValues[K];
  } & ([Extract<F, ArcField>] extends [never]
    ? unknown
    : { arc: { [K in Extract<F, ArcField>]: FieldValues[K] } }) &
    ([Extract<F, DistantField>] extends [never] ? unknown : { distance: number })
>;

type ListValue<K> = K extends "properties"
  ? readonly (readonly [key: string, value: Properties[string]])[]
  : K extends keyof FieldValues
    ? FieldValues[K]
    : never;
/** An entry in list form: the fields in display order. */
export type ListEntry<F extends FieldName> =
  InOrder<F> extends infer Names extends readonly unknown[]
    ? { -readonly [I in keyof Names]: ListValue<Names[I]> }
    : never;

type SimpleEntry<F extends FieldName, Select> = InOrder<F>[0] extends infer Name
  ? Name extends "properties"
    ? Selected<Select>
    : Name extends keyof FieldValues
      ? FieldValues[Name]
      : never
  : never;

/** Type of an option; undefined if it is not given. */
type Option<O, K extends string> = K extends keyof O ? O[K] : undefined;

/** Names of the requested fields; null if they are a mask. */
type Shown<O, Default extends FieldName> =
  | NamesIn<Option<O, "fields">, SelectedIn<O, Default>>
  | Extract<SelectedIn<O, never>, FieldName>;
type NamesIn<Fields, Default> = Fields extends readonly (infer F)[]
  ? Extract<F, FieldName>
  : Fields extends number
    ? null
    : Default;
type SelectedIn<O, Otherwise> = Option<O, "select"> extends string ? "properties" : Otherwise;

/** `open` if it cannot be inferred. */
type Format<O> = FormatOf<Option<O, "result">>;
type FormatOf<R> = R extends "simple" | 0
  ? "simple"
  : R extends "list" | 0x2000_0000
    ? "list"
    : R extends "dict" | 0x3000_0000
      ? "dict"
      : R extends "str" | 0x1000_0000 | undefined
        ? "str"
        : "open";

/** One entry of a result. */
export type Entry<O, Default extends FieldName> = EntryIn<
  Format<O>,
  Shown<O, Default>,
  Option<O, "select">
>;
type EntryIn<Form, Names, Select> = Form extends "str"
  ? string
  : null extends Names
    ? MaskedEntry<Form>
    : NamedEntry<Form, Extract<Names, FieldName>, Select>;
type NamedEntry<Form, F extends FieldName, Select> = Form extends "list"
  ? ListEntry<F>
  : Form extends "dict"
    ? DictEntry<F, Select>
    : Form extends "simple"
      ? SimpleEntry<F, Select>
      : unknown;
type MaskedEntry<Form> = Form extends "list"
  ? unknown[]
  : Form extends "dict"
    ? { [key: string]: unknown }
    : unknown;

/** Seconds: searching with sorting, rendering, total. */
export interface QueryTiming {
  search: number;
  result: number;
  total: number;
}

/** How a query found its entries. */
export interface Explanation {
  /** Steps in words: source of the candidates, number of hits kept. */
  plan: string[];
  /** Arcs and vertices visited. */
  looked: number;
  /** Matches found, returned or not. */
  matched: number;
  /** Seconds. */
  time: QueryTiming;
}

/** Whether a boolean option is true; `boolean` if it cannot be inferred. */
type Given<O, K extends string> =
  Option<O, K> extends infer B ? (B extends undefined ? false : B) : never;
type IsOpen<B> = boolean extends B ? true : false;

/** True if an option is given, unknown if that is not known from its type. */
type IsPresent<O, K extends string> =
  Option<O, K> extends infer V
    ? [V] extends [null | undefined]
      ? false
      : [V] extends [NonNullable<V>]
        ? true
        : boolean
    : never;
/** `false` is no cursor. */
type HasCursor<O> = Option<O, "cursor"> extends false ? false : IsPresent<O, "cursor">;
type FacetResult<F> = F extends { readonly ranges: readonly number[] }
  ? FacetRange[]
  : "ranges" extends keyof F
    ? (FacetValue | FacetRange)[]
    : FacetValue[];
type Facets<O> =
  Option<O, "facets"> extends infer F extends object
    ? { facets: { -readonly [K in keyof F]: FacetResult<F[K]> } }
    : unknown;
type Grouped<O, E> =
  IsPresent<O, "groupBy"> extends true
    ? string extends Extract<E, string>
      ? E
      : E extends readonly unknown[]
        ? E
        : E extends object
          ? Flat<E & { grouped: number }>
          : E
    : E;
type Groups<O> = IsPresent<O, "groupBy"> extends true ? { groups: FacetValue[] } : unknown;

type Envelope<O, Key extends string, Counts, E> =
  "open" extends Format<O>
    ? unknown
    : true extends
          | IsOpen<Given<O, "counts">>
          | IsOpen<Given<O, "timing">>
          | IsOpen<Given<O, "explain">>
          | IsOpen<Given<O, "incomplete">>
          | IsOpen<IsPresent<O, "facets">>
          | IsOpen<IsPresent<O, "groupBy">>
          | IsOpen<HasCursor<O>>
      ? unknown
      : [
            | Given<O, "counts">
            | Given<O, "timing">
            | Given<O, "explain">
            | Given<O, "incomplete">
            | IsPresent<O, "facets">
            | IsPresent<O, "groupBy">
            | HasCursor<O>,
          ] extends [false]
        ? E[]
        : Flat<
            { [K in Key]: Grouped<O, E>[] } & Facets<O> &
              (HasCursor<O> extends true ? { cursor: string | null } : unknown) &
              Groups<O> &
              (Given<O, "counts"> extends true ? { counts: Counts } : unknown) &
              (Given<O, "timing"> extends true ? { time: QueryTiming } : unknown) &
              (Given<O, "explain"> extends true ? { explain: Explanation } : unknown) &
              (Given<O, "incomplete"> extends true ? { bounded?: string } : unknown)
          >;

export interface NeighborhoodCounts {
  neighbors: number;
  arcs: number;
  /** Entries whose head disappeared before they were rendered. */
  excluded_arcs?: number;
}

/** An entry of a nested neighborhood with the arcs from its head; other fields by name. */
export interface NestedEntry {
  readonly arc:
    | readonly [relationship: string, value: number]
    | readonly [relationship: string, modifier: string, value: number];
  readonly id: string;
  readonly next: readonly NestedEntry[];
  readonly [field: string]: unknown;
}

/**
 * Result of `neighborhood` for its options: entries, alone or in an envelope with counts and times.
 */
export type NeighborhoodResult<O> =
  Option<O, "nest"> extends 0 | null | undefined
    ? Envelope<O, "neighborhood", NeighborhoodCounts, Highlighted<O>>
    : Envelope<
        Omit<O, "result"> & { result: "dict" },
        "neighborhood",
        NeighborhoodCounts,
        NestedEntry
      >;
/** Result of `vertices` for its options. */
export type VerticesResult<O> = Envelope<O, "vertices", { vertices: number }, Highlighted<O>>;
/** Result of `search` for its options. */
export type SearchResult<O> = Envelope<O, "search", { vertices: number }, Highlighted<O>>;
type Highlighted<O> =
  IsPresent<O, "highlight"> extends true
    ? Flat<Entry<O, "id"> & { highlights: { readonly [key: string]: string } }>
    : Entry<O, "id">;
/** Result of `arcs` for its options. */
export type ArcsResult<O> = Envelope<
  O,
  "arcs",
  { arcs: number },
  Entry<O, "anchor" | ArcField | "id">
>;

/** Item type of `scan` for its options. */
export type ScannedVertex<O> = Entry<O, "id">;
/** Item type of `scanArcs` for its options. */
export type ScannedArc<O> = Entry<O, "anchor" | ArcField | "id">;

/** Sums over the matching arcs, and over the vertices that they lead to. */
export interface AggregateTotals {
  neighbors: number;
  arcs: number;
  predicator_value?: number;
  degree?: number;
  indegree?: number;
  outdegree?: number;
}
/** A number if `result` has no counts and one field is requested. */
export type AggregateResult<O> = [
  Option<O, "result"> | Exclude<Option<O, "counts">, true>,
] extends [undefined]
  ? true extends IsOpen<Given<O, "timing">> | IsOpen<Given<O, "explain">>
    ? unknown
    : [Given<O, "timing"> | Given<O, "explain">] extends [false]
      ? AggregateTotals
      : Flat<
          { aggregation: AggregateTotals } & (Given<O, "timing"> extends true
            ? { time: QueryTiming }
            : unknown) &
            (Given<O, "explain"> extends true ? { explain: Explanation } : unknown)
        >
  : unknown;

/** An arc of `outarcs` and `inarcs`: direction, relationship, modifier, value, other id. */
export type ArcTuple = [
  direction: "D_OUT" | "D_IN",
  relationship: string,
  modifier: string,
  value: number,
  id: string,
];
