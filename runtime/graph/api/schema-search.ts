// Options for searches, facets and groups of a graph with a schema, which names the properties.
// Types only.

import type { TextIndexOptions } from "../changes/index-texts.js";
import type { SearchOptions } from "../query/calls/search.js";
import type {
  FacetOption,
  SummaryOptions,
  TotaledProperties,
} from "../query/parse/query-options.js";
import type { GraphSchema, PropertyKey, SchemaFilter } from "./schema.js";
import type { OptionOf } from "./schema-results.js";

type Grouped<S extends GraphSchema> = PropertyKey<S> | ".type";
type Keys<S extends GraphSchema> = readonly PropertyKey<S>[];

interface SchemaTotals<S extends GraphSchema> {
  readonly stats?: PropertyKey<S> | Keys<S>;
  readonly distinct?: PropertyKey<S> | Keys<S>;
}

type FacetObject<S extends GraphSchema> = Omit<
  Extract<FacetOption, object>,
  "property" | "arc" | keyof TotaledProperties
> &
  SchemaTotals<S> & { readonly property?: Grouped<S>; readonly arc?: SchemaFilter<S> };

/** A facet with a name of its own: of a property, or of arcs. */
type NamedFacet<S extends GraphSchema> = FacetObject<S> &
  ({ readonly property: Grouped<S> } | { readonly arc: SchemaFilter<S> });

/** `facets` and `groupBy`. */
export type SchemaSummary<S extends GraphSchema> = Omit<
  SummaryOptions,
  "facets" | "groupBy" | "highlight"
> & {
  readonly facets?:
    | ({ readonly [K in Grouped<S>]?: number | FacetObject<S> } & {
        readonly [name: string]: number | FacetObject<S> | undefined;
      })
    | null;
  readonly groupBy?: Grouped<S> | (SchemaTotals<S> & { readonly key: Grouped<S> }) | null;
  readonly highlight?: Keys<S> | { readonly [K in PropertyKey<S>]?: number } | null;
};

/** Rejects facets whose name is no property and that name none. */
export type LiteralFacets<S extends GraphSchema, O> =
  OptionOf<O, "facets"> extends infer F extends object
    ? {
        readonly facets: {
          readonly [N in keyof F]: N extends Grouped<S> ? number | FacetObject<S> : NamedFacet<S>;
        };
      }
    : unknown;

/** Options that `search` has besides those of `vertices`. */
export type SchemaTexts<S extends GraphSchema> = Omit<
  SearchOptions,
  "condition" | "keys" | keyof SummaryOptions
> & {
  readonly keys?: Keys<S> | { readonly [K in PropertyKey<S>]?: number };
};

/** A text index of properties of the schema. */
export type SchemaTextIndex<S extends GraphSchema, T> = Omit<
  TextIndexOptions,
  "keys" | "type" | "languageKey" | "columns"
> & {
  readonly keys: Keys<S> | { readonly [K in PropertyKey<S>]?: { readonly boost?: number } };
  readonly type?: T | null;
  readonly languageKey?: PropertyKey<S>;
  readonly columns?: Keys<S>;
};
