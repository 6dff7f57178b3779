// What type a result has, from the options that were written down: names of fields and forms give
// exact types, masks that were computed give `unknown` where the form cannot be told. Types only.

import type { FieldName, Properties } from "./query-options.js";

interface FieldValues {
  anchor: string;
  "anchor-internalid": string;
  direction: string;
  relationship: string;
  modifier: string;
  value: number;
  id: string;
  internalid: string;
  type: string;
  degree: number;
  indegree: number;
  outdegree: number;
  vector: readonly number[];
  properties: Properties;
  rankscore: number;
  similarity: number;
  "hamming-distance": number;
  created: number;
  modified: number;
  expires: number;
  descriptor: number;
  address: number;
  handle: string;
  "raw-vertex": string;
}

type DisplayOrder = [
  "anchor",
  "anchor-internalid",
  "direction",
  "relationship",
  "modifier",
  "value",
  "id",
  "internalid",
  "type",
  "degree",
  "indegree",
  "outdegree",
  "vector",
  "properties",
  "rankscore",
  "similarity",
  "hamming-distance",
  "created",
  "modified",
  "expires",
  "descriptor",
  "address",
  "handle",
];
type InOrder<F, Order extends readonly unknown[] = DisplayOrder> = Order extends [
  infer Head,
  ...infer Rest,
]
  ? Head extends F
    ? [Head, ...InOrder<F, Rest>]
    : InOrder<F, Rest>
  : [];

type Flat<T> = { [K in keyof T]: T[K] };
type ArcField = "direction" | "relationship" | "modifier" | "value";
/** Arc fields that bring the distance along. */
type DistantField = Exclude<ArcField, "relationship">;

/** An entry in dictionary form. */
export type DictEntry<F extends FieldName> = Flat<
  { [K in Exclude<F, ArcField>]: FieldValues[K] } & ([Extract<F, ArcField>] extends [never]
    ? unknown
    : { arc: { [K in Extract<F, ArcField>]: FieldValues[K] } }) &
    ([Extract<F, DistantField>] extends [never] ? unknown : { distance: number })
>;

type ListValue<K> = K extends "properties"
  ? readonly (readonly [key: string, value: Properties[string]])[]
  : K extends keyof FieldValues
    ? FieldValues[K]
    : never;
/** An entry in list form: the fields in the order of display. */
export type ListEntry<F extends FieldName> =
  InOrder<F> extends infer Names extends readonly unknown[]
    ? { -readonly [I in keyof Names]: ListValue<Names[I]> }
    : never;

type SimpleEntry<F extends FieldName> = InOrder<F>[0] extends infer Name
  ? Name extends keyof FieldValues
    ? FieldValues[Name]
    : never
  : never;

/** Names of the fields shown; null when they are given as a mask. */
type Shown<O, Default extends FieldName> = O extends { fields: readonly (infer F)[] }
  ? Extract<F, FieldName> | Selected<O>
  : O extends { fields: number }
    ? null
    : O extends { select: string }
      ? "properties"
      : Default;
type Selected<O> = O extends { select: string } ? "properties" : never;

interface FormatNumbers {
  simple: 0;
  str: 0x1000_0000;
  list: 0x2000_0000;
  dict: 0x3000_0000;
}
type Format<O> = O extends { result: infer R }
  ? { [K in keyof FormatNumbers]: R extends K | FormatNumbers[K] ? K : never }[keyof FormatNumbers]
  : "str";

/** One entry of a result. */
export type Entry<O, Default extends FieldName> = [Format<O>] extends [never]
  ? unknown
  : [Format<O>] extends ["str"]
    ? string
    : Shown<O, Default> extends infer F
      ? [F] extends [FieldName]
        ? FormOf<F>[Format<O>]
        : { simple: unknown; list: unknown[]; dict: { [key: string]: unknown } }[Exclude<
            Format<O>,
            "str"
          >]
      : never;
interface FormOf<F extends FieldName> {
  simple: SimpleEntry<F>;
  str: string;
  list: ListEntry<F>;
  dict: DictEntry<F>;
}

/** Seconds: matching and sorting, rendering, everything. */
export interface QueryTime {
  search: number;
  result: number;
  total: number;
}

/** Whether an option that is a boolean was given as true; `boolean` when it cannot be told. */
type Given<O, K extends string> = K extends keyof O
  ? O[K] extends true
    ? true
    : true extends O[K]
      ? boolean
      : false
  : false;
/** A result mask may ask for counts and timing, too. */
type HasOpenMask<O> = O extends { result: infer R } ? (number extends R ? true : false) : false;

type Envelope<O, Key extends string, Counts, E> =
  true extends HasOpenMask<O>
    ? unknown
    : [Given<O, "counts"> | Given<O, "timing">] extends [false]
      ? E[]
      : boolean extends Given<O, "counts"> | Given<O, "timing">
        ? Given<O, "counts"> extends true | false
          ? Given<O, "timing"> extends true | false
            ? Metas<O, Key, Counts, E>
            : unknown
          : unknown
        : Metas<O, Key, Counts, E>;
type Metas<O, Key extends string, Counts, E> = Flat<
  { [K in Key]: E[] } & (Given<O, "counts"> extends true ? { counts: Counts } : unknown) &
    (Given<O, "timing"> extends true ? { time: QueryTime } : unknown)
>;

export interface NeighborhoodCounts {
  neighbors: number;
  arcs: number;
  /** Entries whose head disappeared before they could be shown. */
  excluded_arcs?: number;
}

export type NeighborhoodResult<O> = Envelope<O, "neighborhood", NeighborhoodCounts, Entry<O, "id">>;
export type VerticesResult<O> = Envelope<O, "vertices", { vertices: number }, Entry<O, "id">>;
export type ArcsResult<O> = Envelope<
  O,
  "arcs",
  { arcs: number },
  Entry<O, "anchor" | ArcField | "id">
>;

export interface AggregateTotals {
  neighbors: number;
  arcs: number;
  predicator_value?: number;
  degree?: number;
  indegree?: number;
  outdegree?: number;
}
/** A number when `result` has no counts and one field is asked for. */
export type AggregateResult<O> = O extends { result: unknown }
  ? unknown
  : Given<O, "timing"> extends true
    ? { aggregation: AggregateTotals; time: QueryTime }
    : AggregateTotals;

/** An arc as `outarcs` and `inarcs` list it: direction, relationship, modifier, value, other id. */
export type ArcTuple = [
  direction: "D_OUT" | "D_IN",
  relationship: string,
  modifier: string,
  value: number,
  id: string,
];
