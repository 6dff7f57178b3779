// What a query can be asked, as plugin code writes it. The JSON of the built-in services has the
// same form, with the names of constants as texts.

import type { ArcDirection, ArcModifier, ValueComparison } from "../../model/constants.js";
import type { PropertyValue } from "../../store/property-values.js";
import type { VectorLike } from "../../vectors/vector.js";
import type { FieldValues } from "../attributes/field-list.js";

/**
 * `{ rel: "knows", dir: "out", mod: "int", value: { gt: 5 } }`, of which any part may be missing;
 * `"rel"`, `D_OUT`, `["rel", D_OUT, M_INT, V_GT, 5]`, or `[false, filter]`.
 */
export type ArcFilter =
  | null
  | boolean
  | ArcDirection
  | string
  | ArcFilterItems
  | readonly [keep: boolean, filter: ArcFilter]
  | {
      readonly rel?: string | null;
      readonly dir?: ArcDirection | "out" | "in" | "any" | "both";
      /** `M_INT`, or `"int"`. */
      readonly mod?: ArcModifier | string;
      readonly cond?: ValueComparison;
      readonly value?: ArcValue | Comparison;
    };
/** Each of another kind, so that an editor refuses what stands in the wrong place. */
export type ArcFilterItems = readonly [
  rel?: string | null,
  dir?: ArcDirection | null,
  mod?: ArcModifier | null,
  cond?: ValueComparison | null,
  value?: ArcValue | null,
];
/** A number, both ends of a range, or the bits and the distance of an M_LSH arc. */
export type ArcValue = number | readonly [number, number];

/** A value, null for any, or `[V_x, value]`. */
export type ValueCondition =
  | null
  | string
  | number
  | boolean
  | readonly [code: ValueComparison, value: string | number | readonly [number, number]]
  | Comparison
  | { readonly in: readonly (string | number | boolean)[] };

/** One comparison by its name. */
export type Comparison =
  | { readonly gt: number }
  | { readonly gte: number }
  | { readonly lt: number }
  | { readonly lte: number }
  | { readonly eq: string | number | boolean }
  | { readonly ne: string | number | boolean }
  | { readonly between: readonly [number, number] }
  | { readonly outside: readonly [number, number] };

/** A number of arcs, of all or of those that a filter lets through. */
export type DegreeCondition = ValueCondition | readonly [arc: ArcFilter, ValueCondition];
type Negatable<T> = T | readonly [keep: boolean, condition: T];
/** When a vertex was created or modified, or expires: seconds. */
export type TimeCondition = Negatable<{
  readonly created?: ValueCondition;
  readonly modified?: ValueCondition;
  readonly expires?: ValueCondition;
}>;

/** An arc and a neighbour that a vertex must have. */
export interface AdjacencyRule {
  readonly arc?: ArcFilter;
  readonly filter?: string;
  readonly neighbor?: VertexCondition;
  readonly assert?: boolean | number | null;
}
/** The same, walked on to its end: what it reaches may be collected. */
export interface TraverseRule extends AdjacencyRule {
  readonly collect?: CollectRule;
}
/** Which arcs of a level are part of the result: all, none, or those that a filter lets through. */
export type CollectRule = boolean | null | ArcFilter;

/** An id, some ids, or an arc filter as a list. */
type RuleInShort =
  | string
  | VertexReference
  | readonly (string | VertexReference)[]
  | ArcFilterItems
  | readonly [keep: boolean, filter: ArcFilter];

/** What a vertex must fulfil: all of it. */
export interface VertexConditionObject {
  readonly virtual?: boolean | number;
  readonly type?: string | null | readonly [code: ValueComparison, type: string | null];
  readonly degree?: DegreeCondition;
  readonly indegree?: DegreeCondition;
  readonly outdegree?: DegreeCondition;
  readonly id?: string | VertexReference | readonly string[];
  readonly abstime?: TimeCondition;
  readonly reltime?: TimeCondition;
  readonly property?: Negatable<{ readonly [key: string]: ValueCondition }>;
  readonly filter?: string;
  readonly adjacent?: AdjacencyRule | RuleInShort;
  readonly traverse?: TraverseRule | RuleInShort;
  readonly post?: string;
  readonly similarity?: Negatable<SimilarityCondition>;
  /** The same as within `traverse`. */
  readonly arc?: ArcFilter;
  readonly neighbor?: VertexCondition;
  readonly collect?: CollectRule;
  readonly assert?: boolean | number | null;
  /** The same as within `adjacent`. */
  readonly has_arc?: ArcFilter;
  readonly has_neighbor?: VertexCondition;
  /** Negates a condition. */
  readonly not?: VertexCondition;
}

/** How similar the vector of a vertex is to another one. */
export interface SimilarityCondition {
  readonly vector: VectorLike | { readonly vector: readonly number[] };
  /** -1 to 1; a plain number is the least one. */
  readonly score?: ValueCondition;
  /** Bits in which fingerprints differ, 0 to 64; a plain number is the greatest one. */
  readonly hamdist?: ValueCondition;
}

/** What `Vertex` objects are to a query. */
export interface VertexReference {
  readonly id: string;
}

/** Any vertex (null, `"*"`), an id, a prefix (`"a*"`), some ids, a condition, or its negation. */
export type VertexCondition =
  | null
  | string
  | VertexReference
  | VertexConditionObject
  | readonly string[]
  | readonly [keep: boolean, condition: VertexCondition];

/** Fields of an entry by their names, in place of an `F_` mask: they then give the entry's type. */
export type FieldName = Exclude<keyof FieldValues, "raw-vertex">;

export type ResultFormat = "simple" | "str" | "list" | "dict";
export type Properties = { readonly [key: string]: PropertyValue };

/** How a query waits, and for how long it may run. */
export interface ExecuteOptions {
  /** Most entries; negative for all. */
  readonly hits?: number;
  /** Entries to skip. */
  readonly offset?: number;
  /** Milliseconds, 0 for none, -1 for ever. */
  readonly timeout?: number;
  /** True makes `timeout` a bound of the whole execution. */
  readonly limexec?: boolean;
}

export interface ResultOptions {
  /** `R_` constants, or the form alone by name. */
  readonly result?: number | ResultFormat;
  readonly fields?: number | readonly FieldName[];
  readonly select?: string;
  /** An `S_` constant, with S_ASC or S_DESC. */
  readonly sortby?: number;
  /** Beside the entries: counts of the whole match set; seconds spent. */
  readonly counts?: boolean;
  readonly timing?: boolean;
  /** Beside the entries: how they were looked for, and what that cost. */
  readonly explain?: boolean;
}

/** What `vertices` and `arcs` look for, and show. */
export interface GlobalQueryOptions extends ResultOptions {
  readonly condition?: VertexCondition;
  /** Of `vertices` sorted by S_SIM: an index may be used; see `nearest`. */
  readonly approximate?: boolean | { readonly ef?: number };
  readonly vector?: VectorLike | null;
  readonly rank?: string;
  readonly memory?: unknown;
}

/** How the arcs to one head become one: those of one relationship and one class of values. */
export interface AggregateRule {
  /** `count` unless given. */
  readonly mode?: ("first" | "max" | "min" | "average") | ("count" | "sum" | "sqsum" | "product");
  /** Which of the groups are hits: `["*", D_ANY, M_INTAGGR, V_GT, 3]`. */
  readonly arc?: ArcFilter;
  /** Arcs that are grouped at most; negative for all. */
  readonly deephits?: number;
}

/** What `neighborhood` looks for, and shows. */
export interface NeighborhoodQueryOptions extends ResultOptions {
  readonly arc?: ArcFilter;
  readonly neighbor?: VertexCondition;
  readonly collect?: CollectRule;
  readonly pre?: string;
  readonly filter?: string;
  readonly post?: string;
  readonly vector?: VectorLike | null;
  readonly rank?: string;
  readonly memory?: unknown;
  readonly aggregate?: AggregateRule | null;
  /** Levels below each entry, which then has those arcs as `next`; 0 for a flat list. */
  readonly nest?: number | null;
  /** Most entries of each inner list; negative for all. */
  readonly nestedHits?: number | null;
}

/** What `adjacent` looks for. */
export interface AdjacencyQueryOptions {
  readonly arc?: ArcFilter;
  readonly neighbor?: VertexCondition;
  readonly pre?: string;
  readonly filter?: string;
  readonly post?: string;
  readonly memory?: unknown;
}

/** What `aggregate` looks for, and shows. */
export interface AggregateQueryOptions extends AdjacencyQueryOptions {
  readonly collect?: CollectRule;
  readonly result?: number | ResultFormat;
  readonly fields?: number | readonly FieldName[];
  readonly counts?: boolean;
  readonly timing?: boolean;
}

export interface ListQueryOptions {
  readonly neighbor?: VertexCondition;
  readonly sortby?: number;
  readonly rank?: string;
  readonly pre?: string;
  readonly filter?: string;
  readonly post?: string;
  readonly memory?: unknown;
}
