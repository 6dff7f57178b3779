// Types of query options in plugin code. The JSON of the built-in services has the same form, with
// the names of constants as strings.

import type {
  ArcDirection,
  ArcModifier,
  FieldMask,
  ValueComparison,
} from "../../model/constants.js";
import type { FieldValues } from "../../store/attributes/field-list.js";
import type { PropertyValue } from "../../store/property-values.js";
import type { TextStatisticsShare } from "../../texts/text-statistics.js";
import type { VectorLike } from "../../vectors/vector.js";

/**
 * `{ rel: "knows", dir: "out", mod: "int", value: { gt: 5 } }` with any members omitted, or
 * `"rel"`, `D_OUT`, `["rel", D_OUT, M_INT, V_GT, 5]`, `[false, filter]`.
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
/** Typed by position, so that editors reject misplaced items. */
export type ArcFilterItems = readonly [
  rel?: string | null,
  dir?: ArcDirection | null,
  mod?: ArcModifier | null,
  cond?: ValueComparison | null,
  value?: ArcValue | null,
];
/** A number, both bounds of a range, or bits and distance of an M_LSH arc. */
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

/** One comparison by name. */
export type Comparison =
  | { readonly gt: number }
  | { readonly gte: number }
  | { readonly lt: number }
  | { readonly lte: number }
  | { readonly eq: string | number | boolean }
  | { readonly ne: string | number | boolean }
  | { readonly between: readonly [number, number] }
  | { readonly outside: readonly [number, number] };

/** Condition on the number of arcs: all, or the arcs that pass a filter. */
export type DegreeCondition = ValueCondition | readonly [arc: ArcFilter, ValueCondition];
type Negatable<T> = T | readonly [keep: boolean, condition: T];
/** Times of creation, modification and expiry, in seconds. */
export type TimeCondition = Negatable<{
  readonly created?: ValueCondition;
  readonly modified?: ValueCondition;
  readonly expires?: ValueCondition;
}>;

/** An arc and a neighbor that a vertex must have. */
export interface AdjacencyRule {
  readonly arc?: ArcFilter;
  readonly filter?: string;
  readonly neighbor?: VertexCondition;
  readonly assert?: boolean | number | null;
  readonly repeat?: RepeatRange;
  /** Condition on the vertices in between. */
  readonly through?: VertexCondition;
}
/**
 * Least and most arcs to follow, one after the other; null: no limit. Each vertex is reached once,
 * by the fewest arcs.
 */
export type RepeatRange = readonly [least: number, most: number | null];
/** Like `AdjacencyRule`, but followed completely, and its arcs may be collected. */
export interface TraverseRule extends AdjacencyRule {
  readonly collect?: CollectRule;
}
/** Arcs of a level that become part of the result: all, none, or the arcs that pass a filter. */
export type CollectRule = boolean | null | ArcFilter;

/** An id, several ids, or an arc filter as a list. */
type RuleInShort =
  | string
  | VertexReference
  | readonly (string | VertexReference)[]
  | ArcFilterItems
  | readonly [keep: boolean, filter: ArcFilter];

/** Constraints of a vertex; all must be met. */
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
  /** Texts to search for, in the text index; a string is the `query`. */
  readonly text?: Negatable<string | TextCondition>;
  /** Alias of `traverse.arc`. */
  readonly arc?: ArcFilter;
  readonly neighbor?: VertexCondition;
  readonly collect?: CollectRule;
  readonly assert?: boolean | number | null;
  /** Alias of `adjacent.arc`. */
  readonly has_arc?: ArcFilter;
  readonly has_neighbor?: VertexCondition;
  /** Negates a condition. */
  readonly not?: VertexCondition;
  /** Conditions of which all (`and`) or one (`or`) must be met; they collect nothing. */
  readonly and?: readonly VertexCondition[];
  readonly or?: readonly VertexCondition[];
}

/** Search in a text index. */
export interface TextCondition extends TextQueryOptions {
  readonly query: string;
}

/** Similarity of the vertex's vector to a probe vector. */
export interface SimilarityCondition {
  readonly vector: VectorLike | { readonly vector: readonly number[] };
  /** -1 to 1; a plain number is the minimum. */
  readonly score?: ValueCondition;
  /** Hamming distance of the fingerprints, 0 to 64; a plain number is the maximum. */
  readonly hamdist?: ValueCondition;
}

/** `Vertex` as queries see it. */
export interface VertexReference {
  readonly id: string;
}

/**
 * Any vertex (null, `"*"`), an id, a prefix (`"a*"`), several ids, a condition, or its negation.
 */
export type VertexCondition =
  | null
  | string
  | VertexReference
  | VertexConditionObject
  | readonly string[]
  | readonly [keep: boolean, condition: VertexCondition];

/** Names of entry fields; used instead of an `F_` mask they determine the type of entries. */
export type FieldName = Exclude<keyof FieldValues, "raw-vertex">;

export type ResultFormat = "simple" | "str" | "list" | "dict";
export type Properties = { readonly [key: string]: PropertyValue };

/** Page, timeout and limits of an execution. */
export interface ExecuteOptions {
  /** Maximum number of entries; negative for all. */
  readonly hits?: number;
  /** Number of entries to skip. */
  readonly offset?: number;
  /** Lock timeout in milliseconds; 0 for none, -1 for no limit. */
  readonly timeout?: number;
  /** True to make `timeout` limit the whole execution. */
  readonly limexec?: boolean;
}

export interface ResultOptions {
  /** `R_` constants, or the name of a format. */
  readonly result?: number | ResultFormat;
  readonly fields?: FieldMask | readonly FieldName[];
  readonly select?: string;
  /** An `S_` constant, with S_ASC or S_DESC. */
  readonly sortby?: number;
  /** Adds counts of all matches, and the seconds spent. */
  readonly counts?: boolean;
  readonly timing?: boolean;
  /** Adds the query plan and its cost. */
  readonly explain?: boolean;
}

/** Options for facets, groups and pages of queries with entries. */
export interface SummaryOptions {
  /** Counts all matches by value, range, type or arc, by name of the facet. */
  readonly facets?: { readonly [name: string]: FacetOption } | null;
  /** Returns the first entry of each group with an equal property, or of each `.type`. */
  readonly groupBy?: string | ({ readonly key: string } & TotaledProperties) | null;
  /** True, or the `cursor` of the previous page: adds the cursor of the next page. */
  readonly cursor?: string | boolean | null;
  /**
   * True: a search that reaches a limit returns the hits found so far, and the limit as `bounded`,
   * instead of an error.
   */
  readonly incomplete?: boolean;
  /** Marks the searched words in the texts of these keys, with the number of characters of each. */
  readonly highlight?: readonly string[] | { readonly [key: string]: number } | null;
}

/** Properties that are totaled for each value of a facet or each group. */
export interface TotaledProperties {
  /** Sum, minimum, maximum and average of their numbers. */
  readonly stats?: string | readonly string[];
  /** Number of their distinct values. */
  readonly distinct?: string | readonly string[];
}

/** A number: that many of the most frequent values. */
export type FacetOption =
  | number
  | (TotaledProperties & {
      /** Property, or `.type` (default: the name of the facet). */
      readonly property?: string;
      /** Maximum number of values (default: 10, max: 10,000). */
      readonly top?: number;
      /** Ascending limits of ranges of numbers, in place of values. */
      readonly ranges?: readonly number[];
      /** Counts by the ids at the other ends of arcs. */
      readonly arc?: ArcFilter;
    });

/** Search and result options of `vertices` and `arcs`. */
export interface GlobalQueryOptions extends ResultOptions, SummaryOptions {
  readonly condition?: VertexCondition;
  /** For `vertices` sorted by S_SIM: allows the HNSW index; see `nearest`. */
  readonly approximate?: boolean | { readonly ef?: number };
  readonly vector?: VectorLike | null;
  readonly rank?: string;
  readonly memory?: unknown;
}

/** How texts are searched. */
export interface TextQueryOptions {
  /** Name of the index; default: the only one, or "text". */
  readonly in?: string;
  /** Keys to search, with the boost of each; default: all keys with their declared boosts. */
  readonly keys?: readonly string[] | { readonly [key: string]: number };
  /** Number of the words that a text must contain; default: all. */
  readonly match?: "all" | "any" | number;
  /** Typos allowed per word; "auto": by its length, and only if there are too few exact hits. */
  readonly fuzzy?: 0 | 1 | 2 | "auto";
  /** True: the last word may be incomplete. */
  readonly prefix?: boolean;
  /** Language of the searched words, as `de` (default: that of the index). */
  readonly language?: string;
}

/** Options of `search` for its result. */
export interface SearchResultOptions {
  /** Combines the orders by text and by `vector`: scores are sums of 1 / (`rrf` + rank). */
  readonly fuse?: boolean | { readonly rrf?: number; readonly candidates?: number } | null;
  /** For S_RANK: ranks only that many of the best texts (max 10,000); -1 for all. */
  readonly rerank?: number | null;
  /**
   * Statistics for the scores instead of those of the index: sums of `textStatistics` over several
   * partitions. Over HTTP, true requests the sums over all partitions of a matrix.
   */
  readonly statistics?: boolean | TextStatisticsShare | null;
}

/** How arcs of one head, relationship and value class are aggregated. */
export interface AggregateRule {
  /** Default: `count`. */
  readonly mode?: ("first" | "max" | "min" | "average") | ("count" | "sum" | "sqsum" | "product");
  /** Filter on groups: `["*", D_ANY, M_INTAGGR, V_GT, 3]`. */
  readonly arc?: ArcFilter;
  /** Maximum number of arcs to group; negative for all. */
  readonly deephits?: number;
}

/** Search and result options of `neighborhood`. */
export interface NeighborhoodQueryOptions extends ResultOptions, SummaryOptions {
  readonly arc?: ArcFilter;
  readonly neighbor?: VertexCondition;
  readonly repeat?: RepeatRange;
  /** Condition on the vertices in between. */
  readonly through?: VertexCondition;
  readonly collect?: CollectRule;
  readonly pre?: string;
  readonly filter?: string;
  readonly post?: string;
  readonly vector?: VectorLike | null;
  readonly rank?: string;
  readonly memory?: unknown;
  readonly aggregate?: AggregateRule | null;
  /** Number of levels below each entry, listed as `next`; 0 for a flat list. */
  readonly nest?: number | null;
  /** Maximum number of entries of each inner list; negative for all. */
  readonly nestedHits?: number | null;
}

/** Search options of `adjacent`. */
export interface AdjacencyQueryOptions {
  readonly arc?: ArcFilter;
  readonly neighbor?: VertexCondition;
  readonly repeat?: RepeatRange;
  /** Condition on the vertices in between. */
  readonly through?: VertexCondition;
  readonly pre?: string;
  readonly filter?: string;
  readonly post?: string;
  readonly memory?: unknown;
}

/** Search and result options of `aggregate`. */
export interface AggregateQueryOptions extends AdjacencyQueryOptions {
  readonly collect?: CollectRule;
  readonly result?: number | ResultFormat;
  readonly fields?: FieldMask | readonly FieldName[];
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
